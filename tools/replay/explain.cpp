#include <chrono>
#include <memory>
#include <utility>

#include "commands.hpp"
#include "commgauge/base/files.hpp"
#include "commgauge/replay/explanation.hpp"
#include "commgauge/trace/reader.hpp"
#include "common/options.hpp"
#include "common/report.hpp"
#include "explanation_json.hpp"
#include "explanation_text.hpp"
#include "replay_options.hpp"
#include "result_json.hpp"
#include "run_outputs.hpp"

namespace commgauge::tools {

namespace {

struct Settings {
  ReplayOptions replay;
  int confirmed{20};
  std::string json;
  ProgressMode progress{};
};

/// Shows how far it has come, phase by phase.
class Progress {
 public:
  explicit Progress(ProgressMode mode) : display_{mode} {}
  void show(const std::string& phase, std::size_t done, std::size_t all) {
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - began_;
    display_.show({.phase = phase,
                   .done = static_cast<long>(done),
                   .total = static_cast<long>(all),
                   .elapsed = Seconds{elapsed.count()},
                   .remaining = Seconds{-1}});
  }

 private:
  ProgressDisplay display_;
  std::chrono::steady_clock::time_point began_{std::chrono::steady_clock::now()};
};

struct Explained {
  Outcome outcome;
  replay::Explanation explanation;
};

Explained explained(const Settings& settings) {
  Progress progress{settings.progress};
  const auto show = [&](const std::string& phase, std::size_t done, std::size_t all) {
    progress.show(phase, done, all);
  };
  show("reading", 0, 1);
  trace::Trace trace = trace::read(settings.replay.trace);
  simulate::Causes causes(static_cast<int>(trace.ranks.size()));
  replay::PredictionOptions how = prediction_options(settings.replay);
  how.replay.causes = &causes;
  how.progress = [&](std::size_t done, std::size_t all) { show("replaying", done, all); };
  Explained all{outcome_of(settings.replay, std::move(trace), how), {}};
  replay::Explaining what;
  what.replay = how.replay;
  what.most_confirmed = static_cast<std::size_t>(settings.confirmed);
  what.progress = show;
  all.explanation = replay::explain(all.outcome.trace, all.outcome.machine, causes, what);
  return all;
}

ExitCode run(const Settings& settings) {
  const NamedFile json{"-o", settings.json};
  check_is_outside(json, settings.replay.trace);
  check_outputs({json}, files_of(settings.replay.machine));
  const auto [outcome, explanation] = explained(settings);
  say_what_is_assumed(outcome, settings.replay);
  if (settings.json != "-") print_result(explanation_text(outcome, explanation));
  if (!settings.json.empty()) {
    write_file(settings.json, json_text(explanation_json(outcome, explanation), 1) + "\n");
  }
  return ExitCode::done;
}

}  // namespace

void add_explain(CLI::App& app, Job& job) {
  auto* command = app.add_subcommand(
      "explain", "Tell where a recorded program's time goes there, and what would help");
  auto settings = std::make_shared<Settings>();
  add_replay_options(*command, settings->replay);
  add_whole(*command, "--confirm", settings->confirmed,
            "How many of the best single waits are taken away in a replay, too; of long programs "
            "fewer (default: 20)",
            0);
  add_file(*command, "-o,--output", settings->json, "JSON file to write; -: instead of the text");
  add_progress(*command, settings->progress);
  command->footer(
      "Example:\n"
      "  replay explain trace --model model.json\n"
      "  replay explain trace --model model.json --no-interval -o explanation.json");
  command->callback([settings, &job] { job.local = [settings] { return run(*settings); }; });
}

}  // namespace commgauge::tools
