#include <memory>
#include <utility>

#include "commands.hpp"
#include "commgauge/base/files.hpp"
#include "commgauge/model/scaled.hpp"
#include "commgauge/replay/explanation.hpp"
#include "commgauge/trace/reader.hpp"
#include "common/options.hpp"
#include "common/report.hpp"
#include "explanation_json.hpp"
#include "explanation_text.hpp"
#include "page.hpp"
#include "replay_options.hpp"
#include "replay_progress.hpp"
#include "result_json.hpp"
#include "run_outputs.hpp"

namespace commgauge::tools {

namespace {

struct Settings {
  ReplayOptions replay;
  int confirmed{20};
  std::string json;
  std::string page;
  ProgressMode progress{};
};

struct Explained {
  Outcome outcome;
  replay::Explanation explanation;
};

/// The job's machine, but for factors of its costs.
replay::CostDivision::MachineWith machine_with(const Settings& settings, const Outcome& outcome,
                                               const replay::PredictionOptions& how) {
  const auto ranks = static_cast<int>(outcome.trace.ranks.size());
  return [&, ranks](const Factors& factors) {
    if (outcome.model) {
      return for_job(how.machine_of(scaled(*outcome.model, factors), outcome.machine.kind), ranks);
    }
    MachineOptions options = settings.replay.machine;
    options.topology.links.start_up.value *= factors.latency;
    options.topology.links.per_byte.value *= factors.per_byte;
    return for_job(machine_of(options), ranks);
  };
}

Explained explained(const Settings& settings) {
  ReplayProgress progress{settings.progress};
  const auto show = [&](const std::string& phase, std::size_t done, std::size_t all) {
    progress.begin(phase);
    progress.show(done, all);
  };
  const auto show_as = [&](const std::string& phase) {
    return [&show, phase](std::size_t done, std::size_t all) { show(phase, done, all); };
  };
  show("reading", 0, 1);
  trace::Trace trace = trace::read(settings.replay.trace);
  simulate::Causes causes(static_cast<int>(trace.ranks.size()));
  replay::PredictionOptions how = prediction_options(settings.replay);
  how.replay.causes = &causes;
  how.replay.keeps_marks = true;
  how.replay.keeps_timeline = how.replay.counts_traffic = !settings.page.empty();
  how.progress = show_as("replaying");
  Explained all{outcome_of(settings.replay, std::move(trace), how), {}};
  const Outcome& outcome = all.outcome;
  replay::Explaining what;
  what.replay = how.replay;
  what.most_confirmed = static_cast<std::size_t>(settings.confirmed);
  what.machine_with = machine_with(settings, outcome, how);
  what.progress = show;
  how.kind = outcome.machine.kind;
  how.progress = show_as("intervals");
  if (outcome.model && outcome.prediction.has_interval()) {
    what.model = &*outcome.model;
    what.by_replicates = [&](const replay::ValuesOn& values) {
      return replay::values_by_replicates(outcome.trace, *outcome.model, how, values);
    };
  }
  if (!settings.page.empty()) what.most_afters = most_afters(outcome.result);
  all.explanation = replay::explain(outcome.trace, outcome.machine, outcome.result, causes, what);
  return all;
}

ExitCode run(const Settings& settings) {
  const std::vector<NamedFile> outputs{{"-o", settings.json}, {"--page", settings.page}};
  for (const NamedFile& one : outputs) check_is_outside(one, settings.replay.trace);
  check_outputs(outputs, files_of(settings.replay.machine));
  const auto [outcome, explanation] = explained(settings);
  say_what_is_assumed(outcome, settings.replay);
  if (settings.json != "-" && settings.page != "-") {
    print_result(explanation_text(outcome, explanation));
  }
  if (!settings.json.empty()) {
    write_file(settings.json, json_text(explanation_json(outcome, explanation), 1) + "\n");
  }
  if (!settings.page.empty()) {
    const PageExplanation page = page_explanation(outcome, explanation);
    write_file(settings.page, page_text(outcome, &page));
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
  add_file(*command, "--page", settings->page,
           "HTML file to write, for a browser: what to do first, where the time goes, the critical "
           "path in the timeline, and the run before and after");
  add_progress(*command, settings->progress);
  command->footer(
      "Example:\n"
      "  replay explain trace --model model.json\n"
      "  replay explain trace --model model.json --no-interval -o explanation.json --page "
      "explanation.html");
  command->callback([settings, &job] { job.local = [settings] { return run(*settings); }; });
}

}  // namespace commgauge::tools
