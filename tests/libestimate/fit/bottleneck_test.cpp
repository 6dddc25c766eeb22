#include <gtest/gtest.h>

#include <cmath>

#include "../testbeds/synthetic.hpp"
#include "closeness.hpp"
#include "commgauge/judge/fit.hpp"

namespace commgauge::bottleneck_test {

using synthetic::campaign;
using synthetic::measure;

constexpr double exact = 1e-9;

Model fitted(const BottleneckParameters& truth, bool sparse = false) {
  const auto machine = synthetic::bottleneck_machine(truth);
  const auto sizes = choose_sizes(std::nullopt, {}, std::nullopt);
  return fit(measure(machine, campaign(machine, sizes, {.models = {}, .sparse = sparse})));
}

/// A number where it is determined, else a bound that holds.
void expect_value_or_bound(double value, double high, double truth, const std::string& name) {
  if (std::isnan(value)) {
    EXPECT_GE(high, truth * (1 - exact)) << name;
  } else {
    EXPECT_NEAR(value, truth, exact * truth) << name;
  }
}

class Bottleneck : public ::testing::TestWithParam<std::tuple<int, bool>> {};

TEST_P(Bottleneck, IsRecoveredExactlyWithoutNoise) {
  const auto [n, sparse] = GetParam();
  const BottleneckParameters truth = synthetic::bottleneck_parameters(n);
  const Model model = fitted(truth, sparse);
  ASSERT_TRUE(model.bottleneck);
  const auto values = testing::entries(model.bottleneck->value);
  const auto highs = testing::entries(model.bottleneck->high);
  const auto truths = testing::entries(truth);
  ASSERT_EQ(values.size(), truths.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    expect_value_or_bound(values[i].value, highs[i].value, truths[i].value, values[i].name);
  }
  testing::expect_ordered(*model.bottleneck);
  if (n == 3) {
    EXPECT_TRUE(std::isnan(model.bottleneck->residual)) << "as many equations as parameters";
  } else {
    EXPECT_NEAR(model.bottleneck->residual, 0, 1e-9);
  }
}

TEST_P(Bottleneck, DeterminesWhatItCan) {
  const auto [n, sparse] = GetParam();
  // With two peers the slow link hides its ranks' gaps.
  if (n < 4) return;
  const auto model = fitted(synthetic::bottleneck_parameters(n), sparse);
  const BottleneckParameters& value = model.bottleneck->value;
  for (std::size_t i = 0; i < value.s.size(); ++i) {
    const bool is_fast = i + 1 == value.s.size();
    EXPECT_EQ(std::isnan(value.s[i]), is_fast) << i;
    EXPECT_EQ(std::isnan(value.r[i]), is_fast) << i;
  }
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const bool slow_link = i + j == 1;
      EXPECT_EQ(std::isnan(value.inverse_beta(i, j)), !slow_link) << i << ' ' << j;
      if (i == j) continue;
      EXPECT_FALSE(std::isnan(model.bottleneck->high.inverse_beta(i, j))) << i << ' ' << j;
    }
  }
  ASSERT_FALSE(model.bottleneck->warnings.empty());
  EXPECT_NE(model.bottleneck->warnings[0].text().find("2 of " + std::to_string(2 * n) +
                                                      " send and receive gaps are bounds only"),
            std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Designs, Bottleneck,
                         ::testing::Combine(::testing::Values(3, 4, 5, 9, 16), ::testing::Bool()));

/// A fast rank's bound: what its widest fan shows, slope / k.
TEST(BottleneckBound, IsAShareOfTheWidestFan) {
  BottleneckParameters truth = synthetic::bottleneck_parameters(5);
  for (std::size_t i = 0; i < 4; ++i) truth.s[i] = truth.r[i] = 10e-9;
  const Model model = fitted(truth);
  EXPECT_TRUE(std::isnan(model.bottleneck->value.s[4]));
  EXPECT_NEAR(model.bottleneck->high.s[4], 10e-9 / 4, 1e-17);
  EXPECT_NEAR(model.bottleneck->high.r[4], 10e-9 / 4, 1e-17);
}

/// The model ranks first on a machine that pipelines, and the additive ones see it.
TEST(BottleneckRanking, PrefersItOnAPipeliningMachine) {
  const Model model = fitted(synthetic::bottleneck_parameters(6));
  EXPECT_EQ(model.preferred(), "bottleneck");
}

}  // namespace commgauge::bottleneck_test
