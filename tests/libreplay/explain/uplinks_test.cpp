#include "explain/uplinks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "commgauge/simulate/run/simulation.hpp"
#include "made_machine.hpp"

namespace commgauge::replay::uplinks_test {

using simulate::Causes;
using simulate::Machine;
using simulate::Sharing;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Six hosts, three behind each of two uplinks that are as fast as a pair, their ways out alone.
Machine two_groups(Sharing sharing) {
  Model model = simulate::lmo_model(6, 1 << 20);
  model.fabric.emplace();
  model.fabric->groups = {{{"h0", "h1", "h2"}, {}}, {{"h3", "h4", "h5"}, {}}};
  model.fabric->value = {{4e-9, 4e-9}, {0, 0}, 0};
  Machine machine = simulate::machine_of(model, "lmo");
  machine.sharing = sharing;
  return machine;
}

/// Each rank of the first half sends so many bytes to one of the other.
std::vector<Diagnostic> said_of(const Machine& machine, int distance, std::uint64_t bytes) {
  Causes causes(machine.ranks);
  simulate::Simulation simulation(machine);
  simulation.keep_causes(causes);
  simulation.run([&](simulate::CoroutineProcess& p) -> simulate::Task {
    simulate::Request request;
    const bool sends = p.rank() % (2 * distance) < distance;
    if (sends) {
      p.describe_send(request, p.rank() + distance, bytes, 0, simulate::Mode::standard);
    } else {
      p.describe_receive(request, p.rank() - distance, bytes, 0);
    }
    p.start(request);
    co_await p.one(request);
  });
  for (int r = 0; r < machine.ranks; ++r) causes.set_end(r, simulation.process(r).now());
  return waits_at_uplinks(causes, machine, LongestPaths(causes));
}

TEST(Uplinks, AreSaidWithTheirHosts) {
  for (const Sharing sharing : {Sharing::none, Sharing::all}) {
    const std::vector<Diagnostic> said = said_of(two_groups(sharing), 3, 100'000);
    ASSERT_EQ(said.size(), 1U);
    EXPECT_EQ(said.front().kind, "uplink");
    EXPECT_THAT(said.front().problem, HasSubstr("the link out of h0, h1, h2"));
    EXPECT_THAT(said.front().advice, HasSubstr("uplink=2"));
  }
}

TEST(Uplinks, NothingWhereNobodyPassesThem) {
  EXPECT_THAT(said_of(two_groups(Sharing::all), 1, 100'000), IsEmpty());
  EXPECT_THAT(said_of(two_groups(Sharing::none), 3, 0), IsEmpty());
  Machine machine = two_groups(Sharing::none);
  machine.host_links = {};
  EXPECT_THAT(said_of(machine, 3, 100'000), IsEmpty());
}

}  // namespace commgauge::replay::uplinks_test
