#include <omp.h>

#include "threads/other_thread.hpp"

namespace commgauge::virtual_time::gomp_test {

constexpr int threads = 4;
constexpr double one_after_the_other = 4 * ms;

TEST(Gomp, CriticalSectionsAreOneAfterTheOther) {
  const double time = time_of([] {
#pragma omp parallel num_threads(threads)
    {
#pragma omp critical
      pass(1 * ms);
    }
  });
  EXPECT_NEAR(time, one_after_the_other, few_looks);
}

TEST(Gomp, CriticalSectionsOfTwoNamesAreAtTheSameTime) {
  const double time = time_of([] {
#pragma omp parallel num_threads(2)
    {
      if (omp_get_thread_num() == 0) {
#pragma omp critical(this_one)
        pass(3 * ms);
      } else {
#pragma omp critical(that_one)
        pass(2 * ms);
      }
    }
  });
  EXPECT_NEAR(time, 3 * ms, few_looks);
}

TEST(Gomp, ALockIsOneThreadsAtATime) {
  omp_lock_t lock;
  omp_init_lock(&lock);
  const double time = time_of([&] {
#pragma omp parallel num_threads(threads)
    {
      omp_set_lock(&lock);
      pass(1 * ms);
      omp_unset_lock(&lock);
    }
  });
  EXPECT_NEAR(time, one_after_the_other, few_looks);
  omp_destroy_lock(&lock);
}

TEST(Gomp, ANestedLockIsFreeWhenItWasGivenBackAsOftenAsTaken) {
  omp_nest_lock_t lock;
  omp_init_nest_lock(&lock);
  const double time = time_of([&] {
#pragma omp parallel num_threads(threads)
    {
      omp_set_nest_lock(&lock);
      omp_set_nest_lock(&lock);
      omp_unset_nest_lock(&lock);
      pass(1 * ms);
      omp_unset_nest_lock(&lock);
    }
  });
  EXPECT_NEAR(time, one_after_the_other, few_looks);
  omp_destroy_nest_lock(&lock);
}

TEST(Gomp, SectionsAndReductionsHaveTheirResults) {
  int sum = 0;
  const double time = time_of([&] {
#pragma omp parallel sections num_threads(2) reduction(+ : sum)
    {
#pragma omp section
      {
        pass(2 * ms);
        sum += 1;
      }
#pragma omp section
      {
        pass(2 * ms);
        sum += 10;
      }
    }
  });
  EXPECT_EQ(sum, 11);
  // The library may give both to one thread.
  EXPECT_GE(time, 2 * ms - few_looks);
  EXPECT_LE(time, 4 * ms + few_looks);
}

}  // namespace commgauge::virtual_time::gomp_test
