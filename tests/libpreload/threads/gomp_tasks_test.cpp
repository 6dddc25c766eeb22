#include <omp.h>

#include <array>
#include <atomic>
#include <numeric>
#include <vector>

#include "threads/other_thread.hpp"

namespace commgauge::virtual_time::gomp_tasks_test {

constexpr int threads = 4;

/// Whose copy is the program's own.
struct Counted {
  explicit Counted(int of) : value{of} {}
  Counted(const Counted& other) : value{other.value + 100} {}
  Counted& operator=(const Counted&) = delete;
  ~Counted() = default;
  int value;
};

TEST(GompTasks, EachHasItsOwnCopyOfItsData) {
  std::array<int, 20> got{};
#pragma omp parallel num_threads(threads)
#pragma omp single
  for (int i = 0; i < 20; ++i) {
#pragma omp task firstprivate(i)
    got[static_cast<std::size_t>(i)] = i * i;
  }
  for (int i = 0; i < 20; ++i) EXPECT_EQ(got[static_cast<std::size_t>(i)], i * i);
}

TEST(GompTasks, WhatIsNotCopiedByBytesIsCopiedOnce) {
  const Counted one(7);
  int got = 0;
#pragma omp parallel num_threads(threads) shared(one)
#pragma omp single
  {
    Counted own(one.value);
#pragma omp task firstprivate(own) shared(got)
    got = own.value;
  }
  EXPECT_EQ(got, 107);
}

TEST(GompTasks, ALoopsPartsAreAllCarriedOutOnce) {
  std::vector<std::atomic<int>> times(100);
#pragma omp parallel num_threads(threads)
#pragma omp single
#pragma omp taskloop grainsize(3)
  for (int i = 0; i < 100; ++i) ++times[static_cast<std::size_t>(i)];
  for (const std::atomic<int>& one : times) EXPECT_EQ(one, 1);
}

TEST(GompTasks, ALoopOfTasksIsWaitedFor) {
  double time = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
  time = time_of([] {
#pragma omp taskloop grainsize(1)
    for (int i = 0; i < 8; ++i) pass(1 * ms);
  });
  EXPECT_GE(time, 2 * ms - few_looks);
  EXPECT_LE(time, 3 * ms + few_looks);
}

TEST(GompTasks, AGroupIsOverWithItsTasksTasks) {
  double time = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
  time = time_of([] {
#pragma omp taskgroup
    {
#pragma omp task
      {
#pragma omp task
        pass(4 * ms);
        pass(1 * ms);
      }
    }
  });
  EXPECT_GE(time, 4 * ms - few_looks);
  EXPECT_LE(time, 5 * ms + few_looks);
}

TEST(GompTasks, OutsideOfATeamATaskIsCarriedOutAtOnce) {
  int got = 0;
  const double time = time_of([&] {
#pragma omp task shared(got)
    {
      pass(1 * ms);
      got = 1;
    }
#pragma omp taskwait
  });
  EXPECT_EQ(got, 1);
  EXPECT_NEAR(time, 1 * ms, few_looks);
}

}  // namespace commgauge::virtual_time::gomp_tasks_test
