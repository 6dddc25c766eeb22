#include "commgauge/simulate/causes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "explained.hpp"

namespace commgauge::simulate {
namespace {

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

void expect_times(const Causes& causes, const std::string& which) {
  const std::vector<double> times = walk(causes);
  for (Moment m = 0; m < times.size(); ++m) {
    ASSERT_NEAR(times[m], causes.time(m), 1e-12 * (1 + times[m]))
        << which << ", moment " << m << " of rank " << causes.rank(m);
  }
}

TEST(Causes, SayWhenARequestIsBehindALongMessage) {
  for (const Machine& machine : machines_of_all_kinds()) {
    Causes causes(machine.ranks);
    Simulation simulation(machine);
    simulation.keep_causes(causes);
    std::vector<int> notes(static_cast<std::size_t>(machine.ranks));
    simulation.run([&](CoroutineProcess& p) -> Task {
      random_program::SimulatedRank rank(p, notes);
      std::vector<random_program::SimulatedRank::Request> all;
      for (const int bytes : {20'000, 0, 5'000}) {
        if (p.rank() == 0) all.push_back(rank.start_send(1, bytes, 0, bytes < 20'000));
        if (p.rank() == 1) all.push_back(rank.start_receive(0, 20'000, 0));
      }
      co_await rank.wait_all(all);
    });
    expect_times(causes, machine.kind);
  }
}

TEST(Causes, SayTheTimeOfEverythingThatHappens) {
  for (const Machine& machine : machines_of_all_kinds()) {
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
      const Explained explained(machine, seed);
      expect_times(explained.causes, machine.kind + ", program " + std::to_string(seed));
      const std::vector<double> times = walk(explained.causes);
      for (std::size_t r = 0; r < explained.ends.size(); ++r) {
        ASSERT_NEAR(times[explained.causes.ends()[r]], explained.ends[r],
                    1e-12 * (1 + explained.ends[r]))
            << machine.kind << ", program " << seed << ", rank " << r;
      }
    }
  }
}

bool is_cost(Why why) {
  return why != Why::computing && why != Why::sleeping && why != Why::own_part &&
         why != Why::waiting && why != Why::asking;
}

TEST(Causes, DelaysAreCostsOfTheirMessages) {
  for (const Machine& machine : machines_of_all_kinds()) {
    if (!machine.disturbances.empty()) continue;
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
      const Explained explained(machine, seed);
      for (Moment m = 1; m < explained.causes.size(); ++m) {
        for (const Cause& cause : explained.causes.of(m)) {
          if (!is_cost(cause.why)) continue;
          ASSERT_NEAR(cause.delay, explained.causes.cost_of(cause, machine),
                      1e-13 + 1e-12 * explained.causes.time(m))
              << machine.kind << ", program " << seed << ", why " << static_cast<int>(cause.why);
        }
      }
    }
  }
}

}  // namespace
}  // namespace commgauge::simulate
