#include "commgauge/tasks/prediction.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "commgauge/base/error.hpp"
#include "commgauge/base/units.hpp"
#include "commgauge/base/unknown_value.hpp"
#include "commgauge/costs/extended.hpp"
#include "commgauge/model/interval_meaning.hpp"
#include "commgauge/model/model.hpp"
#include "commgauge/model/model_list.hpp"
#include "commgauge/predict/by_replicates.hpp"
#include "commgauge/tasks/sample.hpp"
#include "teams.hpp"

namespace commgauge::tasks {

namespace {

/// A total, and who stands in for the tasks that weren't run.
struct Version {
  double total;
  std::uint64_t draw;
};

constexpr int draws = 10;

/// Both ends of the total, and others standing in for tasks that weren't run.
std::vector<Version> versions_of(const TaskTimes& tasks) {
  const Estimate& total = tasks.total();
  if (tasks.source() == Source::all || std::isnan(total.low)) return {};
  std::vector<Version> versions{{total.low, 0}, {total.high, 0}};
  for (std::uint64_t draw = 1; draw <= draws; ++draw) versions.push_back({total.value, draw});
  return versions;
}

Work work_of(const TaskTimes& tasks, const Version& version, const Protocol& protocol) {
  return work_in_order(tasks.times_s(version.total, version.draw), tasks.result_bytes(version.draw),
                       protocol);
}

std::vector<int> ranks_of_hosts(const Model& model) {
  std::map<std::string, int> ranks;
  for (int rank = 0; rank < model.ranks; ++rank) ++ranks[model.host(rank)];
  std::vector<int> counts;
  for (const auto& [host, count] : ranks) counts.push_back(count);
  return counts;
}

/// With room for so many ranks: more hosts, or more ranks on the only one. Nothing: the model has
/// room.
std::optional<simulate::HostGrid> hosts_for(const Model& model, int ranks) {
  if (ranks <= model.ranks) return {};
  const std::vector<int> counts = ranks_of_hosts(model);
  if (counts.size() == 1) return simulate::HostGrid{1, ranks};
  const int per_host = std::ranges::max(counts);
  return simulate::HostGrid{(ranks + per_host - 1) / per_host, per_host};
}

/// An interval from both, as if each moved the time by a factor of its own.
Prediction joined(double time, const Prediction& a, const Prediction& b) {
  if (!a.has_interval() || !b.has_interval())
    return {Seconds{time}, {unknown_value}, {unknown_value}};
  const auto factor = [time](Seconds end) { return std::log(end.value / time); };
  return {Seconds{time}, Seconds{time * std::exp(-std::hypot(factor(a.low), factor(b.low)))},
          Seconds{time * std::exp(std::hypot(factor(a.high), factor(b.high)))}};
}

/// What a run takes with each of the versions.
Prediction by_versions(double time, const std::vector<double>& times, double confidence,
                       double longest) {
  const std::span<const double> drawn = std::span{times}.subspan(2);
  // The run with all tasks' own times is one more such draw.
  const double spread = student_quantile(confidence, static_cast<double>(drawn.size()) - 1) *
                        std::sqrt(variance(drawn) * (1 + 1 / static_cast<double>(drawn.size())));
  const double middle = mean(drawn);
  const double low = middle - std::hypot(spread, std::max(0.0, time - times[0]));
  const double high = middle + std::hypot(spread, std::max(0.0, times[1] - time)) + longest;
  return {Seconds{time}, Seconds{std::min(time, std::max(0.0, low))},
          Seconds{std::max(time, high)}};
}

simulate::WantedMachine with_room(simulate::WantedMachine wanted, const Model& model, int ranks) {
  wanted.hosts = hosts_for(model, ranks);
  return wanted;
}

/// The runs of the tasks on the machines of a model's parameters.
class Runs {
 public:
  Runs(const TaskTimes& tasks, const Model& model, const std::vector<int>& processes,
       const PredictionOptions& options)
      : tasks_{tasks},
        processes_{processes},
        options_{options},
        wanted_{with_room(options.machine, model, std::ranges::max(processes))},
        larger_{simulate::model_for(model, wanted_)},
        machine_{simulate::build(larger_.model, wanted_)},
        work_{work_of(tasks, {tasks.total().value, 0}, options.protocol)} {
    wanted_.kind = machine_.kind;
    all_ = processes.size() * runs_of_each();
  }

