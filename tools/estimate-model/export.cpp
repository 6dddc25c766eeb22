#include "commgauge/export.hpp"

#include <memory>

#include "commands.hpp"
#include "commgauge/files.hpp"
#include "common/options.hpp"
#include "common/outputs.hpp"
#include "common/report.hpp"
#include "common/table.hpp"

namespace commgauge::tools {

namespace {

struct Settings {
  std::string input;
  std::string output{"-"};
  ExportFormat format{};
  std::string model;
};

void tell_losses(const Exported& exported) {
  if (exported.model.empty()) return;
  say("from the model " + exported.model + "; one-way times of the export are off by up to " +
      percent(exported.worst_error) + " of the model's");
  for (const std::string& loss : exported.losses) say("lost: " + loss);
}

ExitCode run_export(const Settings& settings) {
  check_outputs({{"-o", settings.output}}, {"the model", settings.input});
  const Model model = load_model(settings.input);
  const Exported exported = export_model(model, settings.format, settings.model);
  write_file(settings.output, exported.text);
  tell_losses(exported);
  return ExitCode::done;
}

}  // namespace

void add_export(CLI::App& app, Job& job) {
  auto* command = app.add_subcommand("export", "Write a model as another predictor reads it");
  auto settings = std::make_shared<Settings>();
  command->add_option("model", settings->input, "The model file, - for stdin")->required();
  add_text(*command, "--format", "Of " + CLI::detail::join(export_format_names(), ", "),
           [settings](const std::string& text) { settings->format = parse_export_format(text); })
      ->type_name("NAME")
      ->required();
  command
      ->add_option("--model", settings->model,
                   "Which model (default: the best ranked that the format can hold)")
      ->type_name("NAME");
  command->add_option("-o,--output", settings->output, "The file to write, - for stdout")
      ->capture_default_str();
  command->footer(
      "Example:\n"
      "  estimate-model export model.json --format simgrid -o platform.xml\n"
      "What the format can't hold is said on standard error, with the largest error that it "
      "makes.");
  command->callback([settings, &job] { job.local = [settings] { return run_export(*settings); }; });
}

}  // namespace commgauge::tools
