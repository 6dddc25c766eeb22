#include "commgauge/costs/extended.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "../by_classes.hpp"
#include "commgauge/base/error.hpp"
#include "commgauge/base/statistics.hpp"
#include "commgauge/costs/costs_of_pairs.hpp"
#include "commgauge/model/model.hpp"
#include "commgauge/model/model_list.hpp"
#include "commgauge/predict/predict.hpp"

namespace commgauge::extended_test {

using ::testing::HasSubstr;

constexpr double us = 1e-6;

/// Hosts of two ranks: 10 µs between hosts times the mean of their factors, 2 µs within.
Model dense(const std::vector<double>& factors) {
  Model model;
  model.ranks = 2 * static_cast<int>(factors.size());
  model.launches.emplace_back();
  model.launches.front().passes = 3;
  for (std::size_t host = 0; host < factors.size(); ++host) {
    for (int r = 0; r < 2; ++r) {
      model.launches.front().ranks.push_back({"h" + std::to_string(host), {r}});
    }
  }
  HockneyParameters p{Matrix(model.ranks), Matrix(model.ranks, 1e-9), 0, 0};
  for (int i = 0; i < model.ranks; ++i) {
    for (int j = 0; j < model.ranks; ++j) {
      const double mean =
          (factors[static_cast<std::size_t>(i / 2)] + factors[static_cast<std::size_t>(j / 2)]) / 2;
      if (i != j) p.alpha(i, j) = i / 2 == j / 2 ? 2 * us : 10 * us * mean;
    }
  }
  model.hockney.emplace();
  model.hockney->value = model.hockney->low = model.hockney->high = p;
  model.hockney->replicates.assign(40, p);
  model.hockney->last = Bytes{1000};
  return model;
}

Model without_spread(Model model) {
  for (RankKind& kind : model.classes->kinds)
    kind.spread_fixed = kind.spread_per_byte = std::nan("");
  return model;
}

TEST(Extended, HostsOfOneKindAreRepeated) {
  const Model model = extended(dense({1, 1, 1}), 5, 3);
  EXPECT_EQ(model.ranks, 15);
  EXPECT_EQ(model.host(0), "h0");
  EXPECT_EQ(model.host(9), "h0#2");
  EXPECT_NEAR(model.hockney->value.alpha(0, 2), 2 * us, 1e-12);
  EXPECT_NEAR(model.hockney->value.alpha(2, 3), 10 * us, 1e-12);
  EXPECT_NEAR(model.hockney->value.alpha(14, 0), 10 * us, 1e-12);
  EXPECT_EQ(model.classes->pairs->kinds(), 1) << "they don't differ";
  EXPECT_THAT(model.warnings.back().text(), HasSubstr("15 ranks, 6 in the model"));
}

TEST(Extended, TheSameMachineStaysAsItIs) {
  const Model dense_hosts = dense({0.9, 1, 1.1});
  EXPECT_EQ(to_json(extended(dense_hosts, 3, 2)), to_json(dense_hosts));
  const Model by_classes = samples::by_classes(4, 2);  // one of its hosts deviates
  EXPECT_EQ(to_json(extended(by_classes, 4, 2)), to_json(by_classes));
  EXPECT_NE(to_json(extended(dense_hosts, 2, 2)), to_json(dense_hosts));
  EXPECT_NE(to_json(extended(dense_hosts, 6, 1)), to_json(dense_hosts));
}

TEST(Extended, GroupsOfHostsAreRepeated) {
  Model model = dense({1, 1, 1, 1});
  model.fabric.emplace();
  model.fabric->groups = {{{"h0", "h1"}, {}}, {{"h2", "h3"}, {}}};
  for (FabricLinks* const links : {&model.fabric->value, &model.fabric->low, &model.fabric->high}) {
    *links = {{1e-9, 2e-9}, {3e-9, 4e-9}, std::nan("")};
  }
  const LargerModel larger = larger_model(model, 8, 1);
  const Fabric& fabric = larger.model.fabric.value();
  ASSERT_EQ(fabric.groups.size(), 4U);
  using Hosts = std::vector<std::string>;
  EXPECT_EQ(fabric.groups[0].hosts, (Hosts{"h0", "h1"}));
  EXPECT_EQ(fabric.groups[1].hosts, (Hosts{"h0#2", "h1#2"}));
  EXPECT_EQ(fabric.value.out, (std::vector<double>{1e-9, 1e-9, 2e-9, 2e-9}));
  EXPECT_EQ(larger.assumed.back().kind, "extended_fabric");
  EXPECT_THAT(larger.assumed.back().text(), HasSubstr("4 groups of hosts"));
  EXPECT_FALSE(extended(model, 1, 2).fabric);
  EXPECT_EQ(extended(model, 4, 2).fabric->groups.size(), 2U);
}

TEST(Extended, SpreadsAreThoseOfHostsMeans) {
  // Factors 0.9, 1, 1.1 differ by 0.1; means of their messages, among many hosts, by half of that.
  const MachineClasses classes = placed_on_hosts(dense({0.9, 1, 1.1}));
  ASSERT_EQ(classes.kinds.size(), 1U);
  EXPECT_EQ(classes.kinds[0].hosts, 3);
  EXPECT_NEAR(classes.kinds[0].spread_fixed, 0.05, 1e-9);
  EXPECT_NEAR(classes.kinds[0].spread_per_byte, 0, 1e-9);
  EXPECT_TRUE(std::isnan(placed_on_hosts(dense({1, 1})).kinds[0].spread_fixed));
}

/// Of so many hosts, that few are enough to tell how they differ.
Model many_hosts(double spread) {
  Model model = dense({1, 1});
  model = pooled(model, placed_on_hosts(model));
  MachineClasses many = *model.classes;
  std::vector<PairClasses::Rank> ranks;
  for (int host = 0; host < 400; ++host) ranks.push_back({0, host});
  many.pairs = std::make_shared<const PairClasses>(std::move(ranks), 1);
  many.kinds[0].spread_fixed = spread;
  return laid_out(model, many, samples::places(400, 1));
}

TEST(Extended, ReplicatesHoldHowHostsDiffer) {
  const Model model = extended(many_hosts(0.05), 16, 1);
  std::vector<double> one;
  std::vector<double> slowest;
  for (const HockneyParameters& replicate : model.hockney->replicates) {
    one.push_back(replicate.alpha(0, 9) / (10 * us));
    double most = 0;
    for (int i = 0; i < 16; ++i) most = std::max(most, replicate.alpha(i, (i + 1) % 16));
    slowest.push_back(most / (10 * us));
  }
  EXPECT_NEAR(mean(one), 1, 0.04);
  EXPECT_NEAR(std::sqrt(variance(one)), 0.1 / std::sqrt(2), 0.025);
  double central = 0;
  for (int i = 0; i < 16; ++i) {
    central = std::max(central, model.hockney->value.alpha(i, (i + 1) % 16) / (10 * us));
  }
  EXPECT_GT(central, 1.05) << "a ring waits for its slowest host";
  EXPECT_NEAR(central, mean(slowest), 2 * std::sqrt(variance(slowest)));
  const Prediction time = predict(model, {"hockney", Operation::p2p, 0, 9, Bytes{0}});
  EXPECT_LT(time.low.value, 9.5 * us);
  EXPECT_GT(time.high.value, 10.5 * us);
}

TEST(Extended, FewMeasuredHostsLeaveMoreOpen) {
  const auto width = [](const Model& model) {
    const Prediction time = predict(model, {"hockney", Operation::p2p, 0, 9, Bytes{0}});
    return time.high.value / time.low.value;
  };
  EXPECT_GT(width(extended(dense({0.9, 1, 1.1}), 16, 1)), width(extended(many_hosts(0.05), 16, 1)));
}

TEST(Extended, TheSameEachTime) {
  const Model model = dense({0.9, 1, 1.1});
  EXPECT_EQ(to_json(extended(model, 40, 2)), to_json(extended(model, 40, 2)));
}

TEST(Extended, FilesOfManyHostsAreSmall) {
  Model model = samples::by_classes(8, 4);
  for (RankKind& kind : model.classes->kinds) kind.spread_fixed = kind.spread_per_byte = 0.05;
  const Model large = extended(model, 256, 4);
  EXPECT_EQ(large.ranks, 1024);
  EXPECT_LE(large.classes->pairs->kinds(), 32);
  const Model back = model_from_json(to_json(large), "large.json");
  EXPECT_EQ(back.lmo->value.L(3, 1000), large.lmo->value.L(3, 1000));
}

TEST(Extended, KindsKeepTheirProportion) {
  Model model = without_spread(samples::by_classes(4, 2));
  model.classes->deviations.clear();
  const Model large = extended(model, 9, 2);
  EXPECT_EQ(large.classes->kinds[0].hosts, 5);
  EXPECT_EQ(large.classes->kinds[1].hosts, 4);
  EXPECT_EQ(large.hockney->value.alpha(0, 17), model.hockney->value.alpha(0, 4));
  EXPECT_EQ(large.hockney->value.alpha(2, 17), model.hockney->value.alpha(2, 4));
  EXPECT_EQ(large.lmo->value.C[2], model.lmo->value.C[2]);
  EXPECT_EQ(large.checks.size(), 1U) << "a scatter; the other one's ranks are like one";
}

TEST(Extended, DeviatingHostsAreLeftOut) {
  Model model = without_spread(samples::by_classes(4, 2));
  const Model large = extended(model, 8, 2);  // n1, one of two of kind b, deviates
  EXPECT_EQ(large.classes->kinds[0].hosts, 6);
  EXPECT_EQ(large.classes->kinds[1].hosts, 2);
  EXPECT_TRUE(large.classes->deviations.empty());
  EXPECT_THAT(large.warnings.back().text(), HasSubstr("1 host that isn't like the kind"));
  EXPECT_THAT(large.warnings.back().text(), HasSubstr("n1"));
}

TEST(Extended, AKindWithoutPairsOfItsOwnTakesTheMean) {
  Model model = without_spread(samples::by_classes(4, 2));
  model.classes->deviations.clear();
  MachineClasses few = *model.classes;
  few.pairs = std::make_shared<const PairClasses>(
      std::vector<PairClasses::Rank>{{0, 0}, {0, 0}, {1, 1}}, 2);
  const Model small = laid_out(model, few, samples::places(3, 1));
  const Matrix& before = small.hockney->value.alpha;
  const Model large = extended(small, 4, 2);
  const Matrix& after = large.hockney->value.alpha;
  EXPECT_DOUBLE_EQ(after(2, 6), (before(2, 0) + before(0, 2)) / 2) << "between two like b";
  EXPECT_DOUBLE_EQ(after(2, 3), before(0, 1)) << "within one like b";
  EXPECT_DOUBLE_EQ(after(0, 1), before(0, 1));
}

TEST(Extended, WhatTheModelDoesNotKnowIsRefused) {
  EXPECT_THROW((void)extended(dense({1}), 2, 1), InputError);
  EXPECT_THROW((void)extended(dense({1, 1}), 0, 1), InputError);
  Model single = dense({1, 1, 1});
  for (int rank = 0; rank < single.ranks; ++rank) {
    single.launches.front().ranks[static_cast<std::size_t>(rank)].host = std::to_string(rank);
  }
  EXPECT_THROW((void)extended(single, 2, 2), InputError);
  EXPECT_EQ(extended(single, 9, 1).ranks, 9);
}

TEST(Extended, CurvesAreFixedPartsAndWhatBytesAdd) {
  Model model = samples::by_classes(6, 1);
  model.classes->deviations.clear();
  for (RankKind& kind : model.classes->kinds) {
    kind.spread_fixed = 0;
    kind.spread_per_byte = 0.1;
  }
  const Model large = extended(model, 12, 1);
  const auto& before = model.plogp->replicates[0].g;
  const auto& after = large.plogp->replicates[0].g;
  EXPECT_DOUBLE_EQ(after[0](0, 1), before[0](0, 1));
  const double factor =
      large.hockney->replicates[0].beta(0, 1) / model.hockney->replicates[0].beta(0, 1);
  EXPECT_NE(factor, 1);
  EXPECT_NEAR(after[2](0, 1) - after[0](0, 1), factor * (before[2](0, 1) - before[0](0, 1)), 1e-15);
  EXPECT_DOUBLE_EQ(large.hockney->value.alpha(0, 1), model.hockney->value.alpha(0, 1));
  EXPECT_EQ(large.loggps->value.s, model.loggps->value.s);
}

}  // namespace commgauge::extended_test
