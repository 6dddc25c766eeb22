#include "commgauge/replay/run/replay.hpp"

#include <algorithm>
#include <memory>
#include <string>

#include "commgauge/base/error.hpp"
#include "run/interpreter.hpp"
#include "run/result_observer.hpp"

namespace commgauge::replay {

namespace {

void require_complete(const trace::Trace& trace) {
  for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
    if (trace.ranks[r].is_complete) continue;
    throw InputError("rank " + std::to_string(r) +
                     " of the trace didn't come to MPI_Finalize (it was ended before): record a "
                     "run that ends by itself");
  }
}

/// Whether anybody computes: else nobody asks who doesn't.
bool has_computing(const trace::Trace& trace, const Options& options) {
  const auto takes_time = [](const trace::Event& event) {
    return event.is<trace::event::Sleep, trace::event::ClockReads>();
  };
  return options.computes || std::ranges::any_of(trace.ranks, [&](const trace::Rank& rank) {
           return std::ranges::any_of(rank.events, takes_time);
         });
}

/// Of a program whose messages are its own about as many as events.
std::size_t moments_of(const trace::Trace& trace) {
  std::size_t events = 0;
  for (const trace::Rank& rank : trace.ranks) events += rank.events.size();
  return events;
}

/// Of a rank, beside its first.
int most_threads(const trace::Trace& trace) {
  constexpr std::size_t many = 4096;  // at a time
  std::size_t most = 0;
  for (const trace::Rank& rank : trace.ranks) most = std::max(most, rank.further_threads.size());
  return static_cast<int>(std::min(most, many));
}

/// What the user of a replay can do about it.
const char* way_out(const Options& options) {
  return options.rematches
             ? "replay it without --rematch, which may let receives take what others wait for"
             : "a send may wait there that didn't where it was recorded, above the eager limit: "
               "the "
               "program relies on that; else try --rematch, or record it again";
}

}  // namespace

Result replay(const trace::Trace& trace, const simulate::Machine& machine, const Options& options) {
  const auto ranks = static_cast<int>(trace.ranks.size());
  if (machine.ranks != ranks) {
    throw InputError("the trace has " + std::to_string(ranks) + " ranks, the machine " +
                     std::to_string(machine.ranks) +
                     " (a recorded program says nothing of another number): record it with as "
                     "many ranks as it is to have");
  }
  require_complete(trace);
  Result result;
  const bool keeps_marks = options.keeps_timeline || options.keeps_marks;
  if (keeps_marks) result.marks.resize(trace.ranks.size());
  ResultObserver observer(result, options.keeps_timeline ? ranks : 0, options.counts_traffic);
  simulate::Simulation simulation(machine, most_threads(trace));
  simulation.name_collectives(
      [&](int context, int tag) { return name_of_collective(trace, context, tag); });
  if (options.causes != nullptr) {
    options.causes->reserve(moments_of(trace));
    simulation.keep_causes(*options.causes);
  }
  const bool notes_idleness = options.causes != nullptr && has_computing(trace, options);
  const Names names(trace);
  const Divisions divisions(trace);
  std::vector<std::unique_ptr<InterpretedRank>> interpreted(trace.ranks.size());
  const auto follow = [&](simulate::CoroutineProcess& process) {
    const auto rank = static_cast<std::size_t>(process.rank());
    auto& one = interpreted[rank];
    one = std::make_unique<InterpretedRank>(simulation, trace, names, divisions, options,
                                            process.rank());
    one->set_observer(observer);
    if (keeps_marks) one->keep_marks(result.marks[rank]);
    if (notes_idleness) one->note_idleness();
    return one->run(process);
  };
  try {
    simulation.run(follow);
  } catch (const simulate::DeadlockError& error) {
    throw simulate::DeadlockError(error.waiting(), way_out(options));
  }
  for (int r = 0; r < ranks; ++r) {
    result.ranks.push_back(interpreted[static_cast<std::size_t>(r)]->result());
    result.time = std::max(result.time, result.ranks.back().end);
  }
  result.traffic = observer.traffic();
  return result;
}

}  // namespace commgauge::replay
