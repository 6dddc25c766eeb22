#include "commgauge/replay/prediction.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "commgauge/base/error.hpp"
#include "commgauge/costs/pair_costs.hpp"
#include "commgauge/model/interval_meaning.hpp"
#include "commgauge/model/model_list.hpp"
#include "commgauge/predict/by_replicates.hpp"

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
  std::vector<Diagnostic> notes;
  if (machine.passed_over) notes.push_back(*machine.passed_over);
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

simulate::Machine machine_for(const trace::Trace& trace, const simulate::Machine& machine,
                              const char* advice) {
  const auto ranks = static_cast<int>(trace.ranks.size());
  if (ranks <= machine.ranks) return simulate::for_job(machine, ranks);
  throw InputError("the trace has " + std::to_string(ranks) + " ranks, the machine " +
                   std::to_string(machine.ranks) +
                   " (each rank needs its own place there): " + advice);
}

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

}  // namespace

Predicted predicted(const trace::Trace& trace, const Model& model,
                    const PredictionOptions& options) {
  const auto machine_of = [&](const Model& of, const std::string& kind) {
    return machine_for(
        trace, options.machine_of ? options.machine_of(of, kind) : simulate::machine_of(of, kind),
        "give --hosts and --ranks-per-host for a larger one like it, calibrate with more, or give "
        "--placement places for all");
  };
  Predicted all;
  all.machine = machine_of(model, options.kind);
  const std::string& kind = all.machine.kind;
  const std::size_t replays = options.has_interval ? calls_by_replicates(model, kind, true) : 1;
  long left_out = 0;
  std::size_t done = 0;
  const auto replayed = [&](const simulate::Machine& machine, const Options& how) {
    Result result = replay(trace, machine, how);
    if (options.progress) options.progress(++done, replays);
    return result;
  };
  all.result = replayed(all.machine, options.replay);
  if (options.has_interval) {
    Options times_only = options.replay;
    times_only.keeps_timeline = false;
    times_only.counts_traffic = false;
    bool is_first = true;
    const auto time = [&](const Model& other) {
      if (std::exchange(is_first, false)) return all.result.time;
      try {
        return replayed(machine_of(other, kind), times_only).time;
      } catch (const InputError&) {
        ++left_out;
      } catch (const simulate::DeadlockError&) {
        ++left_out;
      }
      return unknown;
    };
    const auto slower = [&](double factor) {
      simulate::Machine machine = all.machine;
      machine.pairs.change([factor](PairCosts& costs) { scale(costs, factor); });
      return replayed(machine, times_only).time;
    };
    all.prediction = predict_by_replicates(model, kind, time, slower);
  } else {
    all.prediction = {Seconds{all.result.time}, Seconds{unknown}, Seconds{unknown}};
  }
  all.prediction.extrapolated = fitted_sizes(model, kind).last < all.result.largest_message;
  if (all.prediction.has_interval()) all.interval_meaning = interval_meaning(model, kind);
  all.notes = notes_of(trace, all.machine, options);
  add_model_notes(model, options, left_out, all);
  add_remarks(trace, all.notes);
  return all;
}

Predicted predicted(const trace::Trace& trace, const simulate::Machine& machine,
                    const PredictionOptions& options) {
  Predicted all;
  all.is_exact = true;
  all.machine = machine_for(trace, machine, "give a larger one, or places for all ranks");
  all.result = replay(trace, all.machine, options.replay);
  if (options.progress) options.progress(1, 1);
  all.prediction = {Seconds{all.result.time}, Seconds{unknown}, Seconds{unknown}};
  all.notes = notes_of(trace, all.machine, options);
  add_remarks(trace, all.notes);
  return all;
}

}  // namespace commgauge::replay
