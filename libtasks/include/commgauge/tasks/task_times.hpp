#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "commgauge/base/statistics.hpp"
#include "commgauge/tasks/measured_tasks.hpp"

namespace commgauge::tasks {

/// How the times of those that were not run are known.
enum class Source {
  all,    ///< all were run
  grid,   ///< interpolated between the measured ones, multilinearly
  sample  ///< a random sample was run; one of those near it stands for each of the others
};

struct TimesOptions {
  double confidence{0.95};
  /// Of the sample, as it was planned; nothing: as the file says, or 1.
  std::optional<std::uint64_t> seed{};
  std::string name{};  ///< of the file, for messages; empty: there is none
};

/// The times of all tasks, from those of some.
class TaskTimes {
 public:
  /// The tasks are a sample where they are the first ones of it, or more; else a grid.
  /// @throws InputError  they are neither; the file says another seed; fewer than 8 of a sample;
  /// more than most_tasks.
  explicit TaskTimes(MeasuredTasks measured, const TimesOptions& options = {});

  [[nodiscard]] const MeasuredTasks& measured() const { return measured_; }
  [[nodiscard]] Source source() const { return source_; }
  /// Of all tasks [s]; its ends are NaN where nothing tells how sure it is.
  [[nodiscard]] const Estimate& total() const { return total_; }

  /// SampleTotal::skewness; 0 where there is no sample.
  [[nodiscard]] double skewness() const { return skewness_; }
  /// Which share of the tasks were not run.
  [[nodiscard]] double open_share() const;

  /// Each task's [s], by its number. Those that were not run add up to what makes the total
  /// `total`.
  /// @param draw  of a sample: which of the measured ones stands for which. Of a grid: 0, as they
  /// are
  ///              interpolated; else with what the lines miss of one another added in random
  ///              places.
  /// O(tasks)
  [[nodiscard]] std::vector<double> times_s(double total, std::uint64_t draw = 0) const;
  /// Each result's [bytes], rounded; empty where the file doesn't say.
  [[nodiscard]] std::vector<std::uint32_t> result_bytes(std::uint64_t draw = 0) const;

  /// In words: how many were run, how the others are known, and the total.
  [[nodiscard]] std::string text() const;

 private:
  void find_total();
  [[nodiscard]] std::vector<double> of_grid(const std::vector<double>& values,
                                            std::uint64_t draw) const;
  [[nodiscard]] std::vector<double> of_all(const std::vector<double>& values,
                                           std::uint64_t draw) const;

  MeasuredTasks measured_;
  TimesOptions options_;
  Source source_{Source::all};
  std::uint64_t seed_{1};  ///< of the sample
  std::uint64_t sample_size_{};
  Estimate total_;
  double skewness_{};
};

}  // namespace commgauge::tasks
