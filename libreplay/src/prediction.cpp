#include "commgauge/replay/prediction.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "commgauge/base/error.hpp"
#include "commgauge/costs/pair_costs.hpp"
#include "commgauge/model/interval_meaning.hpp"
#include "commgauge/model/model_list.hpp"
#include "commgauge/predict/by_replicates.hpp"
#include "job_machine.hpp"

namespace commgauge::replay {

namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// What of the trace makes its computing less certain.
void add_computing_notes(const trace::Trace& trace, std::vector<Diagnostic>& notes) {
  if (!trace.has_processor_time) {
    notes.push_back({.kind = "no_processor_time",
                     .problem = "computing is real time, waiting for a core included",
                     .reason = "the trace has no CPU times",
                     .advice = "record with --clock cpu"});
  }
  const auto threads =
      std::ranges::count_if(trace.ranks, [](const trace::Rank& rank) { return rank.threads > 1; });
  if (threads == 0) return;
  notes.push_back({.kind = "threads",
                   .count = threads,
                   .problem = std::to_string(threads) + " ranks had more threads than one",
                   .reason = "what the others compute isn't in the trace",
                   .advice = "record with one, as by OMP_NUM_THREADS=1"});
}

/// What of the machine is assumed, and how certain computing is.
std::vector<Diagnostic> notes_of(const trace::Trace& trace, const simulate::Machine& machine,
                                 const PredictionOptions& options) {
  std::vector<Diagnostic> notes;
  if (machine.passed_over) notes.push_back(*machine.passed_over);
  notes.insert(notes.end(), machine.speed_doubts.begin(), machine.speed_doubts.end());
  if (const auto assumed = simulate::assumed_pairs(machine); assumed.any()) {
    notes.push_back({.kind = "assumed_pairs",
                     .count = static_cast<long>(assumed.count + assumed.alike),
                     .problem = to_text(assumed)});
  }
  if (options.replay.computes && !options.knows_speeds) {
    notes.push_back({.kind = equal_processors,
                     .problem = "processors there are taken to be as fast as those on which the "
                                "program was recorded",
                     .reason = "nobody said otherwise"});
  }
  if (options.replay.computes) add_computing_notes(trace, notes);
  return notes;
}

/// What of the model makes the time less certain.
void add_model_notes(const Model& model, const PredictionOptions& options, long left_out,
                     Predicted& all) {
  const std::string& kind = all.machine.kind;
  if (options.has_interval && !all.prediction.has_interval()) {
    all.notes.push_back({.kind = "no_interval", .problem = why_no_interval(model, kind)});
  }
  if (left_out > 0) {
    all.notes.push_back({.kind = "replicates_left_out",
                         .count = left_out,
                         .problem = std::to_string(left_out) + " replicates of " + kind +
                                    " are left out of the interval",
                         .reason = "the program can't be replayed with their parameters"});
  }
  if (all.prediction.extrapolated) {
    all.notes.push_back(
        {.kind = "extrapolated",
         .problem = "messages are longer than the sizes that " + kind + " was fitted on",
         .reason = "what they take is extrapolated",
         .advice = "calibrate with larger --sizes"});
  }
}

void add_remarks(const trace::Trace& trace, std::vector<Diagnostic>& notes) {
  for (const trace::Remark& remark : trace.remarks) {
    const std::string times =
        remark.count > 1 ? " (" + std::to_string(remark.count) + " times)" : "";
    notes.push_back({.kind = trace_remark,
                     .count = static_cast<long>(remark.count),
                     .problem = remark.text + times});
  }
}

using Ratio = double Estimate::*;

/// Whether the processors' speeds, as far as they are known, leave the time open.
bool speeds_are_uncertain(const simulate::Machine& machine, const PredictionOptions& options) {
  const auto has_spread = [](const Estimate& ratio) { return ratio.low < ratio.high; };
  return options.replay.computes && std::ranges::any_of(machine.time_ratios, has_spread);
}

constexpr const char* over_speeds_means = "from the processors' lowest time ratio to the highest";

/// With processors that need as long as one end of their intervals says.
simulate::Machine at_end(simulate::Machine machine, Ratio end) {
  for (Estimate& ratio : machine.time_ratios) ratio.value = ratio.*end;
  return machine;
}

/// Replays of a trace, and how many of them are done.
class Runs {
 public:
  Runs(const trace::Trace& trace, const PredictionOptions& options, std::size_t all)
      : trace_{trace}, options_{options}, all_{all} {}

