#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "../testbeds/synthetic.hpp"
#include "commgauge/judge/fit.hpp"
#include "commgauge/predict/predict.hpp"

namespace commgauge::curves_test {

using synthetic::Disturbance;
using synthetic::measure;

constexpr Bytes limit{16384};

struct Corner {
  double size;
  double time;
};
/// Two bends and a jump, all at sizes that are measured.
const std::vector<Corner> below{{0, 1e-6}, {512, 1.1e-6}, {4096, 3e-6}, {16384, 4e-6}};
const std::vector<Corner> above{{16385, 8e-6}, {131072, 30e-6}, {1048576, 500e-6}};

/// A factor of a pair's, the same both ways.
double factor_of(int i, int j) { return 1 + 0.25 * (i + j); }

double one_way(int i, int j, Bytes bytes) {
  const auto size = static_cast<double>(bytes.value);
  const std::vector<Corner>& side = bytes <= limit ? below : above;
  std::size_t right = 1;
  while (right + 1 < side.size() && size > side[right].size) ++right;
  const auto& [x, t] = side[right - 1];
  const auto& [x2, t2] = side[right];
  return factor_of(i, j) * (t + (size - x) / (x2 - x) * (t2 - t));
}

synthetic::Machine machine(int ranks) {
  return {ranks, [](const Experiment& e) {
            const int peer = e.peers.front();
            return one_way(e.root, peer, e.out) + one_way(peer, e.root, e.back);
          }};
}

/// Two sizes an octave, and both sides of the limit.
std::vector<Bytes> sizes() {
  std::vector<Bytes> all{limit, {limit.value + 1}};
  for (std::uint64_t size = 1; size <= 1U << 20U; size *= 2) {
    all.push_back({size});
    if (size >= 4 && size < 1U << 20U) all.push_back({size + size / 2});
  }
  std::ranges::sort(all);
  all.erase(std::ranges::unique(all).begin(), all.end());
  return all;
}

std::vector<Experiment> experiments(int ranks) {
  return campaign(machine(ranks), choose_sizes(limit, {}, std::nullopt),
                  {.models = {"curves"}, .checks = false, .curve = sizes()});
}

Measurements with_limit(Measurements all) {
  for (Launch& launch : all.launches) {
    launch.eager_limit_bytes = limit.value;
    launch.eager_probed_bytes = 1 << 20;
  }
  return all;
}

TEST(EstimateCurves, FindsBendsAndTimesExactlyWithoutNoise) {
  for (const int ranks : {2, 3, 5}) {
    SCOPED_TRACE(ranks);
    const Model model =
        fit(with_limit(measure(machine(ranks), experiments(ranks))), {.models = {"curves"}});
    ASSERT_EQ(model.eager_limit, limit);
    const CurvesParameters& p = model.curves->value;
    EXPECT_EQ(p.sizes, (std::vector{Bytes{0}, Bytes{512}, Bytes{4096}, Bytes{16384}, Bytes{16385},
                                    Bytes{131072}, Bytes{1048576}}));
    for (std::size_t k = 0; k < p.sizes.size(); ++k) {
      for (int i = 0; i < ranks; ++i) {
        for (int j = 0; j < ranks; ++j) {
          if (i == j) continue;
          EXPECT_NEAR(p.time[k](i, j) / one_way(i, j, p.sizes[k]), 1, 1e-10);
        }
      }
    }
    EXPECT_NEAR(model.curves->residual, 0, 1e-10);
    EXPECT_TRUE(model.curves->warnings.empty());
    EXPECT_EQ(model.curves->first, Bytes{0});
    EXPECT_EQ(model.curves->last, Bytes{1048576});
    for (const std::uint64_t size : {7U, 700U, 16384U, 16385U, 99999U}) {
      EXPECT_NEAR(predict_time(model, {"curves", Operation::p2p, 0, 1, Bytes{size}}).value /
                      one_way(0, 1, Bytes{size}),
                  1, 1e-10);
    }
  }
}

TEST(EstimateCurves, IntervalsHoldTheTruth) {
  const synthetic::Noise noise{.kind = Disturbance::gaussian, .relative = 0.02};
  long inside = 0;
  long all = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const Model model = fit(with_limit(measure(machine(2), experiments(2), noise, {}, seed)),
                            {.models = {"curves"}});
    const auto& fitted = *model.curves;
    // Bends are found near the true ones; the ends are always there.
    for (std::size_t k = 0; k < fitted.value.sizes.size(); ++k) {
      const Bytes size = fitted.value.sizes[k];
      if (size.value != 0 && size != limit && size.value != limit.value + 1 &&
          size.value != 1U << 20U) {
        continue;
      }
      const double truth = one_way(0, 1, size);
      inside += fitted.low.time[k](0, 1) <= truth && truth <= fitted.high.time[k](0, 1);
      ++all;
    }
  }
  EXPECT_GE(all, 400);
  EXPECT_GE(static_cast<double>(inside), 0.9 * static_cast<double>(all));
}

