#include "costs/fill_classes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "commgauge/base/index.hpp"

namespace commgauge::fill_classes_test {

constexpr double us = 1e-6;

/// Two hosts of one rank each, each of a kind of its own, one host of the second kind more.
/// Classes between hosts: 0 to 1, 1 to 0, 1 to 1 are there, 0 to 0 isn't; none is within a host.
Model three_hosts() {
  Model model;
  model.ranks = 3;
  model.classes.emplace();
  model.classes->pairs = std::make_shared<const PairClasses>(
      std::vector<PairClasses::Rank>{{0, 0}, {1, 1}, {1, 2}}, 2);
  model.classes->kinds.resize(2);
  Matrix alpha(model.classes->pairs);
  alpha.values() = {std::nan(""), 10 * us,      20 * us,      40 * us,
                    std::nan(""), std::nan(""), std::nan(""), std::nan("")};
  HockneyParameters p{alpha, alpha, 0, 0};
  model.hockney.emplace();
  model.hockney->value = model.hockney->low = model.hockney->high = p;
  model.hockney->replicates.assign(2, p);
  return model;
}

TEST(PairsThere, AreWithinAHostOrBetweenHosts) {
  const auto of = [](std::vector<PairClasses::Rank> ranks) {
    return pairs_there(PairClasses(std::move(ranks), 1));
  };
  EXPECT_TRUE(of({{0, 0}, {0, 0}}).within_hosts);
  EXPECT_FALSE(of({{0, 0}, {0, 0}}).between_hosts);
  EXPECT_TRUE(of({{0, 0}, {0, 1}}).between_hosts);
  EXPECT_FALSE(of({{0, 0}, {0, 1}}).within_hosts);
}

TEST(FillClasses, AClassWithoutPairsTakesTheMeanOfItsSendersAndItsReceivers) {
  Model model = three_hosts();
  fill_classes(model, {1, 0, 0, 0, 0, 0, 0, 0});
  EXPECT_NEAR(model.hockney->value.alpha.values()[0], 15 * us, 1e-15);
  EXPECT_NEAR(model.hockney->low.alpha.values()[0], 15 * us, 1e-15);
  EXPECT_NEAR(model.hockney->replicates[1].alpha.values()[0], 15 * us, 1e-15);
}

TEST(FillClasses, ClassesThatHavePairsStayAsTheyAre) {
  Model model = three_hosts();
  fill_classes(model, {1, 1, 1, 1, 0, 0, 0, 0});
  EXPECT_EQ(model.hockney->value.alpha.values()[1], 10 * us);
  EXPECT_EQ(model.hockney->value.alpha.values()[3], 40 * us);
}

TEST(FillClasses, WhatIsNotWantedOrCantBeToldStaysUnknown) {
  Model model = three_hosts();
  fill_classes(model, {0, 0, 0, 0, 1, 0, 0, 0});
  EXPECT_TRUE(std::isnan(model.hockney->value.alpha.values()[0]));
  EXPECT_TRUE(std::isnan(model.hockney->value.alpha.values()[4])) << "no pair is within a host";
}

}  // namespace commgauge::fill_classes_test
