#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "commgauge/base/error.hpp"
#include "commgauge/base/files.hpp"
#include "commgauge/tasks/sample.hpp"
#include "common/command_line/options.hpp"
#include "common/output/outputs.hpp"
#include "common/output/report.hpp"
#include "common/output/table.hpp"
#include "common/process/stop_request.hpp"
#include "estimate-model/commands/commands.hpp"
#include "estimate-model/commands/tasks_program.hpp"

namespace commgauge::tools {

namespace {

using tasks::MeasuredTasks;
using tasks::Plan;

struct TasksSettings {
  std::optional<tasks::Shape> shape;
  tasks::PlanOptions plan;
};

struct PlanSettings : TasksSettings {
  std::vector<std::string> measured;
  std::string output{"-"};
};

struct RunSettings : TasksSettings {
  std::string output;
  std::vector<std::string> program;
};

std::string count_text(std::uint64_t count, const char* word) {
  return std::to_string(count) + " " + word + (count == 1 ? "" : "s");
}

/// `640 of 1048576 tasks were run: 12.3 s in all, from 11.9 s to 12.7 s (3.2 %)`
/// @param measured  how many were run, of which the plan's `run` are the sample's first ones
std::string text_of(const Plan& plan, std::uint64_t measured, const TasksSettings& settings) {
  const tasks::Shape& shape = *settings.shape;
  std::string text =
      std::to_string(measured) + " of " + count_text(shape.size(), "task") + " were run";
  if (plan.run < measured)
    text += " (" + std::to_string(plan.run) + " of them in the plan's order)";
  if (!plan.total) return text;
  const Estimate& total = *plan.total;
  if (plan.run == shape.size()) {
    return "all " + count_text(plan.run, "task") + " were run: " + to_text(Seconds{total.value}) +
           " in all";
  }
  text += ": " + to_text(Seconds{total.value}) + " in all, from " + to_text(Seconds{total.low}) +
          " to " + to_text(Seconds{total.high});
  if (!(total.value > 0)) return text;
  return text + " (" + number(100 * (total.high - total.value) / total.value) + " %)";
}

/// What the interval can't hold.
std::string missed_text(const Plan& plan, const TasksSettings& settings) {
  if (plan.run == settings.shape->size()) return "";
  const double rarest = tasks::rarest_seen(plan.run, settings.plan.confidence);
  return "; tasks of a kind rarer than 1 in " + std::to_string(std::lround(rarest)) +
         " may have been missed";
}

/// Where one task decides, it may have been disturbed; where a few do, the interval can't be
/// trusted.
void say_doubts(const Plan& plan, const tasks::Shape& shape) {
  if (plan.doubtful) {
    const tasks::Doubtful& one = *plan.doubtful;
    say("task " + to_text(shape, one.number) + " took " + to_text(Seconds{one.time_s}) +
        ", those near it " + to_text(Seconds{one.others_s}) +
        " (that alone leaves open more than all others together): if something else ran then, take "
        "its line out of the times and go on");
  } else if (std::abs(plan.skewness) > tasks::most_skewness) {
    say("a few long tasks decide what all take (the interval may be too narrow): more are run");
  }
}

std::optional<MeasuredTasks> with_more(const std::optional<MeasuredTasks>& all,
                                       const MeasuredTasks& more) {
  return all ? merged(*all, more) : more;
}

std::uint64_t count_of(const std::optional<MeasuredTasks>& measured) {
  return measured ? measured->numbers.size() : 0;
}

/// @throws InputError  they are of another sample
void check_seed(const std::string& file, const MeasuredTasks& measured, std::uint64_t seed) {
  if (!measured.seed || measured.seed == seed) return;
  throw InputError(file + ": its tasks are a sample of seed " + std::to_string(*measured.seed) +
                   ", not " + std::to_string(seed) + " (so it says itself): give that --seed");
}

ExitCode run_plan(const PlanSettings& settings) {
  std::vector<NamedFile> inputs;
  for (const std::string& file : settings.measured) inputs.push_back({"--measured", file});
  check_outputs({{"-o", settings.output}}, inputs);
  std::optional<MeasuredTasks> measured;
  for (const std::string& file : settings.measured) {
    const MeasuredTasks more = tasks::load_tasks(file, *settings.shape);
    check_seed(file, more, settings.plan.seed);
    measured = with_more(measured, more);
  }
  const Plan plan = tasks::plan(*settings.shape, measured, settings.plan);
  write_file(settings.output, tasks::to_csv(*settings.shape, plan.next));
  say(text_of(plan, count_of(measured), settings) +
      (plan.is_precise ? "; nothing is left to run" + missed_text(plan, settings)
                       : "; next " + count_text(plan.next.size(), "task")));
  say_doubts(plan, *settings.shape);
  return ExitCode::done;
}

/// Rounds of tasks until their total is known; what was run is kept after each.
class Campaign {
 public:
  explicit Campaign(const RunSettings& settings) : settings_{settings} {
    if (!is_there(settings.output)) return;
    measured_ = tasks::load_tasks(settings.output, *settings.shape);
    check_seed(settings.output, *measured_, settings.plan.seed);
    say(settings.output + " has " + count_text(measured_->numbers.size(), "task") +
        ": going on from these");
  }

