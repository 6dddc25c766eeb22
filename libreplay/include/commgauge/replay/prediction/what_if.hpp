#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "commgauge/base/statistics.hpp"
#include "commgauge/base/units.hpp"
#include "commgauge/model/model.hpp"
#include "commgauge/model/scaled.hpp"
#include "commgauge/replay/prediction/prediction.hpp"
#include "commgauge/trace/events/trace.hpp"

/// A recorded program where the machine is otherwise.
namespace commgauge::replay {

/// What is otherwise. Another algorithm, placement or number of hosts are other PredictionOptions.
struct Change {
  Factors factors;         ///< of messages' times
  double computing{1};     ///< by what computing's time is multiplied
  std::vector<int> ranks;  ///< whose computing; empty: that of all
  std::optional<Bytes> eager_limit;
};

struct WhatIf {
  Predicted run;   ///< with the change
  Estimate ratio;  ///< of its time to the unchanged run's
};

/// The program with the change. The ratio's interval is by pairs: of both runs by the same
/// replicate of the model, and with the model's misfit in both; what moves both alike doesn't widen
/// it.
///
/// @param unchanged  predicted(trace, model, its options)
/// @param options    without the change; may differ from the unchanged run's (see Change)
/// @throws InputError  a factor below zero or not finite; no such rank; what predicted() throws
[[nodiscard]] WhatIf what_if(const trace::Trace& trace, const Model& model,
                             const Predicted& unchanged, const PredictionOptions& options,
                             const Change& change);

/// What can be varied over a range.
enum class Quantity { latency, bandwidth, overheads, gaps, computing, uplink };
[[nodiscard]] std::string_view to_text(Quantity quantity);
/// Times a factor; that of bandwidth divides the time per byte, that of uplink what a byte takes of
/// links between hosts.
[[nodiscard]] Change change_of(Quantity quantity, double factor);

struct Point {
  double factor{};
  Prediction prediction;
  Estimate ratio;
};

/// Factors from `first` to `last`, `count` of them, in equal ratios.
/// @throws InputError  an end not above zero; fewer than two points; what what_if() throws
[[nodiscard]] std::vector<Point> curve(const trace::Trace& trace, const Model& model,
                                       const Predicted& unchanged, const PredictionOptions& options,
                                       Quantity quantity, double first, double last,
                                       std::size_t count);

/// By how much something may get slower before the run takes some more.
struct Tolerance {
  Quantity quantity{};
  double longer{};  ///< share of the run's time: 0.01
  /// Of the times: of bandwidth, of the time per byte. Infinite: beyond most_tolerated.
  double factor{};
  /// Of latency: what it adds to the way of an empty message, mean of the job's pairs [s]. Else,
  /// and where the factor is infinite, NaN.
  double added{std::numeric_limits<double>::quiet_NaN()};
};
inline constexpr double most_tolerated = 1024;

/// Of latency, bandwidth, overheads and computing, each for every share, by the model's central
/// parameters: replays where straight lines through what is known say, to a thousandth of what may
/// be added. Two or three a share where the time grows as a line does; never more than a few tens.
/// A run needn't get slower steadily; of several such factors it is one up to which all that were
/// tried are good.
/// @param options  their progress isn't told how many replays there will be: 0
/// @param longer  shares, above zero
/// @throws InputError  what what_if() throws
[[nodiscard]] std::vector<Tolerance> tolerances(const trace::Trace& trace, const Model& model,
                                                const Predicted& unchanged,
                                                const PredictionOptions& options,
                                                const std::vector<double>& longer);

}  // namespace commgauge::replay
