#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commgauge/model/model.hpp"
#include "commgauge/model/operation.hpp"
#include "commgauge/schedule/schedule.hpp"

namespace commgauge {

/// Whose time of a message: until the receive returns, or until the send does. Both sides enter
/// their calls at the same time.
enum class Side { receiver, sender };
[[nodiscard]] std::string_view to_text(Side side);

/// What to predict. One-way times.
struct Query {
  std::string model;  ///< one of model_names()
  Operation operation{};
  int from{};  ///< sender, or root of a collective; one of an exchange or ring
  int to{-1};  ///< receiver, the other, or who comes next; −1 for a collective, or the next number
  Bytes size;  ///< of each message, or rank's block
  Side side{Side::receiver};
  Algorithm algorithm{Algorithm::flat};  ///< flat, at_once or binomial
  std::vector<int>
      order{};  ///< flat, at_once: all ranks but the root, as it serves them; empty: ascending
  /// P of the job in which that happens, for the LogP family: overheads are those of P processes.
  /// Nothing: as the model has them.
  std::optional<int> processes{};
};

/// What is done of such a query, in bytes. @pre no p2p
[[nodiscard]] schedule::Collective collective_of(const Query& query, int ranks);

/// A one-way time with the interval in which a fresh launch's (or pass's) time is expected.
struct Prediction {
  Seconds time;
  Seconds low;  ///< NaN, as `high`, where nothing tells how sure the time is
  Seconds high;
  bool extrapolated{};  ///< some message is outside the sizes that the model was fitted on
  bool on_machine{};    ///< told by the virtual machine, not by a formula
  [[nodiscard]] bool has_interval() const { return !std::isnan(low.value); }
};

/// A collective operation's.
struct PredictedCollective : Prediction {
  /// Where chance decides which message comes first: what it takes in each draw, ascending [s].
  std::vector<double> draws;
};

/// A message between two ranks.
struct PairMessage {
  int from{};
  int to{};
  Bytes size;
};

struct MessageTime {
  Seconds time;
  bool extrapolated{};  ///< outside the sizes that the model was fitted on
};

/// What each replicate of the parameters predicts [s], in their order, without the model's misfit.
/// Of fits that don't vary together they are of the model's own, while others stay. NaN: it lacks a
/// pair.
struct ReplicateTimes {
  ReplicateKind kind{};
  std::vector<double> times_s;
  double chance_s{};  ///< by so much they differ from those of messages that are never late
};

/// A prediction, and what the replicates say.
struct PredictedByReplicates {
  Prediction prediction;
  ReplicateTimes replicates;
};

}  // namespace commgauge
