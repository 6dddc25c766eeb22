#include "commgauge/plan/budget.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>

namespace commgauge::budget_test {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

constexpr double empty = 1e-3;  // [s]
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
  [[nodiscard]] PassPlan in(double left) const {
    return plan_in_time(6, pilot, sizes, options, {left}, false);
  }
};

std::vector<std::string> models_of(const PassPlan& plan) {
  std::vector<std::string> names;
  for (const PassPlan::Part& part : plan.parts) names.push_back(part.model);
  return names;
}

std::multiset<Experiment> experiments_of(const std::vector<Round>& rounds) {
  std::multiset<Experiment> all;
  for (const Round& round : rounds) {
    for (const Group& group : round) all.insert(group.experiments.begin(), group.experiments.end());
  }
  return all;
}

/// Of the first so many parts.
std::multiset<Experiment> experiments_of(const PassPlan& plan, std::size_t parts) {
  std::multiset<Experiment> all;
  for (std::size_t k = 0; k < parts; ++k) all.merge(experiments_of(plan.parts[k].rounds));
  return all;
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
  EXPECT_NEAR(time(flood(0, 1, 8, {0.5}, {1000})), 8 * (0.5 + time_of(1000)), 1e-9);
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

TEST(PlanInTime, IsOnePartWhereThereIsTime) {
  const Slow slow;
  const double needed = slow.time(slow.options, few_blocks);
  for (const double left : {std::numeric_limits<double>::infinity(), 1.2 * needed}) {
    const PassPlan plan = slow.in(left);
    EXPECT_FALSE(plan.is_thin);
    ASSERT_THAT(models_of(plan), ElementsAre(""));
    const auto usual = plan_campaign(6, slow.pilot, slow.sizes, slow.options);
    ASSERT_EQ(plan.parts.front().rounds.size(), usual.size());
    EXPECT_EQ(experiments_of(plan, 1), experiments_of(usual));
  }
  EXPECT_TRUE(slow.in(needed).is_thin) << "something else is done, too";
}

TEST(PlanInTime, HasTheModelsFirstThatTakeLeast) {
  const Slow slow;
  const PassPlan plan = slow.in(1);
  ASSERT_EQ(plan.parts.size(), 5U) << "with the checks";
  EXPECT_EQ(plan.parts.back().model, "bottleneck") << "large messages to several at once";
  EXPECT_NE(plan.parts.front().model, "") << "checks alone are of no use";
  EXPECT_THAT(models_of(plan), UnorderedElementsAre("hockney", "lom", "lmo", "bottleneck", ""));
  const auto time_of_part = [&](const PassPlan::Part& part) {
    return pass_time(part.rounds, slow.pilot, slow.sizes, fewest_blocks, false).value;
  };
  for (std::size_t k = 0; k + 1 < plan.parts.size(); ++k) {
    EXPECT_LE(time_of_part(plan.parts[k]), time_of_part(plan.parts.back()));
  }
}

TEST(PlanInTime, HasAllExperimentsInItsParts) {
  const Slow slow;
  const PassPlan plan = slow.in(1);
  EXPECT_EQ(experiments_of(plan, plan.parts.size()),
            experiments_of(plan_campaign(6, slow.pilot, slow.sizes, slow.options)));
}

TEST(PlanInTime, HasAllThatAModelNeedsWhenItsPartIsDone) {
  const Slow slow;
  const PassPlan plan = slow.in(1);
  for (std::size_t k = 0; k < plan.parts.size(); ++k) {
    if (plan.parts[k].model.empty()) continue;
    CampaignOptions alone = slow.options;
    alone.models = {plan.parts[k].model};
    alone.checks = false;
    const auto needed = experiments_of(plan_campaign(6, slow.pilot, slow.sizes, alone));
    const auto done = experiments_of(plan, k + 1);
    EXPECT_TRUE(std::ranges::includes(done, needed)) << plan.parts[k].model;
  }
}

TEST(PlanInTime, KeepsGroupsOfARoundApart) {
  const Slow slow;
  const PassPlan plan = slow.in(1);
  for (const PassPlan::Part& part : plan.parts) {
    for (const Round& round : part.rounds) {
      std::set<int> busy;
      for (const Group& group : round) {
        EXPECT_FALSE(group.experiments.empty());
        for (const int rank : group.ranks) EXPECT_TRUE(busy.insert(rank).second);
      }
    }
  }
}

TEST(PlanInTime, OfNoNamedModelsTakesTheUsualOnesAndChecksOnlyIfWanted) {
  Slow slow;
  slow.options.models = {};
  EXPECT_THAT(models_of(slow.in(1)),
              UnorderedElementsAre("hockney", "lom", "lmo", "start_up", "bottleneck", ""));
  slow.options.checks = false;
  EXPECT_THAT(models_of(slow.in(1)),
              UnorderedElementsAre("hockney", "lom", "lmo", "start_up", "bottleneck"));
}

}  // namespace commgauge::budget_test
