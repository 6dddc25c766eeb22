#include "thresholds/analysis.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <optional>

#include "commgauge/base/error.hpp"
#include "commgauge/base/files.hpp"
#include "common/command_line/options.hpp"
#include "common/output/report.hpp"
#include "thresholds/picture.hpp"

namespace commgauge::tools {

namespace {

std::optional<int> read_breaks(const std::string& text) {
  if (text == "auto") return std::nullopt;
  try {
    return static_cast<int>(parse_whole(text, 0, std::numeric_limits<int>::max()));
  } catch (const InputError& error) {
    throw InputError(std::string{error.what()} + ", or auto");
  }
}

}  // namespace

void add_analysis_options(CLI::App& app, AnalysisSettings& settings) {
  constexpr int shortest_segment = 3;
  SegmentationOptions& options = settings.options.segmentation;
  add_text(app, "--breaks", "How many breaks each sweep has", [&options](const auto& text) {
    options.breaks = read_breaks(text);
  })->type_name("auto|NUMBER");
  add_whole(app, "--most-breaks", options.most_breaks, "Breaks at most, with --breaks auto", 0);
  add_choice(app, "--criterion", options.criterion,
             {{"bic", Criterion::bic}, {"lwz", Criterion::lwz}},
             "What decides how many breaks there are; lwz finds fewer");
  add_whole(app, "--min-segment", options.min_segment, "Sizes between two breaks, at least",
            shortest_segment);
  add_choice(
      app, "--weights", settings.options.weights,
      {{"auto", Weights::automatic}, {"relative", Weights::relative}, {"none", Weights::none}},
      "Whether a point counts by its relative error");
  add_file(app, "--plot", settings.plot, "Draw the sweeps and what was found in them (SVG, PNG)");
}

namespace {

/// As the picture's name ends; SVG where it has no ending.
std::string format_of(const std::string& file) {
  const std::string ending = std::filesystem::path{file}.extension().string();
  if (ending == ".png" || ending == ".PNG") return "png";
  if (ending.empty() || ending == ".svg" || ending == ".SVG") return "svg";
  throw InputError("cannot draw into " + file + " (" + ending +
                   " is neither SVG nor PNG): give a name that ends in .svg or .png");
}

std::string as_file(const Measurements& measured) {
  return measured.launches.empty() ? to_csv(measured.sweeps) : to_json(measured);
}

/// @return nothing where nothing was swept, which is said.
std::string picture_of(const Thresholds& thresholds, const Measurements& measured,
                       const std::string& file) {
  const auto is_swept = [](const SweepAnalysis& one) { return !one.sweep.points.empty(); };
  if (std::ranges::any_of(thresholds.sweeps, is_swept)) {
    return draw(thresholds, as_file(measured), format_of(file));
  }
  say(file + " is not written (nothing was swept): measure with 3 ranks or more");
  return "";
}

}  // namespace

void check_outputs(const AnalysisSettings& settings, std::vector<NamedFile> others,
                   const std::vector<NamedFile>& inputs) {
  others.push_back({"-o", settings.output});
  others.push_back({"--plot", settings.plot});
  check_outputs(others, inputs);
  if (settings.plot.empty()) return;
  (void)format_of(settings.plot);
  check_drawing();
}

void require_findings(const Thresholds& thresholds) {
  const auto has_lines = [](const SweepAnalysis& analysis) { return analysis.reason.empty(); };
  if (thresholds.eager_limit.size || thresholds.sweeps.empty() ||
      std::ranges::any_of(thresholds.sweeps, has_lines)) {
    return;
  }
  throw FitError(thresholds.sweeps.front().reason);
}

void write_results(const Thresholds& thresholds, const Measurements& measured,
                   const AnalysisSettings& settings, const Write& write) {
  // Drawing may fail: before anything is written.
  const std::string picture =
      settings.plot.empty() ? "" : picture_of(thresholds, measured, settings.plot);
  if (!settings.output.empty()) write(settings.output, to_json(thresholds));
  if (!picture.empty()) write(settings.plot, picture);
}

}  // namespace commgauge::tools
