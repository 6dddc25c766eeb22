#include <algorithm>
#include <iterator>
#include <memory>
#include <set>
#include <utility>

#include "commgauge/base/error.hpp"
#include "commgauge/base/files.hpp"
#include "commgauge/judge/judgement.hpp"
#include "commgauge/measurements/quietness.hpp"
#include "commgauge/model/contention.hpp"
#include "common/command_line/completion.hpp"
#include "common/command_line/options.hpp"
#include "common/output/outputs.hpp"
#include "common/output/report.hpp"
#include "common/output/table.hpp"
#include "common/process/stop_request.hpp"
#include "estimate-model/commands/commands.hpp"
#include "estimate-model/commands/this_job.hpp"
#include "estimate-model/commands/validation.hpp"

namespace commgauge::tools {

namespace {

struct ValidateSettings {
  std::string input;
  std::string output;
  std::vector<Bytes> sizes;
  std::vector<Operation> operations;  ///< empty: not given
  std::vector<Algorithm> algorithms{Algorithm::flat, Algorithm::binomial};
  Pairs pairs{};
  bench::Options options;
  bool buffers_given{};
  ProgressMode progress{};
  std::optional<Seconds> stall_limit;
};

/// As the model was measured, where the command line leaves the choice.
void adopt_conditions(ValidateSettings& settings, const Model& model) {
  if (model.launches.empty()) return;
  const Launch& launch = model.launches.front();
  bench::Options& options = settings.options;
  if (options.wait == bench::Wait::automatic) {
    options.wait = launch.wait == "yield" ? bench::Wait::yield : bench::Wait::blocking;
  }
  if (settings.buffers_given) return;
  options.buffers = launch.buffers == "same" ? bench::Buffers::same : bench::Buffers::rotating;
}

/// All; where ranks share cores, without those of all ranks at once: these would measure who gets a
/// core.
std::vector<Operation> usual_operations(const Model& model) {
  std::vector<Operation> all{measured_operations.begin(), measured_operations.end()};
  const bool shares = std::ranges::any_of(
      model.launches, [](const Launch& launch) { return cores_are_shared(launch.ranks); });
  if (shares) std::erase(all, Operation::ring);
  return all;
}

/// What only rank 0 knows, for the others: how to measure, then what, and the sizes.
std::vector<std::uint64_t> packed(const ValidateSettings& settings) {
  std::vector<std::uint64_t> numbers{static_cast<std::uint64_t>(settings.options.wait),
                                     static_cast<std::uint64_t>(settings.options.buffers),
                                     settings.operations.size()};
  for (const Operation one : settings.operations) {
    numbers.push_back(static_cast<std::uint64_t>(one));
  }
  for (const Bytes size : settings.sizes) numbers.push_back(size.value);
  return numbers;
}

void unpack(const std::vector<std::uint64_t>& numbers, ValidateSettings& settings) {
  settings.options.wait = static_cast<bench::Wait>(numbers.at(0));
  settings.options.buffers = static_cast<bench::Buffers>(numbers.at(1));
  settings.operations.clear();
  settings.sizes.clear();
  const std::size_t sizes = 3 + numbers.at(2);
  for (std::size_t k = 3; k < sizes; ++k) {
    settings.operations.push_back(static_cast<Operation>(numbers.at(k)));
  }
  for (std::size_t k = sizes; k < numbers.size(); ++k) settings.sizes.push_back({numbers[k]});
}

/// The passes of a validation, in two parts that are measured one after the other, each with its
/// own buffers: as two validations would be.
struct Twice {
  Measurements all;                  ///< the passes of both
  std::vector<Disagreement> differ;  ///< nothing of a single pass
};

Measurements measure(const Session& session, const ValidateSettings& settings) {
  ProgressDisplay display{session.speaks() ? settings.progress : ProgressMode::never};
  bench::Options options = settings.options;
  options.progress = [&display](const bench::Progress& progress) { display.show(progress); };
  options.cancelled = stop_requested;
  options.schedule = bench::Schedule::serial;
  options.sizes = settings.sizes;  // the largest decides how long the buffers are
  const ValidationPlan plan{session.size(),      settings.sizes, settings.operations,
                            settings.algorithms, settings.pairs, options.seed};
  return session.measure_experiments(experiments_of(plan), options);
}

/// As passes of one launch.
Measurements joined_passes(Measurements first, Measurements second) {
  if (first.launches.empty()) return first;
  const int passes = first.launches.front().passes;
  for (Observation& row : second.observations) {
    row.pass += passes;
    first.observations.push_back(std::move(row));
  }
  std::ranges::move(second.launches, std::back_inserter(first.launches));
  return first;
}

Twice measure_twice(const Session& session, ValidateSettings settings) {
  const int passes = settings.options.passes;
  if (passes < 2) return {measure(session, settings), {}};
  if (settings.options.time_budget) settings.options.time_budget->value /= 2;
  settings.options.passes = passes - passes / 2;
  Measurements first = measure(session, settings);
  std::vector<std::uint64_t> is_complete{first.complete() ? 1U : 0U};
  session.share(is_complete);
  if (is_complete.front() == 0) return {std::move(first), {}};
  settings.options.passes = passes / 2;
  Measurements second = measure(session, settings);
  std::vector<Disagreement> differ =
      disagreements(one_way_times(first, Which::all).all, one_way_times(second, Which::all).all);
  return {joined_passes(std::move(first), std::move(second)), std::move(differ)};
}

/// Why, of each model whose predictions have none.
std::vector<std::string> without_interval(const Model& model,
                                          const std::vector<Comparison>& comparisons) {
  std::set<std::string> names;
  for (const Comparison& one : comparisons) {
    if (!one.prediction.has_interval()) names.insert(one.model);
  }
  std::vector<std::string> lines;
  for (const std::string& name : names) lines.push_back(why_no_interval(model, name));
  return lines;
}

ExitCode judge(const Measurements& measurements, bool all_measurable) {
  const auto& all = measurements.observations;
  const auto imprecise =
      std::count_if(all.begin(), all.end(), [](const auto& o) { return !o.converged; });
  if (measurements.complete() && imprecise == 0) {
    return all_measurable ? ExitCode::done : ExitCode::not_precise;
  }
  say(measurements.complete()
          ? std::to_string(imprecise) + " of " + counted(std::ssize(all), "time") +
                " did not reach the asked precision: raise --max-reps or --precision"
          : "the validation is incomplete (stopped early): start again, with more time");
  return ExitCode::not_precise;
}

void warn_of_busy_machine(const Model& model, const Measurements& measurements) {
  const std::string now = busy_line(measurements.launches);
  if (quietness(measurements.launches) == Quietness::busy) say(now);
  const std::string then = busy_line(model.launches);
  if (!then.empty()) say("when the model was measured, " + then);
}

std::string verdicts_text(const Model& model, const std::vector<Judgement>& judgements) {
  if (judgements.empty()) return "";
  const std::string best = model.preferred();
  std::string text = "\nOf " + best + ", which the file calls best:\n";
  for (const std::string& line : in_words(judgements_of(judgements, best))) {
    text += "  " + line + "\n";
  }
  return text;
}

/// What was measured is worth a file, if one is asked for, but no verdict.
ExitCode report_too_busy(const Model& model, const Twice& measured,
                         const ValidateSettings& settings) {
  say(busy_line(measured.all.launches));
  Results results;
  if (!settings.output.empty()) {
    const auto found = against_predictions(model, one_way_times(measured.all, Which::all).all);
    (void)results.write(settings.output, to_csv(found.all, measured.differ));
  }
  return results.judged(ExitCode::not_precise);
}

ExitCode report(const Model& model, const Twice& measured, const ValidateSettings& settings) {
  const Measurements& measurements = measured.all;
  if (quietness(measurements.launches) == Quietness::too_busy) {
    return report_too_busy(model, measured, settings);
  }
  warn_of_busy_machine(model, measurements);
  const OneWayTimes times = one_way_times(measurements, Which::all);
  for (const Diagnostic& one : times.left_out()) say(one.text());
  const auto [comparisons, skipped] = against_predictions(model, times.all);
  if (skipped > 0) {
    say(counted(skipped, "check") +
        " left out (a model has no parameters for their pairs, or they make no machine): "
        "calibrate again to have them");
  }
  for (const std::string& line : without_interval(model, comparisons)) say(line);
  Results results;
  if (!settings.output.empty())
    (void)results.write(settings.output, to_csv(comparisons, measured.differ));
  if (settings.output != "-") {
    const std::vector<Judgement> judgements = judge(model, times.all, Occasion::fresh_launch);
    print_result(to_tables(comparisons, judgements, measured.differ) +
                 verdicts_text(model, judgements) + "\n" + promise_text(model, comparisons));
  }
  return results.judged(judge(measurements, times.left_out().empty()));
}

ExitCode validate(const Session& session, ValidateSettings settings) {
  if (settings.stall_limit) session.end_stalls_after(*settings.stall_limit);
  Model model;
  std::vector<std::string> hosts;
  ExitCode code = session.everywhere([&] {
    hosts = session.hosts_of_ranks();
    return ExitCode::done;
  });
  if (code != ExitCode::done) return code;
  code = session.on_root([&] {
    check_outputs({{"-o", settings.output}}, {{"the model", settings.input}});
    model = model_of_this_job(load_model(settings.input), hosts);
    adopt_conditions(settings, model);
    if (settings.sizes.empty()) settings.sizes = sizes_between(model);
    if (settings.operations.empty()) settings.operations = usual_operations(model);
    return ExitCode::done;
  });
  if (code != ExitCode::done) return code;
  auto numbers = packed(settings);
  session.share(numbers);
  unpack(numbers, settings);

  Twice measurements;
  code = session.everywhere([&] {
    measurements = measure_twice(session, settings);
    return ExitCode::done;
  });
  if (code != ExitCode::done) return code;
  return session.on_root([&] { return report(model, measurements, settings); });
}

/// Each word of the list, in its order.
template <class Value>
void read_list(const std::string& text, Value (*parse)(std::string_view),
               std::vector<Value>& target) {
  target.clear();
  for (const auto& word : CLI::detail::split(text, ',')) target.push_back(parse(word));
}

/// Words separated by commas, each of which is one of `known`.
template <class Value>
void add_list(CLI::App& app, const std::string& name, std::vector<Value>& target,
              Value (*parse)(std::string_view), const std::vector<Value>& known,
              const std::string& what) {
  std::vector<std::string> words;
  for (const Value value : known) words.emplace_back(to_text(value));
  CLI::Option* const option =
      add_text(app, name, "Of " + CLI::detail::join(words, ", ") + " " + what,
               [&target, parse](const auto& text) { read_list(text, parse, target); });
  with_words(option, words)->type_name("NAME,...");
}

}  // namespace

void add_validate(CLI::App& app, Job& job) {
  auto* command = app.add_subcommand("validate", "Fresh measurements against predictions");
  auto settings = std::make_shared<ValidateSettings>();
  settings->options.passes = 4;
  add_file(*command, "model", settings->input, "The model file")->required();
  add_sizes(*command, "--sizes", settings->sizes, "Message sizes");
  add_list(*command, "--operations", settings->operations, parse_operation,
           {measured_operations.begin(), measured_operations.end()},
           "(default: all; no ring where ranks share cores)");
  add_list(*command, "--algorithms", settings->algorithms, parse_algorithm,
           {Algorithm::flat, Algorithm::binomial}, "of collectives (default: both)");
  add_choice(*command, "--pairs", settings->pairs,
             {{"auto", Pairs::automatic}, {"all", Pairs::all}, {"sample", Pairs::sample}},
             "Which pairs and roots");
  add_file(*command, "-o,--output", settings->output, "Write every check as CSV");
  add_measuring_options(*command, settings->options);
  add_stall_limit(*command, settings->stall_limit);
  add_progress(*command, settings->progress);
  command->footer(
      "Example:\n"
      "  mpiexec -n 16 estimate-model validate model.json -o checks.csv\n"
      "Waiting and buffers are the model's own unless given. Everything runs one at a time.\n"
      "Half of the passes are a second validation: how far the two differ stands beside the "
      "models'\n"
      "errors and tells a bad model from a noisy machine.");
  command->callback([settings, command, &job] {
    settings->buffers_given = command->count("--buffers") > 0;
    job.parallel = [settings](const Session& session) { return validate(session, *settings); };
  });
}

}  // namespace commgauge::tools
