#include "commgauge/plan/logp_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "commgauge/base/error.hpp"

namespace commgauge::logp_plan_test {

using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::Not;

std::vector<std::uint64_t> values(const std::vector<Bytes>& sizes) {
  std::vector<std::uint64_t> result;
  for (const Bytes size : sizes) result.push_back(size.value);
  return result;
}

std::vector<Seconds> timed(const std::vector<Bytes>& sizes, double (*time)(double)) {
  std::vector<Seconds> times;
  for (const Bytes size : sizes) times.push_back({time(static_cast<double>(size.value))});
  return times;
}

TEST(LogPPairs, OneSomeOrAll) {
  EXPECT_EQ(logp_pairs(5, LogPPairs::one), (std::vector<Pair>{{0, 1}}));
  const std::vector<Pair> sample = logp_pairs(6, LogPPairs::sample);
  std::set<int> ranks;
  for (const auto& [i, j] : sample) {
    EXPECT_LT(i, j);
    ranks.insert({i, j});
  }
  EXPECT_EQ(sample.size(), 3U);
  EXPECT_EQ(ranks.size(), 6U);
  EXPECT_EQ(logp_pairs(6, LogPPairs::all).size(), 15U);
  EXPECT_THROW((void)logp_pairs(1, LogPPairs::one), InputError);
}

TEST(RoundTrips, BeginOnBothSidesOfTheEagerLimit) {
  EXPECT_EQ(values(first_round_trips(Bytes{100}, Bytes{1024})),
            (std::vector<std::uint64_t>{1, 4, 16, 64, 100, 101, 256, 1024}));
  EXPECT_EQ(values(first_round_trips(std::nullopt, Bytes{20})),
            (std::vector<std::uint64_t>{1, 4, 16, 20}));
}

TEST(RoundTrips, ALineIsRefinedNowhere) {
  const std::vector<Bytes> sizes = first_round_trips(Bytes{100}, Bytes{1 << 20});
  const auto line = [](double m) { return 1e-6 + 1e-9 * m + (m > 100 ? 5e-6 : 0); };
  EXPECT_THAT(refine_round_trips(sizes, timed(sizes, line), Bytes{100}, 0.01, 32), IsEmpty());
}

TEST(RoundTrips, AreRefinedUntilInterpolationHolds) {
  const auto time = [](double m) { return 1e-6 + 2e-9 * m + (m > 3000 ? 4e-9 * (m - 3000) : 0); };
  std::vector<Bytes> sizes = first_round_trips(std::nullopt, Bytes{1 << 20});
  std::size_t rounds = 0;
  for (;; ++rounds) {
    ASSERT_LT(rounds, 20U);
    const auto next = refine_round_trips(sizes, timed(sizes, time), std::nullopt, 0.02, 8);
    if (next.empty()) break;
    EXPECT_LE(next.size(), 8U);
    EXPECT_TRUE(std::ranges::is_sorted(next));
    for (const Bytes size : next) EXPECT_THAT(sizes, Not(Contains(size)));
    sizes.insert(sizes.end(), next.begin(), next.end());
    std::ranges::sort(sizes);
  }
  EXPECT_GT(rounds, 1U);
  for (std::size_t i = 1; i < sizes.size(); ++i) {
    const auto a = static_cast<double>(sizes[i - 1].value);
    const auto b = static_cast<double>(sizes[i].value);
    const double middle = std::sqrt(a * b);
    const double between = time(a) + (middle - a) / (b - a) * (time(b) - time(a));
    EXPECT_NEAR(between / time(middle), 1, 0.04) << a << " to " << b;
  }
}

TEST(LogPPlan, FloodsAreCappedAndOverheadsMeetTheLimit) {
  const LogPPlan plan = plan_logp(first_round_trips(Bytes{8255}, Bytes{1 << 20}), Bytes{8255});
  for (const std::uint64_t size : {0, 8255, 8256}) {
    EXPECT_THAT(values(plan.overheads), Contains(size));
    EXPECT_THAT(values(plan.floods), Contains(size));
  }
  EXPECT_TRUE(std::ranges::is_sorted(plan.overheads));
  for (const Bytes size : plan.floods) {
    const Experiment e = flood_of(plan, 2, 5, size);
    EXPECT_GE(e.messages, 3);
    EXPECT_LE(e.messages, plan.flood_messages);
    EXPECT_TRUE(e.messages == 3 || size.value * static_cast<std::uint64_t>(e.messages) <= 32768);
    EXPECT_LE(size.value, 256U << 10);
  }
}

/// Fewer than two sizes is what a tiny eager limit leaves.
TEST(LogPPlan, AnEagerLimitOfNothingOrOfEverything) {
  EXPECT_THAT(values(plan_logp({{1}, {64}, {1024}}, Bytes{0}).overheads), Contains(1U));
  EXPECT_THAT(values(plan_logp({{1}, {64}, {1024}}, std::nullopt).overheads), Contains(1024U));
}

TEST(LogPPlan, TheCrossCheckOfLargeMessagesIsShort) {
  LogPPlan plan = plan_logp({{1 << 20}, {4 << 20}}, Bytes{8255});
  plan.delay = Seconds{1e-6};
  plan.flood_messages = 128;
  EXPECT_EQ(logp_experiments(plan, 0, 1).back(), flood(0, 1, 3, plan.delay, Bytes{1 << 20}));
}

TEST(LogPPlan, WhatTakesLongIsSentSeldom) {
  const std::vector<Bytes> sizes = first_round_trips(Bytes{8255}, Bytes{1 << 20});
  const auto slow = [](double m) { return 1e-4 + 1e-6 * m; };  // 20 ms from 19 900 bytes on
  const Bytes affordable = affordable_size(sizes, timed(sizes, slow));
  EXPECT_EQ(affordable, Bytes{16384});
  const LogPPlan plan = plan_logp(sizes, Bytes{8255}, affordable);
  EXPECT_EQ(plan.floods.back(), Bytes{16384});
  EXPECT_EQ(plan.overheads.back(), Bytes{4 * 8255}) << "two above the limit make a line";
  EXPECT_EQ(plan.round_trips, sizes);
  const auto fast = [](double m) { return 1e-6 + 1e-10 * m; };
  EXPECT_EQ(affordable_size(sizes, timed(sizes, fast)), Bytes{256 << 10});
  const auto slower = [](double) { return 1.0; };
  EXPECT_EQ(affordable_size(sizes, timed(sizes, slower)), Bytes{1});
}

TEST(Growth, StepsDoubleAndEndWithAll) {
  EXPECT_EQ(growth_steps(2), (std::vector<int>{2}));
  EXPECT_EQ(growth_steps(12), (std::vector<int>{2, 4, 8, 12}));
  EXPECT_EQ(growth_steps(64), (std::vector<int>{2, 4, 8, 16, 32, 64}));
  for (const Experiment& e : growth_experiments(4, false)) EXPECT_EQ(e.processes, 4);
}

}  // namespace commgauge::logp_plan_test
