// What pairs of one host take from each other. By hand: eight ranks of a host, whose messages take
// 20 us and 1 ns a byte, or what their memory leaves them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "../testbeds/synthetic.hpp"
#include "commgauge/base/error.hpp"
#include "commgauge/judge/fit.hpp"
#include "commgauge/model/contention.hpp"
#include "commgauge/plan/host_plan.hpp"

namespace commgauge::memory_test {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr double us = 1e-6;
constexpr double pair = 1e-9;  ///< [s/byte]
const std::vector<Bytes> sizes{{250'000}, {1'000'000}};

/// How a host's memory serves pairs [s/byte, of a pair]: between halves, and between neighbours.
struct Memory {
  double far{};
  double near{};
};

/// As much more several messages cost beside their bytes than one does.
constexpr double beside = 300 * us;

double per_byte(const Memory& memory, const Experiment& e) {
  const auto pairs = (static_cast<double>(e.peers.size()) + 1) / 2;
  const bool is_near = e.peers.front() == e.root + 1;
  return e.kind == Kind::round_trip ? pair
                                    : std::max(pair, pairs * (is_near ? memory.near : memory.far));
}

std::vector<Experiment> all_pairs(const std::vector<int>& ranks) {
  std::vector<Experiment> experiments;
  for (const int i : ranks) {
    for (const int j : ranks) {
      if (i == j) continue;
      experiments.push_back(round_trip(i, j, Bytes{0}, {}));
      for (const Bytes size : sizes) experiments.push_back(round_trip(i, j, size, {}));
    }
  }
  return experiments;
}

std::vector<int> numbers(int from, int to) {
  std::vector<int> ranks;
  for (int rank = from; rank < to; ++rank) ranks.push_back(rank);
  return ranks;
}

/// In five passes. @param noise  relative standard deviation of a block
Measurements measured(const Memory& memory, std::vector<Experiment> experiments, int ranks,
                      double noise = 0) {
  const synthetic::Machine machine{ranks, [&memory](const Experiment& e) {
                                     return 40 * us +
                                            per_byte(memory, e) * static_cast<double>(e.out.value);
                                   }};
  Measurements all = synthetic::measure(
      machine, experiments, {.kind = synthetic::Disturbance::gaussian, .relative = noise},
      {.passes = 5});
  for (RankPlace& place : all.launches.front().ranks) place.host = "a";
  return all;
}

Measurements of_one_host(const Memory& memory, double noise = 0) {
  std::vector<Experiment> experiments = all_pairs(numbers(0, 8));
  const std::vector<Experiment> within = memory_experiments(numbers(0, 8), 0, sizes);
  experiments.insert(experiments.end(), within.begin(), within.end());
  return measured(memory, experiments, 8, noise);
}

FitOptions hockney_only() {
  FitOptions options;
  options.models = {"hockney"};
  return options;
}

Model fitted(const Measurements& measurements) { return fit(measurements, hockney_only()); }

TEST(Memory, OfOneHostIsRecoveredExactlyWithoutNoise) {
  const Model model = fitted(of_one_host({0.5 * pair, 0.5 * pair}));
  ASSERT_TRUE(model.host_links);
  const HostLinks& found = model.host_links->value;
  for (const double inside : found.inside) EXPECT_NEAR(inside, 0.5 * pair, 1e-18);
  EXPECT_TRUE(std::ranges::all_of(found.out, [](double out) { return std::isnan(out); }));
  EXPECT_THAT(model.host_links->warnings, IsEmpty());
  EXPECT_TRUE(has_host_limits(model));
}

/// Four pairs get through what two do: the memory is that of the halves, or of a socket each.
TEST(Memory, ThatNeighboursShareLessIsTheHosts) {
  const Model model = fitted(of_one_host({pair, 0.5 * pair}));
  ASSERT_TRUE(model.host_links);
  for (const double inside : model.host_links->value.inside) {
    EXPECT_NEAR(inside, 0.5 * pair, 1e-18);
  }
  ASSERT_EQ(model.host_links->warnings.size(), 1U);
  EXPECT_EQ(model.host_links->warnings.front().kind, "poor_fit") << "halves share more than that";
}

TEST(Memory, ThatHoldsAllPairsIsABoundOnly) {
  const Model model = fitted(of_one_host({0.2 * pair, 0.2 * pair}));
  ASSERT_TRUE(model.host_links);
  for (std::size_t rank = 0; rank < 8; ++rank) {
    EXPECT_TRUE(std::isnan(model.host_links->value.inside[rank]));
    EXPECT_NEAR(model.host_links->high.inside[rank], pair / 4, 1e-18);
  }
  ASSERT_EQ(model.host_links->warnings.size(), 1U);
  EXPECT_EQ(model.host_links->warnings.front().kind, "bounded_memory");
  EXPECT_FALSE(has_host_limits(model));
}

TEST(Memory, IntervalsHoldTheTruthUnderNoise) {
  int held = 0;
  for (int k = 0; k < 20; ++k) {
    const double truth = (0.4 + 0.02 * k) * pair;
    const Model model = fitted(of_one_host({truth, truth}, 0.022));
    ASSERT_TRUE(model.host_links);
    held += model.host_links->low.inside[0] <= truth && truth <= model.host_links->high.inside[0];
  }
  EXPECT_GE(held, 17) << "of 20 at 95 %";
}

TEST(Memory, IsNoLimitWhereSeveralMessagesOnlyCostMoreBesideTheirBytes) {
  const auto with_more_beside = [](double memory) {
    Measurements all = of_one_host({memory, memory});
    for (Observation& row : all.observations) {
      if (row.experiment.kind != Kind::pairs_at_once) continue;
      for (double* time : {&row.time_s, &row.low_s, &row.high_s}) *time += beside;
    }
    return all;
  };
  const Model free = fitted(with_more_beside(0.1 * pair));
  ASSERT_TRUE(free.host_links);
  EXPECT_TRUE(std::isnan(free.host_links->value.inside[0]));
  const Model limited = fitted(with_more_beside(0.5 * pair));
  ASSERT_TRUE(limited.host_links);
  EXPECT_NEAR(limited.host_links->value.inside[0], 0.5 * pair, 1e-18);
}

/// Two hosts of eight, of which two ranks each are the sample: those don't tell what eight share.
Measurements of_sample(const Memory& memory, double noise = 0) {
  Measurements all = measured(memory, all_pairs({0, 1, 2, 3}), 4, noise);
  const Survey survey = [&] {
    Survey made;
    for (int rank = 0; rank < 16; ++rank) made.ranks.push_back({rank < 8 ? "a" : "b", {}});
    made.sample = {0, 4, 8, 12};
    for (const int from : {0, 8}) {
      for (int other = from + 1; other < from + 8; ++other) {
        for (const std::uint64_t size : {0U, 1'000'000U}) {
          const double time = 40 * us + pair * static_cast<double>(size);
          made.trips.push_back({from, other, Bytes{size}, time});
          made.trips.push_back({other, from, Bytes{size}, time});
        }
      }
    }
    for (const std::uint64_t size : {0U, 1'000'000U}) {
      const double time = 40 * us + pair * static_cast<double>(size);
      made.trips.push_back({0, 8, Bytes{size}, time});
      made.trips.push_back({8, 0, Bytes{size}, time});
    }
    return made;
  }();
  std::vector<Experiment> within = all_pairs(numbers(8, 16));
  for (const Experiment& e : memory_experiments(numbers(8, 16), 0, sizes)) within.push_back(e);
  all.memory.rows = measured(memory, within, 16, noise).observations;
  all.launches.front().ranks[2].host = "b";
  all.launches.front().ranks[3].host = "b";
  all.survey = survey;
  return all;
}

TEST(Memory, OfASamplesHostsIsThatOfAllOfTheirRanks) {
  const Model model = fitted(of_sample({0.5 * pair, 0.5 * pair}));
  ASSERT_EQ(model.ranks, 16);
  ASSERT_TRUE(model.host_links);
  ASSERT_EQ(model.host_links->value.inside.size(), 16U);
  for (const double inside : model.host_links->value.inside) {
    EXPECT_NEAR(inside, 0.5 * pair, 1e-18) << "one host was measured, the other is of its kind";
  }
}

TEST(Memory, OfASampleHasTheIntervalOfItsOwnPasses) {
  const Measurements all = of_sample({0.5 * pair, 0.5 * pair}, 0.02);
  const Model model = fitted(all);
  ASSERT_TRUE(model.host_links);
  const auto& [value, low, high, rest, kind, first, last, residual, count, warnings] =
      *model.host_links;
  EXPECT_LT(low.inside[0], value.inside[0]);
  EXPECT_GT(high.inside[0], value.inside[0]);
  EXPECT_NEAR(value.inside[0] / (0.5 * pair), 1, 0.02);
}

TEST(Memory, OfAnotherMachineIsNotMerged) {
  std::vector<Measurements> launches(2, of_sample({0.5 * pair, 0.5 * pair}));
  launches[1].survey->ranks.push_back({"b", {}});
  EXPECT_THROW((void)merge(launches), InputError);
}

TEST(Memory, ThatWasLeftOutIsSaid) {
  Measurements all = of_sample({0.5 * pair, 0.5 * pair});
  all.memory = {{}, Diagnostic{.kind = "memory_left_out", .problem = "no time for it"}};
  const std::string text = to_json(all);
  const Measurements again = measurements_from_json(text, "again");
  EXPECT_EQ(again.memory.left_out, all.memory.left_out);
  const Model model = fitted(again);
  EXPECT_FALSE(model.host_links);
  EXPECT_NE(std::ranges::find(model.warnings, *all.memory.left_out), model.warnings.end());
}

TEST(Memory, StandsInTheFile) {
  const Measurements all = of_sample({0.5 * pair, 0.5 * pair});
  const std::string text = to_json(all);
  const Measurements again = measurements_from_json(text, "again");
  EXPECT_EQ(again.memory.rows.size(), all.memory.rows.size());
  EXPECT_EQ(to_json(again), text);
  const std::vector<Measurements> launches{all, all};
  const Measurements merged = merge(launches);
  EXPECT_EQ(merged.memory.rows.size(), 2 * all.memory.rows.size());
  EXPECT_EQ(merged.memory.rows.back().launch, 1);
  const Model model = fitted(merged);
  ASSERT_TRUE(model.host_links);
  for (const HostLinks& one : model.host_links->replicates) {
    EXPECT_NEAR(one.inside[0], 0.5 * pair, 1e-18) << "alike in both launches";
  }
}

}  // namespace commgauge::memory_test
