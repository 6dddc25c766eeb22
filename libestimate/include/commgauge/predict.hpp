#pragma once

#include <string>
#include <string_view>

#include "commgauge/model.hpp"

namespace commgauge {

enum class Operation { p2p, scatter, gather };
[[nodiscard]] std::string_view to_text(Operation operation);
/// @throws InputError  unknown word; says which there are.
[[nodiscard]] Operation parse_operation(std::string_view text);

/// What to predict. One-way times.
struct Query {
  std::string model;  ///< hockney | lom | lmo | bottleneck
  Operation operation{};
  int from{};  ///< sender, or root of a collective
  int to{-1};  ///< receiver; −1 for a collective
  Bytes size;  ///< of each message
};

/// A one-way time with the interval in which a fresh launch's (or pass's) time is expected.
struct Prediction {
  Seconds time;
  Seconds low;
  Seconds high;
  bool extrapolated{};  ///< outside the range of sizes that the model was fitted on
};

/// Predicts one operation, flat algorithms.
///
/// The interval joins what varies between replicates (each predicts by itself, so correlations
/// between parameters count) with the model's own misfit (its residual).
///
/// @throws InputError  no such model in the file, a rank out of range, from == to, a pair that
///                     was not measured.
/// O(1) for p2p, O(n) for collectives, times the number of replicates.
[[nodiscard]] Prediction predict(const Model& model, const Query& query);

}  // namespace commgauge
