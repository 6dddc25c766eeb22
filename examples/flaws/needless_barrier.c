/* A needless barrier: in every step all wait for whoever has most to do in it.
 *
 *   mpiexec -n 4 needless-barrier flawed|mended [compute|sleep [SECONDS]]
 *
 * In each step one rank has four times as much to do as the others, each rank in its turn, and no
 * step needs anything of another rank. Flawed, a barrier ends each step; mended, none does. */

#include "timed_run.h"

enum { flawed, mended, turns = 2 };

int main(int argc, char** argv) {
  static const char* const variants[] = {"flawed", "mended", NULL};
  const struct timed_run run = begin_run(argc, argv, "needless-barrier", variants);
  int step;
  for (step = 0; step < turns * run.ranks; ++step) {
    work(&run, step % run.ranks == run.rank ? run.part_s : 0.25 * run.part_s);
    if (run.chosen == flawed) MPI_Barrier(MPI_COMM_WORLD);
  }
  return end_run(&run);
}
