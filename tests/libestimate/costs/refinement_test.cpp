#include "costs/refinement.hpp"

#include <gtest/gtest.h>

#include "../by_classes.hpp"

namespace commgauge::refinement_test {

std::string suffix(int rank) { return ", of rank " + std::to_string(rank); }

TEST(DividedKinds, RanksOfOneKindAreDividedByTheirGroups) {
  const Model model = samples::by_classes(4, 2);
  const DividedKinds divided = divided_kinds(model, {0, 0, 0, 0, 1, 1, 0, 0}, suffix);
  ASSERT_EQ(divided.kinds.size(), 3U);
  const PairClasses& pairs = *divided.classes.pairs;
  EXPECT_NE(pairs.of(0).kind, pairs.of(4).kind);
  EXPECT_EQ(pairs.of(2).kind, pairs.of(6).kind);
  EXPECT_EQ(divided.kinds[2], (KindAndGroup{0, 1}));
  EXPECT_EQ(divided.classes.kinds[0].hosts, 1);
  EXPECT_EQ(divided.classes.kinds[2].name, model.classes->kinds[0].name + ", of rank 4");
}

TEST(Refinement, MultipliesEachClassByItsEffect) {
  const Model model = samples::by_classes(4, 2);
  const DividedKinds divided = divided_kinds(model, {0, 0, 0, 0, 1, 1, 0, 0}, suffix);
  const Refinement refined(model.classes->pairs, divided.classes.pairs, divided.kinds);
  Effects effects{std::vector<HostEffect>(at(divided.classes.pairs->classes())),
                  std::vector<HostEffect>(3)};
  effects.of_classes[at(divided.classes.pairs->class_of(0, 4))] = {3, 5};
  HockneyParameters parameters = model.hockney->value;
  refined(parameters, model.hockney->value, effects);
  const HockneyParameters& before = model.hockney->value;
  EXPECT_EQ(parameters.alpha(0, 4), 3 * before.alpha(0, 4));
  EXPECT_EQ(parameters.beta(0, 4), 5 * before.beta(0, 4));
  EXPECT_EQ(parameters.alpha(4, 0), before.alpha(4, 0));
}

TEST(ShareOfSpread, OfDrawsIsThatOfTheMeanOfAllPasses) {
  Model model;
  model.launches.emplace_back().passes = 8;
  EXPECT_EQ(share_of_spread(model, ReplicateKind::passes), 1);
  EXPECT_DOUBLE_EQ(share_of_spread(model, ReplicateKind::draws), 1.0 / 3);
}

}  // namespace commgauge::refinement_test
