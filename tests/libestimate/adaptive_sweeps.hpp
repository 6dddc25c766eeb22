#pragma once

#include <string>
#include <vector>

#include "commgauge/thresholds/sweep_plan.hpp"
#include "commgauge/thresholds/thresholds.hpp"
#include "sweeps.hpp"

namespace commgauge::testing {

/// What goes wrong while a sweep is measured, beside noise of 5 % of each time.
enum class Trouble {
  none,
  spikes,    ///< one repetition in twenty takes a millisecond longer, on average
  drift,     ///< the speed is another one in each round of sizes: by 5 %
  wander,    ///< the speed is another one in each pass: by 5 %
  neighbour  ///< half of the time something else runs, for ten repetitions on average: 1.5 times as
             ///< long
};

struct AdaptiveCase {
  double jump{};  ///< beyond 8 KiB [standard deviations of a repetition]
  Trouble trouble{};
  bool knows_passes{true};
};

/// How much longer than on the quiet machine what is measured next takes.
class Disturbed {
 public:
  Disturbed(Trouble trouble, std::mt19937_64& random) : trouble_{trouble}, random_{random} {}
  void begin_round() {
    if (trouble_ == Trouble::drift) speed_ = 1 + noise * normal(random_);
  }
  void begin_pass() {
    if (trouble_ == Trouble::wander) speed_ = 1 + noise * normal(random_);
  }
  [[nodiscard]] double time(double quiet) {
    if (trouble_ == Trouble::neighbour && chance(random_, 0.1)) is_busy_ = !is_busy_;
    const double spike =
        trouble_ == Trouble::spikes && chance(random_, 0.05) ? jitter(random_, 1e-3) : 0;
    const double mine = std::max(0.1, 1 + noise * normal(random_));
    return quiet * speed_ * mine * (is_busy_ ? 1.5 : 1) + spike;
  }
  static constexpr double noise = 0.05;

 private:
  Trouble trouble_;
  std::mt19937_64& random_;
  double speed_{1};
  bool is_busy_{};
};

inline Sweep without_passes(Sweep sweep) {
  for (SweepPoint& point : sweep.points) point.passes.clear();
  return sweep;
}

constexpr std::uint64_t jump_after = 8192;

/// A flat scatter from 1 B to 1 MiB as a calibration sweeps it: a size in each octave, then those
/// that next_sizes() asks for, round by round, in fifteen passes each.
inline Sweep adaptive_sweep(const AdaptiveCase& one, std::uint64_t seed) {
  constexpr int passes = 15;
  std::mt19937_64 random{seed};
  Disturbed machine{one.trouble, random};
  const SweepPlan plan;
  Sweep sweep;
  sweep.kind = "scatter";
  std::vector<Bytes> sizes = first_sizes(plan);
  while (!sizes.empty()) {
    machine.begin_round();
    for (int pass = next_pass(sweep), end = pass + passes; pass < end; ++pass) {
      machine.begin_pass();
      std::shuffle(sizes.begin(), sizes.end(), random);
      for (const Bytes size : sizes) {
        const double line = 20e-6 + 1e-9 * static_cast<double>(size.value);
        const double jump = size.value > jump_after ? one.jump * Disturbed::noise : 0;
        add_times(sweep, size, {{machine.time(line * (1 + jump))}}, {{pass}});
      }
    }
    sizes = next_sizes(one.knows_passes ? sweep : without_passes(sweep), plan);
  }
  return one.knows_passes ? sweep : without_passes(sweep);
}

/// What became of many sweeps.
struct Found {
  int right{};  ///< have a break within a factor of 1.5 of the true one
  int wrong{};  ///< have one elsewhere
  int disputed{};
};

inline Found count_breaks(const AdaptiveCase& one, int series) {
  Found found;
  for (int s = 0; s < series; ++s) {
    const SweepAnalysis analysis = analyse(adaptive_sweep(one, static_cast<std::uint64_t>(s)), {});
    bool right = false;
    bool wrong = false;
    for (const Break& at : analysis.segmentation.breaks) {
      const auto size = static_cast<double>(analysis.sweep.points[at.last].size.value);
      const double ratio = size / static_cast<double>(jump_after);
      const bool near = one.jump != 0 && ratio < 1.5 && ratio > 1 / 1.5;
      (near ? right : wrong) = true;
    }
    found.right += right ? 1 : 0;
    found.wrong += wrong ? 1 : 0;
    found.disputed += analysis.disputed.empty() ? 0 : 1;
  }
  return found;
}

}  // namespace commgauge::testing
