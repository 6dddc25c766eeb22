#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "commgauge/base/diagnostic.hpp"
#include "commgauge/model/model.hpp"
#include "commgauge/predict/predict.hpp"
#include "commgauge/simulate/machine/wanted_machine.hpp"
#include "commgauge/tasks/master_worker.hpp"
#include "commgauge/tasks/task_times.hpp"

namespace commgauge::tasks {

struct PredictionOptions {
  /// Its hosts are those of the model, or more like them where more processes are asked for.
  simulate::WantedMachine machine;
  Protocol protocol;
  bool has_interval{true};
  std::function<void(std::size_t done, std::size_t all)> progress;  ///< of runs; empty: none
};

/// A job of masters and workers, predicted.
struct Predicted {
  int processes{};
  Prediction time;  ///< from processes' start until all are done
  Run run;          ///< by the central parameters
};

/// A kind of note: the interval may be too narrow, for a run's end depends on tasks of which nobody
/// knows how long they are.
inline constexpr const char* single_tasks_decide = "single_tasks_decide";

struct PredictedRuns {
  std::string kind;              ///< which model
  std::vector<Predicted> runs;   ///< in the order that was asked for
  std::string interval_meaning;  ///< empty: there is none
  std::vector<Diagnostic> notes;
};

/// How long jobs of so many processes take for the tasks, each on a machine of the model's first
/// ranks; where they are more, of hosts like its hosts, in turn, with as many ranks each.
///
/// An interval holds what the model's parameters, the processors' speeds, and the tasks that were
/// not run leave open: the model's own by its replicates, from the fastest processors to the
/// slowest; the tasks' from the total's low end to its high end, with others standing in for those
/// that weren't run. The two are independent: their half widths, as logarithms, add as squares.
///
/// @throws InputError  no processes; what simulate::model_for(), build(), for_job() and run()
///                     throw.
/// O(tasks · log P) for each P, and as often as the model has replicates and the tasks stand-ins.
[[nodiscard]] PredictedRuns predicted(const TaskTimes& tasks, const Model& model,
                                      const std::vector<int>& processes,
                                      const PredictionOptions& options = {});

/// What a user should know before he buys ranks.
struct Best {
  Predicted shortest;  ///< of all, the one with the shortest time
  Predicted fewest;    ///< with the fewest processes of those within 2 % of that
};
/// @pre there are some
[[nodiscard]] Best best_of(const std::vector<Predicted>& runs);

/// One line: "shortest with 64 processes, 1 master and 63 workers: ..."
[[nodiscard]] std::string to_text(const Best& best, const Protocol& protocol);

}  // namespace commgauge::tasks
