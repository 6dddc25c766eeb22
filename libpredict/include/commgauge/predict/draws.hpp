#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "commgauge/base/diagnostic.hpp"
#include "commgauge/predict/query.hpp"
#include "commgauge/simulate/machine/machine.hpp"

/// What messages take together by chance: runs in each of which others of them are late.
namespace commgauge {

struct Draws {
  std::vector<double> times;  ///< ascending [s]
  simulate::Machine median;   ///< on which it takes the median of them

  [[nodiscard]] double time() const { return times[times.size() / 2]; }
};

/// As many as make their least and greatest an interval of that level for a further one; fewer
/// where the first ones hardly differ.
[[nodiscard]] std::size_t most_draws(double confidence);

/// @param on_time  the machine of which no message is late
[[nodiscard]] Draws drawn(const simulate::Machine& on_time, const MessageJitter& lateness,
                          double confidence,
                          const std::function<double(const simulate::Machine&)>& time_on);

/// The median of the draws, and an interval that holds all of them, each as uncertain as the time
/// without chance is. @param on_time  that time, of which `prediction` tells
[[nodiscard]] Prediction with_draws(Prediction prediction, double on_time, const Draws& draws);

/// That messages are late by chance, by so much in the mean; and of how many draws the times are
/// the median.
[[nodiscard]] Diagnostic lateness_note(const MessageJitter& mean, std::size_t draws);
/// That some draws lie apart from the others, with nothing in between; nothing: they don't.
/// @param times  ascending [s]
[[nodiscard]] std::optional<Diagnostic> outcomes_note(std::span<const double> times);

}  // namespace commgauge
