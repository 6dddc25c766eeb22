#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "../testbeds/synthetic.hpp"
#include "closeness.hpp"
#include "commgauge/base/statistics.hpp"
#include "commgauge/judge/fit.hpp"
#include "samples.hpp"

namespace commgauge::hockney_test {

using samples::row;
using synthetic::campaign;
using synthetic::measure;

constexpr Bytes KiB(std::uint64_t k) { return {k << 10}; }

/// What Hockney's model sees of a machine whose times add.
HockneyParameters seen_of(const AdditiveParameters& p) {
  const int n = p.L.size();
  HockneyParameters h{Matrix(n), Matrix(n), 0, 0};
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      if (i == j) continue;
      const auto a = static_cast<std::size_t>(i);
      const auto b = static_cast<std::size_t>(j);
      h.alpha(i, j) = p.C[a] + p.L(i, j) + p.C[b];
      h.beta(i, j) = p.t[a] + p.inverse_beta(i, j) + p.t[b];
      h.mean_alpha += h.alpha(i, j) / (n * (n - 1));
      h.mean_beta += h.beta(i, j) / (n * (n - 1));
    }
  }
  return h;
}

class Hockney : public ::testing::TestWithParam<int> {};

TEST_P(Hockney, IsRecoveredExactlyWithoutNoise) {
  const int n = GetParam();
  const AdditiveParameters truth = synthetic::lmo_parameters(n);
  const auto machine = synthetic::lmo_machine(truth);
  const auto sizes = choose_sizes(std::nullopt, {}, std::nullopt);
  const Model model = fit(measure(machine, campaign(machine, sizes, {.models = {"hockney"}})),
                          {.models = {"hockney"}});
  testing::expect_close(model.hockney->value, seen_of(truth), 1e-9);
  testing::expect_ordered(*model.hockney);
  EXPECT_NEAR(model.hockney->residual, 0, 1e-9);
  EXPECT_TRUE(model.hockney->warnings.empty());
  EXPECT_EQ(model.hockney->first, Bytes{64});
  EXPECT_EQ(model.hockney->last, KiB(1024));
  EXPECT_FALSE(model.hockney_rendezvous);
}

INSTANTIATE_TEST_SUITE_P(Ranks, Hockney, ::testing::Values(2, 3, 4, 5, 9, 16));

/// Two ranks, three passes: empty round trips of 20 us, 30 us at 1000 bytes, and 39, 40 and 41 us
/// at 2000 bytes. So 1000 bytes more take 9, 10 and 11 us, the lines start at 21, 20 and 19 us,
/// and half an empty round trip is 10 us.
TEST(HockneyByHand, TwoRanksThreePasses) {
  Measurements m;
  m.launches.resize(1);
  m.launches[0].ranks.resize(2);
  for (int pass = 0; pass < 3; ++pass) {
    for (const auto& [i, j] : {Pair{0, 1}, Pair{1, 0}}) {
      m.observations.push_back(row(round_trip(i, j, {}, {}), pass, 20e-6));
      m.observations.push_back(row(round_trip(i, j, Bytes{1000}, {}), pass, 30e-6));
      m.observations.push_back(row(round_trip(i, j, Bytes{2000}, {}), pass, (39 + pass) * 1e-6));
    }
  }
  const Model model = fit(m);
  ASSERT_TRUE(model.hockney);
  EXPECT_EQ(model.hockney->replicate_kind, ReplicateKind::passes);
  EXPECT_NEAR(model.hockney->value.beta(0, 1), 10e-9, 1e-18);
  EXPECT_NEAR(model.hockney->value.alpha(0, 1), 10e-6, 1e-15);
  EXPECT_NEAR(model.hockney->value.mean_beta, 10e-9, 1e-18);
  // Standard deviation 1, two degrees of freedom, three passes: 4.302653 / sqrt(3).
  EXPECT_NEAR(model.hockney->high.beta(1, 0), (10 + 2.484138) * 1e-9, 1e-14);
  EXPECT_NEAR(model.hockney->low.alpha(0, 1), (10 - 2.484138) * 1e-6, 1e-11);
  ASSERT_EQ(model.hockney->replicates.size(), 3U);
  EXPECT_NEAR(model.hockney->replicates[2].beta(0, 1), 11e-9, 1e-18);
  EXPECT_NEAR(model.hockney->replicates[2].alpha(0, 1), 9e-6, 1e-15);
  EXPECT_TRUE(std::isnan(model.hockney->high.alpha(0, 0)));
  EXPECT_TRUE(std::isnan(model.hockney->high.beta(1, 1)));
}

