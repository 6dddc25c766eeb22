#include "commgauge/simulate/world/causes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "explained.hpp"

namespace commgauge::simulate::causes_test {

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
    for (std::uint64_t seed = 1; seed <= programs_of(100); ++seed) {
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

void expect_costs(const Causes& causes, const Machine& machine, const std::string& which) {
  for (Moment m = 1; m < causes.size(); ++m) {
    for (const Cause& cause : causes.of(m)) {
      if (!is_cost(cause.why)) continue;
      ASSERT_NEAR(cause.delay, causes.cost_of(cause, machine), 1e-13 + 1e-12 * causes.time(m))
          << which << ", why " << static_cast<int>(cause.why);
    }
  }
}

TEST(Causes, DelaysAreCostsOfTheirMessages) {
  for (const Machine& machine : machines_of_all_kinds()) {
    if (!machine.disturbances.empty()) continue;
    for (std::uint64_t seed = 1; seed <= programs_of(100); ++seed) {
      const Explained explained(machine, seed);
      expect_costs(explained.causes, machine, machine.kind + ", program " + std::to_string(seed));
    }
  }
}

/// Accesses of all kinds to all ranks, whose ends the rank waits for and hears of.
Task access_others(CoroutineProcess& p, std::uint64_t seed) {
  p.world().expose(p.rank(), 1);
  random_program::Random random(seed * 100 + static_cast<std::uint64_t>(p.rank()));
  for (int step = 0; step < 6; ++step) {
    std::vector<Request> accesses(1 + random() % 4);
    std::vector<Request*> all;
    for (Request& access : accesses) {
      p.compute(static_cast<double>(random() % 50) * 1e-6);
      const int to = static_cast<int>(random() % static_cast<unsigned>(p.machine().ranks));
      const std::uint64_t answer = random() % 2 == 0 ? no_answer : 1 + random() % 60'000;
      p.describe_access(access, to, random() % 60'000, answer);
      p.start(access);
      all.push_back(&access);
    }
    co_await p.all(all);
    if (random() % 2 == 0) continue;
    for (const Request& access : accesses) {
      if (access.answer == no_answer) p.hear_of(access.peer, access.over, access.over_at);
    }
  }
}

TEST(Causes, AreThoseOfAccessesAndTheirAnswersToo) {
  for (const Machine& machine : machines_of_all_kinds()) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      Causes causes(machine.ranks);
      Simulation simulation(machine);
      simulation.keep_causes(causes);
      simulation.run([&](CoroutineProcess& p) { return access_others(p, seed); });
      const std::string which = machine.kind + ", accesses " + std::to_string(seed);
      expect_times(causes, which);
      if (machine.disturbances.empty()) expect_costs(causes, machine, which);
    }
  }
}

}  // namespace commgauge::simulate::causes_test
