#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "commgauge/base/diagnostic.hpp"
#include "commgauge/model/model.hpp"
#include "commgauge/replay/explain/answer.hpp"
#include "commgauge/replay/explain/balance.hpp"
#include "commgauge/replay/explain/critical_path.hpp"
#include "commgauge/replay/explain/domino_path.hpp"
#include "commgauge/replay/explain/efficiency.hpp"
#include "commgauge/replay/paths/cost_kinds.hpp"
#include "commgauge/replay/prediction/prediction.hpp"
#include "commgauge/replay/run/options.hpp"
#include "commgauge/replay/run/result.hpp"
#include "commgauge/simulate/machine/machine.hpp"
#include "commgauge/simulate/world/causes.hpp"
#include "commgauge/trace/events/trace.hpp"

/// Why a replayed program takes so long, and what would help (Kanbe et al. 2003, PerWiz).
/// All times are virtual [s].
namespace commgauge::replay {

/// How much is to be found out.
struct ExplanationOptions {
  Options replay{};                   ///< how the program was replayed
  std::size_t most_steps{100'000};    ///< of the critical path that are listed
  std::size_t most_waits{100};        ///< single waits that are listed
  std::size_t most_groups{64};        ///< calls, regions and ranks whose waits are taken away
  std::size_t most_domino_waits{32};  ///< of one domino path
  std::size_t most_confirmed{20};     ///< single waits that are taken away in a replay
  std::size_t most_intervals{20};     ///< answers that get one, beside the upper bounds
  /// The machine with other factors of its costs. Empty: messages' costs aren't divided by kind.
  CostDivision::MachineWith machine_with{};
  /// Computes times on the machines of a model's replicates: values_by_replicates(). Empty: answers
  /// have no intervals.
  std::function<std::vector<ByEnds>(const ValuesOn&)> by_replicates{};
  const Model* model{};       ///< whose; needed for that
  std::size_t most_afters{};  ///< answers whose Answer::marks are to be found
  /// Is told what is going on, and how much of it is done. What it throws
  /// ends the explanation.
  std::function<void(const std::string& phase, std::size_t done, std::size_t all)> progress{};
};

struct Explanation {
  double time{};  ///< of the run
  int ranks{};
  CriticalPath critical_path;
  std::vector<Answer> answers;           ///< those that gain something, most gain first
  std::vector<DominoPath> domino_paths;  ///< that help, shortest run first
  std::vector<Balance> balance;          ///< least even first, weighed by computing
  Efficiencies efficiency;
  std::vector<Diagnostic> uplinks;  ///< links between hosts that keep the critical path's messages
  std::vector<Diagnostic> notes;    ///< what was left out
};

/// Why the program takes so long there: some walks over the causes of its replay, each O(their
/// number), a replay for the efficiency, and one for each wait that is confirmed.
///
/// @param result, causes  of the trace's replay on that machine with ExplanationOptions::replay,
/// with marks
/// @throws what replay() throws.
[[nodiscard]] Explanation explain(const trace::Trace& trace, const simulate::Machine& machine,
                                  const Result& result, const simulate::Causes& causes,
                                  const ExplanationOptions& options = {});

/// By what predicted(trace, model, how) was found of: costs by kind, and intervals where the
/// prediction has one. The trace and the model must outlive what is returned.
/// @param run  the prediction
[[nodiscard]] ExplanationOptions explanation_options(const trace::Trace& trace, const Model& model,
                                                     const Predicted& run,
                                                     const PredictionOptions& how);

}  // namespace commgauge::replay