  [[nodiscard]] Result result_on(const simulate::Machine& machine) {
    return run(machine, options_.replay);
  }
  [[nodiscard]] double time_on(const simulate::Machine& machine) {
    return run(machine, times_only(options_.replay)).time;
  }
  /// How many there will be.
  void expect(std::size_t all) { all_ = all; }
  /// Of anything else that is computed of a machine.
  template <class Value>
  [[nodiscard]] Value counted(Value value) {
    if (options_.progress) options_.progress(++done_, all_);
    return value;
  }

 private:
  [[nodiscard]] Result run(const simulate::Machine& machine, const Options& how) {
    return counted(replay(trace_, machine, how));
  }

  const trace::Trace& trace_;
  const PredictionOptions& options_;
  std::size_t all_;
  std::size_t done_{};
};

/// An interval that holds the time, too.
Prediction between(double time, double low, double high) {
  return {Seconds{time}, Seconds{std::min(low, time)}, Seconds{std::max(high, time)}};
}

Prediction without_interval(double time) {
  return {Seconds{time}, Seconds{unknown}, Seconds{unknown}};
}

/// The replays of a trace on the machines of a model's parameters.
class Replays {
 public:
  Replays(const trace::Trace& trace, const Model& model, const PredictionOptions& options)
      : trace_{trace},
        model_{model},
        options_{options},
        machine_{of(model, options.kind)},
        runs_{trace, options, number()} {}

  /// By the model's central parameters.
  [[nodiscard]] const simulate::Machine& machine() const { return machine_; }
  [[nodiscard]] Result central() { return runs_.result_on(machine_); }
  [[nodiscard]] long left_out() const { return left_out_; }
  /// Predicted::times_by_end
  [[nodiscard]] std::vector<std::vector<double>> times() && { return std::move(times_); }
  /// Whether the processors' speeds, as far as they are known, leave the time open.
  [[nodiscard]] bool is_uncertain() const {
    return options_.has_interval && speeds_are_uncertain(machine_, options_);
  }

  /// By replicates, with processors as slow as an end of their intervals says.
  /// @param known  the time by the central parameters; NaN: a replay is to tell it
  [[nodiscard]] Prediction predict(Ratio end, double known) {
    const simulate::Machine central = at_end(machine_, end);
    std::vector<double>& times = times_.emplace_back();
    const auto time = [&](const Model& other) {
      if (!times.empty()) return times.emplace_back(time_if_possible(other, end));
      return times.emplace_back(std::isnan(known) ? runs_.time_on(central) : known);
    };
    const auto slower = [&](double factor) {
      return times.emplace_back(runs_.time_on(with_slower_messages(central, factor)));
    };
    const Prediction found = predict_by_replicates(model_, machine_.kind, time, slower);
    const auto is_missing = [](double one) { return std::isnan(one); };
    left_out_ = std::max<long>(left_out_, std::ranges::count_if(times, is_missing));
    return found;
  }
  /// So many times all replicates, and nothing else, are what is counted.
  void expect(std::size_t ends) {
    runs_.expect(ends * calls_by_replicates(model_, machine_.kind, true));
  }
  /// Likewise of what else is computed of the machines.
  [[nodiscard]] TimesAndDifferences<Prediction> predict(Ratio end, const ValuesOn& values) {
    const simulate::Machine central = at_end(machine_, end);
    std::optional<TimesAndDifferences<double>> none;
    const auto by = [&](const Model& other) {
      if (none) return runs_.counted(values_if_possible(other, end, values, *none));
      none = values(central);
      const TimesAndDifferences<double> found = *none;
      for (auto* const all : {&none->times, &none->differences}) std::ranges::fill(*all, unknown);
      return runs_.counted(found);
    };
    const auto slower = [&](double factor) {
      return runs_.counted(values(with_slower_messages(central, factor)));
    };
    return predict_all_by_replicates(model_, machine_.kind, by, slower);
  }

 private:
  [[nodiscard]] static simulate::Machine with_slower_messages(simulate::Machine machine,
                                                              double factor) {
    machine.pairs.change([factor](PairCosts& costs) { scale(costs, factor); });
    return machine;
  }

  [[nodiscard]] TimesAndDifferences<double> values_if_possible(
      const Model& replicate, Ratio end, const ValuesOn& values,
      const TimesAndDifferences<double>& none) const {
    try {
      return values(at_end(of(replicate, machine_.kind), end));
    } catch (const InputError&) {
      return none;
    }
  }

  [[nodiscard]] simulate::Machine of(const Model& model, const std::string& kind) const {
    return job_machine(trace_, model, kind, options_);
  }

  /// Of replays.
  [[nodiscard]] std::size_t number() const {
    if (!options_.has_interval) return 1;
    const std::size_t each = calls_by_replicates(model_, machine_.kind, true);
    return is_uncertain() ? 1 + 2 * each : each;
  }

