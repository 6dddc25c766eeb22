/* Dependent waits: each rank waits for the one before it, which waits itself.
 *
 *   mpiexec -n 4 dependent-waits flawed|mended [compute|sleep [SECONDS]]
 *
 * In each step a setting goes from rank to rank, each computes with it, and all agree on a result,
 * which the next setting depends on. Flawed, a rank passes the setting on when it has computed: a
 * step takes as many parts' time as there are ranks. Mended, it passes the setting on at once. */

#include "timed_run.h"

enum { flawed, mended, steps = 5 };

static void pass_on(const struct timed_run* run, const double* setting) {
  if (run->rank + 1 == run->ranks) return;
  MPI_Send(setting, 1, MPI_DOUBLE, run->rank + 1, 0, MPI_COMM_WORLD);
}

static void do_step(const struct timed_run* run, double* setting) {
  double result;
  if (run->rank > 0) {
    MPI_Recv(setting, 1, MPI_DOUBLE, run->rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (run->chosen == mended) pass_on(run, setting);
  work(run, run->part_s);
  if (run->chosen == flawed) pass_on(run, setting);
  result = *setting + 1;
  MPI_Allreduce(MPI_IN_PLACE, &result, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  *setting = result;
}

int main(int argc, char** argv) {
  static const char* const variants[] = {"flawed", "mended", NULL};
  const struct timed_run run = begin_run(argc, argv, "dependent-waits", variants);
  double setting = 0;
  int step;
  for (step = 0; step < steps; ++step) do_step(&run, &setting);
  return end_run(&run);
}
