#include <omp.h>

#include <array>

#include "threads/other_thread.hpp"

namespace commgauge::virtual_time::openmp_team_test {

constexpr int threads = 4;

TEST(OpenmpTeam, ARegionTakesAsLongAsItsSlowestThread) {
  const double time = time_of([] {
#pragma omp parallel num_threads(threads)
    pass((1 + omp_get_thread_num()) * ms);
  });
  EXPECT_NEAR(time, 4 * ms, few_looks);
}

TEST(OpenmpTeam, AllBeginWhereTheFirstIs) {
  pass(3 * ms);
  const double start = MPI_Wtime();
  std::array<double, threads> begun{};
#pragma omp parallel num_threads(threads)
  begun[static_cast<std::size_t>(omp_get_thread_num())] = MPI_Wtime();
  for (const double time : begun) EXPECT_NEAR(time, start, few_looks);
}

TEST(OpenmpTeam, ABarrierIsPassedWithTheLast) {
  std::array<double, threads> passed{};
  const double start = MPI_Wtime();
#pragma omp parallel num_threads(threads)
  {
    const int own = omp_get_thread_num();
    pass((own == 1 ? 3 : 1) * ms);
#pragma omp barrier
    passed[static_cast<std::size_t>(own)] = MPI_Wtime() - start;
    pass((own == 2 ? 5 : 1) * ms);
  }
  for (const double time : passed) EXPECT_NEAR(time, 3 * ms, few_looks);
  EXPECT_NEAR(MPI_Wtime() - start, 8 * ms, few_looks);
}

TEST(OpenmpTeam, LoopsEndWithABarrierUnlessTheyAreTold) {
  const double waiting = time_of([] {
#pragma omp parallel num_threads(threads)
    {
#pragma omp for schedule(static)
      for (int i = 0; i < 4; ++i) pass(i * ms);
#pragma omp for schedule(static)
      for (int i = 0; i < 4; ++i) pass((3 - i) * ms);
    }
  });
  EXPECT_NEAR(waiting, 6 * ms, few_looks);
  const double going_on = time_of([] {
#pragma omp parallel num_threads(threads)
    {
#pragma omp for schedule(static) nowait
      for (int i = 0; i < 4; ++i) pass(i * ms);
#pragma omp for schedule(static)
      for (int i = 0; i < 4; ++i) pass((3 - i) * ms);
    }
  });
  EXPECT_NEAR(going_on, 3 * ms, few_looks);
}

TEST(OpenmpTeam, OrderedPartsFollowOneAnother) {
  const double time = time_of([] {
#pragma omp parallel for num_threads(threads) ordered schedule(static, 1)
    for (int i = 0; i < 4; ++i) {
      pass(1 * ms);
#pragma omp ordered
      pass(2 * ms);
    }
  });
  EXPECT_NEAR(time, (1 + 4 * 2) * ms, few_looks);
}

}  // namespace commgauge::virtual_time::openmp_team_test
