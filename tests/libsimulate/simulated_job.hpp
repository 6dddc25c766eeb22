#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "commgauge/simulate/machine/machine.hpp"
#include "commgauge/simulate/process/collective.hpp"
#include "commgauge/simulate/run/simulation.hpp"
#include "made_machine.hpp"

/// A job on the machine of lmo_model(), and what its messages cost by hand.
namespace commgauge::simulate::job {

inline constexpr double us = 1e-6;
inline constexpr double eps = 1e-15;
inline constexpr std::uint64_t limit = 5000;

inline double overhead(double size) { return 10 * us + size * 1e-9; }
inline double travel(double size) { return 20 * us + size * 2e-9; }
inline double one_way(double size) { return 2 * overhead(size) + travel(size); }

using Program = std::function<Task(CoroutineProcess&)>;

/// The ranks' clocks at the end. @param seed  of the order in which ranks go on; 0: the usual one
inline std::vector<double> run(const Machine& machine, const Program& program,
                               std::uint64_t seed = 0) {
  Simulation simulation(machine);
  if (seed != 0) simulation.go_on_at_random(seed);
  simulation.run(program);
  std::vector<double> ends;
  for (int r = 0; r < machine.ranks; ++r) ends.push_back(simulation.process(r).clock());
  return ends;
}

inline Machine lmo_machine(int ranks) { return machine_of(lmo_model(ranks, limit), "lmo"); }

/// A collective operation of all ranks, each in its own task.
inline std::vector<double> run(const Machine& machine, const schedule::Collective& what,
                               schedule::Algorithm algorithm) {
  return run(machine, [&](CoroutineProcess& p) -> Task {
    Group all;
    for (int r = 0; r < machine.ranks; ++r) all.ranks.push_back(r);
    all.context = 1;
    MessagesOnly messages(all, what.unit);
    Request request;
    request.kind = Request::Kind::collective;
    p.start_collective(request, perform(schedule_of(what, algorithm, p.rank()), messages));
    co_await p.one(request);
  });
}

}  // namespace commgauge::simulate::job
