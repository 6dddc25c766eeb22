#include "commgauge/model/scaled.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "../by_classes.hpp"
#include "commgauge/base/error.hpp"
#include "commgauge/costs/costs_of_pairs.hpp"
#include "commgauge/model/model.hpp"
#include "commgauge/model/model_list.hpp"

namespace commgauge::scaled_test {

constexpr double infinite = std::numeric_limits<double>::infinity();

const std::vector<double> some_sizes{0, 1, 1024, 1460, 2000, 19493, 19494, 1e6};

std::vector<std::string> models_of_machines() { return models_that(&FitFacts::is_machine); }

/// That of the samples, where PLogP is a line above the eager limit, too.
Model machines_model() {
  Model model = samples::model();
  PLogPParameters& p = model.plogp->value;
  p.sizes.push_back(Bytes{131072});
  for (auto* const list : {&p.o_s, &p.o_r, &p.g}) {
    list->push_back(list->back());
    for (double& time : list->back().values()) time *= 2;
  }
  return model;
}

/// Of a pair, for all sizes.
std::vector<double> times(const PairCosts& costs) {
  std::vector<double> all{costs.request, costs.reply, costs.reply_overhead};
  visit_curves(costs, [&](const Curve& curve) {
    for (const double size : some_sizes) all.push_back(curve.at(size));
  });
  return all;
}

TEST(Scaled, ByOneIsTheSameMachine) {
  const Model model = samples::model();
  EXPECT_EQ(to_json(scaled(model, {})), to_json(model));
}

TEST(Scaled, ByOneFactorEveryCostTakesThatMuchLonger) {
  const Model model = machines_model();
  for (const double factor : {0.25, 0.7, 3.0}) {
    const Model other = scaled(model, {factor, factor, factor, factor});
    EXPECT_EQ(other.eager_limit, model.eager_limit);
    for (const std::string& name : models_of_machines()) {
      std::vector<double> before = times(costs_of_pairs(model, name)(0, 2));
      const std::vector<double> after = times(costs_of_pairs(other, name)(0, 2));
      for (std::size_t i = 0; i < before.size(); ++i) {
        EXPECT_NEAR(after[i], factor * before[i], 1e-14 * std::abs(after[i])) << name;
      }
    }
  }
}

TEST(Scaled, ByAPowerOfTwoToTheLastBit) {
  const Model model = machines_model();
  const Model other = scaled(model, {4, 4, 4, 4});
  for (const std::string& name : models_of_machines()) {
    std::vector<double> expected = times(costs_of_pairs(model, name)(2, 1));
    for (double& time : expected) time *= 4;
    EXPECT_EQ(times(costs_of_pairs(other, name)(2, 1)), expected) << name;
  }
}

TEST(Scaled, OverheadsGrowByTheirFactor) {
  const Model model = machines_model();
  const Model other = scaled(model, {4, 4, 4, 4});
  for (const std::string name : {"logp", "loggp", "loggps", "plogp"}) {
    PairCosts before = costs_of_pairs(model, name)(0, 1);
    PairCosts after = costs_of_pairs(other, name)(0, 1);
    grow(before, model.overhead_growth->value, 64);
    grow(after, other.overhead_growth->value, 64);
    scale(before, 4);
    const std::vector<double> expected = times(before);
    const std::vector<double> found = times(after);
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_DOUBLE_EQ(found[i], expected[i]);
  }
}

TEST(Scaled, IntervalsAndReplicatesAreMultipliedAlike) {
  const Model model = samples::model();
  const Model other = scaled(model, {2, 3, 5, 7});
  EXPECT_EQ(other.loggps->low.L(0, 1), 2 * model.loggps->low.L(0, 1));
  EXPECT_EQ(other.loggps->high.G(0, 1), 3 * model.loggps->high.G(0, 1));
  EXPECT_EQ(other.loggps->replicates[1].O_s(0, 1), 5 * model.loggps->replicates[1].O_s(0, 1));
  EXPECT_EQ(other.loggps->replicates[2].g(0, 1), 7 * model.loggps->replicates[2].g(0, 1));
  EXPECT_EQ(other.loggps->value.s, model.loggps->value.s);
  EXPECT_EQ(other.bottleneck->high.s[0], 3 * model.bottleneck->high.s[0]);
  EXPECT_EQ(other.hockney_rendezvous->value.alpha(0, 1),
            2 * model.hockney_rendezvous->value.alpha(0, 1));
  EXPECT_EQ(other.start_up->value.mean_t, 3 * model.start_up->value.mean_t);
}

/// T(0) is the latency, the rest what bytes add; an interval keeps its width relative to its value.
TEST(Scaled, CurvesByTheirTwoParts) {
  const Model model = samples::model();
  const Model other = scaled(model, {2, 3, 5, 7});
  const double empty = model.curves->value.time[0](0, 1);
  for (std::size_t k = 0; k < model.curves->value.sizes.size(); ++k) {
    const double before = model.curves->value.time[k](0, 1);
    const double after = other.curves->value.time[k](0, 1);
    EXPECT_NEAR(after / (2 * empty + 3 * (before - empty)), 1, 1e-14);
    EXPECT_NEAR(other.curves->low.time[k](0, 1) / after, model.curves->low.time[k](0, 1) / before,
                1e-14);
  }
}

/// One value stands for all pairs of a class: it is scaled once.
TEST(Scaled, ByClassesAsByPairs) {
  const Model model = samples::by_classes(4, 3);
  const Model other = scaled(model, {2, 3, 5, 7});
  for (std::size_t k = 0; k < model.curves->value.sizes.size(); ++k) {
    const double empty = model.curves->value.time[0](0, 3);
    const double before = model.curves->value.time[k](0, 3);
    EXPECT_NEAR(other.curves->value.time[k](0, 3) / (2 * empty + 3 * (before - empty)), 1, 1e-14);
  }
  EXPECT_EQ(other.hockney->value.beta(0, 3), 3 * model.hockney->value.beta(0, 3));
  EXPECT_EQ(other.lmo->value.L(0, 3), 2 * model.lmo->value.L(0, 3));
}

/// docs/models.md's table: what an empty message, and what each byte of it costs of each kind.
TEST(Scaled, EachPartHasItsFactor) {
  struct Expected {
    double latency, overheads;  // of one way of an empty message
    double per_byte, overheads_per_byte;
  };
  const Model model = samples::model();
  const LogGpsParameters& s = model.loggps->value;
  const AdditiveParameters& lmo = model.lmo->value;
  const std::map<std::string, Expected> all{
      {"hockney", {model.hockney->value.alpha(0, 1), 0, model.hockney->value.beta(0, 1), 0}},
      {"lmo", {lmo.L(0, 1), lmo.C[0] + lmo.C[1], lmo.t[0] + lmo.t[1] + lmo.inverse_beta(0, 1), 0}},
      {"logp", {model.logp->value.L(0, 1), 2 * model.logp->value.o(0, 1), 0, 0}},
      {"loggp",
       {model.loggp->value.L(0, 1), 2 * model.loggp->value.o(0, 1), model.loggp->value.G(0, 1), 0}},
      {"loggps",
       {s.L(0, 1), s.o_prime_s(0, 1) + s.o_prime_r(0, 1), s.G_prime(0, 1),
        s.O_s(0, 1) + s.O_r(0, 1)}}};
  const Model other = scaled(model, {2, 3, 5, 7});
  for (const auto& [name, p] : all) {
    const CostLine line = costs_of_pairs(other, name)(0, 1).one_way.first;
    EXPECT_NEAR(line.fixed / (2 * p.latency + 5 * p.overheads), 1, 1e-14) << name;
    EXPECT_DOUBLE_EQ(line.per_byte, 3 * p.per_byte + 5 * p.overheads_per_byte) << name;
  }
  EXPECT_EQ(costs_of_pairs(other, "logp")(0, 1).gap.first.fixed, 7 * model.logp->value.g(0, 1));
}

TEST(Scaled, WhatTheReceiverDoesIsAPartOfPLogPsGap) {
  Model model = samples::model();
  for (Matrix& known : model.plogp->value.o_r) known = Matrix(3, 1e-6);
  const PLogPParameters& p = model.plogp->value;
  const PLogPParameters slow = scaled(model, {1, 1, 5, 1}).plogp->value;
  EXPECT_NEAR(slow.g[2](0, 1), p.g[2](0, 1) + 4e-6, 1e-18);
  const PLogPParameters no_gap = scaled(model, {1, 1, 1, 0}).plogp->value;
  EXPECT_NEAR(no_gap.g[0](0, 1), 1e-6, 1e-18);
  EXPECT_NEAR(no_gap.g[2](0, 1), p.g[2](0, 1) - p.g[0](0, 1) + 1e-6, 1e-18);
  const PLogPParameters no_bytes = scaled(model, {1, 0, 1, 1}).plogp->value;
  EXPECT_NEAR(no_bytes.g[2](0, 1), p.g[0](0, 1), 1e-18);
}

TEST(Scaled, ASizeWithoutOverheadKeepsItsGap) {
  Model model = samples::model();
  model.plogp->value.o_r[1](0, 1) = std::numeric_limits<double>::quiet_NaN();
  const Model other = scaled(model, {1, 3, 5, 1});
  EXPECT_TRUE(std::isfinite(other.plogp->value.g[1](0, 1)));
  EXPECT_TRUE(std::isnan(other.plogp->value.o_r[1](0, 1)));
}

TEST(Scaled, LinksBetweenHostsByWhatBytesTakeAndByTheirOwnFactor) {
  Model model = samples::model();
  model.fabric.emplace();
  model.fabric->groups = {{{"h0"}, {}}};
  model.fabric->backbone_sides = {{"h0"}, {"h1"}};
  model.fabric->value = {{1e-9}, {2e-9}, 4e-9};
  model.fabric->high = {{3e-9}, {std::nan("")}, 5e-9};
  model.fabric->replicates = {model.fabric->value};
  const Fabric twice = *scaled(model, {.uplinks = 0.5}).fabric;
  EXPECT_EQ(twice.value.out.front(), 0.5e-9);
  EXPECT_EQ(twice.value.backbone, 2e-9);
  EXPECT_EQ(twice.high.out.front(), 1.5e-9);
  EXPECT_TRUE(std::isnan(twice.high.in.front()));
  EXPECT_EQ(twice.replicates.front().in.front(), 1e-9);
  EXPECT_EQ(scaled(model, {.per_byte = 4, .uplinks = 0.5}).fabric->value.in.front(), 4e-9);
  const Model other = scaled(model, {.uplinks = 0.5});
  EXPECT_EQ(other.hockney->value.beta(0, 1), model.hockney->value.beta(0, 1));
}

TEST(Scaled, RefusesWhatIsNoFactor) {
  for (const double factor : {-1.0, infinite, std::nan("")}) {
    EXPECT_THROW((void)scaled(samples::model(), {1, factor, 1, 1}), InputError);
  }
}

}  // namespace commgauge::scaled_test
