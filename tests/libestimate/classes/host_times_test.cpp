#include "classes/host_times.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "commgauge/base/error.hpp"

namespace commgauge::host_times_test {

using ::testing::ElementsAre;

/// Hosts a (ranks 0, 2, 3) and b (rank 1); the middle size counts nowhere.
Survey survey() {
  Survey survey;
  survey.ranks = {{"a", {}}, {"b", {}}, {"a", {}}, {"a", {}}};
  survey.trips = {{0, 1, Bytes{0}, 10},  {1, 0, Bytes{0}, 11}, {0, 1, Bytes{64}, 50},
                  {1, 0, Bytes{64}, 51}, {0, 1, Bytes{8}, 99}, {0, 2, Bytes{0}, 1},
                  {2, 0, Bytes{0}, 3},   {0, 3, Bytes{0}, 4},  {0, 2, Bytes{64}, 5}};
  return survey;
}

TEST(HostTimes, AreThoseOfFirstRanksAndInsideOfAllOthersWithThem) {
  const HostTimes times = by_hosts(survey());
  EXPECT_THAT(times.names, ElementsAre("a", "b"));
  EXPECT_THAT(times.ranks[0], ElementsAre(0, 2, 3));
  EXPECT_THAT(times.host_of, ElementsAre(0, 1, 0, 0));
  EXPECT_EQ(times.largest, 64);
  EXPECT_EQ(times.between[0](0, 1), 10);
  EXPECT_EQ(times.between[1](1, 0), 51);
  EXPECT_EQ(times.star[0][0][1], 2);  // both ways
  EXPECT_EQ(times.within[0][0], 3);   // the median of 2 and 4
  EXPECT_TRUE(std::isnan(times.within[0][1]));
}

TEST(HostTimes, EveryPairOfHostsIsNeeded) {
  Survey lacking = survey();
  lacking.trips.erase(lacking.trips.begin() + 1);
  EXPECT_THROW((void)by_hosts(lacking), InputError);
}

}  // namespace commgauge::host_times_test