  [[nodiscard]] const simulate::Machine& machine() const { return machine_; }
  [[nodiscard]] const Model& model() const { return larger_.model; }
  [[nodiscard]] const std::vector<Diagnostic>& assumed() const { return larger_.assumed; }
  [[nodiscard]] const Work& work() const { return work_; }
  [[nodiscard]] long left_out() const { return left_out_; }

  [[nodiscard]] std::vector<Run> central() {
    std::vector<Run> runs;
    for (const int ranks : processes_)
      runs.push_back(counted(run(for_job(machine_, ranks), work_)));
    return runs;
  }

  /// What the tasks leave open, of each number of processes.
  [[nodiscard]] std::vector<Prediction> by_tasks(const std::vector<double>& times) {
    std::vector<std::vector<double>> others(times.size());
    for (const Version& version : versions_of(tasks_)) {
      const std::vector<double> found =
          times_on(machine_, work_of(tasks_, version, options_.protocol));
      for (std::size_t i = 0; i < times.size(); ++i) others[i].push_back(found[i]);
    }
    std::vector<Prediction> all;
    for (std::size_t i = 0; i < times.size(); ++i) {
      if (tasks_.source() == Source::all) {
        all.push_back({Seconds{times[i]}, Seconds{times[i]}, Seconds{times[i]}});
      } else if (others[i].empty()) {
        all.push_back({Seconds{times[i]}, Seconds{unknown_value}, Seconds{unknown_value}});
      } else {
        all.push_back(
            by_versions(times[i], others[i], larger_.model.confidence, longest_not_run()));
      }
    }
    return all;
  }

  /// What the model leaves open, and the processors' speeds.
  [[nodiscard]] std::vector<Prediction> by_machine(const std::vector<double>& times) {
    if (!speeds_are_uncertain()) return by_replicates(&Estimate::value, times);
    const std::vector<Prediction> fast = by_replicates(&Estimate::low, {});
    const std::vector<Prediction> slow = by_replicates(&Estimate::high, {});
    std::vector<Prediction> all;
    for (std::size_t i = 0; i < times.size(); ++i) {
      const bool model_tells = fast[i].has_interval() && slow[i].has_interval();
      all.push_back({Seconds{times[i]}, model_tells ? fast[i].low : fast[i].time,
                     model_tells ? slow[i].high : slow[i].time});
    }
    return all;
  }

  /// By how much a task that wasn't run may end later than the longest that was: as if it took as
  /// long again, by chance of not having been run [s].
  [[nodiscard]] double longest_not_run() const {
    const double slowest =
        std::ranges::max_element(machine_.time_ratios, {}, &Estimate::value)->value;
    return tasks_.open_share() * slowest * std::ranges::max(tasks_.measured().times_s);
  }

  /// Whether single tasks decide when a run of that time ends, and longer ones than were run may.
  [[nodiscard]] bool ends_with_one(double time) const {
    constexpr double much = 0.1;
    return longest_not_run() > much * time;
  }

  [[nodiscard]] bool speeds_are_uncertain() const {
    return simulate::speeds_are_uncertain(machine_);
  }

 private:
  [[nodiscard]] std::size_t runs_of_each() const {
    if (!options_.has_interval) return 1;
    const std::size_t replicates = calls_by_replicates(larger_.model, machine_.kind, true);
    return 1 + versions_of(tasks_).size() +
           (speeds_are_uncertain() ? 2 * replicates : replicates - 1);
  }

  Run counted(const Run& run) {
    if (options_.progress) options_.progress(++done_, all_);
    return run;
  }

  [[nodiscard]] Run run(const simulate::Machine& machine, const Work& work) const {
    return tasks::run(machine, work, options_.protocol);
  }

  [[nodiscard]] std::vector<double> times_on(const simulate::Machine& machine, const Work& work) {
    std::vector<double> times;
    for (const int ranks : processes_) {
      times.push_back(counted(run(for_job(machine, ranks), work)).time);
    }
    return times;
  }

  [[nodiscard]] std::vector<double> times_if_possible(const Model& replicate,
                                                      double Estimate::*end) {
    try {
      return times_on(at_speed_end(simulate::build(replicate, wanted_), end), work_);
    } catch (const InputError&) {
      ++left_out_;
      return std::vector<double>(processes_.size(), unknown_value);
    }
  }

