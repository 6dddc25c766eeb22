#include "speed/processor_speed.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "commgauge/bench/calibrate/calibrate.hpp"
#include "commgauge/bench/clock/clock.hpp"

namespace commgauge::bench::processor_speed_test {

TEST(ProcessorSpeed, TheKernelTakesAboutAMillisecond) {
  const double before = Clock::now();
  const Seconds kernel = time_kernel();
  const double all = Clock::now() - before;
  EXPECT_GT(kernel.value, 2e-5) << "nothing was computed";
  EXPECT_LT(kernel.value, 0.05);
  EXPECT_GE(all, 4 * kernel.value) << "the median of seven";
}

TEST(ProcessorSpeed, EveryRankHasTheSameTable) {
  const Communicator comm(MPI_COMM_WORLD);
  Places places = find_places(comm);
  for (const RankPlace& place : places.ranks) EXPECT_TRUE(std::isnan(place.kernel_s));
  measure_processor_speeds(comm, places);
  std::vector<double> mine;
  for (const RankPlace& place : places.ranks) mine.push_back(place.kernel_s);
  std::vector<double> of_rank_0 = mine;
  MPI_Bcast(of_rank_0.data(), comm.size(), MPI_DOUBLE, 0, comm.get());
  EXPECT_EQ(mine, of_rank_0);
  for (const double kernel : mine) EXPECT_GT(kernel, 0);
  // One host: its cores are alike but for what else runs there.
  const auto [least, most] = std::ranges::minmax(mine);
  EXPECT_LT(most / least, 5);
}

TEST(ProcessorSpeed, IsWrittenToTheLaunch) {
  Options options;
  options.sizes = {Bytes{256}, Bytes{1024}};
  options.probe_eager_limit = false;
  options.min_reps = 3;
  options.max_reps = 3;
  options.passes = 1;
  options.models = {"hockney"};
  const Measurements measured = measure(MPI_COMM_WORLD, options);
  if (measured.launches.empty()) return;
  for (const RankPlace& place : measured.launches[0].ranks) EXPECT_GT(place.kernel_s, 0);
}

}  // namespace commgauge::bench::processor_speed_test
