#pragma once

#include <string>
#include <vector>

#include "commgauge/simulate/causes.hpp"
#include "commgauge/simulate/topology.hpp"
#include "random_program.hpp"
#include "simulated_rank.hpp"
#include "whole_model.hpp"

namespace commgauge::simulate {

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

/// Of each kind three that differ in what is eager, and one that is disturbed.
inline std::vector<Machine> machines_of_all_kinds() {
  std::vector<Machine> all;
  for (const std::string& kind : emulated_models()) {
    for (const std::uint64_t eager_limit : {0, 300, 30'000}) {
      Model model = whole::whole_model();
      // The gaps of PLogP's are of messages that wait from `limit` on.
      if (kind != "plogp" && kind != "curves") model.eager_limit = Bytes{eager_limit};
      all.push_back(machine_of(model, kind));
    }
    all.push_back(all.back());
    all.back().disturbances.push_back(parse_disturbance("rank=*,period=37us,length=11us"));
  }
  for (const char* const kind : {"hockney", "lmo", "loggps"}) {
    for (const std::uint64_t eager_limit : {0, 300, 30'000}) {
      Model model = whole::whole_model();
      model.eager_limit = Bytes{eager_limit};
      all.push_back(machine_of(model, kind));
      // Some hosts slower than some pairs, some quicker.
      all.back().host_links = {{0, 0, 1, 1}, {40e-9, 1e-9}, {2e-9, 50e-9}, {0, 9e-9}};
      all.back().host_links.places.resize(static_cast<std::size_t>(all.back().ranks), 1);
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