  /// @param known  the times by the central parameters; empty: runs are to tell them
  [[nodiscard]] std::vector<Prediction> by_replicates(double Estimate::*end,
                                                      const std::vector<double>& known) {
    const simulate::Machine central = at_speed_end(machine_, end);
    bool is_first = true;
    const auto by = [&](const Model& model) {
      if (!std::exchange(is_first, false)) return times_if_possible(model, end);
      return known.empty() ? times_on(central, work_) : known;
    };
    const auto slower = [&](double factor) {
      return times_on(with_slower_messages(central, factor), work_);
    };
    std::vector<Prediction> all;
    for (const ByReplicates& times :
         commgauge::by_replicates(larger_.model, machine_.kind, by, slower)) {
      all.push_back(time_by_replicates(larger_.model, machine_.kind, times));
    }
    return all;
  }

  const TaskTimes& tasks_;
  const std::vector<int>& processes_;
  const PredictionOptions& options_;
  simulate::WantedMachine wanted_;
  LargerModel larger_;
  simulate::Machine machine_;
  Work work_;
  std::size_t all_{};
  std::size_t done_{};
  long left_out_{};
};

std::uint64_t largest_message(const Work& work, const Protocol& protocol) {
  std::uint64_t result = protocol.result.value;
  if (!work.result_bytes.empty()) result = *std::ranges::max_element(work.result_bytes);
  return std::max(protocol.task.value, protocol.request.value + chunk_of(work, protocol) * result);
}

void mark_extrapolated(PredictedRuns& all, const Model& model, const Runs& runs,
                       const Protocol& protocol) {
  const bool is_longer =
      fitted_sizes(model, all.kind).last.value < largest_message(runs.work(), protocol);
  const auto count = std::ranges::count_if(
      all.runs, [&](const Predicted& one) { return one.processes > model.ranks; });
  for (Predicted& one : all.runs) {
    one.time.extrapolated = is_longer || one.processes > model.ranks;
  }
  if (is_longer) {
    all.notes.push_back(
        {.kind = "extrapolated",
         .problem = "messages are longer than the sizes that " + all.kind + " was fitted on",
         .reason = "what they take is extrapolated",
         .advice = "calibrate with larger --sizes"});
  }
  if (count > 0) {
    all.notes.push_back({.kind = "larger_job",
                         .count = static_cast<long>(count),
                         .problem = "jobs of more than " + std::to_string(model.ranks) +
                                    " processes run on hosts like those of the model",
                         .reason = "no more ranks were measured",
                         .advice = "calibrate with more"});
  }
}

void add_notes(PredictedRuns& all, const TaskTimes& tasks, const Model& model, const Runs& runs,
               const PredictionOptions& options) {
  const simulate::Machine& machine = runs.machine();
  all.notes.insert(all.notes.end(), runs.assumed().begin(), runs.assumed().end());
  all.notes.insert(all.notes.end(), machine.notes.begin(), machine.notes.end());
  all.notes.insert(all.notes.end(), machine.speed_doubts.begin(), machine.speed_doubts.end());
  if (!options.machine.knows_speeds()) {
    all.notes.push_back({.kind = "equal_processors",
                         .problem = "workers' processors are taken to be as fast as the one that "
                                    "the tasks were run on",
                         .reason = "nobody said otherwise"});
  }
  if (std::abs(tasks.skewness()) > most_skewness) {
    all.notes.push_back({.kind = "skewed_tasks",
                         .problem = "a few long tasks decide what all take",
                         .reason = "the interval may be too narrow",
                         .advice = "run more, until tasks plan asks for none"});
  }
  const auto ends_with_one = [&](const Predicted& one) {
    return runs.ends_with_one(one.time.time.value);
  };
  if (const auto count = std::ranges::count_if(all.runs, ends_with_one); count > 0) {
    const Predicted& first = *std::ranges::find_if(all.runs, ends_with_one);
    all.notes.push_back(
        {.kind = single_tasks_decide,
         .count = static_cast<long>(count),
         .problem = "with " + std::to_string(first.processes) +
                    " processes single long tasks decide when the run ends",
         .reason = "longer ones than were run may be among the others, and the interval may be "
                   "too narrow",
         .advice = "run more of them, or all"});
  }
  if (!machine.has_growth) {
    all.notes.push_back({.kind = "no_growth",
                         .problem = "overheads are taken as the same at any number of processes",
                         .reason = "their growth was not measured, or is left out"});
  }
  if (runs.left_out() > 0) {
    all.notes.push_back({.kind = "replicates_left_out",
                         .count = runs.left_out(),
                         .problem = std::to_string(runs.left_out()) + " replicates of " + all.kind +
                                    " are left out of the interval",
                         .reason = "the tasks can't be run with their parameters"});
  }
  if (!options.has_interval) return;
  if (std::isnan(tasks.total().low)) {
    all.notes.push_back({.kind = "no_interval",
                         .problem = "too few tasks were run to tell how sure their total is",
                         .advice = "run three in a dimension at least"});
  } else if (all.interval_meaning.empty()) {
    all.notes.push_back({.kind = "no_interval", .problem = why_no_interval(model, all.kind)});
  }
}

std::string meaning_of(const TaskTimes& tasks, const Model& model, const Runs& runs) {
  std::string text = interval_meaning(model, runs.machine().kind);
  if (runs.speeds_are_uncertain())
    text += ", from the processors' lowest time ratio to the highest";
  if (tasks.source() == Source::grid) text += ", and what interpolated tasks leave open";
  if (tasks.source() == Source::sample) text += ", and what tasks that weren't run leave open";
  return text;
}

void check(const std::vector<int>& processes) {
  if (processes.empty()) {
    throw InputError("no number of processes (a job has some): give at least one");
  }
  constexpr int most = 1 << 20;
  for (const int count : processes) {
    if (count >= 2 && count <= most) continue;
    throw InputError("a job of " + std::to_string(count) +
                     " processes (from 2, a master and a worker, to " + std::to_string(most) +
                     "): give another number");
  }
}

}  // namespace

PredictedRuns predicted(const TaskTimes& tasks, const Model& model,
                        const std::vector<int>& processes, const PredictionOptions& options) {
  check(processes);
  Runs runs(tasks, model, processes, options);
  PredictedRuns all;
  all.kind = runs.machine().kind;
  std::vector<double> times;
  for (const Run& run : runs.central()) {
    const Prediction bare{Seconds{run.time}, Seconds{unknown_value}, Seconds{unknown_value}};
    all.runs.push_back({processes[times.size()], bare, run});
    times.push_back(run.time);
  }
  if (options.has_interval) {
    const std::vector<Prediction> by_tasks = runs.by_tasks(times);
    const std::vector<Prediction> by_machine = runs.by_machine(times);
    for (std::size_t i = 0; i < times.size(); ++i) {
      all.runs[i].time = joined(times[i], by_tasks[i], by_machine[i]);
    }
    if (all.runs.front().time.has_interval()) all.interval_meaning = meaning_of(tasks, model, runs);
  }
  mark_extrapolated(all, model, runs, options.protocol);
  add_notes(all, tasks, model, runs, options);
  return all;
}

Best best_of(const std::vector<Predicted>& runs) {
  constexpr double as_good = 1.02;
  const auto time = [](const Predicted& one) { return one.time.time.value; };
  Best best{*std::ranges::min_element(runs, {}, time), {}};
  best.fewest = best.shortest;
  for (const Predicted& one : runs) {
    const bool is_as_good = time(one) <= as_good * time(best.shortest);
    if (is_as_good && one.processes < best.fewest.processes) best.fewest = one;
  }
  return best;
}

std::string to_text(const Best& best, const Protocol& protocol) {
  const auto counted = [](int number, const char* word) {
    return std::to_string(number) + " " + word + (number == 1 ? "" : "s");
  };
  const auto described = [&](const Predicted& one) {
    return std::to_string(one.processes) + " processes" + " (" +
           counted(protocol.masters, "master") + ", " +
           counted(one.processes - protocol.masters, "worker") + ")";
  };
  std::string text = "shortest with " + described(best.shortest) + ": " +
                     commgauge::to_text(best.shortest.time.time);
  if (best.shortest.time.has_interval()) {
    text += ", from " + commgauge::to_text(best.shortest.time.low) + " to " +
            commgauge::to_text(best.shortest.time.high);
  }
  if (best.fewest.processes == best.shortest.processes) return text;
  return text + "; " + described(best.fewest) +
         " are within 2 % of it: " + commgauge::to_text(best.fewest.time.time);
}

}  // namespace commgauge::tasks
