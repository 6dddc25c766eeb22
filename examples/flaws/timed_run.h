/* What the programs in this folder have in common: variants, work that takes a stated time, and the
 * time of the run.
 *
 *   mpiexec -n 4 PROGRAM VARIANT [compute|sleep [SECONDS]]
 *
 * SECONDS is the time of a part of the work, 0.04 unless it is given. To compute is to keep the
 * processor busy until the thread has had so much CPU time: that much in a recording, and under
 * emulation, whatever else runs on the machine. To sleep takes no processor, and in virtual time
 * exactly as long as stated. */

#ifndef COMMGAUGE_EXAMPLES_FLAWS_TIMED_RUN_H
#define COMMGAUGE_EXAMPLES_FLAWS_TIMED_RUN_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct timed_run {
  const char* name; /* of the program */
  const char* variant;
  int chosen; /* index of the variant */
  int sleeps;
  double part_s; /* time of a part of the work */
  int rank;
  int ranks;
  double start_s;
};

/* Ends all ranks, rank 0 with a line that says why. */
static void refuse(const struct timed_run* run, const char* why) {
  if (run->rank == 0) fprintf(stderr, "%s: %s\n", run->name, why);
  MPI_Finalize();
  exit(2);
}

static int index_of(const char* word, const char* const* words) {
  int k = 0;
  while (words[k] != NULL && strcmp(words[k], word) != 0) ++k;
  return words[k] != NULL ? k : -1;
}

/* Collective: MPI_Init, and all ranks begin together. `variants` ends with NULL. */
static struct timed_run begin_run(int argc, char** argv, const char* name,
                                  const char* const* variants) {
  static const char* const ways[] = {"compute", "sleep", NULL};
  struct timed_run run = {name, argc > 1 ? argv[1] : "", 0, 0, 40e-3, 0, 1, 0};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &run.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &run.ranks);
  run.chosen = index_of(run.variant, variants);
  if (argc > 2) run.sleeps = index_of(argv[2], ways);
  if (argc > 3) run.part_s = strtod(argv[3], NULL);
  if (run.chosen < 0 || run.sleeps < 0 || !(run.part_s > 0) || argc > 4) {
    refuse(&run,
           "arguments are missing or wrong (see the head of its source): give VARIANT "
           "[compute|sleep [SECONDS]]");
  }
  MPI_Barrier(MPI_COMM_WORLD);
  run.start_s = MPI_Wtime();
  return run;
}

static double cpu_time_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Some ten microseconds of computing. */
static void compute_a_little(void) {
  static volatile double kept;
  double value = kept;
  int i;
  for (i = 0; i < 5000; ++i) value = 0.5 * value + i;
  kept = value;
}

static void compute_for(double seconds) {
  const double end_s = cpu_time_s() + seconds;
  while (cpu_time_s() < end_s) compute_a_little();
}

static void sleep_for(double seconds) {
  struct timespec pause;
  pause.tv_sec = (time_t)seconds;
  pause.tv_nsec = (long)(1e9 * (seconds - (double)pause.tv_sec));
  nanosleep(&pause, NULL);
}

static void work(const struct timed_run* run, double seconds) {
  if (run->sleeps) {
    sleep_for(seconds);
  } else {
    compute_for(seconds);
  }
}

/* Collective: rank 0 prints the time of the rank that took longest; MPI_Finalize. */
static int end_run(const struct timed_run* run) {
  const double own_s = MPI_Wtime() - run->start_s;
  double longest_s = 0;
  MPI_Reduce(&own_s, &longest_s, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (run->rank == 0) {
    printf("%s %s, %d ranks: %.6f s\n", run->name, run->variant, run->ranks, longest_s);
  }
  MPI_Finalize();
  return 0;
}

#endif
