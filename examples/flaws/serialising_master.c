/* A serialising master: one worker works, the others wait for their turn.
 *
 *   mpiexec -n 4 serialising-master flawed|mended [compute|sleep [SECONDS]]
 *
 * Rank 0 deals out pieces of work, all others work. Flawed, it gives a worker a piece and waits for
 * the answer before the next worker gets one. Mended, each worker gets a piece, and a new one when
 * its answer has come, whosever comes first. */

#include "timed_run.h"

enum { flawed, mended, pieces_per_worker = 5, stop = -1 };

static void give(int piece, int worker) { MPI_Send(&piece, 1, MPI_INT, worker, 0, MPI_COMM_WORLD); }

/* Which worker it came from. */
static int receive_answer(int from) {
  double answer;
  MPI_Status status;
  MPI_Recv(&answer, 1, MPI_DOUBLE, from, 0, MPI_COMM_WORLD, &status);
  return status.MPI_SOURCE;
}

static void deal_in_turn(int workers, int pieces) {
  int piece;
  for (piece = 0; piece < pieces; ++piece) {
    const int worker = 1 + piece % workers;
    give(piece, worker);
    receive_answer(worker);
  }
}

static void deal_as_they_come(int workers, int pieces) {
  int piece;
  for (piece = 0; piece < workers; ++piece) give(piece, 1 + piece);
  for (; piece < pieces; ++piece) give(piece, receive_answer(MPI_ANY_SOURCE));
  for (piece = 0; piece < workers; ++piece) receive_answer(MPI_ANY_SOURCE);
}

static void be_master(const struct timed_run* run) {
  const int workers = run->ranks - 1;
  const int pieces = pieces_per_worker * workers;
  int worker;
  if (run->chosen == flawed) {
    deal_in_turn(workers, pieces);
  } else {
    deal_as_they_come(workers, pieces);
  }
  for (worker = 1; worker <= workers; ++worker) give(stop, worker);
}

static void be_worker(const struct timed_run* run) {
  int piece;
  MPI_Recv(&piece, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  while (piece != stop) {
    const double answer = piece;
    work(run, run->part_s);
    MPI_Send(&answer, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
    MPI_Recv(&piece, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

int main(int argc, char** argv) {
  static const char* const variants[] = {"flawed", "mended", NULL};
  const struct timed_run run = begin_run(argc, argv, "serialising-master", variants);
  if (run.rank == 0) {
    be_master(&run);
  } else {
    be_worker(&run);
  }
  return end_run(&run);
}
