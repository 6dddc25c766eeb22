#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "commgauge/base/error.hpp"
#include "commgauge/base/files.hpp"
#include "commgauge/trace/read/reader.hpp"
#include "common/command_line/options.hpp"
#include "common/output/phase_progress.hpp"
#include "common/output/report.hpp"
#include "replay/commands/commands.hpp"
#include "replay/commands/run_outputs.hpp"
#include "replay/json/result_json.hpp"
#include "replay/json/what_if_json.hpp"
#include "replay/outcome/replay_options.hpp"
#include "replay/outcome/what_if_changes.hpp"
#include "replay/text/what_if_text.hpp"

namespace commgauge::tools {

namespace {

struct WhatIfSettings {
  ReplayOptions replay;
  std::vector<std::string> changes;
  std::vector<std::string> curves;
  int points{9};
  bool wants_tolerances{};
  std::string json;
  ProgressMode progress{};
};

/// Answers one question after the other, of one run.
class Asking {
 public:
  explicit Asking(const WhatIfSettings& settings)
      : settings_{settings},
        progress_{settings.progress},
        how_{shown(prediction_options(settings.replay))} {}

  [[nodiscard]] WhatIfOutcome run() {
    progress_.begin("replaying");
    all_.unchanged = outcome_of(settings_.replay, trace::read(settings_.replay.trace), how_);
    if (!settings_.changes.empty()) change();
    for (const std::string& curve : settings_.curves) add_curve(parse_range(curve));
    if (settings_.wants_tolerances) {
      progress_.begin("tolerances");
      all_.tolerances = replay::tolerances(trace(), model(), all_.unchanged, how_, tolerated);
    }
    return std::move(all_);
  }

 private:
  [[nodiscard]] replay::PredictionOptions shown(replay::PredictionOptions how) {
    how.progress = [this](std::size_t done, std::size_t all) {
      progress_.show(done, all > 1 ? all : 0);
    };
    return how;
  }
  [[nodiscard]] const trace::Trace& trace() const { return all_.unchanged.trace; }
  [[nodiscard]] const Model& model() const { return *all_.unchanged.model; }

  void change() {
    progress_.begin("with the changes");
    const ChangedRun changed = changed_run(settings_.replay, settings_.changes);
    auto how = shown(prediction_options(changed.options));
    auto [larger, assumed] = model_of(changed.options.machine);
    how.assumed = std::move(assumed);
    all_.changes = settings_.changes;
    all_.changed = replay::what_if(trace(), larger, all_.unchanged, how, changed.change);
  }
  void add_curve(const Range& range) {
    progress_.begin("curve of " + std::string{to_text(range.quantity)});
    all_.curves.push_back(
        {range.quantity,
         replay::curve(trace(), model(), all_.unchanged, how_, range.quantity, range.first,
                       range.last, static_cast<std::size_t>(settings_.points))});
  }

  const WhatIfSettings& settings_;
  PhaseProgress progress_;
  replay::PredictionOptions how_;
  WhatIfOutcome all_;
};

/// Before a long replay.
void check(const WhatIfSettings& settings) {
  const NamedFile json{"-o", settings.json};
  check_is_outside(json, settings.replay.trace);
  check_outputs({json}, files_of(settings.replay.machine));
  if (settings.replay.machine.model.empty()) {
    throw InputError(
        "--model is required (what-if changes a model's parameters): give it; on a topology "
        "replay run takes other parameters");
  }
  if (settings.changes.empty() && settings.curves.empty() && !settings.wants_tolerances) {
    throw InputError(
        "nothing is asked (what-if compares a run with others): give --change, --curve or "
        "--tolerance");
  }
  (void)changed_run(settings.replay, settings.changes);
  for (const std::string& curve : settings.curves) (void)parse_range(curve);
}

/// What isn't assumed of the unchanged run.
void say_what_else_is_assumed(const WhatIfOutcome& all) {
  if (!all.changed) return;
  for (const Diagnostic& note : all.changed->run.notes) {
    const auto& known = all.unchanged.notes;
    if (std::ranges::find(known, note) == known.end()) say("with the changes: " + note.text());
  }
}

ExitCode what_if(const WhatIfSettings& settings) {
  check(settings);
  const WhatIfOutcome all = Asking(settings).run();
  say_what_is_assumed(all.unchanged, settings.replay);
  say_what_else_is_assumed(all);
  if (settings.json != "-") print_result(what_if_text(all));
  if (!settings.json.empty()) {
    write_file(settings.json, json_text(what_if_json(all), 1) + "\n");
  }
  return ExitCode::done;
}

}  // namespace

void add_what_if(CLI::App& app, Job& job) {
  auto* command = app.add_subcommand(
      "what-if", "Tell how long a recorded program would take where the machine is otherwise");
  auto settings = std::make_shared<WhatIfSettings>();
  add_replay_options(*command, settings->replay);
  command
      ->add_option("--change", settings->changes,
                   "What is otherwise; repeat it for several at once. latency, bandwidth, "
                   "overheads, gaps, computing, uplink times a factor (computing:0,3=2: of these "
                   "ranks); "
                   "eager-limit=SIZE; collectives, placement as replay run takes them; hosts=8x4: "
                   "hosts and ranks of each")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  command
      ->add_option("--curve", settings->curves,
                   "The time over a range of factors of one of them, in equal ratios; repeat it")
      ->type_name("NAME=FIRST..LAST")
      ->allow_extra_args(false);
  add_whole(*command, "--points", settings->points, "Of a curve (default: 9)", 2);
  command->add_flag("--tolerance", settings->wants_tolerances,
                    "By how much latency, time per byte, overheads and computing may grow before "
                    "the run takes 1, 2 and 5 % longer");
  add_file(*command, "-o,--output", settings->json, "JSON file to write; -: instead of the text");
  add_progress(*command, settings->progress);
  command->footer(
      "Example:\n"
      "  replay what-if trace --model model.json --change latency=0.5 --change bandwidth=2\n"
      "  replay what-if trace --model model.json --curve latency=0.25..16 --tolerance\n"
      "  replay what-if trace --model model.json --change collectives=allreduce=reduce-bcast -o -");
  command->callback([settings, &job] { job.local = [settings] { return what_if(*settings); }; });
}

}  // namespace commgauge::tools
