#include "commgauge/replay/prediction.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "commgauge/model/interval_meaning.hpp"
#include "commgauge/model/model_list.hpp"
#include "commgauge/predict/by_replicates.hpp"

namespace commgauge::replay {

namespace {

Bytes largest_message(const trace::Trace& trace) {
  std::uint64_t largest = 0;
  for (const trace::Rank& rank : trace.ranks) {
    for (const trace::Event& event : rank.events) {
      if (event.kind == trace::Event::Kind::send) largest = std::max(largest, event.bytes);
    }
  }
  return {largest};
}

std::vector<Diagnostic> notes_of(const trace::Trace& trace, const Model& model,
                                 const PredictionOptions& options, const Predicted& all) {
  std::vector<Diagnostic> notes;
  const simulate::Machine& machine = all.machine;
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
  if (options.has_interval && !all.prediction.has_interval()) {
    notes.push_back({.kind = "no_interval", .problem = why_no_interval(model, machine.kind)});
  }
  if (all.prediction.extrapolated) {
    notes.push_back(
        {.kind = "extrapolated",
         .problem = "messages are longer than the sizes that " + machine.kind + " was fitted on",
         .reason = "what they take is extrapolated",
         .advice = "calibrate with larger --sizes"});
  }
  for (const trace::Remark& remark : trace.remarks) {
    const std::string times =
        remark.count > 1 ? " (" + std::to_string(remark.count) + " times)" : "";
    notes.push_back({.kind = trace_remark,
                     .count = static_cast<long>(remark.count),
                     .problem = remark.text + times});
  }
  return notes;
}

}  // namespace

Predicted predicted(const trace::Trace& trace, const Model& model,
                    const PredictionOptions& options) {
  const auto ranks = static_cast<int>(trace.ranks.size());
  const auto machine_for = [&](const Model& of, const std::string& kind) {
    const auto machine =
        options.machine_of ? options.machine_of(of, kind) : simulate::machine_of(of, kind);
    return simulate::for_job(machine, ranks);
  };
  Predicted all;
  all.machine = machine_for(model, options.kind);
  const std::string& kind = all.machine.kind;
  const std::size_t replays = options.has_interval ? calls_by_replicates(model, kind) : 1;
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
    bool is_first = true;
    all.prediction = predict_by_replicates(model, kind, [&](const Model& other) {
      if (std::exchange(is_first, false)) return all.result.time;
      return replayed(machine_for(other, kind), times_only).time;
    });
  } else {
    constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
    all.prediction = {Seconds{all.result.time}, Seconds{unknown}, Seconds{unknown}};
  }
  all.prediction.extrapolated = fitted_sizes(model, kind).last < largest_message(trace);
  if (all.prediction.has_interval()) all.interval_meaning = interval_meaning(model, kind);
  all.notes = notes_of(trace, model, options, all);
  return all;
}

}  // namespace commgauge::replay
