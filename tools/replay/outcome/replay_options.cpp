#include "replay/outcome/replay_options.hpp"

#include <utility>

#include "common/command_line/options.hpp"
#include "common/output/report.hpp"

namespace commgauge::tools {

void add_replay_options(CLI::App& app, ReplayOptions& options) {
  app.add_option("trace", options.trace, "The archive, from record or emulate --record")
      ->required()
      ->type_name("DIR");
  add_machine_options(app, options.machine,
                      "if the model file says, the time is the median of several draws, and the "
                      "interval holds them");
  add_choice<std::string>(app, "--compute", options.compute, {{"cpu", "cpu"}, {"none", "none"}},
                          "What computing costs: the CPU time that it took when the program was "
                          "recorded, or nothing (default: cpu)");
  app.add_flag("--rematch", options.rematches,
               "Receives from any source take what comes first there, not what they got when "
               "the program was recorded");
  app.add_option("--cores-per-rank", options.cores_per_rank,
                 "How many threads of a rank compute at once; the others wait for a core "
                 "(default: no limit)")
      ->check(CLI::PositiveNumber);
  app.add_flag("!--no-interval", options.has_interval,
               "The time alone: once, not with each of the model's replicates");
}

replay::PredictionOptions prediction_options(const ReplayOptions& options) {
  replay::PredictionOptions how;
  how.replay.collectives = schedule::choice_from(options.machine.collectives);
  how.replay.computes = options.compute != "none";
  how.replay.rematches = options.rematches;
  how.replay.cores_per_rank = options.cores_per_rank;
  how.machine = wanted_of(options.machine);
  how.has_interval = options.has_interval;
  return how;
}

Outcome outcome_of(const ReplayOptions& options, trace::Trace trace,
                   const replay::PredictionOptions& how) {
  Outcome all;
  all.trace = std::move(trace);
  auto& answer = static_cast<replay::Predicted&>(all);
  if (options.machine.model.empty()) {
    all.topology = options.machine.topology;
    answer = replay::predicted(all.trace, machine_of(options.machine), how);
    return all;
  }
  auto [model, assumed] = model_of(options.machine);
  all.model = std::move(model);
  replay::PredictionOptions with_model = how;
  with_model.assumed = std::move(assumed);
  answer = replay::predicted(all.trace, *all.model, with_model);
  return all;
}

void say_what_is_assumed(const Outcome& outcome, const ReplayOptions& options) {
  for (Diagnostic note : outcome.notes) {
    if (note.kind == replay::equal_processors) note.advice = "give --time-ratio";
    say((note.kind == replay::trace_remark ? options.trace + ": " : "") + note.text());
  }
}

}  // namespace commgauge::tools
