#include "costs/host_lucks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "commgauge/base/statistics.hpp"

namespace commgauge {
namespace {

const double unknown = std::nan("");

std::vector<RankKind> one_kind(double fixed, double per_byte) {
  return {{"a", 1000, fixed, per_byte}};  // known as if exactly
}

std::vector<double> fixed_of_hosts(const Lucks& lucks, int hosts, const std::vector<Luck>& all) {
  std::vector<double> factors;
  for (int host = 0; host < hosts; ++host) {
    factors.push_back(all[static_cast<std::size_t>(lucks.group_of(host))].fixed);
  }
  return factors;
}

TEST(Lucks, UnknownSpreadsAreNone) {
  const Lucks lucks(one_kind(unknown, 0), std::vector<int>(100, 0));
  EXPECT_FALSE(lucks.any());
  EXPECT_EQ(lucks.groups(), 1);
  EXPECT_EQ(lucks.ordinary()[0].fixed, 1);
  EXPECT_EQ(lucks.drawn(3, 1)[0].per_byte, 1);
}

TEST(Lucks, FactorsDifferTwiceAsMuchAsMeansOfMessages) {
  for (const int hosts : {16, 256}) {
    const Lucks lucks(one_kind(0.05, 0), std::vector<int>(static_cast<std::size_t>(hosts), 0));
    ASSERT_TRUE(lucks.any());
    double variances = 0;
    double means = 0;
    constexpr int draws = 200;
    for (std::size_t r = 0; r < draws; ++r) {
      const auto factors = fixed_of_hosts(lucks, hosts, lucks.drawn(r, 1));
      variances += variance(factors) / draws;
      means += mean(factors) / draws;
    }
    EXPECT_NEAR(std::sqrt(variances), 0.1, 0.004) << hosts;
    EXPECT_NEAR(means, 1, 0.005) << hosts;
    EXPECT_EQ(lucks.drawn(5, 1)[0].per_byte, 1) << "of bytes no spread is known";
  }
}

/// Of 256 normal values the largest is 2.83 standard deviations above the mean in the mean.
TEST(Lucks, SharedFactorsKeepTheExtremes) {
  const Lucks lucks(one_kind(0.05, 0.05), std::vector<int>(256, 0));
  EXPECT_EQ(lucks.groups(), 32);
  double slowest = 0;
  constexpr int draws = 400;
  for (std::size_t r = 0; r < draws; ++r) {
    slowest += std::ranges::max(fixed_of_hosts(lucks, 256, lucks.drawn(r, 1))) / draws;
  }
  EXPECT_NEAR((slowest - 1) / 0.1, 2.83, 0.07);
  const auto ordinary = fixed_of_hosts(lucks, 256, lucks.ordinary());
  EXPECT_NEAR((std::ranges::max(ordinary) - 1) / 0.1, 2.83, 0.07);
  EXPECT_NEAR(mean(ordinary), 1, 1e-9);
}

TEST(Lucks, TheSameForTheSameReplicate) {
  const Lucks lucks(one_kind(0.05, 0.1), std::vector<int>(40, 0));
  EXPECT_EQ(lucks.drawn(7, 1)[3].fixed, lucks.drawn(7, 1)[3].fixed);
  EXPECT_NE(lucks.drawn(7, 1)[3].fixed, lucks.drawn(8, 1)[3].fixed);
  EXPECT_NE(lucks.drawn(7, 1)[3].fixed, lucks.drawn(7, 1)[3].per_byte);
  EXPECT_NEAR(lucks.drawn(7, 0.5)[3].fixed - 1, (lucks.drawn(7, 1)[3].fixed - 1) / 2, 1e-12);
}

TEST(Lucks, EachKindHasItsOwnGroups) {
  const std::vector<RankKind> kinds{{"a", 4, 0.05, 0.05}, {"b", 4, unknown, unknown}};
  const Lucks lucks(kinds, {0, 1, 0, 1, 0, 1});
  EXPECT_EQ(lucks.groups(), 4);
  EXPECT_EQ(lucks.group_of(1), lucks.group_of(5));
  EXPECT_NE(lucks.group_of(0), lucks.group_of(2));
  EXPECT_EQ(lucks.drawn(0, 1)[static_cast<std::size_t>(lucks.group_of(3))].fixed, 1);
}

/// Of 8 hosts the spread is known to a factor, the mean to a third of the spread.
TEST(Lucks, FewMeasuredHostsLeaveMoreOpen) {
  const Lucks lucks({{"a", 8, 0.05, 0}}, std::vector<int>(32, 0));
  std::vector<double> means;
  double variances = 0;
  constexpr int draws = 400;
  for (std::size_t r = 0; r < draws; ++r) {
    const auto factors = fixed_of_hosts(lucks, 32, lucks.drawn(r, 1));
    means.push_back(mean(factors));
    variances += variance(factors) / draws;
  }
  EXPECT_NEAR(std::sqrt(variances), 0.1 * std::sqrt(7.0 / 5), 0.01);
  EXPECT_NEAR(std::sqrt(variance(means)), 0.1 * std::sqrt(7.0 / 5 * (1.0 / 8 + 1.0 / 32)), 0.006);
  EXPECT_NEAR(mean(means), 1, 0.006);
  EXPECT_NEAR(mean(fixed_of_hosts(lucks, 32, lucks.ordinary())), 1, 1e-9);
}

TEST(Lucks, NobodyIsFasterThanTenTimes) {
  const Lucks lucks(one_kind(5, 5), std::vector<int>(30, 0));
  for (const Luck& luck : lucks.drawn(0, 1)) EXPECT_GE(luck.fixed, 0.1);
}

}  // namespace
}  // namespace commgauge
