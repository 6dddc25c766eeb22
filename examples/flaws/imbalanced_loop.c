/* An imbalanced loop: all wait for the rank with the longest rows.
 *
 *   mpiexec -n 4 imbalanced-loop flawed|mended [compute|sleep [SECONDS]]
 *
 * In each step the rows of a triangle are computed, row i of which has i + 1 elements, and all
 * agree on a result. The loop over rows is the region "rows". Flawed, a rank has as many rows as
 * every other, one after the other: the last rank's are the longest. Mended, rows are dealt to and
 * fro, and all have as many elements. */

#include "timed_run.h"

enum { flawed, mended, steps = 5, rows_per_rank = 8 };

static int owner_of(const struct timed_run* run, int row) {
  const int place = row % (2 * run->ranks);
  if (run->chosen == flawed) return row / rows_per_rank;
  return place < run->ranks ? place : 2 * run->ranks - 1 - place;
}

static void compute_rows(const struct timed_run* run) {
  const int rows = rows_per_rank * run->ranks;
  const double element_s = run->part_s * run->ranks / (0.5 * rows * (rows + 1));
  int elements = 0;
  int row;
  for (row = 0; row < rows; ++row) {
    if (owner_of(run, row) == run->rank) elements += row + 1;
  }
  work(run, elements * element_s);
}

int main(int argc, char** argv) {
  static const char* const variants[] = {"flawed", "mended", NULL};
  const struct timed_run run = begin_run(argc, argv, "imbalanced-loop", variants);
  double result = 0;
  int step;
  for (step = 0; step < steps; ++step) {
    MPI_Pcontrol(1, "rows");
    compute_rows(&run);
    MPI_Pcontrol(-1, "rows");
    MPI_Allreduce(MPI_IN_PLACE, &result, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  }
  return end_run(&run);
}
