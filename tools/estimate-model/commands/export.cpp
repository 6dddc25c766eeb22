#include "commgauge/export/export.hpp"

#include <algorithm>
#include <memory>

#include "commgauge/base/files.hpp"
#include "commgauge/model/contention.hpp"
#include "commgauge/model/interval_meaning.hpp"
#include "common/command_line/completion.hpp"
#include "common/command_line/larger_machine.hpp"
#include "common/command_line/options.hpp"
#include "common/output/outputs.hpp"
#include "common/output/report.hpp"
#include "common/output/table.hpp"
#include "estimate-model/commands/commands.hpp"

namespace commgauge::tools {

namespace {

struct ExportSettings {
  std::string input;
  LargerMachine larger;
  std::string output{"-"};
  ExportFormat format{};
  std::string model;
};

/// The model's place, and how far it is off itself.
std::string own_error_text(const Model& model, const std::string& name) {
  const auto place = std::ranges::find(model.ranking, name, &Ranking::model);
  if (place == model.ranking.end()) return "no times judge it that no fit saw";
  std::vector<std::string> errors;
  for (const auto& [operation, error] : place->operations) {
    errors.push_back(std::string{to_text(operation)} + " " + percent(error));
  }
  return "ranked " + std::to_string(place - model.ranking.begin() + 1) + " of " +
         std::to_string(model.ranking.size()) +
         "; its own error (median) on times that no fit saw is " + joined(errors);
}

std::string loss_text(ExportFormat format, const std::string& error) {
  if (format == ExportFormat::ompi_rules || format == ExportFormat::mpich_coll) {
    return "some root's chosen algorithm takes up to " + error +
           " longer than the other, by the model";
  }
  return "one-way times of the export are off by up to " + error +
         " of the model's, beside the model's own error";
}

void tell_losses(ExportFormat format, const Model& model, const Exported& exported) {
  if (exported.model.empty()) return;
  for (const std::string& line : exported.passed_over) say("passed over: " + line);
  say("from the model " + exported.model + ", " + own_error_text(model, exported.model));
  say(loss_text(format, percent(exported.worst_error)));
  for (const std::string& loss : exported.losses) say("lost: " + loss);
  for (const std::string& line : exported.usage) say(line);
}

ExitCode run_export(const ExportSettings& settings) {
  check_outputs({{"-o", settings.output}}, {{"the model", settings.input}});
  const Model model = as_large(load_model(settings.input), settings.larger);
  const Exported exported = export_model(model, settings.format, settings.model);
  write_file(settings.output, exported.text);
  tell_losses(settings.format, model, exported);
  if (settings.format != ExportFormat::csv) return ExitCode::done;
  if (const auto note = contention_note(model)) say(note->text());
  say("low to high: " + interval_meaning(model));
  return ExitCode::done;
}

}  // namespace

void add_export(CLI::App& app, Job& job) {
  auto* command = app.add_subcommand("export", "Write a model as another predictor reads it");
  auto settings = std::make_shared<ExportSettings>();
  add_file(*command, "model", settings->input, "The model file, - for stdin")->required();
  CLI::Option* const format =
      add_text(*command, "--format", "Of " + CLI::detail::join(export_format_names(), ", "),
               [settings](const auto& text) { settings->format = parse_export_format(text); });
  with_words(format, export_format_names())->type_name("NAME")->required();
  with_words(command->add_option("--model", settings->model,
                                 "Which model (default: the best ranked that the format can hold)"),
             model_names())
      ->type_name("NAME");
  add_larger_machine(*command, settings->larger);
  add_file(*command, "-o,--output", settings->output, "The file to write, - for stdout")
      ->capture_default_str();
  command->footer(
      "Example:\n"
      "  estimate-model export model.json --format simgrid -o platform.xml\n"
      "Which model it is, its own error, what the format can't hold of it and the largest error "
      "that\nthis makes are said on standard error; of ompi-rules and mpich-coll also how they are "
      "used, and what can go wrong.");
  command->callback([settings, &job] { job.local = [settings] { return run_export(*settings); }; });
}

}  // namespace commgauge::tools
