#include "commgauge/trace/events/trace.hpp"

#include <algorithm>

namespace commgauge::trace {
namespace {

/// What ranks do without it, too: computing, sleeping, and what is between threads.
bool is_without_mpi(Event::Kind kind) {
  using enum Event::Kind;
  switch (kind) {
    case enter:
    case leave:
    case region_begin:
    case region_end:
    case clock_reads:
    case sleep:
    case thread_begin:
    case thread_end:
    case thread_start:
    case release:
    case acquire:
      return true;
    default:
      return false;
  }
}

}  // namespace

bool uses_mpi(const Trace& trace) {
  const auto is_mpi = [&](const Event& event) {
    if (event.kind == Event::Kind::enter) return trace.names[event.name].starts_with("MPI_");
    return !is_without_mpi(event.kind);
  };
  return std::ranges::any_of(
      trace.ranks, [&](const Rank& rank) { return std::ranges::any_of(rank.events, is_mpi); });
}

}  // namespace commgauge::trace
