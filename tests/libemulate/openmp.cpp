// OpenMP: teams that call MPI, with data, and virtual times as arithmetic has them.
//
//   emulated-openmp          checks; also without the emulation
//   emulated-openmp times    prints each rank's time after each part
//   emulated-openmp times-of-one   the same after MPI_Init
//   emulated-openmp tasks    prints how long each part took, of tasks of milliseconds on four
//   threads emulated-openmp compute  prints what all threads compute [s of CPU]

#include <mpi.h>
#include <omp.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <string>

namespace {

int own = 0;
int ranks = 0;
constexpr int threads = 4;

void part(const char* name) { std::printf("%d %s %.9f\n", own, name, MPI_Wtime()); }

/// Of milliseconds.
void compute(int ms) { usleep(static_cast<useconds_t>(1000 * ms)); }

void print_times() {
  compute(1);
#pragma omp parallel num_threads(threads)
  compute(1 + omp_get_thread_num());
  part("region");  // 5 ms: the slowest takes 4
#pragma omp parallel num_threads(threads)
  {
    compute(omp_get_thread_num() == 1 ? 3 : 1);
#pragma omp barrier
    compute(omp_get_thread_num() == 2 ? 3 : 1);
  }
  part("barrier");  // 6 ms more
#pragma omp parallel num_threads(threads)
  {
#pragma omp for schedule(static)
    for (int i = 0; i < 8; ++i) compute(1);
#pragma omp for schedule(static)
    for (int i = 0; i < 4; ++i) compute(i);
  }
  part("loops");  // 2 and 3 ms more
  int sum = 0;
#pragma omp parallel num_threads(threads) reduction(task, + : sum)
  {
    compute(1 + omp_get_thread_num());
    sum += 1;
  }
  part(sum == threads ? "reductions" : "WRONG");  // 4 ms more
  omp_lock_t lock;
  omp_init_lock(&lock);
  omp_nest_lock_t nest_lock;
  omp_init_nest_lock(&nest_lock);
#pragma omp parallel num_threads(threads)
  {
    omp_set_lock(&lock);
    compute(1);
    omp_unset_lock(&lock);
  }
  part("locks");  // 4 ms more, of one after the other
#pragma omp parallel num_threads(threads)
  {
    omp_set_nest_lock(&nest_lock);
    omp_set_nest_lock(&nest_lock);
    omp_unset_nest_lock(&nest_lock);
    compute(1);
    omp_unset_nest_lock(&nest_lock);
  }
  part("nest-locks");  // the same
  omp_destroy_nest_lock(&nest_lock);
  omp_destroy_lock(&lock);
#pragma omp parallel num_threads(threads)
  {
#pragma omp master
    {
      int in = 0;
      MPI_Sendrecv(&own, 1, MPI_INT, (own + 1) % ranks, 0, &in, 1, MPI_INT,
                   (own - 1 + ranks) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    compute(2);
  }
  part("master");
}

double since = 0;
void task_part(const char* name) {
  const double now = MPI_Wtime();
  std::printf("%d %s %.9f\n", own, name, now - since);
  since = MPI_Wtime();
}

/// Whoever takes which, for a thread that waits for longer takes one first.
void print_tasks() {
  constexpr int many = 2 * threads;
  since = MPI_Wtime();
#pragma omp parallel num_threads(threads)
#pragma omp single
  for (int i = 0; i < many; ++i) {
#pragma omp task
    compute(1);
  }
  task_part("barrier");  // 2 ms
#pragma omp parallel num_threads(threads)
  {
#pragma omp single nowait
    {
      compute(5);
      for (int i = 0; i < many; ++i) {
#pragma omp task
        compute(1);
      }
    }
  }
  task_part("end");  // 5, then 2
#pragma omp parallel num_threads(threads)
#pragma omp master
  {
    for (int i = 0; i < threads; ++i) {
#pragma omp task
      compute(2);
    }
#pragma omp taskwait
    compute(1);
  }
  task_part("wait");  // 2, then 1
  int first = 0;
  int second = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
  for (int i = 0; i < threads; ++i) {
#pragma omp task depend(inout : first)
    compute(1);
#pragma omp task depend(inout : second)
    compute(2);
  }
  task_part(first == 0 && second == 0 ? "dependent" : "WRONG");  // a row of 2 ms each
#pragma omp parallel num_threads(threads)
#pragma omp single
  {
#pragma omp taskloop grainsize(1)
    for (int i = 0; i < many; ++i) compute(1);
    compute(1);
  }
  task_part("loop");  // 2, then 1
#pragma omp parallel num_threads(threads)
#pragma omp single
  {
#pragma omp taskgroup
    for (int i = 0; i < threads; ++i) {
#pragma omp task
      {
#pragma omp task
        compute(1);
        compute(1);
      }
    }
    compute(1);
  }
  task_part("group");  // 2, then 1
#pragma omp parallel num_threads(threads)
#pragma omp single
  for (int i = 0; i < many; ++i) {
#pragma omp task if (i % 2 == 0)
    compute(1);
  }
  task_part("at-once");  // half of them are the maker's: 4
#pragma omp parallel num_threads(threads)
#pragma omp for ordered schedule(static, 1)
  for (int i = 0; i < many; ++i) {
    compute(1);
#pragma omp ordered
    compute(1);
  }
  task_part("ordered");  // 1, then one after the other
}

bool check() {
  std::atomic<int> wrong{0};
  int sum = 0;
  for (int turn = 0; turn < 5; ++turn) {
#pragma omp parallel num_threads(threads) reduction(+ : sum)
    {
      const int t = omp_get_thread_num();
      const int out = 10 * own + t;
      int in = -1;
      MPI_Sendrecv(&out, 1, MPI_INT, (own + 1) % ranks, t, &in, 1, MPI_INT,
                   (own - 1 + ranks) % ranks, t, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (in != 10 * ((own - 1 + ranks) % ranks) + t) ++wrong;
#pragma omp critical
      sum += 1;
    }
    int total = 0;
    MPI_Allreduce(&sum, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (int i = 0; i < 20; ++i) {
      const int mine = i;
      int back = -1;
      MPI_Sendrecv(&mine, 1, MPI_INT, own, 100 + i, &back, 1, MPI_INT, own, 100 + i, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
      if (back != i) ++wrong;
    }
#pragma omp parallel num_threads(threads)
    {
#pragma omp single
      for (int i = 0; i < 6; ++i) {
#pragma omp task
        {
          const int mine = i;
          int back = -1;
          MPI_Sendrecv(&mine, 1, MPI_INT, own, 200 + i, &back, 1, MPI_INT, own, 200 + i,
                       MPI_COMM_WORLD, MPI_STATUS_IGNORE);
          if (back != i) ++wrong;
        }
      }
#pragma omp taskwait
    }
  }
  if (wrong > 0) std::fprintf(stderr, "rank %d of %d: WRONG: OpenMP\n", own, ranks);
  return wrong == 0;
}

double cpu_seconds() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

std::atomic<int> computed_ms{0};

void compute_for(int ms) {
  const double start = cpu_seconds();
  while (cpu_seconds() - start < 1e-3 * ms) continue;
  computed_ms += ms;
}

/// Where a region is one thread's without having been asked for, and where the library carries out
/// tasks: in barriers, and at the ends of regions.
void compute_in_nests_and_tasks() {
#pragma omp parallel num_threads(2)
  {
#pragma omp parallel num_threads(2)
    compute_for(10);
  }
#pragma omp parallel num_threads(2)
  {
#pragma omp single
    for (int i = 0; i < 4; ++i) {
#pragma omp task
      compute_for(10);
    }
  }
}

/// The first of a team comes last, and once more to a barrier.
void compute_as_first() {
  for (int turn = 0; turn < 4; ++turn) {
#pragma omp parallel num_threads(2)
    {
      if (omp_get_thread_num() == 0) compute_for(20);
#pragma omp barrier
      if (omp_get_thread_num() == 0) compute_for(20);
    }
    compute_for(10);
  }
}

}  // namespace

int main(int argc, char** argv) {
  int early = 0;
#pragma omp parallel num_threads(threads - 1) reduction(+ : early)
  early += 1;
  const std::string what = argc > 1 ? argv[1] : "";
  int level = MPI_THREAD_MULTIPLE;
  if (what == "times-of-one") {
    MPI_Init(&argc, &argv);
  } else {
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &own);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  bool is_right = level == MPI_THREAD_MULTIPLE && early == threads - 1;
  if (what.starts_with("times")) {
    print_times();
  } else if (what == "tasks") {
    print_tasks();
  } else if (what == "compute") {
    compute_as_first();
    compute_in_nests_and_tasks();
    std::printf("%.3f\n", 1e-3 * computed_ms);
  } else {
    is_right = is_right && check();
  }
  MPI_Finalize();
  return is_right ? 0 : 1;
}
