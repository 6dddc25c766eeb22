/* A late sender: the others wait for what rank 0 has long had.
 *
 *   mpiexec -n 4 late-sender flawed|mended [compute|sleep [SECONDS]]
 *
 * In each step rank 0 gives the others their parameters, all compute, and agree on a result, which
 * the next parameters depend on. Flawed, rank 0 computes its own part before it sends: a step takes
 * two parts' time. Mended, it sends first: a step takes one. */

#include "timed_run.h"

enum { flawed, mended, steps = 5, parameters = 16 };

static void send_parameters(const struct timed_run* run, const double* values) {
  int to;
  for (to = 1; to < run->ranks; ++to) {
    MPI_Send(values, parameters, MPI_DOUBLE, to, 0, MPI_COMM_WORLD);
  }
}

static void receive_parameters(double* values) {
  MPI_Recv(values, parameters, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void do_step(const struct timed_run* run, double* values) {
  double result;
  if (run->rank == 0 && run->chosen == mended) send_parameters(run, values);
  if (run->rank != 0) receive_parameters(values);
  work(run, run->part_s);
  if (run->rank == 0 && run->chosen == flawed) send_parameters(run, values);
  result = values[0] + 1;
  MPI_Allreduce(MPI_IN_PLACE, &result, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  values[0] = result;
}

int main(int argc, char** argv) {
  static const char* const variants[] = {"flawed", "mended", NULL};
  const struct timed_run run = begin_run(argc, argv, "late-sender", variants);
  double values[parameters] = {0};
  int step;
  for (step = 0; step < steps; ++step) do_step(&run, values);
  return end_run(&run);
}
