#pragma once

#include <vector>

#include "commgauge/measurements/sweep.hpp"

namespace commgauge {

/// The excess over the undisturbed time that noise explains.
struct Noise {
  double absolute_s{};
  double ratio{};  ///< in proportion to the undisturbed time
  /// Whichever is larger [s].
  [[nodiscard]] double at(double undisturbed_s) const;
};

/// Of the quiet sizes: escalations spare a quarter of the sizes at least.
/// @pre undisturbed_s.size() == sweep.points.size() > 0
[[nodiscard]] Noise noise_of(const Sweep& sweep, const std::vector<double>& undisturbed_s);

/// What the shorter half of a size's repetitions says of its noise [s]: as many escalate at most.
[[nodiscard]] double own_noise(const SweepPoint& point);

/// Of each point its shortest repetition [s].
[[nodiscard]] std::vector<double> shortest_times(const Sweep& sweep);

/// What each size takes when nothing escalates [s]: its shortest repetition. Unless even that is
/// longer than the median of some larger size, by more than noise: then all of its repetitions are
/// disturbed, and a line between the undisturbed sizes before and after stands in.
/// @pre sweep.points.size() > 0
[[nodiscard]] std::vector<double> undisturbed_times(const Sweep& sweep);

}  // namespace commgauge
