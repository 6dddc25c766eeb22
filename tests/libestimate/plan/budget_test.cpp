#include "commgauge/plan/budget.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "commgauge/model/model_list.hpp"

namespace commgauge {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr double empty = 1e-3;    // [s]
constexpr double per_byte = 1e-6;

double time_of(std::uint64_t size) { return empty + per_byte * static_cast<double>(size); }

Pilot pilot_of(int n, const CampaignSizes& sizes) {
  Pilot pilot{Matrix(n), Matrix(n), Matrix(n)};
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      pilot.empty(i, j) = empty;
      pilot.medium(i, j) = time_of(sizes.one_to_two.value);
      pilot.bulk(i, j) = time_of(sizes.bulk.back().value);
    }
  }
  return pilot;
}

/// Six ranks and 1 MB/s: a pass of all models takes minutes.
struct Slow {
  CampaignSizes sizes = choose_sizes(Bytes{8192}, {}, std::nullopt);
  Pilot pilot = pilot_of(6, sizes);
  CampaignOptions options{.models = {"hockney", "lom", "lmo", "bottleneck"}};

  [[nodiscard]] double time(const CampaignOptions& asked, int blocks) const {
    return pass_time(plan_campaign(6, pilot, sizes, asked), pilot, sizes, blocks, false).value;
  }
  [[nodiscard]] double time_without(const std::string& name, int blocks) const {
    CampaignOptions fewer = options;
    std::erase(fewer.models, name);
    return time(fewer, blocks);
  }
  [[nodiscard]] PassPlan in(double left) const {
    return plan_in_time(6, pilot, sizes, options, {left}, false);
  }
};

bool has(const PassPlan& plan, Kind kind) {
  return std::ranges::any_of(plan.rounds, [&](const Round& round) {
    return std::ranges::any_of(round, [&](const Group& group) {
      return std::ranges::any_of(group.experiments,
                                 [&](const Experiment& e) { return e.kind == kind; });
    });
  });
}

TEST(RepetitionTime, LiesOnTheLineBetweenThePilotsSizes) {
  const Slow slow;
  for (const std::uint64_t size : {0U, 1U, 4000U, 8192U, 100'000U, 1U << 20U, 2U << 20U}) {
    EXPECT_NEAR(repetition_time(round_trip(0, 1, {size}, {}), slow.pilot, slow.sizes).value,
                time_of(size), 1e-9)
        << size;
  }
}

TEST(RepetitionTime, IsThatOfAllMessages) {
  const Slow slow;
  const auto time = [&](const Experiment& e) {
    return repetition_time(e, slow.pilot, slow.sizes).value;
  };
  EXPECT_NEAR(time(one_to_two(0, 1, 2, {1000})), 2 * time_of(1000), 1e-9);
  EXPECT_NEAR(time(flat_scatter(6, 0, {1000})), 5 * time_of(1000), 1e-9);
  EXPECT_NEAR(time(flat_gather(6, 2, {1000})), 5 * time_of(1000), 1e-9);
  EXPECT_NEAR(time(flood(0, 1, 8, {1000}, {0.5})), 0.5 + 8 * time_of(1000), 1e-9);
}

TEST(PassTime, OfARoundIsThatOfItsLongestGroup) {
  const Slow slow;
  const Group longer{{0, 1}, {round_trip(0, 1, {1 << 20}, {})}};
  const Group shorter{{2, 3}, {round_trip(2, 3, {1 << 19}, {})}};
  const auto time = [&](const std::vector<Round>& rounds, bool serial) {
    return pass_time(rounds, slow.pilot, slow.sizes, 3, serial).value;
  };
  EXPECT_EQ(time({{longer, shorter}}, false), time({{longer}}, false));
  EXPECT_NEAR(time({{longer, shorter}}, true), time({{longer}, {shorter}}, false), 1e-12);
  // One that doesn't count, then the blocks.
  EXPECT_NEAR(time({{longer}}, false), 4 * time_of(1 << 20), 0.01);
}

TEST(PlanInTime, HasAllWhereThereIsTime) {
  const Slow slow;
  for (const double left : {std::numeric_limits<double>::infinity(), 1e9}) {
    const PassPlan plan = slow.in(left);
    EXPECT_FALSE(plan.is_thin);
    EXPECT_THAT(plan.left_out, IsEmpty());
    EXPECT_EQ(plan.rounds, plan_campaign(6, slow.pilot, slow.sizes, slow.options));
  }
}

TEST(PlanInTime, RepeatsLessBeforeItLeavesOut) {
  const Slow slow;
  const double thin = slow.time(slow.options, fewest_blocks);
  const double usual = slow.time(slow.options, few_blocks);
  ASSERT_LT(1.1 * thin, usual);
  const PassPlan plan = slow.in(usual);
  EXPECT_TRUE(plan.is_thin);
  EXPECT_THAT(plan.left_out, IsEmpty());
  EXPECT_EQ(plan.rounds, plan_campaign(6, slow.pilot, slow.sizes, slow.options));
}

TEST(PlanInTime, LeavesOutWhatTakesLongest) {
  const Slow slow;
  const double left = 1.2 * slow.time_without("bottleneck", fewest_blocks);
  ASSERT_LT(left, slow.time(slow.options, fewest_blocks));
  const PassPlan plan = slow.in(left);
  EXPECT_TRUE(plan.is_thin);
  EXPECT_THAT(plan.left_out, ElementsAre("bottleneck"));
  EXPECT_FALSE(has(plan, Kind::one_to_k_concurrent));
  EXPECT_TRUE(has(plan, Kind::one_to_k)) << "lmo's";
  EXPECT_LE(pass_time(plan.rounds, slow.pilot, slow.sizes, fewest_blocks, false).value, left);
}

TEST(PlanInTime, HasOneModelInAnyCase) {
  Slow slow;
  const PassPlan plan = slow.in(1e-3);
  EXPECT_EQ(plan.left_out.size(), 3U);
  EXPECT_FALSE(plan.rounds.empty());
  slow.options.models = {"bottleneck"};
  EXPECT_THAT(slow.in(1e-3).left_out, IsEmpty());
}

TEST(PlanInTime, OfNoNamedModelsTakesTheUsualOnes) {
  Slow slow;
  const PassPlan named = slow.in(1e-3);
  slow.options.models = {};
  EXPECT_EQ(slow.in(1e-3).left_out.size(), named.left_out.size());
}

}  // namespace
}  // namespace commgauge
