#include <algorithm>
#include <filesystem>
#include <memory>
#include <sstream>
#include <system_error>
#include <utility>

#include "commgauge/base/error.hpp"
#include "commgauge/base/files.hpp"
#include "commgauge/base/printable.hpp"
#include "commgauge/bench/base/request.hpp"
#include "commgauge/classes/given_places.hpp"
#include "commgauge/judge/fit.hpp"
#include "commgauge/judge/judgement.hpp"
#include "commgauge/measurements/quietness.hpp"
#include "commgauge/model/interval_meaning.hpp"
#include "common/command_line/options.hpp"
#include "common/output/outputs.hpp"
#include "common/output/report.hpp"
#include "common/output/table.hpp"
#include "common/process/stop_request.hpp"
#include "estimate-model/commands/commands.hpp"
#include "estimate-model/text/describe.hpp"

namespace commgauge::tools {

namespace {

struct CalibrateSettings {
  bench::Options options;
  std::string model;
  std::string measurements;
  std::string classes{"auto"};           ///< or none, or a file
  std::string resumed;                   ///< file of measurements to go on with
  std::string given;                     ///< options that say what is measured and how
  std::vector<std::string> given_names;  ///< without dashes
  ProgressMode progress{};
  std::optional<Seconds> stall_limit;
  bool dry_run{};
};

bool is_given(const CalibrateSettings& settings, const std::string& name) {
  return std::ranges::find(settings.given_names, name) != settings.given_names.end();
}

void check_files(const CalibrateSettings& settings) {
  if (settings.model.empty() && settings.measurements.empty()) {
    throw InputError(
        "-o is missing (the model has nowhere to go): give -o FILE, or --measurements FILE to "
        "measure alone, or --dry-run");
  }
  check_outputs({{"-o", settings.model}, {"--measurements", settings.measurements}});
  if (settings.resumed.empty()) return;
  check_outputs({{"-o", settings.model}}, {{"--resume", settings.resumed}});
}

void check_ranks(const CalibrateSettings& settings, int ranks) {
  if (ranks < 2) {
    throw InputError(
        "1 rank (nobody to communicate with): start with mpiexec -n N, N at least 2, better 3");
  }
  for (const auto& name : insisted_on(settings.options.models)) {
    if (ranks < 3 && needs_three_ranks(name)) {
      throw InputError("model " + name + " with 2 ranks (it needs one-to-two experiments): use 3 " +
                       "ranks or more, or --models hockney");
    }
  }
}

/// As `--classes` says. On rank 0, whose word counts: others may not see the file.
void set_classes(const std::string& text, bench::Options& options) {
  const bool is_file = text != "none" && text != "auto";
  if (is_file) options.places = load_places(text);
  const bool takes_all = text == "none" || (is_file && options.places.empty());
  options.classes = takes_all ? bench::Classes::none : bench::Classes::automatic;
}

std::string size_list(const std::vector<Bytes>& sizes) {
  std::vector<std::string> words;
  words.reserve(sizes.size());
  for (const Bytes size : sizes) words.push_back(to_text(size));
  return joined(words);
}

std::string planned_fabric(const bench::PlanSummary& plan) {
  if (plan.fabric_size.value == 0) return "";
  const std::string needed = "about " + rough_duration(plan.fabric_expected.value);
  return "\nlinks that hosts share: " +
         (plan.fabric_fits ? "messages of " + to_text(plan.fabric_size) + " at once, " + needed
                           : "not looked for (the time budget is short: they take " + needed + ")");
}

std::string planned_memory(const bench::PlanSummary& plan) {
  if (plan.memory_at_most.value == 0) return "";
  return "\nmemory that ranks of a host share: at most " +
         rough_duration(plan.memory_at_most.value) + " more";
}

std::string plan_text(const bench::PlanSummary& plan) {
  return "experiments in a pass: " + std::to_string(plan.experiments) +
         "\nrounds in a pass: " + std::to_string(plan.rounds) + " (at least " +
         std::to_string(plan.lower_bound_rounds) + ")\npasses: " + std::to_string(plan.passes) +
         "\nexpected time: " + rough_duration(plan.expected.value) +
         "\nsizes of round trips: " + size_list(plan.sizes) +
         "\nsize of one-to-many: " + to_text(plan.one_to_two_size) + "\neager limit: " +
         (plan.eager_limit ? std::to_string(plan.eager_limit->value) + " B" : "not known") +
         (plan.sampled == 0
              ? ""
              : "\nranks that are measured in place of all: " + std::to_string(plan.sampled)) +
         planned_fabric(plan) + planned_memory(plan) + "\nschedule: " + plan.schedule +
         "\nwait: " + plan.wait + "\n";
}

long not_converged(const Measurements& measurements) {
  const auto& all = measurements.observations;
  return std::count_if(all.begin(), all.end(), [](const auto& o) { return !o.converged; });
}

struct FitResult {
  std::optional<Model> model;
  std::string problem;  ///< why it isn't what was asked for, or empty
};

/// Everything that was asked for, or else everything that can be had.
FitResult fit_what_can_be(const Measurements& measurements, const bench::Options& options) {
  std::string problem;
  const std::vector<std::string> models = insisted_on(options.models);
  try {
    return {fit(measurements, {models, options.confidence}), problem};
  } catch (const FitError& error) {
    problem = error.what();
  }
  try {
    return {fit(measurements, {{}, options.confidence}), problem};
  } catch (const FitError&) {
    return {std::nullopt, problem};
  }
}

std::string why_incomplete(const Measurements& measurements) {
  for (const auto& launch : measurements.launches) {
    if (!launch.complete && !launch.incomplete_reason.empty()) return launch.incomplete_reason;
  }
  return "stopped early";
}

/// A pipe or a device takes what is written last, and nothing before.
bool is_kept(const std::string& measurements) {
  if (measurements.empty() || measurements == "-") return false;
  std::error_code none;
  const auto status = std::filesystem::status(measurements, none);
  return !std::filesystem::exists(status) || std::filesystem::is_regular_file(status);
}

/// Says in one line what is missing in what was written, if anything is.
ExitCode judge(const Measurements& measurements, const FitResult& result,
               const CalibrateSettings& settings) {
  const long imprecise = not_converged(measurements);
  if (!measurements.complete()) {
    const std::string written =
        result.model || settings.model.empty() ? "what there is was written and says so"
        : settings.measurements.empty()
            ? "too little to fit a model, nothing was written"
            : "too little to fit a model, what was measured is in " + settings.measurements;
    const bool can_go_on = measurements.plan && is_kept(settings.measurements);
    say("the measurement is incomplete (" + why_incomplete(measurements) + "): " + written +
        (can_go_on ? "; go on with --resume " + settings.measurements
                   : "; start again, with more time"));
  } else if (!result.model && !settings.model.empty()) {
    say(result.problem + (settings.measurements.empty()
                              ? ""
                              : "; what was measured is in " + settings.measurements));
    return ExitCode::bad_input;
  } else if (!result.problem.empty()) {
    say(result.problem);
  } else if (quietness(measurements.launches) == Quietness::too_busy) {
    say(busy_line(measurements.launches));
  } else if (imprecise > 0) {
    const auto all = std::ssize(measurements.observations);
    say(std::to_string(imprecise) + " of " + counted(all, "time") +
        " did not reach the asked precision (a busy machine, or too few repetitions): they " +
        "can be used, intervals are wider; raise --max-reps or --precision");
  } else {
    return ExitCode::done;
  }
  return ExitCode::not_precise;
}

void summarise(const Model& model, const CalibrateSettings& settings) {
  const std::vector<std::string> first = first_lines(model);
  std::ostringstream text;
  for (const std::string& line : first) text << "\n" << one_line(line);
  text << "\nModel: " << settings.model << "\n";
  if (!settings.measurements.empty()) {
    text << "Measurements: " << settings.measurements << "\n";
  }
  long again = 0;
  for (const Launch& launch : model.launches) {
    if (launch.disturbance) again += launch.disturbance->remeasured_rows;
  }
  if (again > 0) {
    text << "Measured again: " << counted(again, "time") << " that stood out among the passes\n";
  }
  if (quietness(model.launches) == Quietness::too_busy) {
    text << "Best model: not to be told on so busy a machine\n";
  } else if (!model.ranking.empty()) {
    std::vector<std::string> places;
    for (const auto& place : model.ranking) {
      places.push_back(place.model + " " + percent(place.error));
    }
    text << "Best model: " << model.preferred()
         << " (median error on times that no fit saw: " << joined(places)
         << "; the machine's noise in them: " << percent(noise_of(model)) << ")\n";
  }
  text << "Intervals: " << interval_meaning(model) << "\n";
  if (!model.not_determined.empty()) text << one_line("Missing: " + model.not_determined) << "\n";
  constexpr std::size_t shown = 5;
  std::vector<std::string> warnings = texts_of(model.warnings);
  for (const std::string& line : first) std::erase(warnings, line);
  for (std::size_t k = 0; k < std::min(shown, warnings.size()); ++k) {
    text << one_line("Warning: " + warnings[k]) << "\n";
  }
  if (warnings.size() > shown) {
    text << "(" << warnings.size() - shown << " more warnings in the file)\n";
  }
  if (settings.model != "-") text << "Next: estimate-model show " << settings.model << "\n";
  tell(text.str());
}

/// What can't be fitted is kept even if nobody asked for it.
ExitCode write_results(const Measurements& measurements, CalibrateSettings settings) {
  Results results;
  const auto keep = [&](std::string& file) {
    if (!file.empty()) file = results.write(file, to_json(measurements));
  };
  keep(settings.measurements);
  if (settings.model.empty()) return results.judged(judge(measurements, {}, settings));
  const FitResult result = fit_what_can_be(measurements, settings.options);
  if (result.model) {
    settings.model = results.write(settings.model, to_json(*result.model));
    summarise(*result.model, settings);
  } else if (settings.measurements.empty()) {
    settings.measurements = measurements_beside(settings.model);
    keep(settings.measurements);
  }
  return results.judged(judge(measurements, result, settings));
}

/// Of all models those that so many ranks can have.
bench::Options measured_options(const Session& session, const CalibrateSettings& settings) {
  bench::Options options = settings.options;
  if (insisted_on(options.models).empty() && session.size() < 3) {
    std::erase_if(options.models, needs_three_ranks);
  }
  return options;
}

ExitCode show_plan(const Session& session, const CalibrateSettings& settings) {
  bench::PlanSummary plan;
  const ExitCode code = session.everywhere([&] {
    plan = session.plan(measured_options(session, settings));
    return ExitCode::done;
  });
  if (code != ExitCode::done) return code;
  return session.on_root([&] {
    print_result(plan_text(plan));
    return ExitCode::done;
  });
}

/// What was resumed keeps the options that it was begun with.
void add_command_line(Measurements& measurements, const CalibrateSettings& settings) {
  for (Launch& launch : measurements.launches) {
    launch.options.emplace("command_line", settings.given);
  }
}

/// Writes what is complete so far. Where that fails once it isn't tried again: the measurement goes
/// on, and in the end its files go where they can.
class CheckpointFile {
 public:
  explicit CheckpointFile(const CalibrateSettings& settings) : settings_{settings} {}

