#pragma once

#include <span>
#include <string>
#include <vector>

#include "commgauge/predict/predict.hpp"
#include "commgauge/schedule/schedule.hpp"
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

/// The same by a model's parameters, with the interval that its replicates tell: of each, in their
/// order. O(replicates) machines, however many collectives there are.
/// @throws InputError  the file has no such model; it is no machine's, or can't be emulated.
/// @pre time_of()'s, of each
[[nodiscard]] std::vector<Prediction> predict_collectives(const Model& model,
                                                          const std::string& name,
                                                          std::span<const ScheduledCollective> all);
[[nodiscard]] Prediction predict_collective(const Model& model, const std::string& name,
                                            const schedule::Collective& what,
                                            schedule::Algorithm algorithm);

/// Whether formulas miss what the model knows: ranks of a host share links, and messages of such a
/// collective may meet there. Then predict_collective() tells its time.
[[nodiscard]] bool is_told_by_machine(const Model& model, const Query& query);
/// The query as a schedule. @pre is_told_by_machine()
[[nodiscard]] Prediction predict_by_machine(const Model& model, const Query& query);

}  // namespace commgauge::simulate
