#pragma once

#include <cstdint>
#include <vector>

#include "commgauge/simulate/machine/machine.hpp"
#include "commgauge/trace/events/trace.hpp"
#include "random_program.hpp"
#include "recorded_rank.hpp"

namespace commgauge::replay {

/// Nobody does anything yet.
inline trace::Trace trace_of(int ranks) {
  trace::Trace trace;
  trace.ranks.resize(static_cast<std::size_t>(ranks));
  trace.communicators.resize(1);
  for (int r = 0; r < ranks; ++r) trace.communicators[0].members.push_back(r);
  return trace;
}

struct Recorded {
  trace::Trace trace;
  std::vector<double> ends;  ///< [s]
};

/// A random program as it ran on that machine.
inline Recorded record_random(const simulate::Machine& machine, std::uint64_t seed) {
  Recorded recorded{trace_of(machine.ranks), {}};
  simulate::Simulation simulation(machine);
  std::vector<int> notes(static_cast<std::size_t>(machine.ranks));
  simulation.run([&](simulate::CoroutineProcess& process) -> simulate::Task {
    random_program::SimulatedRank simulated(process, notes);
    random_program::RecordedRank rank(
        simulated, recorded.trace.ranks[static_cast<std::size_t>(process.rank())]);
    random_program::Program program(rank, seed);
    co_await program.run();
  });
  for (int r = 0; r < machine.ranks; ++r) recorded.ends.push_back(simulation.process(r).clock());
  return recorded;
}

}  // namespace commgauge::replay
