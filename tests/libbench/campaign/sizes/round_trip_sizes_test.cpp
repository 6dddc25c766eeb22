#include "campaign/sizes/round_trip_sizes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "made_harness.hpp"

namespace commgauge::bench::round_trip_sizes_test {

using ::testing::Contains;
using ::testing::Not;

TEST(TimeQuickly, Rank0HasATimeOfEach) {
  Harness harness(MPI_COMM_WORLD, quick_options());
  const std::vector<Seconds> times =
      time_quickly(harness, {round_trip(0, 1, {}, {}), round_trip(0, 1, Bytes{1000}, {})});
  ASSERT_EQ(times.size(), harness.comm.rank() == 0 ? 2u : 0u);
  for (const Seconds time : times) EXPECT_GT(time.value, 0);
}

TEST(ChooseRoundTrips, TakesTheSizesThatAreGiven) {
  Options options = quick_options();
  options.sizes = {Bytes{64}, Bytes{1000}};
  Harness harness(MPI_COMM_WORLD, options);
  const CampaignSizes sizes{{Bytes{64}, Bytes{1000}}, Bytes{64}, {Bytes{1000}}, {}};
  const TimedSizes chosen = choose_round_trips(harness, std::nullopt, sizes);
  EXPECT_EQ(chosen.sizes, sizes.sweep);
  EXPECT_EQ(chosen.times.size(), harness.comm.rank() == 0 ? 2u : 0u);
}

TEST(ChooseRoundTrips, LooksAtBothSidesOfTheEagerLimitButAtNoCheck) {
  Harness harness(MPI_COMM_WORLD, quick_options());
  const CampaignSizes sizes{{}, Bytes{64}, {}, {Bytes{16}, Bytes{256}}};
  const TimedSizes chosen = choose_round_trips(harness, Bytes{1000}, sizes);
  EXPECT_TRUE(std::ranges::is_sorted(chosen.sizes));
  EXPECT_EQ(std::ranges::adjacent_find(chosen.sizes), chosen.sizes.end()) << "each once";
  for (const std::uint64_t size : {1000, 1001, 4096}) {
    EXPECT_THAT(chosen.sizes, Contains(Bytes{size}));
  }
  for (const std::uint64_t size : {0, 16, 256}) {
    EXPECT_THAT(chosen.sizes, Not(Contains(Bytes{size})));
  }
  EXPECT_LE(chosen.sizes.size(), 32u);
  EXPECT_EQ(chosen.times.size(), harness.comm.rank() == 0 ? chosen.sizes.size() : 0);
}

}  // namespace commgauge::bench::round_trip_sizes_test
