#include "costs/host_effects.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "commgauge/base/statistics.hpp"

namespace commgauge::host_effects_test {

const double unknown = std::nan("");

std::vector<RankKind> one_kind(double fixed, double per_byte) {
  return {{"a", 1000, fixed, per_byte}};  // known as if exactly
}

/// Of many replicates.
std::vector<std::vector<HostEffect>> drawn(const HostEffects& host_effects, double share = 1) {
  return host_effects.drawn(400, 0.95, share);
}

std::vector<double> fixed_of_hosts(const HostEffects& host_effects, int hosts,
                                   const std::vector<HostEffect>& all) {
  std::vector<double> factors;
  for (int host = 0; host < hosts; ++host) {
    factors.push_back(all[static_cast<std::size_t>(host_effects.group_of(host))].fixed);
  }
  return factors;
}

TEST(HostEffects, UnknownSpreadsAreNone) {
  const HostEffects host_effects(one_kind(unknown, 0), std::vector<int>(100, 0));
  EXPECT_FALSE(host_effects.any());
  EXPECT_EQ(host_effects.groups(), 1);
  EXPECT_EQ(host_effects.ordinary()[0].fixed, 1);
  EXPECT_EQ(drawn(host_effects)[3][0].per_byte, 1);
}

TEST(HostEffects, FactorsDifferTwiceAsMuchAsMeansOfMessages) {
  for (const int hosts : {16, 256}) {
    const HostEffects host_effects(one_kind(0.05, 0),
                                   std::vector<int>(static_cast<std::size_t>(hosts), 0));
    ASSERT_TRUE(host_effects.any());
    double variances = 0;
    double means = 0;
    for (const std::vector<HostEffect>& one : drawn(host_effects)) {
      const auto factors = fixed_of_hosts(host_effects, hosts, one);
      variances += variance(factors) / 400;
      means += mean(factors) / 400;
    }
    EXPECT_NEAR(std::sqrt(variances), 0.1, 0.004) << hosts;
    EXPECT_NEAR(means, 1, 0.005) << hosts;
    EXPECT_EQ(drawn(host_effects)[5][0].per_byte, 1) << "of bytes no spread is known";
  }
}

/// Of 256 normal values the largest is 2.83 standard deviations above the mean in the mean.
TEST(HostEffects, SharedFactorsKeepTheExtremes) {
  const HostEffects host_effects(one_kind(0.05, 0.05), std::vector<int>(256, 0));
  EXPECT_EQ(host_effects.groups(), 32);
  double slowest = 0;
  for (const std::vector<HostEffect>& one : drawn(host_effects)) {
    slowest += std::ranges::max(fixed_of_hosts(host_effects, 256, one)) / 400;
  }
  EXPECT_NEAR((slowest - 1) / 0.1, 2.83, 0.07);
  const auto ordinary = fixed_of_hosts(host_effects, 256, host_effects.ordinary());
  EXPECT_NEAR((std::ranges::max(ordinary) - 1) / 0.1, 2.83, 0.07);
  EXPECT_NEAR(mean(ordinary), 1, 1e-9);
}

TEST(HostEffects, TheSameForTheSameReplicate) {
  const HostEffects host_effects(one_kind(0.05, 0.1), std::vector<int>(40, 0));
  const auto all = drawn(host_effects);
  EXPECT_EQ(all[7][3].fixed, drawn(host_effects)[7][3].fixed);
  EXPECT_NE(all[7][3].fixed, all[8][3].fixed);
  EXPECT_NEAR(drawn(host_effects, 0.5)[7][3].fixed - 1, (all[7][3].fixed - 1) / 2, 1e-12);
}

TEST(HostEffects, AHostThatIsSlowIsSlowInBothParts) {
  const HostEffects host_effects(one_kind(0.05, 0.1), std::vector<int>(40, 0));
  EXPECT_NEAR(drawn(host_effects)[7][3].per_byte - 1, 2 * (drawn(host_effects)[7][3].fixed - 1),
              1e-12);
  EXPECT_NEAR(host_effects.ordinary()[5].per_byte - 1, 2 * (host_effects.ordinary()[5].fixed - 1),
              1e-12);
}

TEST(HostEffects, ASingleReplicateIsOrdinary) {
  const HostEffects host_effects(one_kind(0.05, 0.1), std::vector<int>(40, 0));
  const auto one = host_effects.drawn(1, 0.95, 1);
  ASSERT_EQ(one.size(), 1U);
  EXPECT_EQ(one[0][3].fixed, host_effects.ordinary()[3].fixed);
}

TEST(HostEffects, EachKindHasItsOwnGroups) {
  const std::vector<RankKind> kinds{{"a", 4, 0.05, 0.05}, {"b", 4, unknown, unknown}};
  const HostEffects host_effects(kinds, {0, 1, 0, 1, 0, 1});
  EXPECT_EQ(host_effects.groups(), 4);
  EXPECT_EQ(host_effects.group_of(1), host_effects.group_of(5));
  EXPECT_NE(host_effects.group_of(0), host_effects.group_of(2));
  EXPECT_EQ(drawn(host_effects)[0][static_cast<std::size_t>(host_effects.group_of(3))].fixed, 1);
}

/// However few the replicates are: Student's interval of so many measured hosts for the mean of the
/// new ones.
TEST(HostEffects, FewMeasuredHostsLeaveMoreOpen) {
  for (const int measured : {3, 4, 8}) {
    for (const std::size_t replicates : {5U, 10U, 200U}) {
      const HostEffects host_effects({{"a", measured, 0.005, 0}}, std::vector<int>(32, 0));
      std::vector<double> means;
      for (const auto& one : host_effects.drawn(replicates, 0.95, 1)) {
        means.push_back(mean(fixed_of_hosts(host_effects, 32, one)));
      }
      const double interval =
          student_quantile(0.95, static_cast<double>(replicates) - 1) * std::sqrt(variance(means));
      EXPECT_NEAR(interval / (0.01 * std::sqrt(1.0 / measured + 1.0 / 32)),
                  student_quantile(0.95, measured - 1), 1e-9);
      EXPECT_NEAR(mean(means), 1, 1e-9);
    }
  }
  const HostEffects host_effects({{"a", 4, 0.005, 0}}, std::vector<int>(32, 0));
  EXPECT_NEAR(mean(fixed_of_hosts(host_effects, 32, host_effects.ordinary())), 1, 1e-9);
}

TEST(HostEffects, NobodyIsFasterThanTenTimes) {
  const HostEffects host_effects(one_kind(5, 5), std::vector<int>(30, 0));
  const auto all = drawn(host_effects);
  for (const HostEffect& host_effect : all[0]) EXPECT_GE(host_effect.fixed, 0.1);
}

}  // namespace commgauge::host_effects_test
