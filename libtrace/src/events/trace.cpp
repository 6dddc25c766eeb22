#include "commgauge/trace/events/trace.hpp"

#include <algorithm>

namespace commgauge::trace {
namespace {

/// What ranks do without it, too: computing, sleeping, and what is between threads.
bool is_without_mpi(const Event& one) {
  using namespace event;
  return one.is<Enter, Leave, RegionBegin, RegionEnd, ClockReads, Sleep, ThreadBegin, ThreadEnd,
                ThreadStart, Release, Acquire>();
}

}  // namespace

bool uses_mpi(const Trace& trace) {
  const auto is_mpi = [&](const Event& one) {
    const auto* const call = one.as<event::Enter>();
    return call != nullptr ? trace.names[call->name].starts_with("MPI_") : !is_without_mpi(one);
  };
  return std::ranges::any_of(
      trace.ranks, [&](const Rank& rank) { return std::ranges::any_of(rank.events, is_mpi); });
}

}  // namespace commgauge::trace
