#include "commgauge/simulate/causes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "random_program.hpp"
#include "simulated_rank.hpp"
#include "whole_model.hpp"

namespace commgauge::simulate {
namespace {

/// A random program, and why it took so long.
struct Explained {
  Causes causes;
  std::vector<double> ends;  ///< [s]
  std::vector<Moment> moments;

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
      moments.push_back(simulation.process(r).now());
    }
  }
};

/// The times that the causes alone say.
std::vector<double> walk(const Causes& causes) {
  std::vector<double> times(causes.size());
  for (Moment m = 1; m < causes.size(); ++m) {
    for (const Cause& cause : causes.of(m)) {
      times[m] = std::max(times[m], times[cause.after] + cause.delay);
    }
  }
  return times;
}

std::vector<Machine> machines() {
  std::vector<Machine> all;
  for (const std::string& kind : emulated_models()) {
    for (const std::uint64_t eager_limit : {0, 300, 30'000}) {
      Model model = whole::whole_model();
      // The gaps of PLogP's are of messages that wait from `limit` on.
      if (kind != "plogp") model.eager_limit = Bytes{eager_limit};
      all.push_back(machine_of(model, kind));
    }
    all.push_back(all.back());
    all.back().disturbances.push_back(parse_disturbance("rank=*,period=37us,length=11us"));
  }
  return all;
}

TEST(Causes, SayTheTimeOfEverythingThatHappens) {
  for (const Machine& machine : machines()) {
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
      const Explained explained(machine, seed);
      const std::vector<double> times = walk(explained.causes);
      for (Moment m = 0; m < times.size(); ++m) {
        ASSERT_NEAR(times[m], explained.causes.time(m), 1e-12 * (1 + times[m]))
            << machine.kind << ", program " << seed << ", moment " << m << " of rank "
            << explained.causes.rank(m);
      }
      for (std::size_t r = 0; r < explained.ends.size(); ++r) {
        ASSERT_NEAR(times[explained.moments[r]], explained.ends[r], 1e-12 * (1 + explained.ends[r]))
            << machine.kind << ", program " << seed << ", rank " << r;
      }
    }
  }
}

}  // namespace
}  // namespace commgauge::simulate
