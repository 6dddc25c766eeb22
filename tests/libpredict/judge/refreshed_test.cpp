#include "commgauge/judge/refreshed.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "commgauge/predict/predict.hpp"
#include "job_now.hpp"

namespace commgauge::refreshed_test {

using namespace job_now;
using ::testing::HasSubstr;
using ::testing::SizeIs;

TEST(Refreshed, TheModelIsCorrectedWhereItDrifted) {
  const Model model = machine(8, 2);
  const Truth truth = host_is({"h3"}, {1.5, 2});
  const Model now = refreshed(model, found(model, truth, 5));
  const auto time = [&](const Model& of, int from, int to, Bytes size) {
    return predict_time(of, {"hockney", Operation::p2p, from, to, size}).value;
  };
  EXPECT_NEAR(time(now, 6, 0, Bytes{0}) / time(model, 6, 0, Bytes{0}), 1.5, 0.08);
  EXPECT_NEAR(time(now, 2, 7, large) / time(model, 2, 7, large),
              (1.5 * 31 + 2 * 65.536) / (31 + 65.536), 0.1);
  EXPECT_EQ(time(now, 0, 2, large), time(model, 0, 2, large));
  EXPECT_EQ(time(now, 6, 7, large), time(model, 6, 7, large));
  ASSERT_THAT(now.classes->deviations, SizeIs(1));
  EXPECT_THAT(now.warnings.back().text(), HasSubstr("host h3"));
  const Prediction before = predict(model, {model.preferred(), Operation::p2p, 6, 0, large});
  const Prediction after = predict(now, {now.preferred(), Operation::p2p, 6, 0, large});
  EXPECT_GT((after.high - after.low) / after.time, (before.high - before.low) / before.time);
}

TEST(Refreshed, AHostMayDifferWhereItsClassHasDrifted) {
  const Model model = machine(12, 1);
  const auto truth = [](const std::string& from, const std::string& to) {
    return from == "h4" || to == "h4" ? Now{1.5, 3.2} : Now{1.5, 1.6};
  };
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Freshness result = found(model, truth, seed);
    ASSERT_THAT(result.deviations, SizeIs(1));
    EXPECT_NEAR(result.deviations.front().per_byte.value, 2, 0.15);
    const Model now = refreshed(model, result);
    EXPECT_NEAR(now.hockney->value.beta(4, 0), 3.2e-9, 0.25e-9);
    EXPECT_NEAR(now.hockney->value.beta(5, 0), 1.6e-9, 0.1e-9);
  }
}

TEST(Refreshed, OfTwoSlowHostsTheSlowerCounts) {
  const Model model = machine(12, 1);
  const Model now = refreshed(model, found(model, host_is({"h1", "h2"}, {1, 2}), 1));
  EXPECT_NEAR(now.hockney->value.beta(1, 0), 2e-9, 0.15e-9);
  EXPECT_NEAR(now.hockney->value.beta(1, 2), 2e-9, 0.15e-9);
}

TEST(Refreshed, WhatHoldsStaysAsItIs) {
  const Model model = machine(4, 2);
  EXPECT_EQ(to_json(refreshed(model, found(model, unchanged(), 1))), to_json(model));
}

}  // namespace commgauge::refreshed_test
