#include "commgauge/replay/prediction/prediction.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>

#include "commgauge/base/error.hpp"
#include "commgauge/base/units.hpp"
#include "commgauge/base/unknown_value.hpp"
#include "commgauge/costs/costs_of_pairs.hpp"
#include "commgauge/model/interval_meaning.hpp"
#include "commgauge/model/model.hpp"
#include "commgauge/model/model_list.hpp"
#include "commgauge/predict/by_replicates.hpp"
#include "commgauge/predict/draws.hpp"
#include "commgauge/replay/run/replay.hpp"
#include "commgauge/simulate/machine/wanted_machine.hpp"
#include "prediction/job_machine.hpp"

namespace commgauge::replay {

namespace {

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
  std::vector<Diagnostic> notes = options.assumed;
  notes.insert(notes.end(), machine.notes.begin(), machine.notes.end());
  notes.insert(notes.end(), machine.speed_doubts.begin(), machine.speed_doubts.end());
  if (const auto assumed = simulate::assumed_pairs(machine); assumed.any()) {
    notes.push_back({.kind = "assumed_pairs",
                     .count = static_cast<long>(assumed.count),
                     .problem = to_text(assumed)});
  }
  if (options.replay.computes && !options.machine.knows_speeds()) {
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

/// What the program takes where its ranks are desynchronised: a note, and the interval holds it.
void add_desynchronisation(Predicted& all) {
  std::vector<simulate::TakenInTurn> ranks;
  for (const RankResult& rank : all.result.ranks) ranks.push_back(rank.in_turn);
  const auto found = simulate::desynchronisation(Seconds{all.result.time}, ranks);
  if (!found) return;
  all.notes.push_back(diagnostic_of(*found));
  if (!all.prediction.has_interval()) return;
  all.prediction.high.value += found->longer();
  all.interval_meaning += found->at_once > 0
                              ? ", and up to what it takes where all ranks communicate at once"
                              : ", and up to what it takes where ranks fall out of step";
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
  return options.replay.computes && simulate::speeds_are_uncertain(machine);
}

/// Without MPI a replay would tell what the program computed, and call it a prediction.
void require_mpi(const trace::Trace& trace) {
  if (trace::uses_mpi(trace)) return;
  throw InputError(
      "the trace has no calls of MPI (there is nothing to predict): record a program that uses it, "
      "or with its calls (Score-P: --mpp=mpi)");
}

constexpr const char* over_speeds_means = "from the processors' lowest time ratio to the highest";

/// Replays of a trace, and how many of them are done.
class Runs {
 public:
  Runs(const trace::Trace& trace, const PredictionOptions& options, std::size_t all)
      : trace_{trace}, options_{options}, all_{all} {}

  [[nodiscard]] Result result_on(const simulate::Machine& machine) {
    return counted(replay(trace_, machine, options_.replay));
  }
  [[nodiscard]] double time_on(const simulate::Machine& machine) {
    return counted(replay(trace_, machine, times_only(options_.replay)).time);
  }
  /// Of anything else that is computed of a machine, too.
  template <class Value>
  [[nodiscard]] Value counted(Value value) {
    if (options_.progress) options_.progress(++done_, all_);
    return value;
  }

 private:
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
  return {Seconds{time}, Seconds{unknown_value}, Seconds{unknown_value}};
}

/// The machines of a job that a model's replicates, and what is known of processors, make.
class Machines {
 public:
  Machines(const trace::Trace& trace, const Model& model, const PredictionOptions& options)
      : trace_{trace},
        model_{model},
        options_{options},
        machine_{of(model, options.machine.kind)} {}

  /// By the model's central parameters.
  [[nodiscard]] const simulate::Machine& central() const { return machine_; }
  /// How many times values_on() asks; none where no interval is wanted.
  [[nodiscard]] std::size_t number() const {
    if (!options_.has_interval) return 0;
    return ends().size() * calls_by_replicates(model_, machine_.kind, true);
  }
  /// @param values  always as many; the first time on the central machine, if there is one end
  [[nodiscard]] std::vector<ByEnds> by_ends(const ValuesOn& values) const {
    std::vector<ByEnds> all;
    for (const Ratio end : ends()) {
      const std::vector<ByReplicates> found = by_replicates(end, values);
      all.resize(found.size());
      for (std::size_t i = 0; i < found.size(); ++i) all[i].push_back(found[i]);
    }
    return all;
  }
  /// Whether the processors' speeds, as far as they are known, leave the time open.
  [[nodiscard]] bool is_uncertain() const { return speeds_are_uncertain(machine_, options_); }

 private:
  [[nodiscard]] std::vector<Ratio> ends() const {
    if (is_uncertain()) return {&Estimate::low, &Estimate::high};
    return {&Estimate::value};
  }

  /// With processors as slow as an end of their intervals says.
  [[nodiscard]] std::vector<ByReplicates> by_replicates(Ratio end, const ValuesOn& values) const {
    const simulate::Machine central = at_speed_end(machine_, end);
    std::optional<std::size_t> count;
    const auto by = [&](const Model& other) {
      if (count) return values_if_possible(other, end, values, *count);
      std::vector<double> first = values(central);
      count = first.size();
      return first;
    };
    const auto slower = [&](double factor) {
      return values(with_slower_messages(central, factor));
    };
    return commgauge::by_replicates(model_, machine_.kind, by, slower);
  }

  [[nodiscard]] std::vector<double> values_if_possible(const Model& replicate, Ratio end,
                                                       const ValuesOn& values,
                                                       std::size_t count) const {
    try {
      return values(at_speed_end(of(replicate, machine_.kind), end));
    } catch (const InputError&) {
      return std::vector<double>(count, unknown_value);
    } catch (const simulate::DeadlockError&) {
      return std::vector<double>(count, unknown_value);
    }
  }

  [[nodiscard]] simulate::Machine of(const Model& model, const std::string& kind) const {
    return job_machine(trace_, model, kind, options_);
  }

  const trace::Trace& trace_;
  const Model& model_;
  PredictionOptions options_;
  simulate::Machine machine_;
};

/// From the least of the ends to the greatest. Where the model has no interval the numbers
/// themselves are the ends, if there are several.
Prediction over_ends(double value, const std::vector<Prediction>& ends) {
  const bool model_tells = std::ranges::all_of(ends, &Prediction::has_interval);
  if (ends.empty() || (ends.size() == 1 && !model_tells)) return without_interval(value);
  Prediction all = between(value, value, value);
  for (const Prediction& end : ends) {
    all.low = std::min(all.low, model_tells ? end.low : end.time);
    all.high = std::max(all.high, model_tells ? end.high : end.time);
  }
  return all;
}

/// In words; empty: there is no interval.
std::string meaning_of(const Model& model, const std::string& kind, const Prediction& prediction,
                       const ByEnds& times) {
  if (!prediction.has_interval()) return "";
  const auto has_interval = [&](const ByReplicates& one) {
    return time_by_replicates(model, kind, one).has_interval();
  };
  std::string meaning;
  if (std::ranges::all_of(times, has_interval)) meaning = interval_meaning(model, kind);
  if (times.size() == 1) return meaning;
  return meaning + (meaning.empty() ? "" : ", ") + over_speeds_means;
}

/// Of replicates: by which there is no time.
long left_out(const ByEnds& times) {
  long most = 0;
  for (const ByReplicates& one : times) {
    const auto is_missing = [](double time) { return std::isnan(time); };
    most = std::max<long>(most, std::ranges::count_if(one, is_missing));
  }
  return most;
}

/// @param known  the time on the central machine
ByEnds times_by_ends(const Machines& machines, double known, Runs& runs) {
  bool is_known = !machines.is_uncertain();
  const auto time = [&](const simulate::Machine& machine) {
    return std::vector<double>{std::exchange(is_known, false) ? known : runs.time_on(machine)};
  };
  return machines.by_ends(time).front();
}

/// By how much messages are late in the mean; nothing: chance decides nothing, or the options say
/// which messages are late.
std::optional<MessageJitter> chance(const Model& model, const PredictionOptions& options,
                                    const simulate::Machine& machine) {
  if (!options.has_interval || !options.machine.jitter.is_open()) return std::nullopt;
  return simulate::chance_of(model, machine);
}

/// On which no message waits behind data: chance decides which one would.
PredictionOptions in_step(PredictionOptions options) {
  options.machine.requests_queue = false;
  return options;
}

void add_notes(const Draws& draws, std::vector<Diagnostic>& notes) {
  notes.push_back(
      lateness_note({draws.median.jitter.mean, draws.median.jitter.per_byte}, draws.times.size()));
  if (auto apart = outcomes_note(draws.times)) notes.push_back(*std::move(apart));
}

}  // namespace

Prediction with_interval(const Model& model, const std::string& kind, double value,
                         const ByEnds& times) {
  std::vector<Prediction> ends;
  for (const ByReplicates& one : times) ends.push_back(time_by_replicates(model, kind, one));
  return over_ends(value, ends);
}

Prediction paired(const Model& model, const std::string& kind, Relation relation, double value,
                  const ByEnds& one, const ByEnds& other) {
  const auto same_count = [](const auto& a, const auto& b) { return a.size() == b.size(); };
  if (!std::ranges::equal(one, other, same_count)) return without_interval(value);
  const auto by_replicates =
      relation == Relation::difference ? difference_by_replicates : ratio_by_replicates;
  std::vector<Prediction> ends;
  for (std::size_t i = 0; i < one.size(); ++i) {
    ends.push_back(by_replicates(model, kind, one[i], other[i]));
  }
  return over_ends(value, ends);
}

Predicted predicted(const trace::Trace& trace, const Model& model,
                    const PredictionOptions& options) {
  require_mpi(trace);
  const Machines machines(trace, model, options);
  const bool has_first = options.has_interval && !machines.is_uncertain();
  const std::optional<MessageJitter> lateness = chance(model, options, machines.central());
  const std::size_t drawn_runs = lateness ? 1 + most_draws(model.confidence) : 0;
  Runs runs(trace, options, 1 + drawn_runs + machines.number() - (has_first ? 1 : 0));
  Predicted all;
  all.machine = machines.central();
  std::optional<Draws> draws;
  if (lateness) {
    draws = drawn(all.machine, *lateness, model.confidence,
                  [&](const simulate::Machine& machine) { return runs.time_on(machine); });
    all.machine = draws->median;
  }
  all.result = runs.result_on(all.machine);
  std::optional<Machines> on_time_machines;
  if (draws) on_time_machines.emplace(trace, model, in_step(options));
  const Machines& told = draws ? *on_time_machines : machines;
  const double on_time = draws ? runs.time_on(told.central()) : all.result.time;
  if (options.has_interval) all.times = times_by_ends(told, on_time, runs);
  all.prediction = with_interval(model, all.machine.kind, on_time, all.times);
  all.interval_meaning = meaning_of(model, all.machine.kind, all.prediction, all.times);
  if (draws) {
    all.prediction = with_draws(all.prediction, on_time, *draws);
    if (!all.interval_meaning.empty()) all.interval_meaning += ", over what chance makes of it";
  }
  all.prediction.extrapolated =
      fitted_sizes(model, all.machine.kind).last < all.result.largest_message;
  all.notes = notes_of(trace, all.machine, options);
  if (draws) add_notes(*draws, all.notes);
  add_desynchronisation(all);
  add_model_notes(model, options, left_out(all.times), all);
  add_remarks(trace, all.notes);
  return all;
}

std::vector<ByEnds> values_by_replicates(const trace::Trace& trace, const Model& model,
                                         const PredictionOptions& options, const ValuesOn& values) {
  const Machines machines(trace, model, options);
  Runs runs(trace, options, machines.number());
  return machines.by_ends(
      [&](const simulate::Machine& machine) { return runs.counted(values(machine)); });
}

Predicted predicted(const trace::Trace& trace, const simulate::Machine& machine,
                    const PredictionOptions& options) {
  require_mpi(trace);
  Predicted all;
  all.machine = machine_for(trace, machine, "give a larger one, or places for all ranks");
  all.is_exact = !speeds_are_uncertain(all.machine, options);
  const bool has_interval = !all.is_exact && options.has_interval;
  Runs runs(trace, options, has_interval ? 3 : 1);
  all.result = runs.result_on(all.machine);
  all.prediction = without_interval(all.result.time);
  if (has_interval) {
    const double low = runs.time_on(at_speed_end(all.machine, &Estimate::low));
    const double high = runs.time_on(at_speed_end(all.machine, &Estimate::high));
    all.prediction = between(all.result.time, low, high);
    all.interval_meaning = over_speeds_means;
  }
  all.notes = notes_of(trace, all.machine, options);
  add_desynchronisation(all);
  add_remarks(trace, all.notes);
  return all;
}

}  // namespace commgauge::replay
