#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "../testbeds/synthetic.hpp"
#include "closeness.hpp"
#include "commgauge/base/error.hpp"
#include "commgauge/fit/lom.hpp"
#include "commgauge/judge/fit.hpp"

namespace commgauge::lom_test {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

Matrix random_times(int n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(10e-6, 100e-6);
  Matrix times(n);
  for (int i = 0; i < n; ++i) {
    for (int j = i + 1; j < n; ++j) times.set_both(i, j, uniform(random));
  }
  return times;
}

/// As the paper has it: three equations for each triplet, and the average over all triplets.
std::vector<double> average_over_triplets(const Matrix& times) {
  const int n = times.size();
  std::vector<double> sum(at(n), 0.0);
  const auto add = [&](int i, int j, int k) {
    sum[at(i)] += (times(i, j) + times(i, k) - times(j, k)) / 4;
  };
  for (int i = 0; i < n; ++i) {
    for (int j = i + 1; j < n; ++j) {
      for (int k = j + 1; k < n; ++k) {
        add(i, j, k);
        add(j, i, k);
        add(k, i, j);
      }
    }
  }
  const double triplets = (n - 1) * (n - 2) / 2.0;
  for (double& value : sum) value /= triplets;
  return sum;
}

class LomFixedDelays : public ::testing::TestWithParam<int> {};

TEST_P(LomFixedDelays, AreTheAverageOverAllTriplets) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Matrix times = random_times(GetParam(), seed);
    const auto closed = lom_fixed_delays(times);
    const auto average = average_over_triplets(times);
    ASSERT_EQ(closed.size(), average.size());
    for (std::size_t i = 0; i < closed.size(); ++i) {
      EXPECT_NEAR(closed[i], average[i], 1e-12 * 100e-6);
    }
  }
}

/// The sum of squares of T_ij - 2C_i - 2C_j is smallest where its gradient vanishes.
TEST_P(LomFixedDelays, AreTheLeastSquaresSolution) {
  const int n = GetParam();
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Matrix times = random_times(n, seed);
    const auto C = lom_fixed_delays(times);
    for (int i = 0; i < n; ++i) {
      double gradient = 0;
      for (int j = 0; j < n; ++j) {
        if (i != j) gradient += times(i, j) - 2 * C[at(i)] - 2 * C[at(j)];
      }
      EXPECT_NEAR(gradient, 0, 1e-12 * 100e-6 * n);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, LomFixedDelays, ::testing::Range(3, 11));

TEST(LomFixedDelaysOfTwo, Throw) {
  EXPECT_THROW((void)lom_fixed_delays(random_times(2, 1)), FitError);
}

class Lom : public ::testing::TestWithParam<std::tuple<int, bool>> {};

TEST_P(Lom, IsRecoveredExactlyWithoutNoise) {
  const auto [n, sparse] = GetParam();
  const AdditiveParameters truth = synthetic::lom_parameters(n);
  const auto machine = synthetic::lom_machine(truth);
  const auto sizes = choose_sizes(std::nullopt, {}, std::nullopt);
  const auto experiments = campaign(machine, sizes, {.models = {"lom"}, .sparse = sparse});
  const Model model = fit(synthetic::measure(machine, experiments), {.models = {"lom"}});
  testing::expect_close(model.lom->value, truth, 1e-9);
  testing::expect_ordered(*model.lom);
  EXPECT_NEAR(model.lom->residual, 0, 1e-9);
  EXPECT_TRUE(model.lom->warnings.empty());
  EXPECT_EQ(model.lom->first, Bytes{0});
  EXPECT_EQ(model.lom->last, sizes.one_to_two);
  EXPECT_EQ(model.lom->value.L.size(), 0);
}

INSTANTIATE_TEST_SUITE_P(Designs, Lom,
                         ::testing::Combine(::testing::Values(3, 4, 5, 9, 16), ::testing::Bool()));

/// The one-to-two of a machine that overlaps is too short for the paper's formula.
TEST(LomOnAnLmoMachine, IsSaidToFitPoorly) {
  const auto machine = synthetic::lmo_machine(synthetic::lmo_parameters(4));
  const auto sizes = choose_sizes(std::nullopt, {}, Bytes{1024});
  const Model model = fit(synthetic::measure(machine, campaign(machine, sizes)));
  ASSERT_FALSE(model.lom->warnings.empty());
  EXPECT_NE(model.lom->warnings[0].text().find("LOM doesn't explain its own experiments"),
            std::string::npos);
  EXPECT_LT(model.lmo->residual, 1e-9);
  EXPECT_EQ(model.ranking.back().model, "lom");
}

}  // namespace commgauge::lom_test
