#include "commgauge/simulate/run/simulation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

#include "commgauge/simulate/machine/topology.hpp"
#include "explained.hpp"
#include "simulated_job.hpp"
#include "simulated_rank.hpp"

namespace commgauge::simulate::simulation_test {

using namespace job;

TEST(Simulation, WhatARankThrowsArrives) {
  const auto program = [](CoroutineProcess& p) -> Task {
    if (p.rank() == 1) throw InputError("no");
    co_return;
  };
  EXPECT_THROW(run(lmo_machine(2), program), InputError);
}

/// A ring, without contention and with; with wormhole switching, too, and one whose links lead one
/// way.
std::vector<Machine> topologies(int ranks) {
  LinkParameters parameters{Seconds{20 * us}, SecondsPerByte{1e-9}, Bytes{1000}};
  std::vector<Machine> machines{machine_of(ring(ranks), parameters)};
  parameters.has_contention = true;
  machines.push_back(machine_of(ring(ranks), parameters));
  machines.push_back(machines.back());
  machines.back().disturbances.push_back(parse_disturbance("rank=*,period=37us,length=11us"));
  Topology one_way;
  for (int r = 0; r < ranks; ++r) one_way.links.push_back({(r + 1) % ranks});
  machines.push_back(machine_of(one_way, parameters));
  parameters.block.reset();
  parameters.switching = Switching::wormhole;
  machines.push_back(machine_of(mesh({ranks}), parameters));
  return machines;
}

/// All of them end, and twice the same. tests/libemulate compares them with live processes.
/// Whatever real order ranks go on in, and however early is decided what can be: no time changes.
TEST(Simulation, RandomProgramsTakeTheSameTimesInAnyOrder) {
  constexpr std::uint64_t programs = programs_of(400);
  std::vector<Machine> machines;
  for (const std::uint64_t eager_limit : {0, 400, 30'000}) {
    machines.push_back(machine_of(lmo_model(5, eager_limit), ""));
    machines.push_back(machines.back());
    machines.back().disturbances.push_back(parse_disturbance("rank=*,period=37us,length=11us"));
    machines.push_back(on_two_hosts(machines.back()));
    machines.back().requests_queue = true;
    machines.push_back(behind_uplinks(machine_of(lmo_model(5, eager_limit), "")));
    machines.push_back(machine_of(loggps_model(5, eager_limit), ""));
    machines.back().requests_queue = true;
    machines.back() = with_jitter(machines.back(), {.mean = 20e-6, .seed = eager_limit});
  }
  machines.push_back(machine_of(hockney_model(5), ""));
  machines.push_back(on_two_hosts(machines.back()));
  machines.push_back(behind_uplinks(machines.back()));
  for (const std::size_t of :
       {std::size_t{0}, machines.size() - 3, machines.size() - 2, machines.size() - 1}) {
    for (const Sharing sharing : {Sharing::rendezvous, Sharing::all}) {
      for (const bool requests_queue : {false, true}) {
        machines.push_back(machines[of]);
        machines.back().sharing = sharing;
        machines.back().requests_queue = requests_queue;
      }
    }
  }
  machines.push_back(machine_of(loggps_model(5, 400), ""));
  machines.push_back(on_two_hosts(machines.back()));
  machines.back().sharing = Sharing::all;
  machines.push_back(machine_of(loggps_model(5, 400), ""));
  machines.back().sharing = Sharing::all;
  machines.back().requests_queue = true;
  machines.push_back(with_jitter(machines.back(), {.mean = 20e-6, .seed = 2}));
  // Bytes that have no time left when their message is matched.
  machines.push_back(with_jitter(machine_of(hockney_model(5), ""), {.mean = 20e-6, .seed = 1}));
  machines.back().eager_limit = 400;
  machines.back().sharing = Sharing::rendezvous;
  machines.push_back(machines.back());
  machines.back().disturbances.push_back(parse_disturbance("rank=*,period=37us,length=11us"));
  std::ranges::copy(topologies(5), std::back_inserter(machines));
  for (const Machine& machine : machines) {
    const auto times = [&](std::uint64_t program_seed, std::uint64_t order) {
      std::vector<int> notes(5);
      Simulation simulation(machine);
      if (order > 0) simulation.go_on_at_random(order);
      simulation.run([&](CoroutineProcess& p) -> Task {
        random_program::SimulatedRank rank(p, notes);
        random_program::Program program(rank, program_seed);
        co_await program.run();
      });
      std::vector<double> ends;
      for (int r = 0; r < machine.ranks; ++r) ends.push_back(simulation.process(r).clock());
      return ends;
    };
    for (std::uint64_t seed = 1; seed <= programs; ++seed) {
      const std::vector<double> ends = times(seed, 0);
      for (std::uint64_t order = 1; order <= 3; ++order) {
        ASSERT_EQ(times(seed, order), ends)
            << "program " << seed << ", order " << order << ", " << machine.kind << ", eager up to "
            << machine.eager_limit << ", sharing " << static_cast<int>(machine.sharing);
      }
    }
  }
}

/// A message of a rank that starts all it has to do at given times, then waits for one after the
/// other.
struct Traffic {
  int from{};
  int to{};
  std::uint64_t size{};
  Mode mode{};
  double sent{};    ///< no sooner [s]
  double posted{};  ///< no sooner [s]
};

std::vector<Traffic> draw_traffic(std::mt19937_64& random, int ranks) {
  const auto draw = [&](std::uint64_t most) { return random() % (most + 1); };
  std::vector<Traffic> all(4 + draw(10));
  const int receiver = static_cast<int>(draw(static_cast<std::uint64_t>(ranks) - 1));
  for (Traffic& one : all) {
    one.from = static_cast<int>(draw(1));
    // Most to one receiver, so that they meet on its link; some to the sender itself.
    one.to = draw(2) > 0 ? receiver : static_cast<int>(draw(static_cast<std::uint64_t>(ranks) - 1));
    one.size = draw(2) == 0 ? draw(200'000) : draw(6000);
    one.mode = draw(3) == 0 ? Mode::synchronous : Mode::standard;
    one.sent = static_cast<double>(draw(500)) * us;
    one.posted = static_cast<double>(draw(500)) * us;
  }
  return all;
}

/// What `p` does of it. @param times  of each message that it has received or sent
/// @param questions  seeds questions that take no time and change nothing; 0: none
Task carry(CoroutineProcess& p, const std::vector<Traffic>& all, std::vector<double>& times,
           std::uint64_t questions) {
  std::mt19937_64 random(questions);
  struct Start {
    double time;
    int message;
    bool sends;
  };
  std::vector<Start> starts;
  for (int m = 0; m < std::ssize(all); ++m) {
    const Traffic& one = all[static_cast<std::size_t>(m)];
    if (one.from == p.rank()) starts.push_back({one.sent, m, true});
    if (one.to == p.rank()) starts.push_back({one.posted, m, false});
  }
  std::ranges::stable_sort(starts, {}, &Start::time);
  std::vector<std::unique_ptr<Request>> requests;
  for (const Start& start : starts) {
    const Traffic& one = all[static_cast<std::size_t>(start.message)];
    Request& request = *requests.emplace_back(std::make_unique<Request>());
    if (start.time > p.clock()) p.sleep(start.time - p.clock());
    if (questions > 0 && random() % 2 == 0) {
      co_await p.until([&, now = p.clock()] { return p.test_some({}, now); });
    }
    if (start.sends) {
      p.describe_send(request, one.to, one.size, start.message, one.mode);
    } else {
      p.describe_receive(request, one.from, one.size, start.message);
    }
    p.start(request);
  }
  for (const auto& request : requests) {
    co_await p.one(*request);
    times.push_back(p.clock());
  }
}

TEST(Simulation, TrafficTakesTheSameTimesInAnyOrder) {
  std::vector<Machine> machines{lmo_machine(4), machine_of(hockney_model(4), ""),
                                on_two_hosts(lmo_machine(4)),
                                on_two_hosts(machine_of(hockney_model(4), ""))};
  machines.push_back(machines.front());
  machines.back().disturbances.push_back(parse_disturbance("rank=0,period=37us,length=11us"));
  std::ranges::copy(topologies(4), std::back_inserter(machines));
  for (const Machine& machine : machines) {
    for (std::uint64_t seed = 1; seed <= programs_of(1000); ++seed) {
      std::mt19937_64 random(seed);
      const std::vector<Traffic> all = draw_traffic(random, machine.ranks);
      const auto run_in = [&](std::uint64_t order) {
        std::vector<std::vector<double>> times(4);
        Simulation simulation(machine);
        if (order > 0) simulation.go_on_at_random(order);
        simulation.run([&](CoroutineProcess& p) -> Task {
          co_await carry(p, all, times[static_cast<std::size_t>(p.rank())],
                         order > 0 ? order + static_cast<std::uint64_t>(p.rank()) : 0);
        });
        return times;
      };
      const auto times = run_in(0);
      for (std::uint64_t order = 1; order <= 4; ++order) {
        ASSERT_EQ(run_in(order), times) << "seed " << seed << ", order " << order;
      }
    }
  }
}

}  // namespace commgauge::simulate::simulation_test
