#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "commgauge/replay/prediction/prediction.hpp"
#include "machine/machine_options.hpp"
#include "replay/outcome/outcome.hpp"

namespace commgauge::tools {

/// Which recorded program runs on which machine, and how, as the command line says it.
struct ReplayOptions {
  std::string trace;
  MachineOptions machine;
  std::string compute{"cpu"};
  bool rematches{};
  int cores_per_rank{};  ///< 0: no limit
  bool has_interval{true};
};

/// The archive, those of add_machine_options(), --compute, --rematch,
/// --cores-per-rank, --no-interval
void add_replay_options(CLI::App& app, ReplayOptions& options);

/// @param options  must outlive what is returned. Its progress, and what else it keeps, is up to
///   the caller.
[[nodiscard]] replay::PredictionOptions prediction_options(const ReplayOptions& options);

/// Reads the model, and runs the program.
/// @param trace  of the options' archive
/// @throws InputError, simulate::DeadlockError
[[nodiscard]] Outcome outcome_of(const ReplayOptions& options, trace::Trace trace,
                                 const replay::PredictionOptions& how);

/// On standard error.
void say_what_is_assumed(const Outcome& outcome, const ReplayOptions& options);

}  // namespace commgauge::tools
