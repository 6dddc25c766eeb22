#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <string_view>

#include "commgauge/thresholds/thresholds.hpp"
#include "common/output/outputs.hpp"

namespace commgauge::tools {

/// What both subcommands ask for: how to analyse sweeps, and where the results go.
struct AnalysisSettings {
  ThresholdOptions options;
  std::string output;  ///< JSON; empty: none
  std::string plot;    ///< SVG or PNG; empty: none
};

void add_analysis_options(CLI::App& app, AnalysisSettings& settings);

/// Before anything is measured or written: the files can be written, and what draws is there if it
/// is needed. `others` are further outputs.
/// @throws InputError  with the reason.
void check_outputs(const AnalysisSettings& settings, std::vector<NamedFile> others,
                   const std::vector<NamedFile>& inputs = {});

/// @throws FitError  with the first reason, where no sweep has lines and no eager limit is known.
void require_findings(const Thresholds& thresholds);

/// How a file is written.
using Write = std::function<void(const std::string& file, std::string_view content)>;

/// Writes the files that were asked for: all, or none if drawing fails. The thresholds were found
/// in what was `measured`, or read from a CSV: then it has no launches.
/// @throws InputError  with the reason.
void write_results(const Thresholds& thresholds, const Measurements& measured,
                   const AnalysisSettings& settings, const Write& write);

}  // namespace commgauge::tools
