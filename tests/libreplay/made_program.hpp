#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "commgauge/simulate/machine/topology.hpp"
#include "recorded_program.hpp"

namespace commgauge::replay {

inline constexpr double ms = 1e-3;

/// Each message takes 1 ms, whatever its size, and its ranks no time.
inline simulate::Machine one_millisecond(int ranks) {
  simulate::LinkParameters links;
  links.start_up = Seconds{ms};
  return simulate::machine_of(*simulate::generated("full:" + std::to_string(ranks)), links);
}

/// A program that a person can follow. Its computing is CPU time, in whole milliseconds.
class Made {
 public:
  explicit Made(int ranks) : trace{trace_of(ranks)}, clocks_(trace.ranks.size()) {
    trace.has_processor_time = true;
    trace.names = {"MPI_Send", "MPI_Recv", "MPI_Isend", "MPI_Wait", "MPI_Finalize",
                   "loop",     "sleep",    "MPI_Probe", "MPI_Test"};
  }
  Made& compute(int rank, int milliseconds) {
    clocks_[static_cast<std::size_t>(rank)] += std::int64_t{1'000'000} * milliseconds;
    return *this;
  }
  /// As emulate records it: a call of its own.
  Made& sleep(int rank, int milliseconds) {
    return call(rank, 6, trace::event::Sleep{1'000'000 * static_cast<std::uint64_t>(milliseconds)});
  }
  Made& send(int from, int to) { return call(from, 0, trace::event::Send{.peer = to, .bytes = 8}); }
  Made& receive(int to, int from) {
    return call(to, 1, trace::event::Receive{.peer = from, .bytes = 8, .found = {from, 0, 8}});
  }
  /// Until the message is there, which stays.
  Made& probe(int to, int from) {
    return call(to, 7, trace::event::Probe{.peer = from, .found = {from, 0, 8}});
  }
  Made& receive_by_testing(int to, int from) {
    call(to, 1,
         trace::event::Receive{.request = 0, .peer = from, .bytes = 8, .found = {from, 0, 8}});
    trace.ranks[static_cast<std::size_t>(to)].requests.assign(1, 0);
    return call(to, 8, trace::event::Poll{.count = 1, .attempts = 1});
  }
  template <class Kind>
  Made& border(int rank, std::uint32_t name) {
    const auto r = static_cast<std::size_t>(rank);
    Kind what{};
    what.name = name;
    what.processor = clocks_[r];
    trace.ranks[r].events.emplace_back(what, clocks_[r]);
    return *this;
  }
  Made& enter_loop(int rank) { return border<trace::event::RegionBegin>(rank, loop); }
  Made& leave_loop(int rank) { return border<trace::event::RegionEnd>(rank, loop); }
  void finish() {
    for (int r = 0; r < static_cast<int>(trace.ranks.size()); ++r) {
      border<trace::event::Enter>(r, 4);
      border<trace::event::Leave>(r, 4);
    }
  }
  static constexpr std::uint32_t loop = 5;

  trace::Trace trace;

 private:
  Made& call(int rank, std::uint32_t name, const trace::Event& event) {
    border<trace::event::Enter>(rank, name);
    trace.ranks[static_cast<std::size_t>(rank)].events.push_back(event);
    return border<trace::event::Leave>(rank, name);
  }
  std::vector<std::int64_t> clocks_;
};

}  // namespace commgauge::replay
