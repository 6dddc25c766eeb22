#include "analysis.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "commgauge/error.hpp"
#include "commgauge/files.hpp"
#include "common/options.hpp"
#include "gnuplot.hpp"
#include "plot.hpp"

namespace commgauge::tools {

namespace {

std::optional<int> read_breaks(const std::string& text) {
  if (text == "auto") return std::nullopt;
  int count{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, count);
  if (error != std::errc{} || stop != end || count < 0) {
    throw InputError("'" + text + "' is no number of breaks (0, 1, 2, ... or auto)");
  }
  return count;
}

}  // namespace

void add_analysis_options(CLI::App& app, AnalysisSettings& settings) {
  constexpr int shortest_segment = 3;
  SegmentationOptions& options = settings.options.segmentation;
  add_text(app, "--breaks", "How many breaks each sweep has", [&options](const auto& text) {
    options.breaks = read_breaks(text);
  })->type_name("auto|NUMBER");
  app.add_option("--most-breaks", options.most_breaks, "Breaks at most, with --breaks auto")
      ->check(count(0))
      ->capture_default_str();
  add_choice(app, "--criterion", options.criterion,
             {{"bic", Criterion::bic}, {"lwz", Criterion::lwz}},
             "What decides how many breaks there are; lwz finds fewer");
  app.add_option("--min-segment", options.min_segment, "Sizes between two breaks, at least")
      ->check(count(shortest_segment))
      ->capture_default_str();
  add_choice(
      app, "--weights", settings.options.weights,
      {{"auto", Weights::automatic}, {"relative", Weights::relative}, {"none", Weights::none}},
      "Whether a point counts by its relative error");
  add_file(app, "--plot", settings.plot, "Draw the sweeps and what was found in them (SVG)");
}

void check_outputs(const AnalysisSettings& settings, std::vector<NamedFile> others,
                   const NamedFile& input) {
  others.push_back({"-o", settings.output});
  others.push_back({"--plot", settings.plot});
  check_outputs(others, input);
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

void write_results(const Thresholds& thresholds, const AnalysisSettings& settings) {
  // gnuplot may fail: before anything is written.
  const std::string picture = settings.plot.empty() ? "" : draw(plot_script(thresholds));
  if (!settings.output.empty()) write_file(settings.output, to_json(thresholds));
  if (!settings.plot.empty()) write_file(settings.plot, picture);
}

}  // namespace commgauge::tools
