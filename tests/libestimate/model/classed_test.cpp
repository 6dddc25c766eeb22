#include "commgauge/model/classed.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "commgauge/base/error.hpp"
#include "commgauge/base/statistics.hpp"
#include "commgauge/costs/costs_of_pairs.hpp"
#include "commgauge/model/spread.hpp"
#include "samples.hpp"

namespace commgauge::classed_test {

const double unknown = std::nan("");

/// Hosts a and b of two ranks each of one kind, host c of one rank of another.
MachineClasses three_hosts() {
  return {std::make_shared<const PairClasses>(
              std::vector<PairClasses::Rank>{{0, 0}, {0, 0}, {0, 1}, {0, 1}, {1, 2}}, 2),
          {{"a", 2, unknown, unknown}, {"c", 1, unknown, unknown}},
          {},
          {},
          "placement"};
}

/// A different number for every pair: (1 + 10 i + j) * scale.
Matrix numbered(double scale) { return samples::matrix(5, scale, false); }

HockneyParameters hockney(double scale) {
  return {numbered(scale), numbered(2 * scale), 7 * scale, 8 * scale};
}

Model dense() {
  Model model;
  model.ranks = 5;
  model.launches.emplace_back();
  for (const char* host : {"a", "a", "b", "b", "c"}) {
    model.launches.front().ranks.push_back({host, {0}});
  }
  model.hockney.emplace();
  model.hockney->value = hockney(1);
  model.hockney->low = hockney(0.5);
  model.hockney->high = hockney(1.5);
  for (const double scale : {0.9, 1.0, 1.2}) model.hockney->replicates.push_back(hockney(scale));
  return model;
}

TEST(Classed, AClassHasTheMeanOfItsPairs) {
  const Model model = pooled(dense(), three_hosts());
  const Matrix& alpha = model.hockney->value.alpha;
  EXPECT_EQ(alpha.values().size(), 8U);
  EXPECT_DOUBLE_EQ(alpha(0, 1), (2 + 11 + 24 + 33) / 4.0);
  EXPECT_DOUBLE_EQ(alpha(3, 0), (3 + 4 + 13 + 14 + 21 + 22 + 31 + 32) / 8.0);
  EXPECT_DOUBLE_EQ(alpha(2, 4), (5 + 15 + 25 + 35) / 4.0);
  EXPECT_DOUBLE_EQ(alpha(4, 2), (41 + 42 + 43 + 44) / 4.0);
  EXPECT_DOUBLE_EQ(model.hockney->replicates[2].beta(4, 2), 2 * 1.2 * (41 + 42 + 43 + 44) / 4.0);
  EXPECT_EQ(model.hockney->value.mean_alpha, 7);
  EXPECT_EQ(model.hockney->low.mean_alpha, 3.5);
  EXPECT_TRUE(std::isnan(alpha.values()[7])) << "no two ranks of c";
}

TEST(Classed, IntervalsAreOfTheMeans) {
  const Model model = pooled(dense(), three_hosts());
  const double mean = (5 + 15 + 25 + 35) / 4.0;
  const double half = SpreadRule(ReplicateKind::passes, 3, model.confidence)(
                          std::vector<double>{0.9 * mean, mean, 1.2 * mean})
                          .mean_half_width;
  EXPECT_DOUBLE_EQ(model.hockney->low.alpha(0, 4), mean - half);
  EXPECT_DOUBLE_EQ(model.hockney->high.alpha(0, 4), mean + half);
}

TEST(Classed, PairsThatWereNotMeasuredDoNotCount) {
  Model model = dense();
  Matrix& alpha = model.hockney->value.alpha;
  alpha(0, 4) = alpha(1, 4) = unknown;
  model.hockney->low.alpha(0, 4) = model.hockney->high.alpha(0, 4) = unknown;
  model.hockney->low.alpha(1, 4) = model.hockney->high.alpha(1, 4) = unknown;
  model = pooled(std::move(model), three_hosts());
  EXPECT_DOUBLE_EQ(model.hockney->value.alpha(0, 4), (25 + 35) / 2.0);
  EXPECT_DOUBLE_EQ(model.hockney->replicates[0].alpha(0, 4), 0.9 * (25 + 35) / 2.0);
}

TEST(Classed, AClassIsBoundedLikeMostOfItsPairs) {
  Model model = dense();
  BottleneckParameters p{{1, 2, 3, 4, 5}, {unknown, unknown, 3, unknown, 5},
                         {1, 2, 3, 4, 5}, numbered(1),
                         numbered(1),     numbered(1)};
  model.bottleneck.emplace();
  model.bottleneck->value = model.bottleneck->low = model.bottleneck->high = p;
  model.bottleneck->high.s = {10, 20, 3, 30, 5};
  model.bottleneck->replicates = {p, p};
  const Model by_class = pooled(model, three_hosts());
  const BottleneckParameters& value = by_class.bottleneck->value;
  EXPECT_EQ(value.C, (std::vector<double>{2.5, 2.5, 2.5, 2.5, 5}));
  EXPECT_TRUE(std::isnan(value.s[0]));
  EXPECT_TRUE(std::isnan(by_class.bottleneck->replicates[0].s[0]));
  EXPECT_TRUE(std::isnan(by_class.bottleneck->low.s[0]));
  EXPECT_EQ(by_class.bottleneck->high.s[0], (10 + 20 + 3 + 30) / 4.0);
  EXPECT_EQ(value.s[4], 5);
  EXPECT_EQ(by_class.bottleneck->high.s[4], 5);
}

TEST(Classed, WhatIsSymmetricStaysSo) {
  Model model = dense();
  model.lmo.emplace();
  Matrix L(5);
  for (int i = 0; i < 5; ++i) {
    for (int j = 0; j < i; ++j) L.set_both(i, j, 0.1 * i + 0.7 * j * j);
  }
  model.lmo->value = model.lmo->low =
      model.lmo->high = {std::vector<double>(5, 1), std::vector<double>(5, 1), L, L};
  model = pooled(std::move(model), three_hosts());
  const Matrix& by_class = model.lmo->value.L;
  EXPECT_EQ(by_class(0, 4), by_class(4, 0));
  EXPECT_TRUE(std::isnan(model.lmo->low.L(0, 4))) << "no replicate tells a width";
}

TEST(Classed, LomStaysWithoutLatencies) {
  Model model = dense();
  model.lom.emplace();
  model.lom->value = model.lom->low =
      model.lom->high = {std::vector<double>(5, 1), std::vector<double>(5, 1), {}, numbered(1)};
  model = pooled(std::move(model), three_hosts());
  EXPECT_EQ(model.lom->value.L.size(), 0);
  EXPECT_EQ(model.lom->value.inverse_beta.values().size(), 8U);
}

TEST(Classed, AClassWithoutMeasuredPairsCostsTheMean) {
  Model model = dense();
  model.logp.emplace();
  Matrix some = numbered(1);
  for (int i = 0; i < 4; ++i) some(i, 4) = some(4, i) = unknown;
  model.logp->value = model.logp->low = model.logp->high = {some, some, some, 77, 78, 79};
  model = pooled(std::move(model), three_hosts());
  const CostsOfPairs costs = costs_of_pairs(model, "logp");
  EXPECT_TRUE(costs(0, 4).assumed);
  EXPECT_EQ(costs(0, 4).send_overhead.first.fixed, 78);
  EXPECT_FALSE(costs(0, 3).assumed);
}

TEST(Classed, MeansForUnmeasuredClassesCountPairs) {
  Model model = dense();
  model.plogp.emplace();
  Matrix some = numbered(1);
  for (int i = 0; i < 4; ++i) some(i, 4) = some(4, i) = unknown;
  PLogPParameters p{{Bytes{0}}, some, {some}, {some}, {some}};
  model.plogp->value = model.plogp->low = model.plogp->high = p;
  double sum = 0;
  for (const double value : some.values()) sum += std::isnan(value) ? 0 : value;
  model = pooled(std::move(model), three_hosts());
  EXPECT_DOUBLE_EQ(costs_of_pairs(model, "plogp")(0, 4).send_overhead.first.fixed, sum / 12);
}

TEST(Classed, OtherRanksHaveTheParametersOfTheirKinds) {
  Model model = dense();
  model.lmo.emplace();
  model.lmo->value = model.lmo->low =
      model.lmo->high = {{1, 1, 1, 1, 5}, {2, 2, 2, 2, 6}, numbered(1), numbered(1)};
  model.checks = {{"lmo", Operation::p2p, {}, 2, 4, 1, 1},
                  {"lmo", Operation::p2p, {}, 0, 2, 1, 1},
                  {"lmo", Operation::scatter, {}, 4, -1, 1, 1}};
  model.kappas.emplace_back("lmo", Kappas{});
  model.kappas.front().second.root = 4;
  const Model small = pooled(model, three_hosts());
  MachineClasses others = three_hosts();
  others.pairs = std::make_shared<const PairClasses>(
      std::vector<PairClasses::Rank>{{1, 0}, {1, 0}, {0, 1}}, 2);
  const Model large = laid_out(small, others, {{"x", {1}}, {"x", {2}}, {"y", {1}}});
  EXPECT_EQ(large.ranks, 3);
  EXPECT_EQ(large.host(2), "y");
  EXPECT_EQ(large.lmo->value.C, (std::vector<double>{5, 5, 1}));
  EXPECT_EQ(large.hockney->value.alpha(1, 2), small.hockney->value.alpha(4, 0));
  EXPECT_EQ(large.hockney->replicates[1].alpha(2, 1), small.hockney->replicates[1].alpha(0, 4));
  EXPECT_EQ(large.kappas.front().second.root, 0);
  ASSERT_EQ(large.checks.size(), 2U) << "one is of two ranks that are like one here";
  EXPECT_EQ(large.checks[0].from, 2);
  EXPECT_EQ(large.checks[0].to, 0);
}

TEST(Classed, TheSampleSaysWhichRanksMeasured) {
  Model model = dense();
  model.checks = {{"hockney", Operation::p2p, {}, 0, 2, 1, 1}};
  MachineClasses others = three_hosts();
  others.pairs = std::make_shared<const PairClasses>(
      std::vector<PairClasses::Rank>{{0, 0}, {0, 0}, {0, 1}, {0, 1}, {1, 2}, {1, 3}}, 2);
  others.sample = {1, 0, 3, 2, 5};
  const Model large = laid_out(pooled(model, three_hosts()), others, std::vector<RankPlace>(6));
  ASSERT_EQ(large.checks.size(), 1U);
  EXPECT_EQ(large.checks[0].from, 1);
  EXPECT_EQ(large.checks[0].to, 3);
}

TEST(Classed, WrongClassesAreRefused) {
  Model model = dense();
  EXPECT_THROW((void)laid_out(model, three_hosts(), {}), InputError);
  EXPECT_THROW((void)laid_out(pooled(model, three_hosts()), three_hosts(), {}), InputError);
  model.ranks = 4;
  EXPECT_THROW((void)pooled(model, three_hosts()), InputError);
}

}  // namespace commgauge::classed_test
