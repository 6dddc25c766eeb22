#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "commgauge/model/model.hpp"
#include "commgauge/predict/query.hpp"
#include "commgauge/simulate/run/collective_time.hpp"

namespace commgauge {

/// Predicts one operation: what it takes on the virtual machine of the model, where that is one's
/// and can be emulated; else by the model's formulas (docs/models.md), which are also the short cut
/// wherever they tell the same. A tree's interval ends no sooner than what it takes where pairs
/// take longer at once.
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
/// O(1) for p2p, O(n) for collectives by a formula, times the number of replicates.
[[nodiscard]] Prediction predict(const Model& model, const Query& query);
/// The same of each, in their order. O(replicates) machines, however many queries there are.
/// @pre all are of one model
[[nodiscard]] std::vector<Prediction> predict(const Model& model, std::span<const Query> queries);

/// The same, or nothing where a pair was not measured: the LogP family may be of a sample of them.
/// @throws InputError  as predict(), of anything else.
[[nodiscard]] std::optional<Prediction> predict_if_measured(const Model& model, const Query& query);
[[nodiscard]] std::vector<std::optional<Prediction>> predict_if_measured(
    const Model& model, std::span<const Query> queries);

/// Why predictions of that model have no interval, and what to do, where they have none.
/// @throws InputError  no such model in the file.
[[nodiscard]] std::string why_no_interval(const Model& model, const std::string& name);

/// predict() of each of many messages, in their order, at a fraction of its cost.
/// @throws InputError  as predict(), naming the first message that it refuses.
[[nodiscard]] std::vector<Prediction> predict_messages(const Model& model, const std::string& name,
                                                       Side side,
                                                       std::span<const PairMessage> messages,
                                                       std::optional<int> processes = {});

/// The same without the intervals.
[[nodiscard]] std::vector<MessageTime> predict_message_times(const Model& model,
                                                             const std::string& name, Side side,
                                                             std::span<const PairMessage> messages,
                                                             std::optional<int> processes = {});

/// What every prediction for so many processes takes.
/// @throws InputError  fewer than 2, or the growth of overheads was not measured.
void check_processes(const Model& model, int processes);

/// predict()'s time without its interval, for choices that are made often. @throws as predict().
[[nodiscard]] Seconds predict_time(const Model& model, const Query& query);
[[nodiscard]] std::optional<Seconds> predict_time_if_measured(const Model& model,
                                                              const Query& query);

/// Of each, in their order, of one machine. @pre all are of one model
[[nodiscard]] std::vector<std::optional<Seconds>> predict_times(const Model& model,
                                                                std::span<const Query> queries);

/// predict_if_measured() of each, in their order, with that. @pre all are of one model
[[nodiscard]] std::vector<std::optional<PredictedByReplicates>> predict_with_replicates(
    const Model& model, std::span<const Query> queries);

/// Exchanges and rings, which only the virtual machine tells: as predict_collectives(), of each in
/// their order. predict() says the same, without the draws.
/// @throws InputError  as predict(); the model is no machine's
/// @pre all are of one model, and is_meeting() holds of each
[[nodiscard]] std::vector<PredictedCollective> predict_meetings(const Model& model,
                                                                std::span<const Query> queries);

/// How long collectives take on the virtual machine, with the interval that the model's replicates
/// tell, and up to what each takes desynchronised: of each, in their order. Where chance decides
/// which message comes first the time is the median of draws, and the interval holds them all, as
/// of a replay. O(replicates) machines, however many collectives there are, and one for each one's
/// draws.
/// @throws InputError  the file has no such model; it is no machine's, or can't be emulated.
/// @pre simulate::time_of()'s, of each
[[nodiscard]] std::vector<PredictedCollective> predict_collectives(
    const Model& model, const std::string& name,
    std::span<const simulate::ScheduledCollective> all);
[[nodiscard]] PredictedCollective predict_collective(const Model& model, const std::string& name,
                                                     const simulate::ScheduledCollective& one);

/// The order in which a flat collective is fastest where the root is busy with one eager message
/// at a time. Scatter: whose message takes longest after the root is done with it comes first
/// (Jackson 1955: no order ends sooner, however long the root needs for each, as long as a message
/// then goes its way without regard to the others). Gather: who arrives first is taken in first.
/// Peers that are alike in ascending order. For `hockney` and `start_up`, which know no overlap,
/// every order is the same.
/// @throws as predict(). O(n log n). @pre `query` is a scatter or a gather
[[nodiscard]] std::vector<int> serving_order(const Model& model, const Query& query);

}  // namespace commgauge