/// A machine whose large messages need a handshake first.
synthetic::Machine with_rendezvous(const AdditiveParameters& p, Bytes limit) {
  auto machine = synthetic::lmo_machine(p);
  return {machine.ranks, [time = machine.time, limit](const Experiment& e) {
            return time(e) + (e.out > limit ? 50e-6 : 0);
          }};
}

TEST(HockneyRegimes, EachSideOfTheEagerLimitHasItsLine) {
  const AdditiveParameters truth = synthetic::lmo_parameters(3);
  const auto machine = with_rendezvous(truth, KiB(64));
  auto m = measure(machine, campaign(machine, choose_sizes(KiB(64), {}, std::nullopt)));
  m.launches[0].eager_limit_bytes = KiB(64).value;
  const Model model = fit(m, {.models = {"hockney"}});
  HockneyParameters expected = seen_of(truth);
  testing::expect_close(model.hockney->value, expected, 1e-9);
  for (double& alpha : expected.alpha.values()) alpha += 50e-6;
  expected.mean_alpha += 50e-6;
  ASSERT_TRUE(model.hockney_rendezvous);
  testing::expect_close(model.hockney_rendezvous->value, expected, 1e-9);
  EXPECT_EQ(model.hockney->last, KiB(64));
  EXPECT_EQ(model.hockney_rendezvous->first, KiB(256));
}

TEST(HockneyRegimes, SizesOnOneSideOnlyAreTheModel) {
  const AdditiveParameters truth = synthetic::lmo_parameters(2);
  const auto machine = synthetic::lmo_machine(truth);
  auto m =
      measure(machine, campaign(machine, choose_sizes(std::nullopt, {KiB(4), KiB(64)}, KiB(1))));
  std::erase_if(m.observations, [](const Observation& o) { return o.experiment.out == KiB(1); });
  m.launches[0].eager_limit_bytes = 1024;
  const Model model = fit(m);
  testing::expect_close(model.hockney->value, seen_of(truth), 1e-9);
  EXPECT_FALSE(model.hockney_rendezvous);
}

TEST(HockneyRegimes, OneLineThroughBothIsSaidToFitPoorly) {
  const auto machine = with_rendezvous(synthetic::lmo_parameters(2), KiB(1));
  auto m = measure(machine, campaign(machine, choose_sizes(std::nullopt, {}, std::nullopt)));
  const Model model = fit(m);
  ASSERT_EQ(model.hockney->warnings.size(), 1U);
  EXPECT_NE(model.hockney->warnings[0].text().find("a line fits poorly"), std::string::npos);
}

/// The first bytes for free, as behind a token bucket.
TEST(HockneyRegimes, ANegativeAlphaIsKeptAndWarnedOf) {
  const auto plain = synthetic::lmo_machine(synthetic::lmo_parameters(2));
  const synthetic::Machine machine{2, [&](const Experiment& e) {
                                     const auto m = static_cast<double>(e.out.value);
                                     return plain.time(round_trip(e.root, e.peers[0], {}, {})) +
                                            std::max(0.0, m - 32768) * 10e-9;
                                   }};
  const Model model = fit(measure(
      machine, campaign(machine, choose_sizes(std::nullopt, {KiB(64), KiB(256)}, KiB(64)))));
  EXPECT_LT(model.hockney->high.alpha(0, 1), 0);
  ASSERT_FALSE(model.hockney->warnings.empty());
  const Diagnostic& found = model.hockney->warnings[0];
  EXPECT_EQ(found.kind, "negative_alpha");
  EXPECT_EQ(found.problem, "alpha is negative for " + std::to_string(found.count) +
                               " pairs: the first bytes travel faster than the rest");
  EXPECT_EQ(found.reason, "a token bucket, a cache");
  EXPECT_EQ(found.advice, "don't extrapolate below " + to_text(model.hockney->first));
}

}  // namespace commgauge::hockney_test