  /// @return whether it is there
  bool write(Measurements so_far) {
    if (failed_ || !is_kept(settings_.measurements)) return false;
    add_command_line(so_far, settings_);
    try {
      write_file(settings_.measurements, to_json(so_far));
    } catch (const WriteError& error) {
      failed_ = true;
      say(error.problem() + ": it goes on, but can't be resumed from later than now");
    }
    return !failed_;
  }

 private:
  const CalibrateSettings& settings_;
  bool failed_{};
};

ExitCode measure_and_fit(const Session& session, const CalibrateSettings& settings,
                         Measurements checkpoint) {
  Measurements measurements;
  const ExitCode code = session.everywhere([&] {
    ProgressDisplay display{session.speaks() ? settings.progress : ProgressMode::never};
    CheckpointFile file{settings};
    bench::Options options = measured_options(session, settings);
    options.progress = [&display](const bench::Progress& progress) { display.show(progress); };
    options.cancelled = stop_requested;
    if (!settings.measurements.empty()) {
      options.keep = [&file](const Measurements& so_far) { return file.write(so_far); };
    }
    measurements = settings.resumed.empty() ? session.measure(options)
                                            : session.resume(std::move(checkpoint), options);
    add_command_line(measurements, settings);
    return ExitCode::done;
  });
  if (code != ExitCode::done) return code;
  return session.on_root([&] { return write_results(measurements, settings); });
}

void require_same(const CalibrateSettings& settings, const std::string& name,
                  const std::string& here, const std::string& there) {
  if (here == there) return;
  throw InputError("--" + name + " is " + here + " here, and was " + there + " when " +
                   settings.resumed +
                   " was begun (passes of both don't belong together): leave it out, or begin "
                   "anew with another file for --measurements");
}

bool are_of(const std::vector<GivenPlace>& places, const Survey& survey) {
  if (places.size() != survey.ranks.size() || survey.kinds.empty()) return false;
  for (std::size_t rank = 0; rank < places.size(); ++rank) {
    if (places[rank].host != survey.ranks[rank].host) return false;
    if (places[rank].kind != survey.kinds[rank]) return false;
  }
  return true;
}

/// What decided on a sample.
void check_classes(const CalibrateSettings& settings, const Survey& survey) {
  if (!is_given(settings, "classes") || are_of(settings.options.places, survey)) return;
  require_same(settings, "classes", settings.classes,
               survey.kinds.empty() ? "auto" : "a file with other classes");
}

/// Options that are given once more say the same.
void check_request(const Session& session, const CalibrateSettings& settings,
                   const Measurements& checkpoint) {
  const auto here = bench::request_of(measured_options(session, settings));
  for (const std::string& name : settings.given_names) {
    const auto asked = here.find(name);
    const auto was = checkpoint.plan->request.find(name);
    if (asked == here.end() || was == checkpoint.plan->request.end()) continue;
    require_same(settings, name, asked->second, was->second);
  }
  if (checkpoint.survey) check_classes(settings, *checkpoint.survey);
}

/// What it was measured for, where nothing else is given. Older files don't say.
FitOptions options_of_fit(const Measurements& measurements, const CalibrateSettings& settings) {
  const Launch& launch = measurements.launches.front();
  FitOptions options{insisted_on(settings.options.models), settings.options.confidence};
  if (!is_given(settings, "confidence")) options.confidence = launch.confidence;
  const auto models = launch.options.find("models");
  if (is_given(settings, "models") || models == launch.options.end()) return options;
  std::istringstream names(models->second);
  for (std::string name; std::getline(names, name, ',');) options.models.push_back(name);
  options.models = insisted_on(options.models);
  return options;
}

/// What is there already, as `fit` would have it.
ExitCode fit_complete(const Measurements& measurements, CalibrateSettings settings) {
  say(settings.resumed + " is complete: nothing is left to measure");
  if (settings.model.empty()) return ExitCode::done;
  const Model model = fit(measurements, options_of_fit(measurements, settings));
  Results results;
  settings.model = results.write(settings.model, to_json(model));
  summarise(model, settings);
  return results.judged(ExitCode::done);
}

ExitCode resume(const Session& session, CalibrateSettings settings) {
  Measurements checkpoint;
  std::vector<std::uint64_t> is_complete{0};
  const ExitCode code = session.on_root([&] {
    checkpoint = load_measurements(settings.resumed);
    is_complete.front() = checkpoint.complete() ? 1 : 0;
    if (is_complete.front() != 0) return fit_complete(checkpoint, settings);
    if (!checkpoint.plan) return ExitCode::done;  // refused by all ranks
    check_request(session, settings, checkpoint);
    const bench::Options asked = bench::options_of(checkpoint.plan->request);
    settings.options.models = asked.models;
    settings.options.confidence = asked.confidence;
    return ExitCode::done;
  });
  if (code != ExitCode::done) return code;
  session.share(is_complete);
  if (is_complete.front() != 0) return ExitCode::done;
  return measure_and_fit(session, settings, std::move(checkpoint));
}

ExitCode calibrate(const Session& session, CalibrateSettings settings) {
  if (settings.stall_limit) session.end_stalls_after(*settings.stall_limit);
  const ExitCode code = session.on_root([&] {
    set_classes(settings.classes, settings.options);
    check_ranks(settings, session.size());
    if (!settings.dry_run) check_files(settings);
    return ExitCode::done;
  });
  if (code != ExitCode::done) return code;
  if (!settings.resumed.empty()) return resume(session, settings);
  return settings.dry_run ? show_plan(session, settings) : measure_and_fit(session, settings, {});
}

std::vector<std::string> names_given(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    const std::string name = option->get_name();
    if (option->count() > 0) names.push_back(name.substr(name.find_first_not_of('-')));
  }
  return names;
}

}  // namespace

