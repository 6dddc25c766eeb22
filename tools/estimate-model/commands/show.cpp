#include <memory>

#include "commgauge/judge/compare.hpp"
#include "common/command_line/options.hpp"
#include "common/output/report.hpp"
#include "common/output/table.hpp"
#include "estimate-model/commands/commands.hpp"
#include "estimate-model/text/describe.hpp"

namespace commgauge::tools {

namespace {

struct ShowSettings {
  std::string input;
  bool check{};
  bool all{};
};

ExitCode run_show(const ShowSettings& settings) {
  const Model model = load_model(settings.input);
  const auto what_stands_out = outliers(model);
  print_result(describe(model, what_stands_out, settings.all ? Extent::everything : Extent::worst));
  const auto unlike_their_kind = slow_deviations(model);
  const auto found = std::ssize(what_stands_out) + std::ssize(unlike_their_kind);
  if (!settings.check || found == 0) return ExitCode::done;
  const std::string where =
      unlike_their_kind.empty() ? "What stands out" : "What isn't like its kind";
  say(counted(found, "finding") + " under " + where +
      " (far from the others of its kind): look at the hosts and cables named there");
  return ExitCode::found;
}

}  // namespace

void add_show(CLI::App& app, Job& job) {
  auto* command = app.add_subcommand("show", "Show a model as tables for people");
  auto settings = std::make_shared<ShowSettings>();
  add_file(*command, "model", settings->input, "The model file")->required();
  command->add_flag("--check", settings->check, "Exit with 1 when a host or a link stands out");
  command->add_flag("--all", settings->all, "All that stands out, not just the worst twenty");
  command->footer(
      "Example:\n"
      "  estimate-model show model.json");
  command->callback([settings, &job] { job.local = [settings] { return run_show(*settings); }; });
}

}  // namespace commgauge::tools
