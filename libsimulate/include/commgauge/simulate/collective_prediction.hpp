#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "commgauge/predict/predict.hpp"
#include "commgauge/schedule/schedule.hpp"
#include "commgauge/simulate/in_turn.hpp"
#include "commgauge/simulate/machine.hpp"

namespace commgauge::simulate {

/// How long a collective operation of all of the machine's ranks takes when all begin together: of
/// a gather, gatherv or reduce until its root goes on, of others until the last rank does. What
/// ranks do by themselves takes no time.
/// @pre is_possible(); as many ranks as the machine has
[[nodiscard]] Seconds time_of(const Machine& machine, const schedule::Collective& what,
                              schedule::Algorithm algorithm);

/// A collective, and how it is carried out.
struct ScheduledCollective {
  schedule::Collective what;
  schedule::Algorithm algorithm{};
};

/// Whether it takes longer where its ranks fall out of step.
/// @pre time_of()'s
[[nodiscard]] std::optional<OutOfStep> out_of_step(const Machine& machine,
                                                   const ScheduledCollective& one);

/// time_of() by a model's parameters, with the interval that its replicates tell, and up to what it
/// takes out of step: of each, in their order. O(replicates) machines, however many collectives
/// there are.
/// @throws InputError  the file has no such model; it is no machine's, or can't be emulated.
/// @pre time_of()'s, of each
[[nodiscard]] std::vector<Prediction> predict_collectives(const Model& model,
                                                          const std::string& name,
                                                          std::span<const ScheduledCollective> all);
[[nodiscard]] Prediction predict_collective(const Model& model, const std::string& name,
                                            const schedule::Collective& what,
                                            schedule::Algorithm algorithm);

/// As commgauge::predict(), by its formulas. But a collective is run on the virtual machine where
/// the file has `host_links`: unless the query has an order or a number of processes, or the model
/// is no machine's or can't be emulated.
/// @throws InputError  as commgauge::predict().
[[nodiscard]] Prediction predict(const Model& model, const Query& query);

/// The same of each, in their order. O(replicates) machines, however many queries there are.
/// @pre all are of one model
[[nodiscard]] std::vector<Prediction> predict(const Model& model, std::span<const Query> queries);

/// The same with what each replicate says: for judge() and against_predictions().
/// Of fits that don't vary together those replicates are of the model's own, while others stay.
/// @throws InputError  as predict_if_measured(). @pre likewise
[[nodiscard]] std::vector<std::optional<PredictedByReplicates>> predict_with_replicates(
    const Model& model, std::span<const Query> queries);

}  // namespace commgauge::simulate
