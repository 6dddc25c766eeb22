#include <memory>
#include <utility>

#include "commgauge/trace/read/reader.hpp"
#include "common/command_line/options.hpp"
#include "common/output/phase_progress.hpp"
#include "replay/commands/commands.hpp"
#include "replay/commands/run_outputs.hpp"
#include "replay/outcome/replay_options.hpp"

namespace commgauge::tools {

namespace {

struct RunSettings {
  ReplayOptions replay;
  RunOutputs outputs;
  ProgressMode progress{};
};

Outcome replayed(const RunSettings& settings, replay::PredictionOptions options) {
  PhaseProgress progress{settings.progress};
  progress.begin("reading");
  progress.show(0, 1);
  trace::Trace trace = trace::read(settings.replay.trace);
  progress.begin("replaying");
  options.progress = [&](std::size_t done, std::size_t all) { progress.show(done, all); };
  return outcome_of(settings.replay, std::move(trace), options);
}

ExitCode run(const RunSettings& settings) {
  replay::PredictionOptions options = prediction_options(settings.replay);
  prepare(options.replay, settings.outputs);
  check(settings.outputs, settings.replay.trace, files_of(settings.replay.machine), options.replay);
  const Outcome outcome = replayed(settings, options);
  say_what_is_assumed(outcome, settings.replay);
  write(outcome, settings.outputs, options.replay);
  return ExitCode::done;
}

}  // namespace

void add_run(CLI::App& app, Job& job) {
  auto* command =
      app.add_subcommand("run", "Run a recorded program on the machine of a model, or a topology");
  auto settings = std::make_shared<RunSettings>();
  add_replay_options(*command, settings->replay);
  add_output_options(*command, settings->outputs);
  add_progress(*command, settings->progress);
  command->footer(
      "Example:\n"
      "  replay run trace --model model.json\n"
      "  replay run trace --model model.json --collectives allreduce=reduce-bcast --timeline\n"
      "  replay run trace --model model.json --page run.html --perfetto run.json\n"
      "  replay run trace --topology hypercube:16 --start-up 50us --per-byte 10ns --contention");
  command->callback([settings, &job] { job.local = [settings] { return run(*settings); }; });
}

}  // namespace commgauge::tools
