#include "commgauge/model/interval_meaning.hpp"

#include <gtest/gtest.h>

namespace commgauge::interval_meaning_test {

TEST(IntervalMeaning, ByWhatTheReplicatesAre) {
  EXPECT_EQ(interval_meaning(0.95, ReplicateKind::passes),
            "95 % of what this launch would find again");
  EXPECT_EQ(interval_meaning(0.9, ReplicateKind::launches), "90 %, launches included");
  EXPECT_EQ(interval_meaning(0.95, ReplicateKind::draws),
            "95 % of what the same passes would find again");
}

/// A model whose fits have these kinds.
Model model_of(ReplicateKind lmo, ReplicateKind hockney) {
  Model model;
  model.lmo.emplace().replicate_kind = lmo;
  model.hockney.emplace().replicate_kind = hockney;
  return model;
}

TEST(IntervalMeaning, OfAllModelsTheLeast) {
  const Model model = model_of(ReplicateKind::launches, ReplicateKind::passes);
  EXPECT_EQ(interval_meaning(model), "95 % of what this launch would find again");
  EXPECT_EQ(interval_meaning(model, "hockney"), interval_meaning(model));
  EXPECT_EQ(interval_meaning(model, "lmo"), "95 %, launches included");
  EXPECT_FALSE(holds_next_launch(model));
  EXPECT_TRUE(holds_next_launch(model, "lmo"));
  EXPECT_EQ(interval_meaning(model_of(ReplicateKind::draws, ReplicateKind::passes)),
            "95 % of what the same passes would find again");
  EXPECT_TRUE(holds_next_launch(model_of(ReplicateKind::launches, ReplicateKind::launches)));
}

/// A prediction may take either of Hockney's two lines.
TEST(IntervalMeaning, HockneyIsTwoLines) {
  Model model = model_of(ReplicateKind::launches, ReplicateKind::launches);
  model.hockney_rendezvous.emplace().replicate_kind = ReplicateKind::passes;
  EXPECT_FALSE(holds_next_launch(model, "hockney"));
}

/// Which is no model, and may have been measured otherwise.
TEST(IntervalMeaning, GrowthOfOverheadsIsNamed) {
  Model model = model_of(ReplicateKind::launches, ReplicateKind::launches);
  model.overhead_growth.emplace().replicate_kind = ReplicateKind::passes;
  EXPECT_TRUE(holds_next_launch(model));
  EXPECT_FALSE(holds_next_launch(model, "overhead_growth"));
}

TEST(IntervalMeaning, WithoutModelsNothingIsPromised) { EXPECT_FALSE(holds_next_launch(Model{})); }

TEST(IntervalMeaning, ThresholdsAreOfSweeps) {
  MachineThresholds thresholds;
  EXPECT_EQ(interval_meaning(thresholds), "95 % of what the same sweep would find again");
  thresholds.scatter_sweep.emplace().launches = {0};
  EXPECT_EQ(interval_meaning(thresholds), "95 % of what this launch would find again");
  thresholds.gather_sweep.emplace().launches = {0, 1, 2};
  EXPECT_EQ(interval_meaning(thresholds), "95 % of what these launches would find again");
}

}  // namespace commgauge::interval_meaning_test