void add_calibrate(CLI::App& app, Job& job) {
  auto* command = app.add_subcommand("calibrate", "Measure the machine, then fit the models");
  auto settings = std::make_shared<CalibrateSettings>();
  add_file(*command, "-o,--output", settings->model, "The model file to write, - for stdout");
  add_file(*command, "--measurements", settings->measurements,
           "Keep what was measured, too; without -o nothing is fitted");
  add_planning_options(*command, settings->options);
  add_text(*command, "--classes",
           "Of many ranks that are alike a sample is measured, as found (auto), or as a file says: "
           "lines such as '0-15 n1 big', or another launch's measurements; none: all are measured",
           [settings](const std::string& text) { settings->classes = text; })
      ->type_name("auto|none|FILE");
  add_measuring_options(*command, settings->options);
  add_stall_limit(*command, settings->stall_limit);
  add_progress(*command, settings->progress);
  command->add_flag("!--no-thresholds", settings->options.sweeps.enabled,
                    "Without the sweeps of scatter and gather that come first");
  command->add_flag("!--no-fabric", settings->options.fabric,
                    "Don't look for links that hosts share; of four hosts or more");
  add_file(*command, "--resume", settings->resumed,
           "Go on with what this file of --measurements has, and keep all of it there");
  command->add_flag("--dry-run", settings->dry_run, "Print what would be measured, and how long")
      ->excludes("--resume");
  command->footer(
      "Example:\n"
      "  mpiexec -n 16 estimate-model calibrate -o model.json --measurements m.json\n"
      "While it measures, m.json keeps what is complete. After a kill or a time limit go on "
      "there,\n"
      "on the same hosts; options are as they were, --time-budget is that of the rest:\n"
      "  mpiexec -n 16 estimate-model calibrate --resume m.json -o model.json\n"
      "One launch can't tell what differs between launches. Several, to merge with estimate-model "
      "fit:\n"
      "  mpiexec -n 16 estimate-model calibrate --measurements m1.json\n"
      "SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2 or SIGXCPU to a rank end it early; what was\n"
      "measured is written. Where an output can't be written any more, it goes elsewhere: exit\n"
      "code 2, and a line says where.\n"
      "Exit codes: 0 done; 2 bad input; 3 written, but imprecise or incomplete, or the machine\n"
      "was too busy; 4 MPI failed.");
  command->callback([settings, command, &job] {
    settings->given = given_options(*command, {"--output", "--measurements", "--progress"});
    settings->given_names = names_given(*command);
    if (settings->measurements.empty()) settings->measurements = settings->resumed;
    job.parallel = [settings](const Session& session) { return calibrate(session, *settings); };
  });
}

}  // namespace commgauge::tools
