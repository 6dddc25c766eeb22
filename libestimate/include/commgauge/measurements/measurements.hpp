#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "commgauge/base/diagnostic.hpp"
#include "commgauge/measurements/experiment.hpp"
#include "commgauge/measurements/fabric_run.hpp"
#include "commgauge/measurements/launch.hpp"
#include "commgauge/measurements/survey.hpp"
#include "commgauge/measurements/sweep.hpp"

namespace commgauge {

/// One experiment, observed in one pass: the median of block means with its interval.
struct Observation {
  Experiment experiment;
  int launch{};  ///< index into Measurements::launches
  int pass{};
  double time_s{};  ///< of the whole experiment, once
  double low_s{};
  double high_s{};
  double sd_s{};   ///< of the block means
  double level{};  ///< confidence that [low_s, high_s] really has
  int blocks{};
  int block_length{};     ///< repetitions timed together
  int lost_blocks{};      ///< blocks that were timed while a rank's core was not its own
  int repeated_blocks{};  ///< of these, that don't count, for others were timed instead
  bool converged{};
  std::vector<double> block_means_s;  ///< only with --raw
};

/// An experiment of a plan.
struct PlannedExperiment {
  Experiment experiment;
  int round{};  ///< experiments of a round may be under way at the same time,
  int group{};  ///< those of a group of it are done one after the other, by the same ranks
  bool operator==(const PlannedExperiment&) const = default;
};

/// What a launch that isn't complete takes to be gone on with.
struct LaunchPlan {
  std::map<std::string, std::string> request;  ///< options as asked, by the command line's names
  /// Of each pass, in the order in which they were planned: by round, then by group.
  std::vector<PlannedExperiment> experiments;
  bool operator==(const LaunchPlan&) const = default;
};

/// Pairs at once within hosts, and each of them alone, by the numbers that ranks have in the whole
/// machine.
struct MemoryRun {
  std::vector<Observation> rows{};
  std::optional<Diagnostic> left_out{};  ///< why some host has none, though its ranks are enough
};

/// What was observed: experiments in columns, with everything needed to repeat every fit.
struct Measurements {
  std::vector<Launch> launches;
  std::vector<Observation> observations;
  std::vector<Sweep> sweeps;  ///< scatter and gather over sizes, for the thresholds
  /// Of the only launch; nothing: it is complete, can't be gone on with, or there are several.
  std::optional<LaunchPlan> plan{};
  /// Where a sample of a machine's ranks was measured: of which. Nothing: they are all that it has.
  std::optional<Survey> survey{};
  MemoryRun memory{};  ///< where a sample was measured; elsewhere it is among the observations
  std::vector<FabricRun> fabric{};  ///< of each launch that looked for shared links, or was to

  /// Of the largest launch, which is the first.
  [[nodiscard]] int ranks() const;
  /// The number that a measured rank has in the whole machine.
  [[nodiscard]] int machine_rank(int measured) const;
  [[nodiscard]] bool complete() const;
};

/// Joins launches of the same machine, the largest first. A smaller one's ranks are the first of
/// the largest's: it tells at most how overheads grow with the number of processes.
/// @throws InputError  none given; different hosts, confidence levels, waits or buffers.
[[nodiscard]] Measurements merge(std::span<const Measurements> parts);

/// Without launches of fewer ranks than the first, and all that they measured: what models and
/// thresholds are made of.
[[nodiscard]] Measurements largest_launches(const Measurements& measurements);

/// Schema `commgauge.measurements/1`, see docs/formats.md.
/// @throws InputError  one line that names file, place and reason.
[[nodiscard]] Measurements load_measurements(const std::filesystem::path& file);
[[nodiscard]] Measurements measurements_from_json(const std::string& text, const std::string& name);
[[nodiscard]] std::string to_json(const Measurements& measurements);

}  // namespace commgauge
