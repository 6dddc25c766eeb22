#include <memory>

#include "commands.hpp"
#include "commgauge/trace/reader.hpp"
#include "replay_options.hpp"
#include "run_outputs.hpp"

namespace commgauge::tools {

namespace {

struct Settings {
  ReplayOptions replay;
  RunOutputs outputs;
};

ExitCode run(const Settings& settings) {
  replay::PredictionOptions options = prediction_options(settings.replay);
  prepare(options.replay, settings.outputs);
  check(settings.outputs, settings.replay.trace, files_of(settings.replay.machine), options.replay);
  const Outcome outcome = outcome_of(settings.replay, trace::read(settings.replay.trace), options);
  say_what_is_assumed(outcome, settings.replay);
  write(outcome, settings.outputs, options.replay);
  return ExitCode::done;
}

}  // namespace

void add_run(CLI::App& app, Job& job) {
  auto* command =
      app.add_subcommand("run", "Run a recorded program on the machine of a model, or a topology");
  auto settings = std::make_shared<Settings>();
  add_replay_options(*command, settings->replay);
  add_output_options(*command, settings->outputs);
  command->footer(
      "Example:\n"
      "  replay run trace --model model.json\n"
      "  replay run trace --model model.json --collectives allreduce=reduce-bcast --timeline\n"
      "  replay run trace --model model.json --page run.html --perfetto run.json\n"
      "  replay run trace --topology hypercube:16 --start-up 50us --per-byte 10ns --contention");
  command->callback([settings, &job] { job.local = [settings] { return run(*settings); }; });
}

}  // namespace commgauge::tools
