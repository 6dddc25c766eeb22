#pragma once

#include <cmath>
#include <functional>
#include <optional>
#include <span>
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

/// How the root of a flat collective deals with messages above the eager limit. at_once: all are
/// started before any is waited for, so that they overlap as eager ones do.
enum class Service { in_turn, at_once };

/// What to predict. One-way times.
struct Query {
  std::string model;  ///< one of model_names()
  Operation operation{};
  int from{};  ///< sender, or root of a collective
  int to{-1};  ///< receiver; −1 for a collective
  Bytes size;  ///< of each rank's block
  Side side{Side::receiver};
  Algorithm algorithm{Algorithm::flat};
  Service service{Service::in_turn};
  std::vector<int> order{};  ///< flat: all ranks but the root, as it serves them; empty: ascending
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

/// Predicts one operation; formulas in docs/models.md.
///
/// The interval joins what varies between replicates (each predicts by itself, so correlations
/// between parameters count) with the model's own misfit (its residual). With fewer than two
/// replicates there is none: why_no_interval().
///
/// @throws InputError  no such model in the file, a rank out of range, from == to, a pair that
///                     was not measured, a side, algorithm or order that the model or the
///                     operation doesn't have, an order that leaves out a rank or names one twice;
///                     fewer than 2 processes, or processes where the model has no overheads or no
///                     growth of them.
/// O(1) for p2p, O(n) for collectives, times the number of replicates.
[[nodiscard]] Prediction predict(const Model& model, const Query& query);

/// The same, or nothing where a pair was not measured: the LogP family may be of a sample of them.
/// @throws InputError  as predict(), of anything else.
[[nodiscard]] std::optional<Prediction> predict_if_measured(const Model& model, const Query& query);

/// Why predictions of that model have no interval, and what to do, where they have none.
/// @throws InputError  no such model in the file.
[[nodiscard]] std::string why_no_interval(const Model& model, const std::string& name);

/// A message between two ranks.
struct PairMessage {
  int from{};
  int to{};
  Bytes size;
};

/// predict() of each of many messages, in their order, at a fraction of its cost.
/// @throws InputError  as predict(), naming the first message that it refuses.
[[nodiscard]] std::vector<Prediction> predict_messages(const Model& model, const std::string& name,
                                                       Side side,
                                                       std::span<const PairMessage> messages,
                                                       std::optional<int> processes = {});

struct MessageTime {
  Seconds time;
  bool extrapolated{};  ///< outside the sizes that the model was fitted on
};

/// The same without the intervals.
[[nodiscard]] std::vector<MessageTime> predict_message_times(const Model& model,
                                                             const std::string& name, Side side,
                                                             std::span<const PairMessage> messages,
                                                             std::optional<int> processes = {});

/// What every prediction for so many processes takes.
/// @throws InputError  fewer than 2, or the growth of overheads was not measured.
void check_processes(const Model& model, int processes);

/// predict()'s time without its interval, for choices that are made often. @throws as predict().
/// O(1) for p2p, O(n) for collectives.
[[nodiscard]] Seconds predict_time(const Model& model, const Query& query);
[[nodiscard]] std::optional<Seconds> predict_time_if_measured(const Model& model,
                                                              const Query& query);

/// What each replicate of the parameters predicts [s], in their order. NaN: it lacks a pair.
struct ReplicateTimes {
  ReplicateKind kind{};
  std::vector<double> times_s;
};
/// How parameters' uncertainty makes predict()'s time uncertain; without the model's misfit.
/// @throws as predict(). O(1) for p2p, O(n) for collectives, times the number of replicates.
[[nodiscard]] ReplicateTimes predict_replicates(const Model& model, const Query& query);

/// A prediction, and what the replicates say.
struct PredictedByReplicates {
  Prediction prediction;
  ReplicateTimes replicates;
};
/// predict_if_measured() and predict_replicates() of each. @pre all are of one model
[[nodiscard]] std::vector<std::optional<PredictedByReplicates>> predict_with_replicates(
    const Model& model, std::span<const Query> queries);
/// That, or another way to predict.
using Predictor = std::function<std::vector<std::optional<PredictedByReplicates>>(
    const Model&, std::span<const Query>)>;

/// The order in which a flat collective is fastest where the root is busy with one eager message
/// at a time. Scatter: whose message takes longest after the root is done with it comes first
/// (Jackson 1955: no order ends sooner, however long the root needs for each, as long as a message
/// then goes its way without regard to the others). Gather: who arrives first is taken in first.
/// Peers that are alike in ascending order. For `hockney` and `start_up`, which know no overlap,
/// every order is the same.
/// @throws as predict(). O(n log n). @pre `query` is a scatter or a gather
[[nodiscard]] std::vector<int> serving_order(const Model& model, const Query& query);

}  // namespace commgauge
