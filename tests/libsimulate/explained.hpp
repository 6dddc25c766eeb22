#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "commgauge/simulate/machine/topology.hpp"
#include "commgauge/simulate/world/causes.hpp"
#include "random_program.hpp"
#include "simulated_rank.hpp"
#include "whole_model.hpp"

namespace commgauge::simulate {

/// How many random programs a test takes of so many: unoptimised, and so under the sanitizers, a
/// tenth.
[[nodiscard]] constexpr std::uint64_t programs_of(std::uint64_t all) {
#ifdef NDEBUG
  return all;
#else
  return all / 10;
#endif
}

/// A random program, and why it took so long.
struct Explained {
  Causes causes;
  std::vector<double> ends;  ///< [s]

  Explained(const Machine& machine, std::uint64_t seed) : causes(machine.ranks) {
    Simulation simulation(machine);
    simulation.keep_causes(causes);
    std::vector<int> notes(static_cast<std::size_t>(machine.ranks));
    simulation.run([&](CoroutineProcess& p) -> Task {
      random_program::SimulatedRank rank(p, notes);
      random_program::Program program(rank, seed);
      co_await program.run();
    });
    for (int r = 0; r < machine.ranks; ++r) {
      ends.push_back(simulation.process(r).clock());
      causes.set_end(r, simulation.process(r).now());
    }
  }
};

/// Of each kind three, which differ in what is eager if they can, each also with requests that wait
/// behind data, and one that is disturbed; with hosts' links; behind uplinks; on topologies.
inline std::vector<Machine> machines_of_all_kinds() {
  std::vector<Machine> all;
  for (const std::string& kind : emulated_models()) {
    for (const std::uint64_t eager_limit : {0, 300, 30'000}) {
      all.push_back(machine_of(whole::whole_model(kind, eager_limit), kind));
      all.push_back(all.back());
      all.back().requests_queue = true;
      if (eager_limit == 300) all.back() = with_jitter(all.back(), {.mean = 20e-6, .seed = 1});
    }
    all.push_back(all.back());
    all.back().disturbances.push_back(parse_disturbance("rank=*,period=37us,length=11us"));
  }
  for (const char* const kind : {"hockney", "lmo", "loggps"}) {
    for (const std::uint64_t eager_limit : {0, 300, 30'000}) {
      all.push_back(on_two_hosts(machine_of(whole::whole_model(kind, eager_limit), kind)));
    }
  }
  for (const char* const kind : {"hockney", "lmo", "bottleneck", "loggps"}) {
    for (const std::uint64_t eager_limit : {0, 300}) {
      all.push_back(on_two_hosts(machine_of(whole::whole_model(kind, eager_limit), kind)));
      all.back().sharing = eager_limit == 0 ? Sharing::rendezvous : Sharing::all;
      all.push_back(all.back());
      all.back().requests_queue = true;
    }
  }
  for (const char* const kind : {"hockney", "lmo", "loggps"}) {
    for (const Sharing sharing : {Sharing::none, Sharing::rendezvous, Sharing::all}) {
      all.push_back(behind_uplinks(machine_of(whole::whole_model(kind, 300), kind)));
      all.back().sharing = sharing;
    }
  }
  for (const char* const shape : {"ring:4", "hypercube:4"}) {
    for (const bool is_shared : {false, true}) {
      all.push_back(machine_of(*generated(shape), {.start_up = Seconds{11e-6},
                                                   .per_byte = SecondsPerByte{3e-9},
                                                   .block = Bytes{1500},
                                                   .has_contention = is_shared}));
    }
  }
  return all;
}

}  // namespace commgauge::simulate