  [[nodiscard]] double time_if_possible(const Model& replicate, Ratio end) {
    try {
      return runs_.time_on(at_end(of(replicate, machine_.kind), end));
    } catch (const InputError&) {
      return unknown;
    } catch (const simulate::DeadlockError&) {
      return unknown;
    }
  }

  const trace::Trace& trace_;
  const Model& model_;
  const PredictionOptions& options_;
  simulate::Machine machine_;
  Runs runs_;
  long left_out_{};
  std::vector<std::vector<double>> times_;
};

/// An interval, and what it means; by the model's replicates alone where processors' speeds leave
/// nothing open.
struct Known {
  Prediction prediction;
  std::string meaning;
};

/// From the low end on the fastest processors that the intervals of their ratios allow, to the high
/// end on the slowest. Where the model has no interval the times themselves are the ends.
Known over_speeds(Replays& replays, const Model& model, double time) {
  const Prediction fast = replays.predict(&Estimate::low, unknown);
  const Prediction slow = replays.predict(&Estimate::high, unknown);
  const bool model_tells = fast.has_interval() && slow.has_interval();
  const Seconds low = model_tells ? fast.low : fast.time;
  const Seconds high = model_tells ? slow.high : slow.time;
  const std::string by_model =
      model_tells ? interval_meaning(model, replays.machine().kind) + ", " : "";
  return {between(time, low.value, high.value), by_model + over_speeds_means};
}

Known over_replicates(Replays& replays, const Model& model, double time) {
  const Prediction found = replays.predict(&Estimate::value, time);
  return {found, found.has_interval() ? interval_meaning(model, replays.machine().kind) : ""};
}

Known known_of(Replays& replays, const Model& model, bool has_interval, double time) {
  if (!has_interval) return {without_interval(time), ""};
  return replays.is_uncertain() ? over_speeds(replays, model, time)
                                : over_replicates(replays, model, time);
}

}  // namespace

Predicted predicted(const trace::Trace& trace, const Model& model,
                    const PredictionOptions& options) {
  Replays replays(trace, model, options);
  Predicted all;
  all.machine = replays.machine();
  all.result = replays.central();
  Known known = known_of(replays, model, options.has_interval, all.result.time);
  all.prediction = known.prediction;
  all.interval_meaning = std::move(known.meaning);
  all.prediction.extrapolated =
      fitted_sizes(model, all.machine.kind).last < all.result.largest_message;
  all.notes = notes_of(trace, all.machine, options);
  add_model_notes(model, options, replays.left_out(), all);
  add_remarks(trace, all.notes);
  all.times_by_end = std::move(replays).times();
  return all;
}

TimesAndDifferences<Prediction> predicted_values(const trace::Trace& trace, const Model& model,
                                                 const PredictionOptions& options,
                                                 const ValuesOn& values) {
  Replays replays(trace, model, options);
  std::vector<Ratio> ends{&Estimate::value};
  if (replays.is_uncertain()) ends.insert(ends.end(), {&Estimate::low, &Estimate::high});
  replays.expect(ends.size());
  const auto join = [](std::vector<Prediction>& found, const std::vector<Prediction>& others) {
    for (std::size_t i = 0; i < found.size(); ++i) {
      found[i].low.value = std::min(found[i].low.value, others[i].low.value);
      found[i].high.value = std::max(found[i].high.value, others[i].high.value);
    }
  };
  TimesAndDifferences<Prediction> all = replays.predict(ends.front(), values);
  for (std::size_t i = 1; i < ends.size(); ++i) {
    const TimesAndDifferences<Prediction> end = replays.predict(ends[i], values);
    join(all.times, end.times);
    join(all.differences, end.differences);
  }
  return all;
}

Predicted predicted(const trace::Trace& trace, const simulate::Machine& machine,
                    const PredictionOptions& options) {
  Predicted all;
  all.machine = machine_for(trace, machine, "give a larger one, or places for all ranks");
  all.is_exact = !speeds_are_uncertain(all.machine, options);
  const bool has_interval = !all.is_exact && options.has_interval;
  Runs runs(trace, options, has_interval ? 3 : 1);
  all.result = runs.result_on(all.machine);
  all.prediction = without_interval(all.result.time);
  if (has_interval) {
    const double low = runs.time_on(at_end(all.machine, &Estimate::low));
    const double high = runs.time_on(at_end(all.machine, &Estimate::high));
    all.prediction = between(all.result.time, low, high);
    all.interval_meaning = over_speeds_means;
  }
  all.notes = notes_of(trace, all.machine, options);
  add_remarks(trace, all.notes);
  return all;
}

}  // namespace commgauge::replay
