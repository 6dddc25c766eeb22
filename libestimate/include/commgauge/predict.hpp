#pragma once

#include <string>
#include <string_view>

#include "commgauge/model.hpp"

namespace commgauge {

enum class Operation { p2p, scatter, gather, bcast };
[[nodiscard]] std::string_view to_text(Operation operation);
/// @throws InputError  unknown word; says which there are.
[[nodiscard]] Operation parse_operation(std::string_view text);

/// Whose time of a message: until the receive returns, or until the send does. Both sides enter
/// their calls at the same time.
enum class Side { receiver, sender };
[[nodiscard]] std::string_view to_text(Side side);

/// flat: the root deals with each of the others itself. binomial: MPICH's tree, in which a message
/// of a scatter or gather holds the blocks of a whole subtree.
enum class Algorithm { flat, binomial };
[[nodiscard]] std::string_view to_text(Algorithm algorithm);

/// What to predict. One-way times.
struct Query {
  std::string model;  ///< one of model_names()
  Operation operation{};
  int from{};  ///< sender, or root of a collective
  int to{-1};  ///< receiver; −1 for a collective
  Bytes size;  ///< of each rank's block
  Side side{Side::receiver};
  Algorithm algorithm{Algorithm::flat};
};

/// A one-way time with the interval in which a fresh launch's (or pass's) time is expected.
struct Prediction {
  Seconds time;
  Seconds low;
  Seconds high;
  bool extrapolated{};  ///< some message is outside the sizes that the model was fitted on
};

/// Predicts one operation; formulas in docs/models.md.
///
/// The interval joins what varies between replicates (each predicts by itself, so correlations
/// between parameters count) with the model's own misfit (its residual).
///
/// @throws InputError  no such model in the file, a rank out of range, from == to, a pair that
///                     was not measured, a side that the model or the operation doesn't have.
/// O(1) for p2p, O(n) for collectives, times the number of replicates.
[[nodiscard]] Prediction predict(const Model& model, const Query& query);

}  // namespace commgauge
