#include "classes/partition.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "clusters.hpp"
#include "commgauge/classes/find_classes.hpp"

namespace commgauge::partition_test {

using samples::Cluster;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

HostPartition partition(const Cluster& cluster) { return partition_of(by_hosts(cluster.survey())); }

TEST(Partition, TakesTheSimplestExplanation) {
  const HostPartition slow_host = partition({.hosts = 4, .slow_host = 2});
  EXPECT_THAT(slow_host.kind_of, ElementsAre(0, 0, 1, 0));
  EXPECT_THAT(slow_host.outliers, IsEmpty());
  const HostPartition slow_link = partition({.hosts = 4, .slow_link_of = 3, .slow_link_to = 1});
  EXPECT_THAT(slow_link.kind_of, ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(slow_link.outliers, ElementsAre(HostPair(1, 3)));
  EXPECT_EQ(partition({.hosts = 4, .two_switches = true}).kinds, 2);
}

TEST(Partition, KindsThatAreGivenStay) {
  const HostTimes hosts = by_hosts(Cluster{.hosts = 4, .slow_host = 2}.survey());
  const HostPartition given = partition_of(hosts, {0, 1, 1, 1});
  EXPECT_THAT(given.kind_of, ElementsAre(0, 1, 1, 1));
  EXPECT_EQ(given.kinds, 2);
  EXPECT_FALSE(given.outliers.empty());
}

TEST(Partition, ToleranceGrowsWithTheSurveysNoise) {
  EXPECT_NEAR(tolerances_of(by_hosts(Cluster{.hosts = 32}.survey()))[0], std::log1p(alike_within),
              1e-12);
  // Of 496 pairs the noise is known to some per cent.
  const Tolerances noisy = tolerances_of(by_hosts(Cluster{.hosts = 32, .noise = 0.05}.survey()));
  EXPECT_NEAR(noisy[0], std::log1p(alike_within) + 4 * 0.05, 0.03);
}

}  // namespace commgauge::partition_test
