#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "commgauge/fit/kappa.hpp"
#include "commgauge/thresholds/thresholds.hpp"
#include "samples.hpp"
#include "sweeps.hpp"

namespace commgauge::kappa_test {

using testing::chance;
using testing::doubling_sizes;
using ::testing::HasSubstr;
using testing::make_sweep;
using testing::normal;

using Random = std::mt19937_64;

constexpr int receivers = 3;
constexpr double kappa1_truth = 3e-9;
constexpr double kappa2_truth = -5e-9;
constexpr std::uint64_t m1_truth = 8192;
constexpr std::uint64_t m2_truth = 65536;

/// Rank 2 is slowest per byte, rank 3 has a fixed delay of its own.
AdditiveParameters parameters(bool with_latency = true, double slow_start = 9e-6) {
  AdditiveParameters p;
  p.C = {10e-6, 12e-6, 11e-6, slow_start};
  p.t = {1e-9, 2e-9, 3e-9, 1.5e-9};
  p.inverse_beta = Matrix{4, 8e-9};
  p.inverse_beta.set_both(0, 2, 20e-9);
  if (with_latency) p.L = Matrix{4, 25e-6};
  return p;
}

/// What the formulas of the model say, corrected by kappas: one after the other above M2.
double gather_time(const AdditiveParameters& p, double size, bool serial) {
  double sum = 0;
  double longest = 0;
  for (int i = 1; i <= receivers; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const double latency = p.L.size() > 0 ? p.L(0, i) : 0;
    const double way = p.C[at] + latency + size * (p.t[at] + p.inverse_beta(0, i));
    sum += way;
    longest = std::max(longest, way);
  }
  const double root = receivers * (p.C[0] + p.t[0] * size);
  return root + (serial ? sum + kappa2_truth * size : longest + kappa1_truth * size);
}

struct Gather {
  double rate{0.5};  ///< of escalations
  double noise{0.005};
  std::uint64_t first{1024};
  std::uint64_t last{1 << 20};
  bool with_latency{true};
  double slow_start{9e-6};  ///< fixed delay of rank 3 [s]
  std::uint64_t seed{1};
};

Thresholds swept(const Gather& gather) {
  const AdditiveParameters p = parameters(gather.with_latency, gather.slow_start);
  std::vector<Bytes> sizes;
  for (const Bytes size : doubling_sizes(gather.first, gather.last)) {
    for (const std::uint64_t quarter : {4, 5, 6, 7}) {
      sizes.push_back(Bytes{size.value * quarter / 4});
    }
  }
  const std::vector<Sweep> sweeps{
      make_sweep("gather", sizes, 12, gather.seed, [&](Bytes size, Random& r) {
        const bool serial = gather.rate > 0 && size.value > m2_truth;
        const bool medium = size.value > m1_truth && size.value <= m2_truth;
        return gather_time(p, static_cast<double>(size.value), serial) *
                   (1 + gather.noise * normal(r)) +
               (medium && chance(r, gather.rate) ? 0.2 : 0);
      })};
  return find_thresholds(sweeps, {});
}

/// Known exactly, or as five passes that scatter by a relative `noise` know it.
Fitted<AdditiveParameters> fitted(const AdditiveParameters& truth, double noise = 0,
                                  std::uint64_t seed = 1) {
  constexpr int passes = 5;
  Random random{seed};
  Fitted<AdditiveParameters> result;
  result.replicate_kind = ReplicateKind::passes;
  result.value = truth;
  for (double& t : result.value.t) t = 0;
  for (int pass = 0; pass < passes; ++pass) {
    AdditiveParameters replicate = truth;
    for (std::size_t i = 0; i < replicate.t.size(); ++i) {
      replicate.t[i] *= 1 + noise * normal(random);
      result.value.t[i] += replicate.t[i] / passes;
    }
    result.replicates.push_back(replicate);
  }
  return result;
}

TEST(Kappa, IsWhatTheModelDoesNotExplain) {
  for (const bool with_latency : {true, false}) {
    Gather gather;
    gather.with_latency = with_latency;
    gather.noise = 1e-5;
    const Kappas found = find_kappas(swept(gather), fitted(parameters(with_latency)));
    EXPECT_EQ(found.root, 0);
    for (const Kappa& kappa : {found.kappa1, found.kappa2}) {
      EXPECT_EQ(kappa.reason, "");
      EXPECT_LT(kappa.value.low, kappa.value.value);
      EXPECT_GT(kappa.value.high, kappa.value.value);
    }
    EXPECT_NEAR(found.kappa1.value.value, kappa1_truth, 1e-11);
    EXPECT_NEAR(found.kappa2.value.value, kappa2_truth, 1e-11);
  }
}

TEST(Kappa, OfThePeerThatTakesLongestNotOfTheSlowestPerByte) {
  Gather gather;
  gather.first = 512;
  gather.noise = 1e-5;
  gather.slow_start = 1e-3;
  const Kappas found = find_kappas(swept(gather), fitted(parameters(true, 1e-3)));
  EXPECT_NEAR(found.kappa1.value.value, kappa1_truth, 1e-11);
}

TEST(Kappa, WithoutEscalationsOnlyTheFirst) {
  Gather gather;
  gather.rate = 0;
  gather.noise = 1e-3;
  const Kappas found = find_kappas(swept(gather), fitted(parameters()));
  EXPECT_NEAR(found.kappa1.value.value, kappa1_truth, 1e-10);
  EXPECT_TRUE(std::isnan(found.kappa2.value.value));
  EXPECT_THAT(found.kappa2.reason, HasSubstr("no M2"));
}

TEST(Kappa, NothingToFitALineThrough) {
  Gather gather;
  gather.first = m1_truth;
  gather.last = 2 * m2_truth;
  Thresholds thresholds = swept(gather);
  const Kappas found = find_kappas(thresholds, fitted(parameters()));
  EXPECT_TRUE(std::isnan(found.kappa1.value.value));
  EXPECT_THAT(found.kappa1.reason, HasSubstr("too few sizes below M1"));
  EXPECT_FALSE(std::isnan(found.kappa2.value.value));

  gather.first = 2 * m1_truth;
  const Kappas headless = find_kappas(swept(gather), fitted(parameters()));
  EXPECT_THAT(headless.kappa1.reason, HasSubstr("from the smallest size on"));
}

TEST(Kappa, WhatIsMissingIsSaid) {
  const Kappas none = find_kappas(Thresholds{}, fitted(parameters()));
  EXPECT_THAT(none.kappa1.reason, HasSubstr("not swept"));
  EXPECT_THAT(none.kappa2.reason, HasSubstr("not swept"));

  AdditiveParameters gap = parameters();
  gap.inverse_beta.set_both(0, 3, std::nan(""));
  const Kappas found = find_kappas(swept({}), fitted(gap));
  EXPECT_THAT(found.kappa1.reason, HasSubstr("lacks parameters"));
  EXPECT_THAT(found.kappa2.reason, HasSubstr("lacks parameters"));

  Thresholds library = swept({});
  library.sweeps[0].sweep.kind = "gather_library";
  const Kappas no_flat = find_kappas(library, fitted(parameters()));
  for (const Kappa& kappa : {no_flat.kappa1, no_flat.kappa2}) {
    EXPECT_TRUE(std::isnan(kappa.value.value));
    EXPECT_THAT(kappa.reason, HasSubstr("no flat gather was swept"));
  }

  Thresholds elsewhere = swept({});
  elsewhere.sweeps[0].sweep.root = 4;
  EXPECT_THAT(find_kappas(elsewhere, fitted(parameters())).kappa1.reason,
              HasSubstr("no rank of the model"));
}

TEST(Kappa, ASweepWithoutLinesGivesNone) {
  const std::vector<Sweep> sweeps{
      make_sweep("gather", doubling_sizes(1024, 2048), 5, 1, [](Bytes, Random&) { return 1e-4; })};
  const Kappas found = find_kappas(find_thresholds(sweeps, {}), fitted(parameters()));
  EXPECT_TRUE(std::isnan(found.kappa1.value.value));
  EXPECT_THAT(found.kappa1.reason, HasSubstr("gather was swept at 2 sizes only"));
  EXPECT_EQ(found.kappa2.reason, found.kappa1.reason);
}

TEST(Kappa, WithoutReplicatesThereIsNoInterval) {
  Fitted<AdditiveParameters> alone = fitted(parameters());
  alone.replicates.clear();
  const Kappas found = find_kappas(swept({}), alone);
  EXPECT_FALSE(std::isnan(found.kappa1.value.value));
  EXPECT_TRUE(std::isnan(found.kappa1.value.low));
  EXPECT_TRUE(std::isnan(found.kappa1.value.high));
  EXPECT_THAT(found.kappa1.reason, HasSubstr("too few replicates"));
}

TEST(Kappa, IntervalsHold) {
  constexpr int runs = 200;
  int held1 = 0;
  int held2 = 0;
  for (int run = 0; run < runs; ++run) {
    Gather gather;
    gather.seed = static_cast<std::uint64_t>(run);
    const Kappas found = find_kappas(
        swept(gather), fitted(parameters(), 0.1, 1000 + static_cast<std::uint64_t>(run)));
    const auto holds = [](const Kappa& kappa, double truth) {
      return kappa.value.low <= truth && truth <= kappa.value.high ? 1 : 0;
    };
    held1 += holds(found.kappa1, kappa1_truth);
    held2 += holds(found.kappa2, kappa2_truth);
  }
  EXPECT_GE(held1, 0.92 * runs);
  EXPECT_GE(held2, 0.92 * runs);
}

}  // namespace commgauge::kappa_test
