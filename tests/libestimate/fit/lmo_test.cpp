#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "../testbeds/synthetic.hpp"
#include "closeness.hpp"
#include "commgauge/judge/fit.hpp"

namespace commgauge::lmo_test {

using synthetic::campaign;
using synthetic::measure;

bool warns(const std::vector<Diagnostic>& warnings, const std::string& words) {
  return std::ranges::any_of(
      warnings, [&](const Diagnostic& one) { return one.text().find(words) != std::string::npos; });
}

class Lmo : public ::testing::TestWithParam<std::tuple<int, bool>> {
 protected:
  [[nodiscard]] Model fitted(const AdditiveParameters& truth, Bytes size) const {
    const auto [n, sparse] = GetParam();
    const auto machine = synthetic::lmo_machine(truth);
    const auto sizes = choose_sizes(std::nullopt, {}, size);
    const auto experiments = campaign(machine, sizes, {.models = {"lmo"}, .sparse = sparse});
    return fit(measure(machine, experiments), {.models = {"lmo"}});
  }
};

TEST_P(Lmo, IsRecoveredExactlyWithoutNoise) {
  const AdditiveParameters truth = synthetic::lmo_parameters(std::get<0>(GetParam()));
  const Model model = fitted(truth, Bytes{65536});
  testing::expect_close(model.lmo->value, truth, 1e-9);
  testing::expect_ordered(*model.lmo);
  EXPECT_NEAR(model.lmo->residual, 0, 1e-9);
  EXPECT_TRUE(model.lmo->warnings.empty());
}

/// Rank 1 takes longer for a message than its peers for the whole way: at no size does its second
/// reply find it idle.
TEST_P(Lmo, IsRecoveredWhereARankIsAlwaysBusy) {
  AdditiveParameters truth = synthetic::lmo_parameters(std::get<0>(GetParam()));
  truth.C[1] = 400e-6;
  truth.t[1] = 40e-9;
  const Model model = fitted(truth, Bytes{4096});
  testing::expect_close(model.lmo->value, truth, 1e-9);
  EXPECT_NEAR(model.lmo->residual, 0, 1e-9);
  EXPECT_TRUE(warns(model.lmo->warnings, "no peer of rank 1 is slow enough"));
}

/// As before, but with M bytes under way the reply comes after the rank is free.
TEST_P(Lmo, IsRecoveredWhereARankIsBusyWithEmptyMessagesOnly) {
  AdditiveParameters truth = synthetic::lmo_parameters(std::get<0>(GetParam()));
  truth.C[1] = 150e-6;
  const Model model = fitted(truth, Bytes{65536});
  testing::expect_close(model.lmo->value, truth, 1e-9);
  EXPECT_TRUE(warns(model.lmo->warnings, "no peer of rank 1 is slow enough"));
}

INSTANTIATE_TEST_SUITE_P(Designs, Lmo,
                         ::testing::Combine(::testing::Values(3, 4, 5, 9, 16), ::testing::Bool()));

/// One far peer is enough: triplets with the near ones last are left out.
TEST(LmoOfABusyRank, LeavesOutTripletsThatTheRootBinds) {
  for (const int n : {3, 5, 9}) {
    AdditiveParameters truth = synthetic::lmo_parameters(n);
    truth.C[1] = 100e-6;
    truth.L.set_both(0, 1, 300e-6);
    const auto machine = synthetic::lmo_machine(truth);
    const auto experiments = campaign(machine, choose_sizes(std::nullopt, {}, std::nullopt));
    const Model model = fit(measure(machine, experiments));
    testing::expect_close(model.lmo->value, truth, 1e-9);
    EXPECT_TRUE(model.lmo->warnings.empty());
  }
}

/// Where the slowest of three times counts their sum does not, and the link's share comes out
/// negative.
TEST(LmoOnAPipeliningMachine, KeepsANegativeInverseBetaAndWarns) {
  AdditiveParameters parameters = synthetic::lmo_parameters(4);
  for (double& t : parameters.t) t = 9e-9;
  for (double& gap : parameters.inverse_beta.values()) gap = -8e-9;
  const auto machine = synthetic::lmo_machine(parameters);
  const auto experiments = campaign(machine, choose_sizes(std::nullopt, {}, std::nullopt));
  const Model model =
      fit(measure(machine, experiments, {.kind = synthetic::Disturbance::gaussian}));
  EXPECT_NEAR(model.lmo->value.inverse_beta(0, 1), -8e-9, 1e-9);
  EXPECT_LT(model.lmo->high.inverse_beta(0, 1), 0);
  EXPECT_TRUE(warns(model.lmo->warnings, "1/beta is negative for 6 of 6 links"));
}

TEST(LmoAsymmetry, IsWarnedOf) {
  const auto plain = synthetic::lmo_machine(synthetic::lmo_parameters(3));
  const synthetic::Machine machine{3, [&](const Experiment& e) {
                                     const bool slow = e.root == 2 && e.peers.front() == 0;
                                     return plain.time(e) * (slow ? 1.2 : 1.0);
                                   }};
  const auto experiments = campaign(machine, choose_sizes(std::nullopt, {}, std::nullopt));
  const Model model = fit(measure(machine, experiments));
  EXPECT_TRUE(warns(model.lmo->warnings,
                    "the two directions of a link differ by up to 17 % "
                    "(ranks 0 and 2)"));
}

TEST(LmoInterval, ComesFromThePassesAndHoldsTheTruth) {
  const AdditiveParameters truth = synthetic::lmo_parameters(5);
  const auto machine = synthetic::lmo_machine(truth);
  const auto experiments = campaign(machine, choose_sizes(std::nullopt, {}, std::nullopt));
  const Model model =
      fit(measure(machine, experiments, {.kind = synthetic::Disturbance::gaussian, .drift = 0.05}));
  EXPECT_EQ(model.lmo->replicate_kind, ReplicateKind::passes);
  EXPECT_EQ(model.lmo->replicates.size(), 8U);
  testing::expect_ordered(*model.lmo);
  // The drift of 5 % is in every interval of the slopes.
  const double width = model.lmo->high.inverse_beta(0, 1) - model.lmo->low.inverse_beta(0, 1);
  EXPECT_GT(width, 0.02 * truth.inverse_beta(0, 1));
  EXPECT_LT(width, 0.5 * truth.inverse_beta(0, 1));
}

}  // namespace commgauge::lmo_test
