#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "commgauge/base/error.hpp"
#include "commgauge/base/files.hpp"
#include "commgauge/replay/prediction.hpp"
#include "commgauge/trace/reader.hpp"
#include "common/options.hpp"
#include "common/outputs.hpp"
#include "common/report.hpp"
#include "common/table.hpp"
#include "machine/machine_options.hpp"
#include "timeline_text.hpp"

namespace commgauge::tools {

namespace {

using Json = nlohmann::ordered_json;

struct Settings {
  std::string trace;
  MachineOptions machine;
  std::string compute{"cpu"};
  std::string output;
  bool rematches{};
  bool shows_timeline{};
  bool has_interval{true};
};

struct Predicted : replay::Predicted {
  trace::Trace trace;
  Model model;
};

replay::PredictionOptions options_of(const Settings& settings) {
  replay::PredictionOptions options;
  options.replay.collectives = schedule::choice_from(settings.machine.collectives);
  options.replay.computes = settings.compute != "none";
  options.replay.rematches = settings.rematches;
  options.replay.keeps_timeline = settings.shows_timeline;
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

Predicted predicted(const Settings& settings) {
  Predicted all;
  all.trace = trace::read(settings.trace);
  all.model = load_model(settings.machine.model);
  static_cast<replay::Predicted&>(all) =
      replay::predicted(all.trace, all.model, options_of(settings));
  return all;
}

void say_what_is_assumed(const Predicted& all, const Settings& settings) {
  for (Diagnostic note : all.notes) {
    if (note.kind == replay::equal_processors) note.advice = "give --time-ratio";
    say((note.kind == replay::trace_remark ? settings.trace + ": " : "") + note.text());
  }
}

std::string interval_text(const Predicted& all) {
  const Prediction& p = all.prediction;
  if (!p.has_interval()) return "";
  return to_text(p.low) + " to " + to_text(p.high) + " (" + all.interval_meaning + ")";
}

std::string percent_of(double part, double whole) {
  return whole > 0 ? number(100 * part / whole) : "-";
}

/// How much faster the ranks are than one of them that does all of their computing.
std::string serial_text(const Predicted& all) {
  const auto fastest = std::ranges::min_element(all.machine.time_ratios, {}, &Estimate::value);
  const double serial = all.result.work() * fastest->value;
  if (!(serial > 0) || !(all.result.time > 0)) return "";
  return "  serial time     " + to_text(Seconds{serial}) + " if rank " +
         std::to_string(fastest - all.machine.time_ratios.begin()) +
         " computed all of it: a speedup of " + number(serial / all.result.time) +
         " (a program for one rank would do it in another way)\n";
}

std::string text_of(const Predicted& all) {
  const replay::Result& result = all.result;
  const auto ranks = std::ssize(result.ranks);
  std::string text = (all.trace.program.empty() ? "the program" : all.trace.program) + ", " +
                     counted(ranks, "rank") + ", on the machine of the model (" + all.machine.kind +
                     ")\n\n";
  text += "  predicted time  " + to_text(all.prediction.time) + "   " + interval_text(all) + "\n";
  text += serial_text(all) + "\n";
  Table table({"rank", "host", "ends at", "computing", "sending", "receiving", "waiting"});
  for (std::size_t r = 0; r < result.ranks.size(); ++r) {
    const replay::RankResult& rank = result.ranks[r];
    table.add({std::to_string(r), all.machine.hosts[r], to_text(Seconds{rank.end}),
               percent_of(rank.shares.computing, result.time),
               percent_of(rank.shares.sending, result.time),
               percent_of(rank.shares.receiving, result.time),
               percent_of(rank.shares.waiting, result.time)});
  }
  return text + table.text() + "  shares in percent of the whole time\n";
}

Json json_of(const Predicted& all) {
  const auto or_null = [](double value) { return std::isnan(value) ? Json() : Json(value); };
  const Prediction& p = all.prediction;
  Json json{{"schema", "commgauge.replay/1"},
            {"program", all.trace.program},
            {"model", all.machine.kind},
            {"time_s", p.time.value},
            {"low_s", or_null(p.low.value)},
            {"high_s", or_null(p.high.value)},
            {"confidence", all.model.confidence},
            {"extrapolated", p.extrapolated},
            {"computing_s", all.result.computing()},
            {"work_s", all.result.work()},
            {"notes", Json::array()}};
  for (const Diagnostic& note : all.notes) json["notes"].push_back(note.text());
  for (std::size_t r = 0; r < all.result.ranks.size(); ++r) {
    const replay::RankResult& rank = all.result.ranks[r];
    json["ranks"].push_back({{"rank", r},
                             {"host", all.machine.hosts[r]},
                             {"end_s", rank.end},
                             {"computing_s", rank.shares.computing},
                             {"sending_s", rank.shares.sending},
                             {"receiving_s", rank.shares.receiving},
                             {"waiting_s", rank.shares.waiting}});
  }
  return json;
}

ExitCode run(const Settings& settings) {
  check_outputs({{"-o", settings.output}}, {{"--model", settings.machine.model},
                                            {"--time-ratio", settings.machine.time_ratio}});
  if (settings.shows_timeline && settings.output == "-") {
    throw InputError("--timeline with -o - (that writes JSON alone): leave one of them out");
  }
  const Predicted all = predicted(settings);
  say_what_is_assumed(all, settings);
  if (settings.output != "-") {
    print_result(text_of(all));
    if (settings.shows_timeline) {
      print_result("\n" + timeline_text(all.result.timeline, all.result.time));
    }
  }
  if (!settings.output.empty()) write_file(settings.output, json_of(all).dump(1) + "\n");
  return ExitCode::done;
}

}  // namespace

void add_run(CLI::App& app, Job& job) {
  auto* command = app.add_subcommand("run", "Run a recorded program on the machine of a model");
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
  command->add_flag("--timeline", settings->shows_timeline, "Show what each rank does when");
  command->add_flag("!--no-interval", settings->has_interval,
                    "The time alone: once, not with each of the model's replicates");
  add_file(*command, "-o,--output", settings->output, "JSON file to write; -: instead of the text");
  command->footer(
      "Example:\n"
      "  replay run trace --model model.json\n"
      "  replay run trace --model model.json --collectives allreduce=ring --timeline");
  command->callback([settings, &job] { job.local = [settings] { return run(*settings); }; });
}

}  // namespace commgauge::tools
