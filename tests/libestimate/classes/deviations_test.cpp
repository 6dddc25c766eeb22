#include "classes/deviations.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "clusters.hpp"

namespace commgauge::deviations_test {

using samples::Cluster;
using ::testing::ElementsAre;

TEST(Deviations, AreRatiosToTheKind) {
  const HostTimes hosts = by_hosts(
      Cluster{.hosts = 8, .spread = 0, .slow_host = 2, .slow_link_of = 5, .slow_link_to = 6}
          .survey());
  const HostPartition partition = partition_of(hosts);
  EXPECT_THAT(exceptions(partition), ElementsAre(false, true));
  const auto deviations = deviations_of(hosts, partition);
  ASSERT_EQ(deviations.size(), 2U);
  EXPECT_EQ(deviations[0].where, Deviation::Where::host);
  EXPECT_THAT(deviations[0].hosts, ElementsAre("n2"));
  EXPECT_NEAR(deviations[0].fixed.value, 1.3, 1e-9);  // half of a pair takes 1.6 times as long
  EXPECT_NEAR(deviations[0].per_byte.high, 1.3, 1e-9);
  EXPECT_EQ(deviations[1].where, Deviation::Where::between_hosts);
  EXPECT_THAT(deviations[1].hosts, ElementsAre("n5", "n6"));
  EXPECT_NEAR(deviations[1].per_byte.value, 1.8, 1e-9);
}

TEST(Deviations, AHostThatIsSlowInsideAloneIsNamedSo) {
  Survey survey = Cluster{.hosts = 8, .spread = 0}.survey();
  for (SurveyedTrip& trip : survey.trips) {
    if (trip.from / 4 == 3 && trip.to / 4 == 3) trip.time_s *= 2;
  }
  const HostTimes hosts = by_hosts(survey);
  const auto deviations = deviations_of(hosts, partition_of(hosts));
  ASSERT_EQ(deviations.size(), 1U);
  EXPECT_EQ(deviations[0].where, Deviation::Where::within_host);
  EXPECT_NEAR(deviations[0].fixed.value, 2, 1e-9);
}

TEST(Deviations, KindsOfEqualSizeAreNoExceptions) {
  EXPECT_THAT(exceptions({{0, 0, 1, 1}, 2, {}}), ElementsAre(false, false));
  EXPECT_THAT(exceptions({{0, 1, 2, 3}, 4, {}}), ElementsAre(false, false, false, false));
}

}  // namespace commgauge::deviations_test
