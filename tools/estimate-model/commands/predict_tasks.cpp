#include "estimate-model/commands/predict_tasks.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "commgauge/base/error.hpp"
#include "commgauge/simulate/machine/time_ratio.hpp"
#include "common/command_line/options.hpp"
#include "common/output/phase_progress.hpp"

namespace commgauge::tools {

namespace {

constexpr const char* group = "Masters and workers";

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

void add_sizes_of_messages(CLI::App& command, tasks::Protocol& protocol) {
  const auto add = [&](const char* name, const char* help, Bytes& size) {
    add_text(command, name, help, [&size](const auto& text) { size = parse_size(text); })
        ->type_name("SIZE")
        ->default_str(std::to_string(size.value))
        ->group(group);
  };
  add("--request-size", "A worker's message, without results", protocol.request);
  add("--task-size", "The master's message", protocol.task);
  add("--result-size", "A task's result, where the file has no result_bytes", protocol.result);
}

void add_protocol_options(CLI::App& command, tasks::Protocol& protocol) {
  add_choice(command, "--order", protocol.order,
             {{"given", tasks::Order::given},
              {"random", tasks::Order::random},
              {"longest-first", tasks::Order::longest_first}},
             "In which tasks are handed out (default given: as they are numbered)")
      ->group(group);
  add_whole(command, "--order-seed", protocol.seed, "Of a random order", 0)->group(group);
  add_whole(command, "--chunk", protocol.chunk, "Tasks in one message")->group(group);
  add_text(command, "--serve", "What a master does with each request, e.g. 2us",
           [&](const auto& text) { protocol.serve = parse_duration(text); })
      ->type_name("TIME")
      ->group(group);
  add_whole(command, "--masters", protocol.masters,
            "Each with its share of the workers, and of the tasks")
      ->group(group);
  add_text(command, "--split-after",
           "A master whose workers wait longer for a task makes one of them another master",
           [&](const auto& text) { protocol.split_after = parse_duration(text); })
      ->type_name("TIME")
      ->group(group);
}

constexpr int most_processes = 1 << 20;

int process_count(const std::string& text) {
  return static_cast<int>(parse_whole(text, 2, most_processes));
}

/// `8-128:8`, `8-12`, `8`
std::vector<int> range_of(const std::string& word) {
  const std::size_t dash = word.find('-');
  if (dash == std::string::npos) return {process_count(word)};
  const std::size_t colon = std::min(word.find(':', dash), word.size());
  const int first = process_count(word.substr(0, dash));
  const int last = process_count(word.substr(dash + 1, colon - dash - 1));
  const int step =
      colon == word.size()
          ? 1
          : static_cast<int>(parse_whole(word.substr(colon + 1), 1, std::uint64_t{1} << 20U));
  std::vector<int> counts;
  for (int count = first; count <= last; count += step) counts.push_back(count);
  constexpr std::size_t most_jobs = 10000;
  if (counts.size() > most_jobs) {
    throw InputError("'" + word + "' are " + std::to_string(counts.size()) +
                     " jobs (each is run): give a larger step, as in 8-1024:8");
  }
  if (counts.empty()) throw InputError("'" + word + "' counts down: give the smaller one first");
  return counts;
}

}  // namespace

bool TaskSettings::has_file() const { return !tasks.empty() && !is_number(tasks); }

std::uint64_t TaskSettings::number() const {
  return parse_whole(tasks, 1, commgauge::tasks::most_tasks);
}

void add_task_options(CLI::App& command, TaskSettings& settings) {
  add_file(command, "--tasks", settings.tasks,
           "How many there are; or a file of their times: CSV i1,...,iN,time_s[,result_bytes]")
      ->type_name("NUMBER|FILE")
      ->group(group);
  add_text(command, "--task-time", "Of each, where --tasks is a number, e.g. 1ms",
           [&](const auto& text) { settings.task_time = parse_duration(text); })
      ->type_name("TIME")
      ->group(group);
  add_text(command, "--shape",
           "How many tasks there are in each dimension, as 1024x1024 (default: as the file's "
           "largest numbers say)",
           [&](const auto& text) { settings.shape = tasks::to_text(tasks::parse_shape(text)); })
      ->type_name("SHAPE")
      ->group(group);
  add_text(command, "--seed",
           "Of the sample that the tasks are, where the file doesn't say (tasks run writes it)",
           [&](const auto& text) {
             settings.seed = parse_whole(text, 0, std::numeric_limits<std::uint64_t>::max());
           })
      ->type_name("NUMBER")
      ->group(group);
  add_protocol_options(command, settings.protocol);
  add_sizes_of_messages(command, settings.protocol);
  add_file(command, "--time-ratio", settings.time_ratio,
           "Seconds that a rank of the machine takes for one where tasks were run: a number; what "
           "record --speed --against wrote; CSV rank,time_ratio (default: 1)")
      ->type_name("X|FILE")
      ->group(group);
  command
      .add_flag("--no-growth", settings.ignores_growth,
                "Overheads don't depend on the number of processes")
      ->group(group);
  command.add_flag("!--no-interval", settings.has_interval, "Times alone, which is quicker")
      ->group(group);
  add_progress(command, settings.progress)->group(group);
}

std::vector<std::string> given_task_options(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_group() == group && option->count() > 0) names.push_back(option->get_name());
  }
  return names;
}

std::vector<int> parse_processes(const std::string& text) {
  std::vector<int> all;
  for (const std::string& word : CLI::detail::split(text, ',')) {
    const std::vector<int> some = range_of(word);
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

tasks::TaskTimes task_times_of(const TaskSettings& settings, double confidence) {
  if (!settings.has_file()) {
    if (!settings.task_time) {
      throw InputError("--task-time is missing (--tasks " + settings.tasks +
                       " says how many, not how long): give it, or a file of times as --tasks");
    }
    if (!settings.shape.empty() || settings.seed) {
      throw InputError(
          "--shape or --seed with a number of tasks (they are alike, all in a row): "
          "leave it out");
    }
    return tasks::TaskTimes(tasks::equal_tasks(settings.number(), *settings.task_time));
  }
  if (settings.task_time) {
    throw InputError("--task-time with the file of times '" + settings.tasks +
                     "' (it says each; a number is written in digits alone): leave --task-time "
                     "out, or give a number as --tasks");
  }
  std::optional<tasks::Shape> shape;
  if (!settings.shape.empty()) shape = tasks::parse_shape(settings.shape);
  return tasks::TaskTimes(
      tasks::load_tasks(settings.tasks, shape),
      {.confidence = confidence, .seed = settings.seed, .name = settings.tasks});
}

tasks::PredictedRuns predict_tasks(const TaskSettings& settings, const tasks::TaskTimes& tasks,
                                   const Model& model, const std::string& kind,
                                   const std::vector<int>& processes) {
  PhaseProgress progress(settings.progress);
  progress.begin("masters and workers");
  tasks::PredictionOptions options;
  options.machine.kind = kind;
  options.protocol = settings.protocol;
  options.has_interval = settings.has_interval;
  if (!settings.time_ratio.empty()) options.machine.time_ratios = settings.time_ratio;
  options.machine.ignores_growth = settings.ignores_growth;
  options.progress = [&](std::size_t done, std::size_t all) { progress.show(done, all); };
  return tasks::predicted(tasks, model, processes, options);
}

}  // namespace commgauge::tools
