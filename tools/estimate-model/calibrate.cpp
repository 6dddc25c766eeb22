#include <algorithm>
#include <iostream>
#include <memory>

#include "commands.hpp"
#include "commgauge/assemble/fit.hpp"
#include "commgauge/base/error.hpp"
#include "commgauge/base/files.hpp"
#include "commgauge/bench/calibrate.hpp"
#include "commgauge/judge/judgement.hpp"
#include "commgauge/model/interval_meaning.hpp"
#include "common/options.hpp"
#include "common/outputs.hpp"
#include "common/report.hpp"
#include "common/stop_request.hpp"
#include "common/table.hpp"

namespace commgauge::tools {

namespace {

struct Settings {
  bench::Options options;
  std::string model;
  std::string measurements;
  std::string given;  ///< options that say what is measured and how
  ProgressMode progress{};
  bool dry_run{};
};

void check_files(const Settings& settings) {
  if (settings.model.empty() && settings.measurements.empty()) {
    throw InputError(
        "-o is missing (the model has nowhere to go): give -o FILE, or --measurements FILE to "
        "measure alone, or --dry-run");
  }
  check_outputs({{"-o", settings.model}, {"--measurements", settings.measurements}});
}

void check_ranks(const Settings& settings, int ranks) {
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

std::string size_list(const std::vector<Bytes>& sizes) {
  std::vector<std::string> words;
  words.reserve(sizes.size());
  for (const Bytes size : sizes) words.push_back(to_text(size));
  return joined(words);
}

std::string describe(const bench::PlanSummary& plan) {
  return "experiments in a pass: " + std::to_string(plan.experiments) +
         "\nrounds in a pass: " + std::to_string(plan.rounds) + " (at least " +
         std::to_string(plan.lower_bound_rounds) + ")\npasses: " + std::to_string(plan.passes) +
         "\nexpected time: " + rough_duration(plan.expected.value) +
         "\nsizes of round trips: " + size_list(plan.sizes) +
         "\nsize of one-to-many: " + to_text(plan.one_to_two_size) + "\neager limit: " +
         (plan.eager_limit ? std::to_string(plan.eager_limit->value) + " B" : "not known") +
         "\nschedule: " + plan.schedule + "\nwait: " + plan.wait + "\n";
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

/// Says in one line what is missing in what was written, if anything is.
ExitCode judge(const Measurements& measurements, const FitResult& result,
               const Settings& settings) {
  const long imprecise = not_converged(measurements);
  if (!measurements.complete()) {
    const std::string written =
        result.model || settings.model.empty() ? "what there is was written and says so"
        : settings.measurements.empty()
            ? "too little to fit a model, nothing was written"
            : "too little to fit a model, what was measured is in " + settings.measurements;
    say("the measurement is incomplete (" + why_incomplete(measurements) + "): " + written +
        "; start again, with more time");
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

void summarise(const Model& model, const Settings& settings) {
  const std::string busy = busy_line(model.launches);
  std::cerr << (busy.empty() ? "" : "\n" + busy) << "\nModel: " << settings.model << "\n";
  if (!settings.measurements.empty()) {
    std::cerr << "Measurements: " << settings.measurements << "\n";
  }
  long again = 0;
  for (const Launch& launch : model.launches) {
    if (launch.disturbance) again += launch.disturbance->remeasured_rows;
  }
  if (again > 0) {
    std::cerr << "Measured again: " << counted(again, "time")
              << " that stood out among the passes\n";
  }
  if (quietness(model.launches) == Quietness::too_busy) {
    std::cerr << "Best model: not to be told on so busy a machine\n";
  } else if (!model.ranking.empty()) {
    std::vector<std::string> places;
    for (const auto& place : model.ranking) {
      places.push_back(place.model + " " + percent(place.error));
    }
    std::cerr << "Best model: " << model.preferred()
              << " (median error on times that no fit saw: " << joined(places)
              << "; the machine's noise in them: " << percent(noise_of(model)) << ")\n";
  }
  std::cerr << "Intervals: " << interval_meaning(model) << "\n";
  if (!model.not_determined.empty()) std::cerr << "Missing: " << model.not_determined << "\n";
  constexpr std::size_t shown = 5;
  std::vector<std::string> warnings = texts_of(model.warnings);
  std::erase(warnings, busy);
  for (std::size_t k = 0; k < std::min(shown, warnings.size()); ++k) {
    std::cerr << "Warning: " << warnings[k] << "\n";
  }
  if (warnings.size() > shown) {
    std::cerr << "(" << warnings.size() - shown << " more warnings in the file)\n";
  }
  if (settings.model == "-") return;
  std::cerr << "Next: estimate-model show " << settings.model << "\n";
}

/// What can't be fitted is kept even if nobody asked for it.
ExitCode write_results(const Measurements& measurements, Settings settings) {
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
bench::Options measured_options(const Session& session, const Settings& settings) {
  bench::Options options = settings.options;
  if (insisted_on(options.models).empty() && session.size() < 3) {
    std::erase_if(options.models, needs_three_ranks);
  }
  return options;
}

ExitCode show_plan(const Session& session, const Settings& settings) {
  bench::PlanSummary plan;
  const ExitCode code = session.everywhere([&] {
    plan = bench::plan(session.comm(), measured_options(session, settings));
    return ExitCode::done;
  });
  if (code != ExitCode::done) return code;
  return session.on_root([&] {
    print_result(describe(plan));
    return ExitCode::done;
  });
}

ExitCode measure_and_fit(const Session& session, const Settings& settings) {
  Measurements measurements;
  const ExitCode code = session.everywhere([&] {
    ProgressDisplay display{session.speaks() ? settings.progress : ProgressMode::never};
    bench::Options options = measured_options(session, settings);
    options.progress = [&display](const bench::Progress& progress) { display.show(progress); };
    options.cancelled = stop_requested;
    measurements = bench::measure(session.comm(), options);
    for (Launch& launch : measurements.launches) launch.options["command_line"] = settings.given;
    return ExitCode::done;
  });
  if (code != ExitCode::done) return code;
  return session.on_root([&] { return write_results(measurements, settings); });
}

ExitCode calibrate(const Session& session, const Settings& settings) {
  const ExitCode code = session.on_root([&] {
    check_ranks(settings, session.size());
    if (!settings.dry_run) check_files(settings);
    return ExitCode::done;
  });
  if (code != ExitCode::done) return code;
  return settings.dry_run ? show_plan(session, settings) : measure_and_fit(session, settings);
}

}  // namespace

void add_calibrate(CLI::App& app, Job& job) {
  auto* command = app.add_subcommand("calibrate", "Measure the machine, then fit the models");
  auto settings = std::make_shared<Settings>();
  add_file(*command, "-o,--output", settings->model, "The model file to write, - for stdout");
  add_file(*command, "--measurements", settings->measurements,
           "Keep what was measured, too; without -o nothing is fitted");
  add_planning_options(*command, settings->options);
  add_measuring_options(*command, settings->options);
  add_progress(*command, settings->progress);
  command->add_flag("!--no-thresholds", settings->options.sweeps.enabled,
                    "Without the sweeps of scatter and gather that come first");
  command->add_flag("--dry-run", settings->dry_run, "Print what would be measured, and how long");
  command->footer(
      "Example:\n"
      "  mpiexec -n 16 estimate-model calibrate -o model.json --measurements m.json\n"
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
    job.parallel = [settings](const Session& session) { return calibrate(session, *settings); };
  });
}

}  // namespace commgauge::tools