TEST(EstimateCurves, NoisyBendsAreFewAndPredictionsCloserThanALine) {
  const synthetic::Noise noise{.kind = Disturbance::gaussian, .relative = 0.02};
  const Model model =
      fit(with_limit(measure(machine(3), experiments(3), noise)), {.models = {"curves"}});
  EXPECT_LE(model.curves->value.sizes.size(), 11U);
  for (const std::uint64_t size : {3U, 100U, 3000U, 5000U, 20000U, 300000U}) {
    EXPECT_NEAR(predict_time(model, {"curves", Operation::p2p, 0, 1, Bytes{size}}).value /
                    one_way(0, 1, Bytes{size}),
                1, 0.05)
        << size;
  }
}

/// 5 us for all sizes up to 1 KiB, then 4 us.
TEST(EstimateCurves, TimesThatFallAreLevelled) {
  const synthetic::Machine falling{2, [](const Experiment& e) {
                                     const auto way = [](Bytes size) {
                                       return size.value <= 1024 ? 5e-6 : 4e-6;
                                     };
                                     return way(e.out) + way(e.back);
                                   }};
  const Model model = fit(measure(falling, experiments(2)), {.models = {"curves"}});
  const CurvesParameters& p = model.curves->value;
  for (std::size_t k = 1; k < p.sizes.size(); ++k) {
    EXPECT_GE(p.time[k](0, 1), p.time[k - 1](0, 1));
  }
  EXPECT_GT(model.curves->residual, 0.05);
  EXPECT_FALSE(model.curves->warnings.empty());
}

/// Half of it is more than a message of some bytes takes: their difference is no time.
TEST(EstimateCurves, APassWithALongEmptyRoundTripIsNoHarm) {
  Measurements measured = with_limit(measure(machine(3), experiments(3)));
  for (Observation& row : measured.observations) {
    if (row.pass != 0 || row.experiment.out.value > 0) continue;
    row.time_s *= 5;
    row.low_s *= 5;
    row.high_s *= 5;
  }
  const Model model = fit(measured, {.models = {"curves"}});
  ASSERT_TRUE(model.curves);
  EXPECT_EQ(model.curves->value.sizes.back(), Bytes{1 << 20});
  EXPECT_NEAR(model.curves->value.time.back()(0, 1) / one_way(0, 1, Bytes{1 << 20}), 1, 0.01);
  EXPECT_FALSE(fit(measured, {.models = {"hockney"}}).curves);
}

TEST(EstimateCurves, FewSizesAreNotTakenUnasked) {
  const auto few = campaign(machine(2), choose_sizes(limit, {}, std::nullopt),
                            {.models = {"hockney"}, .checks = false});
  const Model model = fit(with_limit(measure(machine(2), few)));
  EXPECT_FALSE(model.curves);
  EXPECT_NE(model.not_determined.find("curves: not measured"), std::string::npos);
  EXPECT_TRUE(fit(with_limit(measure(machine(2), few)), {.models = {"curves"}}).curves);
  EXPECT_TRUE(fit(with_limit(measure(machine(2), experiments(2)))).curves);
}

}  // namespace commgauge::curves_test
