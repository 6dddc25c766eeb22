#include "analysis.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <optional>

#include "commgauge/base/error.hpp"
#include "commgauge/base/files.hpp"
#include "common/options.hpp"
#include "gnuplot.hpp"
#include "plot.hpp"

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
  add_file(app, "--plot", settings.plot, "Draw the sweeps and what was found in them (SVG)");
}

namespace {

void check_picture_name(const std::string& file) {
  const std::string ending = std::filesystem::path{file}.extension().string();
  if (ending.empty() || ending == ".svg" || ending == ".SVG") return;
  throw InputError("cannot draw into " + file + " (" + ending +
                   " is not what is drawn, which is SVG): give a name that ends in .svg, or take "
                   "python3 -m commgauge plot sweep");
}

}  // namespace

void check_outputs(const AnalysisSettings& settings, std::vector<NamedFile> others,
                   const std::vector<NamedFile>& inputs) {
  others.push_back({"-o", settings.output});
  others.push_back({"--plot", settings.plot});
  check_outputs(others, inputs);
  check_picture_name(settings.plot);
  if (!settings.plot.empty()) check_gnuplot();
}

void require_findings(const Thresholds& thresholds) {
  const auto has_lines = [](const SweepAnalysis& analysis) { return analysis.reason.empty(); };
  if (thresholds.eager_limit.size || thresholds.sweeps.empty() ||
      std::ranges::any_of(thresholds.sweeps, has_lines)) {
    return;
  }
  throw FitError(thresholds.sweeps.front().reason);
}

void write_results(const Thresholds& thresholds, const AnalysisSettings& settings,
                   const Write& write) {
  // gnuplot may fail: before anything is written.
  const std::string picture = settings.plot.empty() ? "" : draw(plot_script(thresholds));
  if (!settings.output.empty()) write(settings.output, to_json(thresholds));
  if (!settings.plot.empty()) write(settings.plot, picture);
}

}  // namespace commgauge::tools
