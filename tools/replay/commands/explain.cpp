#include <memory>
#include <utility>

#include "commgauge/base/error.hpp"
#include "commgauge/base/files.hpp"
#include "commgauge/replay/explain/explanation.hpp"
#include "commgauge/trace/read/reader.hpp"
#include "common/command_line/options.hpp"
#include "common/output/phase_progress.hpp"
#include "common/output/report.hpp"
#include "replay/commands/commands.hpp"
#include "replay/commands/run_outputs.hpp"
#include "replay/json/explanation_json.hpp"
#include "replay/json/result_json.hpp"
#include "replay/outcome/replay_options.hpp"
#include "replay/page/page.hpp"
#include "replay/page/page_what_ifs.hpp"
#include "replay/text/explanation_text.hpp"

namespace commgauge::tools {

namespace {

struct ExplainSettings {
  ReplayOptions replay;
  int confirmed{20};
  int curve_points{9};
  std::string json;
  std::string page;
  ProgressMode progress{};
};

struct ExplainedRun {
  Outcome outcome;
  replay::Explanation explanation;
  WhatIfs what_ifs;
};

/// How to explain a run on a topology: links' costs have factors.
replay::ExplanationOptions explanation_options(const MachineOptions& machine,
                                               const Outcome& outcome,
                                               const replay::PredictionOptions& how) {
  replay::ExplanationOptions what;
  what.replay = how.replay;
  what.machine_with = [&machine, ranks = outcome.machine.ranks](const Factors& factors) {
    MachineOptions options = machine;
    options.topology.links.start_up.value *= factors.latency;
    options.topology.links.per_byte.value *= factors.per_byte;
    return for_job(machine_of(options), ranks);
  };
  return what;
}

ExplainedRun explain_run(const ExplainSettings& settings) {
  PhaseProgress progress{settings.progress};
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
  ExplainedRun all{outcome_of(settings.replay, std::move(trace), how), {}, {}};
  const Outcome& outcome = all.outcome;
  how.progress = show_as("intervals");
  replay::ExplanationOptions what =
      outcome.model ? replay::explanation_options(outcome.trace, *outcome.model, outcome, how)
                    : explanation_options(settings.replay.machine, outcome, how);
  what.most_confirmed = static_cast<std::size_t>(settings.confirmed);
  what.progress = show;
  if (!settings.page.empty()) what.most_afters = most_afters(outcome.result);
  all.explanation = replay::explain(outcome.trace, outcome.machine, outcome.result, causes, what);
  if (!settings.page.empty() && settings.curve_points > 0) {
    all.what_ifs =
        what_ifs(outcome, prediction_options(settings.replay),
                 static_cast<std::size_t>(settings.curve_points), show_as("other machines"));
  }
  return all;
}

ExitCode run(const ExplainSettings& settings) {
  if (settings.curve_points == 1) {
    throw InputError("--curves 1 (a curve has two ends): give more points, or 0 for no curves");
  }
  const std::vector<NamedFile> outputs{{"-o", settings.json}, {"--page", settings.page}};
  for (const NamedFile& one : outputs) check_is_outside(one, settings.replay.trace);
  check_outputs(outputs, files_of(settings.replay.machine));
  const auto [outcome, explanation, what_ifs] = explain_run(settings);
  say_what_is_assumed(outcome, settings.replay);
  if (settings.json != "-" && settings.page != "-") {
    print_result(explanation_text(outcome, explanation));
  }
  if (!settings.json.empty()) {
    write_file(settings.json, json_text(explanation_json(outcome, explanation), 1) + "\n");
  }
  if (!settings.page.empty()) {
    const PageExplanation page = page_explanation(outcome, explanation, what_ifs);
    write_file(settings.page, page_text(outcome, &page));
  }
  return ExitCode::done;
}

}  // namespace

void add_explain(CLI::App& app, Job& job) {
  auto* command = app.add_subcommand(
      "explain", "Tell where a recorded program's time goes there, and what would help");
  auto settings = std::make_shared<ExplainSettings>();
  add_replay_options(*command, settings->replay);
  add_whole(*command, "--confirm", settings->confirmed,
            "How many of the best single waits are taken away in a replay, too; of long programs "
            "fewer (default: 20)",
            0);
  add_file(*command, "-o,--output", settings->json, "JSON file to write; -: instead of the text");
  add_file(*command, "--page", settings->page,
           "HTML file to write, for a browser: what to do first, where the time goes, the critical "
           "path in the timeline, and the run before and after");
  add_whole(*command, "--curves", settings->curve_points,
            "With --page and --model: points of the curves that show the time against latency, "
            "bandwidth, overheads and computing; 0: none (default: 9, of long programs fewer "
            "things)",
            0);
  add_progress(*command, settings->progress);
  command->footer(
      "Example:\n"
      "  replay explain trace --model model.json\n"
      "  replay explain trace --model model.json --no-interval -o explanation.json --page "
      "explanation.html");
  command->callback([settings, &job] { job.local = [settings] { return run(*settings); }; });
}

}  // namespace commgauge::tools