  ExitCode run() {
    for (int round = 1;; ++round) {
      const Plan plan = tasks::plan(*settings_.shape, measured_, settings_.plan);
      const std::string known = text_of(plan, count_of(measured_), settings_);
      if (plan.is_precise) {
        say(known + missed_text(plan, settings_) + "; the times are in " + settings_.output);
        return ExitCode::done;
      }
      if (round > 1) say_doubts(plan, *settings_.shape);
      if (plan.next.empty()) {
        say(known + " (not as precise as asked, and no more than --most " +
            std::to_string(*settings_.plan.most) +
            " are to be run): give a larger --most, or a larger --precision");
        return ExitCode::not_precise;
      }
      say("round " + std::to_string(round) + ": " + known + "; next " +
          count_text(plan.next.size(), "task"));
      if (const auto end = run_round(plan)) return *end;
    }
  }

 private:
  std::optional<ExitCode> run_round(const Plan& plan) {
    Round round = run_program_on(settings_.program, *settings_.shape, plan.next);
    if (round.measured) keep(*round.measured, round);
    if (round.was_stopped) {
      say("stopped" + kept() + "; run this again to go on");
      return ExitCode::not_precise;
    }
    if (round.failure.empty()) return std::nullopt;
    say(round.failure + kept());
    return ExitCode::bad_input;
  }

  [[nodiscard]] std::string kept() const {
    return measured_ ? "; what was run is in " + settings_.output : "";
  }

  /// What doesn't fit to the rounds before is kept beside them.
  void keep(const MeasuredTasks& more, Round& round) {
    try {
      measured_ = with_more(measured_, more);
      measured_->seed = settings_.plan.seed;
      write_file(settings_.output, tasks::to_csv(*measured_));
    } catch (const InputError& error) {
      const std::string beside = settings_.output + ".round";
      write_file(beside, tasks::to_csv(more));
      round.failure = std::string{"this round's times are in "} + beside + ": " + error.what();
    }
  }

  const RunSettings& settings_;
  std::optional<MeasuredTasks> measured_;
};

ExitCode run_run(const RunSettings& settings) {
  if (settings.output == "-") {
    throw InputError("-o - (it is written after each round, and read again): give a file's name");
  }
  check_outputs({{"-o", settings.output}});
  accept_stop_requests();
  return Campaign(settings).run();
}

void add_settings(CLI::App& command, TasksSettings& settings) {
  add_text(command, "--shape", "How many tasks there are in each dimension, as 1024x1024",
           [&](const auto& text) { settings.shape = tasks::parse_shape(text); })
      ->type_name("SHAPE")
      ->required();
  add_share(command, "--precision", settings.plan.precision,
            "Half width of the total's interval, relative to it, at which to stop: 0.02 or 2%");
  add_confidence(command, settings.plan.confidence);
  add_whole(command, "--seed", settings.plan.seed, "Of the sample that is drawn", 0);
}

void add_plan(CLI::App& tasks, Job& job) {
  auto* command = tasks.add_subcommand("plan", "Print the tasks to run next, as CSV");
  auto settings = std::make_shared<PlanSettings>();
  add_settings(*command, *settings);
  add_file(*command, "--measured", settings->measured,
           "What was run so far: CSV i1,...,iN,time_s[,result_bytes]; repeat it for several files");
  add_file(*command, "-o,--output", settings->output, "Where to write, - for stdout")
      ->capture_default_str();
  command->footer(
      "Only its first line is left when nothing is to be run any more.\n"
      "Example:\n"
      "  estimate-model tasks plan --shape 1024x1024 -o next.csv\n"
      "  estimate-model tasks plan --shape 1024x1024 --measured tasks.csv --precision 1% -o "
      "next.csv");
  command->callback([settings, &job] { job.local = [settings] { return run_plan(*settings); }; });
}

void add_run(CLI::App& tasks, Job& job) {
  auto* command = tasks.add_subcommand(
      "run", "Have a program run tasks until the time of all is known well enough");
  auto settings = std::make_shared<RunSettings>();
  add_settings(*command, *settings);
  add_file(*command, "-o,--output", settings->output,
           "The times: written after each round; where it is there already, it is continued")
      ->required();
  add_text(*command, "--most",
           "Run no more tasks than that in all; where that isn't precise enough, it ends with 3",
           [settings](const auto& text) {
             settings->plan.most = parse_whole(text, 1, tasks::most_tasks);
           })
      ->type_name("NUMBER");
  command->add_option("program", settings->program, "After --: the program and its arguments")
      ->type_name("PROGRAM [ARGUMENTS]")
      ->required();
  command->footer(
      "The program is called with --tasks FILE --times FILE after its own arguments: it runs the "
      "tasks\n"
      "whose numbers i1,...,iN are in the one, and writes i1,...,iN,time_s[,result_bytes] to the "
      "other.\n"
      "Example:\n"
      "  estimate-model tasks run --shape 1024x1024 -o tasks.csv -- ./mandelbrot-explorer --side "
      "1024\n"
      "  estimate-model tasks run --shape 5000 --precision 1% -o tasks.csv -- ./render scene");
  command->callback([settings, &job] { job.local = [settings] { return run_run(*settings); }; });
}

}  // namespace

void add_tasks(CLI::App& app, Job& job) {
  auto* command = app.add_subcommand(
      "tasks", "Run some of many tasks, and know what all take (predict's --tasks)");
  command->require_subcommand(1);
  add_plan(*command, job);
  add_run(*command, job);
}

}  // namespace commgauge::tools
