#include "commgauge/assemble/estimate.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "../testbeds/synthetic.hpp"
#include "commgauge/base/error.hpp"

namespace commgauge::estimate_test {

Measurements calibration() {
  const auto machine = synthetic::lmo_machine(synthetic::lmo_parameters(4));
  return synthetic::measure(
      machine, synthetic::campaign(machine, choose_sizes(std::nullopt, {}, std::nullopt)));
}

TEST(Estimate, MakesModelsThatNobodyHasJudged) {
  const auto [model, checks] = estimate(calibration(), {.models = {"hockney", "lmo"}});
  EXPECT_TRUE(model.has("hockney"));
  EXPECT_TRUE(model.has("lmo"));
  EXPECT_FALSE(model.has("lom"));
  EXPECT_TRUE(model.ranking.empty());
  EXPECT_TRUE(model.checks.empty());
  EXPECT_TRUE(model.judgements.empty());
}

TEST(Estimate, KeepsChecksAwayFromFits) {
  Measurements measured = calibration();
  const auto before = estimate(measured, {.models = {"lmo"}});
  EXPECT_FALSE(before.checks.empty());
  for (Observation& row : measured.observations) {
    if (row.experiment.check) row.time_s *= 2;
  }
  const auto after = estimate(measured, {.models = {"lmo"}});
  EXPECT_EQ(before.model.lmo->value.C, after.model.lmo->value.C);
  EXPECT_GT(after.checks.front().time_s, before.checks.front().time_s);
}

TEST(Estimate, RefusesWhatCannotBeDetermined) {
  EXPECT_THROW((void)estimate(calibration(), {.models = {"loggps"}}), FitError);
  EXPECT_THROW((void)estimate({}), FitError);
}

}  // namespace commgauge::estimate_test
