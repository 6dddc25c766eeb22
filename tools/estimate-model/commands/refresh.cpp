#include <cmath>
#include <memory>

#include "commgauge/base/text.hpp"
#include "commgauge/model/model.hpp"
#include "common/command_line/options.hpp"
#include "common/output/outputs.hpp"
#include "common/output/report.hpp"
#include "common/output/table.hpp"
#include "estimate-model/commands/commands.hpp"
#include "estimate-model/commands/this_job.hpp"

namespace commgauge::tools {

namespace {

struct RefreshSettings {
  std::string input;
  std::string output;
  bench::RefreshOptions options;
  std::optional<Seconds> stall_limit;
  bool check{};
};

/// "1.02 (0.97 to 1.06)"
std::string ratio_text(const Estimate& ratio) {
  if (std::isnan(ratio.value)) return "-";
  return number(ratio.value) + " (" + number(ratio.low) + " to " + number(ratio.high) + ")";
}

std::string state_text(ClassFreshness::State state) {
  switch (state) {
    case ClassFreshness::State::holds:
      return "holds";
    case ClassFreshness::State::drifted:
      return "drifted";
    case ClassFreshness::State::unknown:
      break;
  }
  return "not known";
}

std::string text_of(const bench::Refreshed& refreshed) {
  const Freshness& found = refreshed.found;
  Table table{{"messages", "pairs", "empty: now/model", "each byte: now/model", "the model"}};
  for (const ClassFreshness& one : found.classes) {
    table.add({one.pairs, std::to_string(one.measured), ratio_text(one.fixed),
               ratio_text(one.per_byte), state_text(one.state)});
  }
  std::string text = table.text() + "\n";
  for (const Deviation& one : found.deviations) text += one.sentence() + "\n";
  if (!found.not_judged.empty()) {
    text += counted(std::ssize(found.not_judged), "host") +
            " not judged, for too few others were asked: " + comma_list(found.not_judged) +
            ". Give more --time.\n";
  }
  return text + counted(refreshed.trips, "time") + " measured in " + to_text(refreshed.elapsed) +
         "\n";
}

ExitCode report(const bench::Refreshed& refreshed, const RefreshSettings& settings) {
  Results results;
  if (!settings.output.empty()) (void)results.write(settings.output, to_json(refreshed.model));
  if (settings.output != "-") print_result(text_of(refreshed));
  const bool tells = settings.check && refreshed.found.differs();
  if (!refreshed.found.holds() && !refreshed.found.differs()) {
    say("of some messages nothing was measured (the time was over): give more --time");
  }
  return results.judged(tells ? ExitCode::found : ExitCode::done);
}

ExitCode refresh(const Session& session, const RefreshSettings& settings) {
  if (settings.stall_limit) session.end_stalls_after(*settings.stall_limit);
  Model job;
  std::vector<std::string> hosts;
  ExitCode code = session.everywhere([&] {
    hosts = session.hosts_of_ranks();
    return ExitCode::done;
  });
  if (code != ExitCode::done) return code;
  code = session.on_root([&] {
    check_outputs({{"-o", settings.output}}, {{"the model", settings.input}});
    job = model_of_this_job(load_model(settings.input), hosts);
    return ExitCode::done;
  });
  if (code != ExitCode::done) return code;
  bench::Refreshed refreshed;
  code = session.everywhere([&] {
    refreshed = session.refresh(job, settings.options);
    return ExitCode::done;
  });
  if (code != ExitCode::done) return code;
  return session.on_root([&] { return report(refreshed, settings); });
}

}  // namespace

void add_refresh(CLI::App& app, Job& job) {
  auto* command =
      app.add_subcommand("refresh", "The model of this job's hosts, and whether it still holds");
  auto settings = std::make_shared<RefreshSettings>();
  add_file(*command, "model", settings->input, "The machine's model file")->required();
  add_file(*command, "-o,--output", settings->output,
           "Write the job's model, with what drifted corrected");
  add_text(*command, "--time", "How long to measure, e.g. 1s (default: 100ms)",
           [settings](const std::string& text) { settings->options.time = parse_duration(text); })
      ->type_name("TIME");
  command->add_flag("--check", settings->check, "Exit with 1 when the model doesn't hold");
  add_stall_limit(*command, settings->stall_limit);
  command->footer(
      "Example:\n"
      "  mpiexec -n 64 estimate-model refresh cluster.json -o job.json\n"
      "The job's hosts are found in the model by their names. Each is asked by two others. A "
      "few\n"
      "round trips tell for each class of pairs whether the model holds.");
  command->callback([settings, &job] {
    job.parallel = [settings](const Session& session) { return refresh(session, *settings); };
  });
}

}  // namespace commgauge::tools
