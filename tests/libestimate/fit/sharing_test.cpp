// By hand: a message takes 20 us and 10 ns a byte, there and back; two that meet share as `Shares`
// says.

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <vector>

#include "../testbeds/synthetic.hpp"
#include "commgauge/judge/fit.hpp"
#include "commgauge/plan/sharing_plan.hpp"

namespace commgauge::sharing_test {

constexpr int ranks = 6;
constexpr double us = 1e-6;
constexpr double byte = 10e-9;  ///< [s]
constexpr Bytes eager{10'000};
constexpr Bytes large{100'000};

struct Shares {
  double eager{};
  double rendezvous{};
  bool meets{true};  ///< messages take something of each other
  double in{};       ///< of different pairs, at their receiver
  double out{};      ///< likewise at their sender
};

double share_of(const Experiment& e, const Shares& shares) {
  if (e.peers.size() > 1) return e.back.value > 0 ? shares.in : shares.out;
  return e.back > eager ? shares.rendezvous : shares.eager;
}

double time_of(const Experiment& e, const Shares& shares) {
  const double alone = 40 * us + byte * static_cast<double>(std::max(e.out, e.back).value);
  const double bytes = alone - 40 * us;
  if (!shares.meets) return alone;
  if (e.kind == Kind::messages_at_once) return alone + bytes;
  if (e.kind != Kind::first_of_messages) return alone;
  return alone + share_of(e, shares) * bytes;
}

/// In five passes. @param noise  relative standard deviation of a block
Measurements measured(const Shares& shares, std::optional<Bytes> limit, double noise = 0) {
  std::vector<Experiment> experiments;
  const std::vector<Bytes> sizes{large, eager};
  for (const auto& group : sharing_experiments(ranks, {}, sizes)) {
    experiments.insert(experiments.end(), group.begin(), group.end());
  }
  for (int i = 0; i < ranks; ++i) {
    for (int j = 0; j < ranks; ++j) {
      for (const Bytes size : {Bytes{0}, Bytes{1000}, eager, large}) {
        if (i != j) experiments.push_back(round_trip(i, j, size, {}));
      }
    }
  }
  const synthetic::Machine machine{ranks,
                                   [&shares](const Experiment& e) { return time_of(e, shares); }};
  Measurements all = synthetic::measure(
      machine, experiments, {.kind = synthetic::Disturbance::gaussian, .relative = noise},
      {.passes = 5});
  if (limit) all.launches.front().eager_limit_bytes = limit->value;
  return all;
}

std::optional<Fitted<FairSharing>> found(const Shares& shares, std::optional<Bytes> limit,
                                         double noise = 0) {
  FitOptions options;
  options.models = {"hockney"};
  return fit(measured(shares, limit, noise), options).sharing;
}

TEST(Sharing, IsRecoveredExactlyWithoutNoise) {
  const auto sharing = found({.eager = 0, .rendezvous = 1}, eager);
  ASSERT_TRUE(sharing);
  EXPECT_NEAR(sharing->value.eager, 0, 1e-12);
  EXPECT_NEAR(sharing->value.rendezvous, 1, 1e-12);
  EXPECT_EQ(sharing->first, eager);
  EXPECT_EQ(sharing->last, large);
}

TEST(Sharing, OfDifferentPairsIsTheirOwn) {
  const auto sharing = found({.eager = 0, .rendezvous = 0, .in = 1, .out = 0.75}, eager);
  ASSERT_TRUE(sharing);
  EXPECT_NEAR(sharing->value.rendezvous, 0, 1e-12);
  EXPECT_NEAR(sharing->value.eager_in, 1, 1e-12);
  EXPECT_NEAR(sharing->value.eager_out, 0.75, 1e-12);
  EXPECT_NEAR(sharing->value.rendezvous_in, 1, 1e-12);
  EXPECT_NEAR(sharing->value.rendezvous_out, 0.75, 1e-12);
}

TEST(Sharing, WithoutALimitAllMessagesAreEager) {
  const auto sharing = found({.eager = 1, .rendezvous = 1}, std::nullopt);
  ASSERT_TRUE(sharing);
  EXPECT_NEAR(sharing->value.eager, 1, 1e-12);
  EXPECT_TRUE(std::isnan(sharing->value.rendezvous));
}

TEST(Sharing, OfWhatTakesNothingOfEachOtherIsNotKnown) {
  EXPECT_FALSE(found({.eager = 0, .rendezvous = 1, .meets = false}, eager));
}

TEST(Sharing, ItsIntervalHoldsTheTruth) {
  const auto sharing = found({.eager = 0.1, .rendezvous = 0.8}, eager, 0.02);
  ASSERT_TRUE(sharing);
  EXPECT_LE(sharing->low.rendezvous, 0.8);
  EXPECT_GE(sharing->high.rendezvous, 0.8);
  EXPECT_LT(sharing->high.rendezvous - sharing->low.rendezvous, 0.4);
}

TEST(Sharing, OfMeasurementsWithoutSuchMessagesIsNotKnown) {
  Measurements all = measured({}, eager);
  std::erase_if(all.observations,
                [](const Observation& row) { return times_a_meeting(row.experiment.kind); });
  FitOptions options;
  options.models = {"hockney"};
  EXPECT_FALSE(fit(all, options).sharing);
}

}  // namespace commgauge::sharing_test
