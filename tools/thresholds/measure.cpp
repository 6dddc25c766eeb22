#include <algorithm>
#include <memory>

#include "commgauge/base/error.hpp"
#include "commgauge/base/files.hpp"
#include "commgauge/measurements/quietness.hpp"
#include "commgauge/thresholds/sweep_plan.hpp"
#include "common/command_line/options.hpp"
#include "common/output/outputs.hpp"
#include "common/output/report.hpp"
#include "common/output/table.hpp"
#include "common/process/stop_request.hpp"
#include "thresholds/analysis.hpp"
#include "thresholds/commands.hpp"
#include "thresholds/describe.hpp"

namespace commgauge::tools {

namespace {

struct MeasureSettings {
  AnalysisSettings analysis;
  bench::Options options;
  std::string sweep;
  std::string measurements;
  ProgressMode progress{};
  std::optional<Seconds> stall_limit;
};

/// Sizes that a sweep certainly has; where the criterion chooses the breaks, those that it may
/// have.
long sizes_of(const SweepPlan& plan, bool certainly) {
  const std::uint64_t whole_numbers = plan.last.value - plan.first.value + 1;
  return certainly ? std::ssize(first_sizes(plan))
                   : static_cast<long>(std::min<std::uint64_t>(
                         whole_numbers, static_cast<std::uint64_t>(plan.most_sizes)));
}

/// What could only fail after measuring.
void check_sweeps(const MeasureSettings& settings) {
  constexpr int least_repetitions = 3;
  const bench::SweepOptions& sweeps = settings.options.sweeps;
  if (sweeps.reps < least_repetitions) {
    throw InputError("--reps " + std::to_string(sweeps.reps) +
                     " (a median and its noise take 3): give 3 or more, better 5 or more");
  }
  (void)first_sizes(sweeps.plan);
  const SegmentationOptions& lines = settings.analysis.options.segmentation;
  const long needed = (lines.breaks.value_or(0) + 1L) * lines.min_segment;
  const long sizes = sizes_of(sweeps.plan, lines.breaks.has_value());
  if (needed <= sizes) return;
  throw InputError(
      (lines.breaks ? "--breaks " + std::to_string(*lines.breaks) + " takes " : "a line takes ") +
      std::to_string(needed) + " sizes (--min-segment " + std::to_string(lines.min_segment) +
      "), a sweep has " + (lines.breaks ? "" : "at most ") + std::to_string(sizes) +
      (lines.breaks ? " to begin with" : "") +
      ": give a larger --per-octave and --most-sizes, or a wider range");
}

void check_job(const MeasureSettings& settings, int ranks) {
  if (ranks < 2) {
    throw InputError(
        "1 rank (nobody to communicate with): start with mpiexec -n N, N at least 3; 2 are enough "
        "for the eager limit");
  }
  const bench::SweepOptions& sweeps = settings.options.sweeps;
  if (sweeps.root >= ranks) {
    throw InputError("--root " + std::to_string(sweeps.root) + " with " + counted(ranks, "rank") +
                     " (they count from 0): give one up to " + std::to_string(ranks - 1));
  }
  if (ranks < 3 && !settings.options.probe_eager_limit) {
    throw InputError(
        "2 ranks and an --eager-limit that is not probed (scatter and gather take 3 ranks, so "
        "there "
        "is nothing to measure): start mpiexec -n 3 or more, or leave --eager-limit out");
  }
  check_sweeps(settings);
  check_outputs(settings.analysis,
                {{"--sweep", settings.sweep}, {"--measurements", settings.measurements}});
}

std::string why_incomplete(const Measurements& measurements) {
  const std::string& reason = measurements.launches.front().incomplete_reason;
  return reason.empty() ? "stopped early" : reason;
}

/// What can't be analysed is kept even if nobody asked for it.
ExitCode keep_only(const Measurements& measurements, MeasureSettings settings,
                   const std::string& problem) {
  Results results;
  if (settings.measurements.empty()) {
    std::string& file = settings.measurements = measurements_beside(settings.analysis.output);
    if (!file.empty()) file = results.write(file, to_json(measurements));
  }
  std::string text = measurements.complete() ? problem
                                             : "the measurement is incomplete (" +
                                                   why_incomplete(measurements) + "): " + problem;
  if (!settings.measurements.empty()) {
    text += "; what was measured is in " + settings.measurements;
  }
  say(text);
  return results.judged(measurements.complete() ? ExitCode::bad_input : ExitCode::not_precise);
}

void write_sweep(const Measurements& measurements, const std::string& file, Results& results) {
  if (file.empty()) return;
  if (measurements.sweeps.empty()) {
    say(file + " is not written (nothing was swept): start 3 ranks or more, and give them time");
  } else {
    (void)results.write(file, to_csv(measurements.sweeps));
  }
}

/// `scatter: 4 KiB and 6 KiB`: sizes around a break that is not known as well as it was asked for.
std::vector<std::string> wide_gaps(const Thresholds& thresholds, const SweepPlan& plan) {
  std::vector<std::string> gaps;
  for (const SweepAnalysis& analysis : thresholds.sweeps) {
    for (const std::size_t gap : unresolved(analysis, plan)) {
      const auto& points = analysis.sweep.points;
      gaps.push_back(name_of(analysis.sweep) + ": " + to_text(points[gap].size) + " and " +
                     to_text(points[gap + 1].size));
    }
  }
  return gaps;
}

void warn_of_wide_gaps(const std::vector<std::string>& gaps, const SweepPlan& plan,
                       std::vector<Diagnostic>& warnings) {
  if (gaps.empty()) return;
  warnings.push_back({.kind = "wide_gaps",
                      .count = std::ssize(gaps),
                      .problem = "sizes around a break are further apart than --resolution " +
                                 number(plan.precision) + " asks for",
                      .reason = joined(gaps),
                      .advice = "raise --most-sizes (" + std::to_string(plan.most_sizes) +
                                "), or be content with the intervals"});
}

ExitCode analyse_and_write(const Measurements& measurements, MeasureSettings settings) {
  Results results;
  write_sweep(measurements, settings.sweep, results);
  if (!settings.measurements.empty()) {
    settings.measurements = results.write(settings.measurements, to_json(measurements));
  }
  const ThresholdOptions& options = settings.analysis.options;
  const SweepPlan& plan = settings.options.sweeps.plan;
  Thresholds thresholds;
  std::vector<std::string> gaps;
  try {
    thresholds = find_thresholds(measurements, options);
    require_findings(thresholds);
    gaps = wide_gaps(thresholds, plan);
    warn_of_wide_gaps(gaps, plan, thresholds.warnings);
    write_results(thresholds, measurements, settings.analysis,
                  [&](const auto& file, auto content) { (void)results.write(file, content); });
  } catch (const FitError& error) {
    return keep_only(measurements, settings, error.what());
  } catch (const InputError& error) {
    (void)keep_only(measurements, settings, error.what());
    return ExitCode::bad_input;
  }
  const std::string busy = busy_line(measurements.launches);
  const bool too_busy = quietness(measurements.launches) == Quietness::too_busy;
  if (!busy.empty() && !too_busy) tell(busy + "\n\n");
  tell(describe(thresholds, options));
  if (!measurements.complete()) {
    say("the measurement is incomplete (" + why_incomplete(measurements) +
        "): what there is was written and says so; start again, with more time");
  } else if (too_busy) {
    say(busy);
  } else if (!gaps.empty()) {
    say("the asked --resolution was not reached (" + joined(gaps) +
        "): what there is was written and says so; raise --most-sizes");
  } else {
    return results.judged(ExitCode::done);
  }
  return results.judged(ExitCode::not_precise);
}

ExitCode measure(const Session& session, const MeasureSettings& settings) {
  if (settings.stall_limit) session.end_stalls_after(*settings.stall_limit);
  ExitCode code = session.on_root([&] {
    check_job(settings, session.size());
    return ExitCode::done;
  });
  if (code != ExitCode::done) return code;
  Measurements measurements;
  code = session.everywhere([&] {
    ProgressDisplay display{session.speaks() ? settings.progress : ProgressMode::never};
    bench::Options options = settings.options;
    options.progress = [&display](const bench::Progress& progress) { display.show(progress); };
    options.cancelled = stop_requested;
    measurements = session.measure_thresholds(options);
    return ExitCode::done;
  });
  if (code != ExitCode::done) return code;
  return session.on_root([&] { return analyse_and_write(measurements, settings); });
}

/// `target` is as it was where the option isn't given.
void add_size_of(CLI::App& app, const std::string& name, Bytes& target, const std::string& help) {
  add_text(app, name, help, [&target](const auto& text) { target = parse_size(text); })
      ->type_name("SIZE")
      ->default_str(to_text(target));
}

void add_sweep_options(CLI::App& app, bench::SweepOptions& sweeps) {
  add_choice(app, "--timing", sweeps.timing,
             {{"global", bench::Timing::global},
              {"root", bench::Timing::root},
              {"longest", bench::Timing::longest}},
             "A common start to the last end, the root's own time, or the longest rank's own");
  add_choice(app, "--algorithms", sweeps.algorithms,
             {{"flat", bench::Algorithms::flat},
              {"library", bench::Algorithms::library},
              {"both", bench::Algorithms::both}},
             "Whose scatter and gather: one rank after the other, or MPI's own");
  add_whole(app, "--root", sweeps.root, "The root of scatter and gather", 0);
  add_size_of(app, "--first", sweeps.plan.first, "The smallest message");
  add_size_of(app, "--last", sweeps.plan.last, "The largest message");
  sweeps.plan.per_octave = 2;
  add_whole(app, "--per-octave", sweeps.plan.per_octave,
            "Sizes in a doubling before more are chosen near the breaks");
  add_whole(app, "--reps", sweeps.reps, "Repetitions of each size");
  add_whole(app, "--most-sizes", sweeps.plan.most_sizes, "Sizes of each sweep, at most");
  add_share(app, "--resolution", sweeps.plan.precision,
            "Relative distance of the two sizes around a break at which to stop");
}

}  // namespace

void add_measure(CLI::App& app, Job& job) {
  auto* command = app.add_subcommand("measure", "Time scatter and gather, find the thresholds");
  auto settings = std::make_shared<MeasureSettings>();
  add_file(*command, "-o,--output", settings->analysis.output,
           "The thresholds file to write, - for stdout")
      ->required();
  add_file(*command, "--sweep", settings->sweep, "Keep every time as CSV, too");
  add_file(*command, "--measurements", settings->measurements, "Keep what was measured, too");
  add_sweep_options(*command, settings->options.sweeps);
  add_eager_limit(*command, settings->options);
  add_analysis_options(*command, settings->analysis);
  add_confidence(*command, settings->options.confidence);
  add_condition_options(*command, settings->options);
  add_stall_limit(*command, settings->stall_limit);
  add_progress(*command, settings->progress);
  command->footer(
      "Example:\n"
      "  mpiexec -n 8 thresholds measure -o thresholds.json --sweep sweep.csv --plot sweep.svg\n"
      "SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2 or SIGXCPU to a rank end it early; what was\n"
      "measured is written. Where an output can't be written any more, it goes elsewhere: exit\n"
      "code 2, and a line says where.\n"
      "Exit codes: 0 done; 2 bad input; 3 written, but incomplete, on too busy a machine, or\n"
      "not to the resolution asked for; 4 MPI failed.");
  command->callback([settings, &job] {
    settings->analysis.options.segmentation.confidence = settings->options.confidence;
    job.parallel = [settings](const Session& session) { return measure(session, *settings); };
  });
}

}  // namespace commgauge::tools
