#include "commgauge/export.hpp"

#include <memory>

#include "commands.hpp"
#include "commgauge/files.hpp"
#include "common/completion.hpp"
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

std::string error_text(ExportFormat format, const std::string& error) {
  if (format == ExportFormat::ompi_rules || format == ExportFormat::mpich_coll) {
    return "some root's chosen algorithm takes up to " + error + " longer than the other";
  }
  return "one-way times of the export are off by up to " + error + " of the model's";
}

void tell_losses(ExportFormat format, const Exported& exported) {
  if (exported.model.empty()) return;
  say("from the model " + exported.model + "; " +
      error_text(format, percent(exported.worst_error)));
  for (const std::string& loss : exported.losses) say("lost: " + loss);
  for (const std::string& line : exported.usage) say(line);
}

ExitCode run_export(const Settings& settings) {
  check_outputs({{"-o", settings.output}}, {"the model", settings.input});
  const Model model = load_model(settings.input);
  const Exported exported = export_model(model, settings.format, settings.model);
  write_file(settings.output, exported.text);
  tell_losses(settings.format, exported);
  return ExitCode::done;
}

}  // namespace

void add_export(CLI::App& app, Job& job) {
  auto* command = app.add_subcommand("export", "Write a model as another predictor reads it");
  auto settings = std::make_shared<Settings>();
  add_file(*command, "model", settings->input, "The model file, - for stdin")->required();
  CLI::Option* const format =
      add_text(*command, "--format", "Of " + CLI::detail::join(export_format_names(), ", "),
               [settings](const auto& text) { settings->format = parse_export_format(text); });
  with_words(format, export_format_names())->type_name("NAME")->required();
  with_words(
      command->add_option("--model", settings->model,
                          "Which model (default: the best ranked that the format can hold; of "
                          "simgrid lmo or bottleneck, if there is one)"),
      model_names())
      ->type_name("NAME");
  add_file(*command, "-o,--output", settings->output, "The file to write, - for stdout")
      ->capture_default_str();
  command->footer(
      "Example:\n"
      "  estimate-model export model.json --format simgrid -o platform.xml\n"
      "What the format can't hold is said on standard error, with the largest error that it "
      "makes;\nof ompi-rules and mpich-coll also how they are used, and what can go wrong.");
  command->callback([settings, &job] { job.local = [settings] { return run_export(*settings); }; });
}

}  // namespace commgauge::tools
