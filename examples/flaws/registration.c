/* The pattern of an image registration, whose waits follow from each other like falling dominoes
 * (Kanbe, Okita, Ino, Hagihara: A Performance Prediction Tool for Evaluating Potential Improvement
 * of Message Passing Programs, 2003, figure 7).
 *
 *   mpiexec -n 8 registration in-order|last-first|alternating [compute|sleep [SECONDS]]
 *
 * The figure: for each i from 1 on, if this process is one of group g(i), local calculation for a
 * differential, and communication within g(i); all of it is one region. Which processes g(i) has
 * the paper's figure leaves open. Here the image is cut into strips, one for each rank, and the
 * points i lie on the borders: g(i) = {i - 1, i}, and a group's two exchange what they calculated.
 *
 * In order, rank i meets its second group only when its first one is through, which waits for rank
 * i - 1: the last rank waits longest, and every wait but the first follows from one before it.
 * Last first, the point that was waited for longest comes first, the others in order: what looking
 * at the longest wait suggests. Alternating, odd points come before even ones: no wait is left. */

#include "timed_run.h"

enum { in_order, last_first, alternating, values = 16 };

static void take_point(const struct timed_run* run, int point) {
  double own[values] = {0};
  double others[values];
  int partner;
  if (run->rank != point - 1 && run->rank != point) return;
  partner = run->rank == point ? point - 1 : point;
  work(run, run->part_s);
  MPI_Sendrecv(own, values, MPI_DOUBLE, partner, point, others, values, MPI_DOUBLE, partner, point,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void take_points(const struct timed_run* run, int first, int end, int stride) {
  int point;
  for (point = first; point < end; point += stride) take_point(run, point);
}

int main(int argc, char** argv) {
  static const char* const variants[] = {"in-order", "last-first", "alternating", NULL};
  const struct timed_run run = begin_run(argc, argv, "registration", variants);
  if (run.ranks < 2) {
    refuse(&run, "one rank has no border with another (points lie there): start more");
  }
  MPI_Pcontrol(1, "points");
  if (run.chosen == alternating) {
    take_points(&run, 1, run.ranks, 2);
    take_points(&run, 2, run.ranks, 2);
  } else {
    if (run.chosen == last_first) take_point(&run, run.ranks - 1);
    take_points(&run, 1, run.ranks - run.chosen, 1);
  }
  MPI_Pcontrol(-1, "points");
  return end_run(&run);
}
