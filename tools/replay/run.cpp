#include <memory>

#include "commands.hpp"
#include "commgauge/replay/prediction.hpp"
#include "commgauge/trace/reader.hpp"
#include "common/options.hpp"
#include "common/report.hpp"
#include "machine/machine_options.hpp"
#include "outcome.hpp"
#include "run_outputs.hpp"

namespace commgauge::tools {

namespace {

struct Settings {
  std::string trace;
  MachineOptions machine;
  std::string compute{"cpu"};
  RunOutputs outputs;
  bool rematches{};
  bool has_interval{true};
};

replay::PredictionOptions options_of(const Settings& settings) {
  replay::PredictionOptions options;
  options.replay.collectives = schedule::choice_from(settings.machine.collectives);
  options.replay.computes = settings.compute != "none";
  options.replay.rematches = settings.rematches;
  prepare(options.replay, settings.outputs);
  options.kind = settings.machine.kind;
  options.machine_of = [&settings](const Model& model, const std::string& kind) {
    MachineOptions machine = settings.machine;
    machine.kind = kind;
    return machine_of(machine, model);
  };
  options.has_interval = settings.has_interval;
  options.knows_speeds = !settings.machine.time_ratio.empty();
  return options;
}

Outcome outcome_of(const Settings& settings, const replay::PredictionOptions& options) {
  Outcome all;
  all.trace = trace::read(settings.trace);
  auto& answer = static_cast<replay::Predicted&>(all);
  if (settings.machine.model.empty()) {
    all.topology = settings.machine.topology;
    answer = replay::predicted(all.trace, machine_of(settings.machine), options);
    return all;
  }
  const Model model = load_model(settings.machine.model);
  all.confidence = model.confidence;
  answer = replay::predicted(all.trace, model, options);
  return all;
}

void say_what_is_assumed(const Outcome& all, const Settings& settings) {
  for (Diagnostic note : all.notes) {
    if (note.kind == replay::equal_processors) note.advice = "give --time-ratio";
    say((note.kind == replay::trace_remark ? settings.trace + ": " : "") + note.text());
  }
}

ExitCode run(const Settings& settings) {
  const replay::PredictionOptions options = options_of(settings);
  check(settings.outputs, settings.trace, files_of(settings.machine), options.replay);
  const Outcome outcome = outcome_of(settings, options);
  say_what_is_assumed(outcome, settings);
  write(outcome, settings.outputs, options.replay);
  return ExitCode::done;
}

}  // namespace

void add_run(CLI::App& app, Job& job) {
  auto* command =
      app.add_subcommand("run", "Run a recorded program on the machine of a model, or a topology");
  auto settings = std::make_shared<Settings>();
  command->add_option("trace", settings->trace, "The archive, from record or emulate --record")
      ->required()
      ->type_name("DIR");
  add_machine_options(*command, settings->machine);
  add_choice<std::string>(*command, "--compute", settings->compute,
                          {{"cpu", "cpu"}, {"none", "none"}},
                          "What computing costs: the CPU time that it took when the program was "
                          "recorded, or nothing (default: cpu)");
  command->add_flag("--rematch", settings->rematches,
                    "Receives from any source take what comes first there, not what they got when "
                    "the program was recorded");
  command->add_flag("!--no-interval", settings->has_interval,
                    "The time alone: once, not with each of the model's replicates");
  add_output_options(*command, settings->outputs);
  command->footer(
      "Example:\n"
      "  replay run trace --model model.json\n"
      "  replay run trace --model model.json --collectives allreduce=ring --timeline\n"
      "  replay run trace --model model.json --page run.html --perfetto run.json\n"
      "  replay run trace --topology hypercube:16 --start-up 50us --per-byte 10ns --contention");
  command->callback([settings, &job] { job.local = [settings] { return run(*settings); }; });
}

}  // namespace commgauge::tools
