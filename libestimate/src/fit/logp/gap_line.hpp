#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "base/gsl.hpp"
#include "fit/logp/family.hpp"
#include "fit/logp/relative_weights.hpp"

namespace commgauge {

/// g + G′·min(k, s) + G·max(k − s, 0), by relative_weights(). Fitted beside it: a jump at s if
/// there is one, and where the sizes tell it apart a step above the eager limit, for a flood of
/// rendezvous messages waits for its receiver.
class GapLine {
 public:
  struct Result {
    double g{};
    double G_prime{};
    double G{};
    double jump{};
    double step{};
  };

  /// Without a packet size one line.
  GapLine(const LogPRows& pair, std::optional<Bytes> limit, const PacketSize& packet,
          std::span<const double> times)
      : pair_{pair},
        limit_{limit},
        s_{packet.size.value},
        has_break_{!std::isnan(s_)},
        has_jump_{packet.is_jump()},
        has_step_{tells_step()} {
    if (!usable()) return;
    weights_ = relative_weights(gaps(times), [&](std::span<const double> weights) {
      return fitted(solve(times, s_, weights), s_);
    });
  }

  [[nodiscard]] bool usable() const {
    const auto small = count_sizes(pair_.floods, [&](double k) { return !(k > s_); });
    const auto large = count_sizes(pair_.floods, [&](double k) { return k > s_; });
    return small >= 2 && (!has_break_ || large >= (has_jump_ ? 2 : 1));
  }

  /// @param s  where the kink is in these times; of no meaning without one
  [[nodiscard]] Result solve(std::span<const double> times, double s) const {
    return solve(times, s, weights_);
  }

  /// Relative squares of what is missed, over the floods.
  [[nodiscard]] double squares(std::span<const double> times) const {
    const std::vector<double> line = fitted(solve(times, s_), s_);
    const std::vector<double> measured = gaps(times);
    double sum = 0;
    for (std::size_t k = 0; k < line.size(); ++k) sum += std::pow(1 - line[k] / measured[k], 2);
    return sum;
  }
  [[nodiscard]] long count() const { return static_cast<long>(weights_.size()); }

 private:
  [[nodiscard]] std::vector<double> gaps(std::span<const double> times) const {
    std::vector<double> all;
    for (const FloodRow& flood : pair_.floods) all.push_back(flood.each(times));
    return all;
  }

  [[nodiscard]] Result solve(std::span<const double> times, double s,
                             std::span<const double> weights) const {
    std::vector<double> design;
    for (const FloodRow& flood : pair_.floods) {
      design.push_back(1);
      design.push_back(has_break_ ? std::min(flood.size, s) : flood.size);
      if (has_break_) design.push_back(std::max(flood.size - s, 0.0));
      if (has_jump_) design.push_back(flood.size > s ? 1 : 0);
      if (has_step_) design.push_back(up_to(flood.size, limit_) ? 0 : 1);
    }
    const std::vector<double> found = gsl::weighted_fit(design, gaps(times), weights);
    return {found[0], found[1], found[has_break_ ? 2 : 1], has_jump_ ? found[3] : 0,
            has_step_ ? found.back() : 0};
  }

  /// Gap of each flood.
  [[nodiscard]] std::vector<double> fitted(const Result& line, double s) const {
    std::vector<double> all;
    for (const FloodRow& flood : pair_.floods) {
      const double small = has_break_ ? std::min(flood.size, s) : flood.size;
      const double step = up_to(flood.size, limit_) ? 0 : line.step;
      const double jump = flood.size > s ? line.jump : 0;
      all.push_back(line.g + line.G_prime * small + line.G * (flood.size - small) + jump + step);
    }
    return all;
  }

  [[nodiscard]] bool tells_step() const {
    const auto count = [&](bool is_above, bool is_large) {
      return count_sizes(pair_.floods, [&](double k) {
        return !up_to(k, limit_) == is_above && (k > s_) == is_large;
      });
    };
    const long small_eager = count(false, false);
    const long large_eager = count(false, true);
    const long small_above = count(true, false);
    const long large_above = count(true, true);
    if (small_above + large_above == 0 || small_eager + large_eager == 0) return false;
    if (!has_break_) return std::max(small_eager, small_above) >= 2;
    if (has_jump_) {
      const bool parts_large = large_eager > 0 && std::max(large_eager, large_above) >= 2;
      const bool parts_small = small_above > 0 && std::max(small_eager, small_above) >= 2;
      return (small_above == 0 && parts_large) || (large_eager == 0 && parts_small);
    }
    if (small_above == 0) return large_above >= 2 || (large_eager >= 1 && large_above >= 1);
    return large_above >= 1 && std::max(small_eager, small_above) >= 2;
  }

  const LogPRows& pair_;
  std::optional<Bytes> limit_;
  double s_;
  bool has_break_;
  bool has_jump_;
  bool has_step_;
  std::vector<double> weights_;
};

}  // namespace commgauge
