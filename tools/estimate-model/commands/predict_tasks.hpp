#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "commgauge/model/model.hpp"
#include "commgauge/tasks/prediction.hpp"
#include "common/output/progress.hpp"

namespace commgauge::tools {

/// Which tasks masters hand out to workers, and how, as the command line says it.
struct TaskSettings {
  std::string tasks;  ///< how many, or a file of their times; empty: not given
  std::optional<Seconds> task_time;
  std::string shape;                  ///< empty: as large as the file says
  std::optional<std::uint64_t> seed;  ///< of the sample; nothing: as the file says
  std::string time_ratio;
  tasks::Protocol protocol;
  bool ignores_growth{};
  bool has_interval{true};
  ProgressMode progress{};

  [[nodiscard]] bool has_file() const;
  /// @throws InputError  where `tasks` is no number
  [[nodiscard]] std::uint64_t number() const;
};

/// --tasks, --task-time, --shape, --order, --chunk, --masters, ...: in a group of their own.
void add_task_options(CLI::App& command, TaskSettings& settings);
/// Those of the group that the command line gave.
[[nodiscard]] std::vector<std::string> given_task_options(const CLI::App& command);

/// `8,16,32`, `8-128:8`. @throws InputError
[[nodiscard]] std::vector<int> parse_processes(const std::string& text);

/// @throws InputError  of the file, or the options.
[[nodiscard]] tasks::TaskTimes task_times_of(const TaskSettings& settings, double confidence);

/// Runs of so many processes by one model of the file. @param kind  empty: the best-ranked
[[nodiscard]] tasks::PredictedRuns predict_tasks(const TaskSettings& settings,
                                                 const tasks::TaskTimes& tasks, const Model& model,
                                                 const std::string& kind,
                                                 const std::vector<int>& processes);

}  // namespace commgauge::tools
