/* The pattern of an image compositing, whose regions are imbalanced (Kanbe, Okita, Ino, Hagihara: A
 * Performance Prediction Tool for Evaluating Potential Improvement of Message Passing Programs,
 * 2003, figure 8).
 *
 *   mpiexec -n 8 image-compositing halves|interleaved [compute|sleep [SECONDS]]
 *
 * The figure: for each k up to log P a region of local calculation for image splitting,
 * MPI_Sendrecv, and local calculation for image compositing. Which lines a rank sends away the
 * paper's figure leaves open. Here, as in binary swap, a rank and its partner share the lines that
 * they have, and each composites its part of both images. Towards the bottom more of a line is
 * covered, and compositing takes time where it is. Halves: one takes the upper half, the other the
 * lower one, and has more to do. Interleaved: every other line. The number of ranks is a power of
 * two. */

#include "timed_run.h"

enum { halves, interleaved, height = 1024, width = 32 };

/* Lines first, first + stride, ...: so many. */
struct lines {
  int first;
  int stride;
  int count;
};

static struct lines half_of(struct lines lines, int which, int chosen) {
  const int next = chosen == halves ? lines.count / 2 : 1;
  lines.first += which * next * lines.stride;
  lines.count /= 2;
  if (chosen == interleaved) lines.stride *= 2;
  return lines;
}

/* Of all that is covered in an image; line i is covered in proportion to i + 1. */
static double covered(struct lines lines) {
  const double last = lines.first + (lines.count - 1.0) * lines.stride;
  return lines.count * (0.5 * (lines.first + last) + 1) / (0.5 * height * (height + 1.0));
}

static struct lines swap_and_composite(const struct timed_run* run, struct lines lines, int bit) {
  static float own[height * width];
  static float others[height * width];
  const int partner = run->rank ^ bit;
  const struct lines kept = half_of(lines, (run->rank & bit) != 0, run->chosen);
  work(run, 0.1 * run->part_s * kept.count / height);
  MPI_Sendrecv(own, kept.count * width, MPI_FLOAT, partner, 0, others, kept.count * width,
               MPI_FLOAT, partner, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  work(run, 2 * run->part_s * covered(kept));
  return kept;
}

int main(int argc, char** argv) {
  static const char* const variants[] = {"halves", "interleaved", NULL};
  const struct timed_run run = begin_run(argc, argv, "image-compositing", variants);
  struct lines lines = {0, 1, height};
  int bit;
  if ((run.ranks & (run.ranks - 1)) != 0) {
    refuse(&run, "the number of ranks is no power of two (they swap in pairs): start 2, 4, 8, ...");
  }
  for (bit = 1; bit < run.ranks; bit *= 2) {
    MPI_Pcontrol(1, "stage");
    lines = swap_and_composite(&run, lines, bit);
    MPI_Pcontrol(-1, "stage");
  }
  return end_run(&run);
}
