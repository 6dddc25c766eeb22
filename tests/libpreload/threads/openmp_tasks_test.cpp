#include <omp.h>

#include "threads/other_thread.hpp"

namespace commgauge::virtual_time::openmp_tasks_test {

constexpr int threads = 4;

/// The library's choice who carries out what may leave one more than needed for one thread.
void expect(double time, double least, double longest_task) {
  EXPECT_GE(time, least - few_looks);
  EXPECT_LE(time, least + longest_task + few_looks);
}

TEST(OpenmpTasks, OneBeginsNoSoonerThanItIsMade) {
  expect(time_of([] {
#pragma omp parallel num_threads(threads)
#pragma omp single
           {
             pass(5 * ms);
             for (int i = 0; i < 8; ++i) {
#pragma omp task
               pass(1 * ms);
             }
           }
         }),
         (5 + 2) * ms, 1 * ms);
}

TEST(OpenmpTasks, WhoWaitsForThemGoesOnWhenTheyHaveEnded) {
  expect(time_of([] {
#pragma omp parallel num_threads(threads)
#pragma omp single
           {
             for (int i = 0; i < 4; ++i) {
#pragma omp task
               pass(2 * ms);
             }
#pragma omp taskwait
             pass(1 * ms);
           }
         }),
         (2 + 1) * ms, 2 * ms);
}

TEST(OpenmpTasks, ThoseThatDependFollowOneAnother) {
  [[maybe_unused]] int data = 0;
  const double time = time_of([&] {
#pragma omp parallel num_threads(threads)
#pragma omp single
    for (int i = 0; i < 4; ++i) {
#pragma omp task depend(inout : data)
      pass(2 * ms);
    }
  });
  EXPECT_NEAR(time, 8 * ms, few_looks);
}

TEST(OpenmpTasks, ReadersFollowTheirWriterTogether) {
  [[maybe_unused]] int data = 0;
  expect(time_of([&] {
#pragma omp parallel num_threads(threads)
#pragma omp single
           {
#pragma omp task depend(out : data)
             pass(3 * ms);
             for (int i = 0; i < 3; ++i) {
#pragma omp task depend(in : data)
               pass(2 * ms);
             }
           }
         }),
         (3 + 2) * ms, 2 * ms);
}

}  // namespace commgauge::virtual_time::openmp_tasks_test
