#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "commgauge/base/error.hpp"
#include "commgauge/base/files.hpp"
#include "commgauge/model/interval_meaning.hpp"
#include "commgauge/model/model_list.hpp"
#include "commgauge/predict/by_replicates.hpp"
#include "commgauge/replay/replay.hpp"
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

struct Predicted {
  trace::Trace trace;
  Model model;
  simulate::Machine machine;
  Prediction prediction;
  replay::Result result;
};

replay::Options options_of(const Settings& settings) {
  replay::Options options;
  options.collectives = schedule::choice_from(settings.machine.collectives);
  options.computes = settings.compute != "none";
  options.rematches = settings.rematches;
  return options;
}

std::uint64_t largest_message(const trace::Trace& trace) {
  std::uint64_t largest = 0;
  for (const trace::Rank& rank : trace.ranks) {
    for (const trace::Event& event : rank.events) {
      if (event.kind == trace::Event::Kind::send) largest = std::max(largest, event.bytes);
    }
  }
  return largest;
}

Predicted predicted(const Settings& settings) {
  Predicted all;
  all.trace = trace::read(settings.trace);
  all.model = load_model(settings.machine.model);
  const auto ranks = static_cast<int>(all.trace.ranks.size());
  const auto machine_for = [&](const Model& model) {
    return simulate::for_job(machine_of(settings.machine, model), ranks);
  };
  all.machine = machine_for(all.model);
  replay::Options options = options_of(settings);
  options.keeps_timeline = settings.shows_timeline;
  all.result = replay::replay(all.trace, all.machine, options);
  options.keeps_timeline = false;
  if (!settings.has_interval) {
    constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
    all.prediction = {Seconds{all.result.time}, Seconds{unknown}, Seconds{unknown}};
    return all;
  }
  MachineOptions same = settings.machine;
  same.kind = all.machine.kind;
  bool is_first = true;
  all.prediction = predict_by_replicates(all.model, same.kind, [&](const Model& model) {
    if (std::exchange(is_first, false)) return all.result.time;
    return replay::replay(all.trace, simulate::for_job(machine_of(same, model), ranks), options)
        .time;
  });
  const Bytes largest{largest_message(all.trace)};
  all.prediction.extrapolated = fitted_sizes(all.model, same.kind).last < largest;
  return all;
}

std::string interval_text(const Predicted& all) {
  const Prediction& p = all.prediction;
  if (!p.has_interval()) return "";
  return to_text(p.low) + " to " + to_text(p.high) + " (" +
         interval_meaning(all.model, all.machine.kind) + ")";
}

void say_what_is_assumed(const Predicted& all, const Settings& settings) {
  if (all.machine.passed_over) say(all.machine.passed_over->text());
  if (const auto assumed = simulate::assumed_pairs(all.machine); assumed.any()) {
    say(to_text(assumed));
  }
  if (settings.compute != "none" && settings.machine.speeds.empty()) {
    say("processors there are taken to be as fast as those on which the program was recorded "
        "(nobody said otherwise): give --speeds FILE");
  }
  if (settings.has_interval && !all.prediction.has_interval()) {
    say(why_no_interval(all.model, all.machine.kind));
  }
  if (all.prediction.extrapolated) {
    say("messages are longer than the sizes that " + all.machine.kind +
        " was fitted on (what they take is extrapolated): calibrate with larger --sizes");
  }
  for (const trace::Remark& remark : all.trace.remarks) {
    say(settings.trace + ": " + remark.text +
        (remark.count > 1 ? " (" + std::to_string(remark.count) + " times)" : ""));
  }
}

std::string percent_of(double part, double whole) {
  return whole > 0 ? number(100 * part / whole) : "-";
}

std::string text_of(const Predicted& all) {
  const replay::Result& result = all.result;
  const auto ranks = std::ssize(result.ranks);
  std::string text = (all.trace.program.empty() ? "the program" : all.trace.program) + ", " +
                     counted(ranks, "rank") + ", on the machine of the model (" + all.machine.kind +
                     ")\n\n";
  text += "  predicted time  " + to_text(all.prediction.time) + "   " + interval_text(all) + "\n";
  const double computing = result.computing();
  text += "  computing       " + to_text(Seconds{computing}) +
          " of all ranks together: a speedup of " + number(computing / result.time) +
          " over one rank that does all of it (a program for one "
          "would do it in another way)\n\n";
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
            {"computing_s", all.result.computing()}};
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
  check_outputs({{"-o", settings.output}},
                {{"--model", settings.machine.model}, {"--speeds", settings.machine.speeds}});
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
