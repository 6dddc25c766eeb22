#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "commgauge/predict/query.hpp"

/// What the models' formulas say (docs/models.md): predict()'s short cut, which asks them only
/// where they are the virtual machine's times, or where there is no such machine.
namespace commgauge::formulas {

/// @return nothing: a pair was not measured. @throws InputError  as commgauge::predict(), of
/// anything else. O(1) for p2p, O(n) for collectives, times the number of replicates.
[[nodiscard]] std::optional<Prediction> predict(const Model& model, const Query& query);
/// Its time alone.
[[nodiscard]] std::optional<Seconds> time(const Model& model, const Query& query);
/// What each replicate says.
[[nodiscard]] ReplicateTimes replicates(const Model& model, const Query& query);

/// Whether a message is outside the sizes that the model was fitted on, or the job has more
/// processes than the model ranks.
[[nodiscard]] bool is_extrapolated(const Model& model, const Query& query);

/// Whether the formula's time is the virtual machine's, to rounding, or there is no such machine.
/// Of anything else the formula is not to be told.
[[nodiscard]] bool are_the_machines(const Model& model, const Query& query);

/// @throws InputError  always: a pair that the query needs was not measured, and what to do.
void refuse_unmeasured(const Model& model, const Query& query);

// What predict.hpp says of them.
[[nodiscard]] std::vector<Prediction> messages(const Model& model, const std::string& name,
                                               Side side, std::span<const PairMessage> asked,
                                               std::optional<int> processes);
[[nodiscard]] std::vector<MessageTime> message_times(const Model& model, const std::string& name,
                                                     Side side, std::span<const PairMessage> asked,
                                                     std::optional<int> processes);
[[nodiscard]] std::vector<int> serving_order(const Model& model, const Query& query);
[[nodiscard]] std::string why_no_interval(const Model& model, const std::string& name);
void check_processes(const Model& model, int processes);

}  // namespace commgauge::formulas
