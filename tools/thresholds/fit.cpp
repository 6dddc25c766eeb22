#include <algorithm>
#include <memory>
#include <optional>

#include "commgauge/base/error.hpp"
#include "commgauge/base/files.hpp"
#include "common/command_line/options.hpp"
#include "common/output/report.hpp"
#include "common/output/table.hpp"
#include "thresholds/analysis.hpp"
#include "thresholds/commands.hpp"
#include "thresholds/describe.hpp"

namespace commgauge::tools {

namespace {

struct FitSettings {
  AnalysisSettings analysis;
  std::string input;
  std::optional<std::string> kind;
  std::optional<double> confidence;  ///< default: what the measurements were made for
};

/// Kinds appear in messages and pictures, which must be text.
void check_kinds(const std::vector<Sweep>& sweeps, const std::string& name) {
  const auto is_odd = [](char c) { return c < ' ' || c > '~'; };
  for (const Sweep& sweep : sweeps) {
    std::string kind = sweep.kind;
    if (std::none_of(kind.begin(), kind.end(), is_odd)) continue;
    std::replace_if(kind.begin(), kind.end(), is_odd, '?');
    std::string problem = name;
    problem += ": kind '";
    problem += kind;
    problem +=
        "' has characters that are not printable ASCII (it names the sweep in messages and "
        "plots): rename it";
    throw InputError(problem);
  }
}

Measurements parse_input(const std::string& text, const std::string& name) {
  const auto start = text.find_first_not_of(" \t\r\n");
  if (start != std::string::npos && text[start] == '{') return measurements_from_json(text, name);
  Measurements measurements;
  measurements.sweeps = sweeps_from_csv(text, name);
  return measurements;
}

Measurements read_input(const std::string& file) {
  const std::string name = file == "-" ? "standard input" : file;
  Measurements input = parse_input(read_file(file), name);
  check_kinds(input.sweeps, name);
  return input;
}

void keep_only(const std::string& kind, std::vector<Sweep>& sweeps) {
  std::vector<std::string> kinds;
  for (const Sweep& sweep : sweeps) {
    const std::string name = sweep.kind.empty() ? "one without a kind" : sweep.kind;
    if (std::find(kinds.begin(), kinds.end(), name) == kinds.end()) kinds.push_back(name);
  }
  std::erase_if(sweeps, [&](const Sweep& sweep) { return sweep.kind != kind; });
  if (sweeps.empty()) {
    throw InputError("no sweep is of kind '" + kind + "' (there is " +
                     (kinds.empty() ? "none at all" : joined(kinds)) + "): choose one of those");
  }
}

Thresholds analysed(const Measurements& input, const ThresholdOptions& options) {
  return input.launches.empty() ? find_thresholds(input.sweeps, options)
                                : find_thresholds(input, options);
}

ExitCode run_fit(const FitSettings& settings) {
  check_outputs(settings.analysis, {}, {{"the input", settings.input}});
  Measurements input = read_input(settings.input);
  if (settings.kind) keep_only(*settings.kind, input.sweeps);
  const double measured_for =
      input.launches.empty() ? SegmentationOptions{}.confidence : input.launches.front().confidence;
  ThresholdOptions options = settings.analysis.options;
  options.segmentation.confidence = settings.confidence.value_or(measured_for);
  const Thresholds thresholds = analysed(input, options);
  require_findings(thresholds);
  write_results(thresholds, input, settings.analysis,
                [](const auto& file, auto content) { write_file(file, content); });
  const std::string summary = describe(thresholds, options);
  if (settings.analysis.output.empty() && settings.analysis.plot != "-") {
    print_result(summary);
  } else {
    tell(summary);
  }
  return ExitCode::done;
}

}  // namespace

void add_fit(CLI::App& app, Job& job) {
  auto* command = app.add_subcommand("fit", "Find the thresholds in recorded times, off line");
  auto settings = std::make_shared<FitSettings>();
  add_file(*command, "sweep", settings->input,
           "CSV with columns kind,size_bytes,time_s, or a measurement file")
      ->required();
  add_file(*command, "-o,--output", settings->analysis.output,
           "The thresholds file to write, - for stdout (default: a summary only)");
  command->add_option("--kind", settings->kind, "The one sweep to analyse (default: all)");
  add_analysis_options(*command, settings->analysis);
  add_confidence(*command, settings->confidence);
  command->footer(
      "Example:\n"
      "  thresholds fit sweep.csv -o thresholds.json --plot thresholds.svg");
  command->callback([settings, &job] { job.local = [settings] { return run_fit(*settings); }; });
}

}  // namespace commgauge::tools
