#include "commgauge/judge/fit.hpp"

#include <memory>
#include <optional>

#include "commgauge/base/files.hpp"
#include "common/command_line/options.hpp"
#include "common/output/outputs.hpp"
#include "common/output/report.hpp"
#include "estimate-model/commands/commands.hpp"
#include "estimate-model/text/describe.hpp"

namespace commgauge::tools {

namespace {

struct FitSettings {
  std::vector<std::string> inputs;
  std::string output;
  std::string merged;  ///< all measurements in one file; empty: none
  std::vector<std::string> models;
  std::optional<double> confidence;  ///< default: what the measurements were made for
};

ExitCode run_fit(const FitSettings& settings) {
  std::vector<NamedFile> inputs;
  for (const auto& input : settings.inputs) inputs.push_back({"the measurements", input});
  check_outputs({{"-o", settings.output}, {"--measurements", settings.merged}}, inputs);
  std::vector<Measurements> parts;
  for (const auto& input : settings.inputs) parts.push_back(load_measurements(input));
  const Measurements all = merge(parts);
  const double confidence = settings.confidence.value_or(all.launches.front().confidence);
  const Model model = fit(all, {insisted_on(settings.models), confidence});
  if (!settings.merged.empty()) write_file(settings.merged, to_json(all));
  write_file(settings.output, to_json(model));
  for (const std::string& line : first_lines(model)) say(line);
  if (!model.not_determined.empty()) say("not determined: " + model.not_determined);
  return ExitCode::done;
}

}  // namespace

void add_fit(CLI::App& app, Job& job) {
  auto* command = app.add_subcommand("fit", "Fit the models to measurement files, off line");
  auto settings = std::make_shared<FitSettings>();
  add_file(*command, "measurements", settings->inputs, "Files of one machine, one for each launch")
      ->required();
  add_file(*command, "-o,--output", settings->output, "The model file to write, - for stdout")
      ->required();
  add_file(*command, "--measurements", settings->merged, "Keep all measurements in one file, too");
  add_models(*command, settings->models, "all that can be");
  add_confidence(*command, settings->confidence);
  command->footer(
      "Example:\n"
      "  estimate-model fit monday.json tuesday.json -o model.json --measurements both.json");
  command->callback([settings, &job] { job.local = [settings] { return run_fit(*settings); }; });
}

}  // namespace commgauge::tools
