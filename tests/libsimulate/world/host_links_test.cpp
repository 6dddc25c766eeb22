// Messages that share their hosts' links. By hand: a message takes 20 us and 1 ns a byte, and so
// does a byte on a host's link; ranks 0 and 1, and 2 and 3, are on one host each.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "commgauge/costs/extended.hpp"
#include "commgauge/simulate/machine/shared_host_links.hpp"
#include "commgauge/simulate/run/simulation.hpp"
#include "explained.hpp"
#include "made_machine.hpp"
#include "whole_model.hpp"

namespace commgauge::simulate::host_links_test {

using testing::Each;
using testing::ElementsAre;
using testing::Gt;
using testing::IsEmpty;

constexpr double us = 1e-6;
constexpr double eps = 1e-14;
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

struct Sent {
  int from{};
  int to{};
  std::uint64_t size{};
  Mode mode{};
};

/// When each is received, where all are sent and asked for at the beginning.
std::vector<double> ends(const Machine& machine, const std::vector<Sent>& all,
                         std::uint64_t order = 0) {
  std::vector<double> times(all.size());
  Simulation simulation(machine);
  if (order > 0) simulation.go_on_at_random(order);
  simulation.run([&](CoroutineProcess& p) -> Task {
    std::vector<std::pair<std::size_t, std::unique_ptr<Request>>> requests;
    for (std::size_t m = 0; m < all.size(); ++m) {
      if (all[m].to != p.rank() && all[m].from != p.rank()) continue;
      requests.emplace_back(m, std::make_unique<Request>());
      Request& request = *requests.back().second;
      if (all[m].to == p.rank()) {
        p.describe_receive(request, all[m].from, all[m].size, static_cast<int>(m));
      } else {
        p.describe_send(request, all[m].to, all[m].size, static_cast<int>(m), all[m].mode);
      }
      p.start(request);
    }
    for (const auto& [m, request] : requests) {
      co_await p.one(*request);
      if (all[m].to == p.rank()) times[m] = p.clock();
    }
  });
  return times;
}

/// One way: 2 · 10 us + 20 us, and no overhead for bytes: 1 ns for each of them on the pair's link.
Machine machine_with(double out, double in, double inside, double both = 0) {
  Model model = lmo_model(4, 1 << 20);
  model.lmo->value.t.assign(4, 0.0);
  model.lmo->value.inverse_beta = Matrix(4, 1e-9);
  Machine machine = machine_of(model, "lmo");
  machine.host_links = {{0, 0, 1, 1}, {out, out}, {in, in}, {inside, inside}, {both, both}};
  return machine;
}

constexpr double base = 40 * us;

/// In whatever order ranks really run.
void expect_always(const std::vector<double>& times, const Machine& machine,
                   const std::vector<Sent>& all) {
  for (std::uint64_t order = 1; order <= 20; ++order) {
    EXPECT_EQ(ends(machine, all, order), times) << order;
  }
}

TEST(HostLinks, TwoPairsShareALinkAndOneDoesNot) {
  for (const Mode mode : {Mode::standard, Mode::synchronous}) {
    const std::vector<Sent> one{{0, 2, 100'000, mode}};
    const std::vector<Sent> two{{0, 2, 100'000, mode}, {1, 3, 100'000, mode}};
    const double alone = ends(machine_with(0, 0, 0), one)[0];
    for (const auto& [out, in] : {std::pair{1e-9, 0.0}, {0.0, 1e-9}, {1e-9, 1e-9}}) {
      EXPECT_EQ(ends(machine_with(out, in, 0), one)[0], alone);
      const std::vector<double> together = ends(machine_with(out, in, 0), two);
      EXPECT_EQ(together[0], alone);
      EXPECT_NEAR(together[1], alone + 100 * us, eps);
      expect_always(together, machine_with(out, in, 0), two);
    }
  }
  EXPECT_NEAR(ends(machine_with(0, 0, 0), {{0, 2, 100'000, {}}})[0], base + 100 * us, eps);
}

/// max(one pair's time, fixed + k·M·λ): a link twice as fast as a pair holds two of them.
TEST(HostLinks, PairsThatALinkHasRoomForDontDelayOneAnother) {
  const std::vector<double> two =
      ends(machine_with(0.5e-9, 0, 0), {{0, 2, 100'000, {}}, {1, 3, 100'000, {}}});
  EXPECT_NEAR(two[0], base + 100 * us, eps);
  EXPECT_NEAR(two[1], base + 100 * us, eps);
  const std::vector<double> slower =
      ends(machine_with(0.8e-9, 0, 0), {{0, 2, 100'000, {}}, {1, 3, 100'000, {}}});
  EXPECT_NEAR(slower[1], base + 160 * us, eps);
}

TEST(HostLinks, TheTwoWaysOfALinkAndTheHostItselfAreApart) {
  const Machine machine = machine_with(1e-9, 1e-9, 3e-9);
  const std::vector<Sent> all{{0, 2, 100'000, {}}, {3, 1, 100'000, {}}, {1, 0, 1000, {}}};
  const std::vector<double> times = ends(machine, all);
  for (std::size_t m = 0; m < 2; ++m) EXPECT_NEAR(times[m], base + 100 * us, eps) << m;
  EXPECT_NEAR(times[2], base + us, eps);
  expect_always(times, machine, all);
  const std::vector<Sent> within{{0, 1, 100'000, {}}, {1, 0, 100'000, {}}};
  const std::vector<double> inside = ends(machine, within);
  EXPECT_NEAR(inside[0], base + 100 * us, eps);
  EXPECT_NEAR(inside[1], base + 300 * us + 300 * us, eps);
  expect_always(inside, machine, within);
}

/// 0 and 1 share the way out, 1 and 4 the way in: 4's message needs its own way out only, and is
/// there at 100 us in between the two others, whose link is busy from 0 to 100 and 100 to 200.
TEST(HostLinks, AMessageTakesALinkInThePiecesInWhichItIsFree) {
  Model model = lmo_model(6, 1 << 20);
  model.lmo->value.t.assign(6, 0.0);
  model.lmo->value.inverse_beta = Matrix(6, 1e-9);
  Machine machine = machine_of(model, "lmo");
  // Two slow ways out into one way in, and a quick one.
  machine.host_links = {
      {0, 0, 1, 1, 2, 2}, {2e-9, 1e-9, 1e-9}, {1e-9, 1e-9, 1e-9}, {0, 0, 0}, {0, 0, 0}};
  const std::vector<double> times =
      ends(machine, {{0, 2, 100'000, {}}, {1, 3, 100'000, {}}, {4, 2, 250'000, {}}});
  EXPECT_NEAR(times[0], base + 100 * us, eps) << "as alone";
  EXPECT_NEAR(times[1], base + 400 * us, eps) << "its way out is free from 200 to 400 us";
  // In from 100 to 200 us, and from 300 on for what is left of its 250.
  EXPECT_NEAR(times[2], base + 450 * us, eps);
}

/// Both ways together take more than each of its own.
TEST(HostLinks, ALinkThatCantDoBothWaysAtOnceDelaysThem) {
  const Machine machine = machine_with(1e-9, 1e-9, 0, 0.75e-9);
  const std::vector<Sent> one_way{{0, 2, 100'000, {}}, {1, 3, 100'000, {}}};
  EXPECT_EQ(ends(machine, one_way), ends(machine_with(1e-9, 1e-9, 0), one_way));
  const std::vector<double> times = ends(machine, {{0, 2, 100'000, {}}, {3, 1, 100'000, {}}});
  EXPECT_NEAR(times[0], base + 100 * us, eps);
  EXPECT_NEAR(times[1], base + 150 * us, eps);
}

/// Six hosts of one rank, three of them in each of two groups; NaN: no limit.
Machine behind(const FabricLinks& links, std::vector<HostGroup> groups,
               std::vector<std::vector<std::string>> sides = {}, Sharing sharing = {}) {
  Model model = lmo_model(6, 1 << 20);
  model.lmo->value.t.assign(6, 0.0);
  model.lmo->value.inverse_beta = Matrix(6, 1e-9);
  model.fabric.emplace();
  model.fabric->groups = std::move(groups);
  model.fabric->backbone_sides = std::move(sides);
  model.fabric->value = links;
  Machine machine = machine_of(model, "lmo");
  machine.sharing = sharing;
  return machine;
}

const std::vector<HostGroup> two_groups{{{"h0", "h1", "h2"}, {}}, {{"h3", "h4", "h5"}, {}}};
const std::vector<Sent> three_across{{0, 3, 100'000, {}}, {1, 4, 100'000, {}}, {2, 5, 100'000, {}}};

TEST(HostLinks, ThreePairsAcrossTakeThreeTimesTheUplinksTime) {
  for (const FabricLinks& links : {FabricLinks{{1e-9, unknown}, {unknown, unknown}, unknown},
                                   FabricLinks{{unknown, unknown}, {unknown, 1e-9}, unknown},
                                   FabricLinks{{1e-9, 1e-9}, {1e-9, 1e-9}, unknown}}) {
    const Machine in_turn = behind(links, two_groups);
    const std::vector<double> times = ends(in_turn, three_across);
    for (std::size_t m = 0; m < 3; ++m) {
      EXPECT_NEAR(times[m], base + static_cast<double>(m + 1) * 100 * us, eps);
    }
    expect_always(times, in_turn, three_across);
    const Machine shared = behind(links, two_groups, {}, Sharing::all);
    const std::vector<double> together = ends(shared, three_across);
    for (const double time : together) EXPECT_NEAR(time, base + 300 * us, eps);
    expect_always(together, shared, three_across);
  }
}

/// The uplink of a pair that has it for itself, and room enough, takes nothing.
TEST(HostLinks, WithinAGroupAndAloneNobodyWaits) {
  const FabricLinks links{{1e-9, 1e-9}, {1e-9, 1e-9}, unknown};
  const std::vector<Sent> within{{0, 1, 100'000, {}}, {1, 2, 100'000, {}}, {3, 4, 100'000, {}}};
  const std::vector<Sent> both_ways{{0, 3, 100'000, {}}, {4, 1, 100'000, {}}};
  for (const Sharing sharing : {Sharing::none, Sharing::all}) {
    const Machine machine = behind(links, two_groups, {}, sharing);
    const Machine none = behind({{unknown, unknown}, {unknown, unknown}, unknown}, two_groups);
    EXPECT_FALSE(none.host_links.is_shared());
    for (const auto& all : {within, both_ways}) EXPECT_EQ(ends(machine, all), ends(none, all));
  }
}

/// h0 and h1 leave their rack and the row; h2 only the row.
TEST(HostLinks, NestedGroupsPassEachUplink) {
  const std::vector<HostGroup> groups{
      {{"h0", "h1", "h2"}, {}}, {{"h0", "h1"}, 0}, {{"h3", "h4", "h5"}, {}}};
  const FabricLinks row{{1e-9, unknown, unknown}, {unknown, unknown, unknown}, unknown};
  const FabricLinks rack{{unknown, 1e-9, unknown}, {unknown, unknown, unknown}, unknown};
  const FabricLinks both{{0.5e-9, 1e-9, unknown}, {unknown, unknown, unknown}, unknown};
  EXPECT_NEAR(ends(behind(row, groups), three_across)[2], base + 300 * us, eps);
  const std::vector<double> times = ends(behind(rack, groups), three_across);
  EXPECT_NEAR(times[1], base + 200 * us, eps);
  EXPECT_NEAR(times[2], base + 100 * us, eps) << "it is in no rack";
  EXPECT_NEAR(ends(behind(rack, groups), {{0, 2, 100'000, {}}, {1, 2, 100'000, {}}})[1],
              base + 200 * us, eps)
      << "within the row";
  // Shared: the rack lets each of two have a half; that leaves the row's other half to the third.
  const std::vector<double> shared = ends(behind(both, groups, {}, Sharing::all), three_across);
  EXPECT_NEAR(shared[0], base + 200 * us, eps);
  EXPECT_NEAR(shared[1], base + 200 * us, eps);
  EXPECT_NEAR(shared[2], base + 100 * us, eps);
}

TEST(HostLinks, TheBackboneTakesBothWaysTogether) {
  const std::vector<std::vector<std::string>> sides{{"h0", "h1", "h2"}, {"h3", "h4"}};
  const FabricLinks links{{}, {}, 1e-9};
  const std::vector<Sent> all{
      {0, 3, 100'000, {}}, {4, 1, 100'000, {}}, {2, 5, 100'000, {}}, {1, 2, 100'000, {}}};
  const std::vector<double> times = ends(behind(links, {}, sides), all);
  EXPECT_NEAR(times[0], base + 100 * us, eps);
  EXPECT_NEAR(times[1], base + 200 * us, eps);
  EXPECT_NEAR(times[2], base + 100 * us, eps) << "h5 is on no side";
  const std::vector<double> shared = ends(behind(links, {}, sides, Sharing::all), all);
  EXPECT_NEAR(shared[0], base + 200 * us, eps);
  EXPECT_NEAR(shared[1], base + 200 * us, eps);
}

TEST(HostLinks, WithoutThemNothingChangesToTheBit) {
  const Machine none = machine_of(whole::whole_model(), "lmo");
  Machine free = none;
  free.host_links = {
      std::vector<std::int32_t>(static_cast<std::size_t>(none.ranks), 0), {0}, {0}, {0}, {0}};
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    EXPECT_EQ(Explained(free, seed).ends, Explained(none, seed).ends) << seed;
  }
}

TEST(HostLinks, UplinksAreOfTheMachineAndFollowItsRanks) {
  const Machine machine =
      behind({{1e-9, 2e-9}, {3e-9, unknown}, 4e-9}, two_groups, {{"h0"}, {"h5"}});
  const auto keeps = [](const Machine& of, int from, int to) {
    std::vector<double> all;
    for (const auto& stay : of.host_links.route(from, to)) {
      if (stay.link >= 0) all.push_back(stay.keeps);
    }
    return all;
  };
  EXPECT_THAT(keeps(machine, 0, 5), ElementsAre(1e-9, 4e-9));
  EXPECT_THAT(keeps(machine, 5, 0), ElementsAre(2e-9, 4e-9, 3e-9));
  EXPECT_THAT(keeps(machine, 0, 1), IsEmpty());
  EXPECT_THAT(keeps(placed(machine, {5, 1, 0}), 0, 2), ElementsAre(2e-9, 4e-9, 3e-9));
  EXPECT_THAT(keeps(for_job(machine, 4), 3, 0), ElementsAre(2e-9, 3e-9));
  EXPECT_THAT(keeps(with_slower_messages(machine, 2), 5, 0), ElementsAre(4e-9, 8e-9, 6e-9));
  const std::string bytes = to_bytes(machine);
  EXPECT_THAT(keeps(machine_from_bytes(bytes), 5, 0), ElementsAre(2e-9, 4e-9, 3e-9));
}

TEST(HostLinks, AreOfTheMachineAndFollowItsRanks) {
  Model model = lmo_model(4, 1000);
  for (int rank = 0; rank < 4; ++rank) {
    model.launches.front().ranks[static_cast<std::size_t>(rank)].host = rank < 2 ? "a" : "b";
  }
  model.host_links = exact(HostLinks{{1e-9, 1e-9, 2e-9, 2e-9},
                                     {3e-9, 3e-9, unknown, unknown},
                                     std::vector<double>(4, unknown),
                                     {unknown, unknown, 4e-9, 4e-9}});
  const Machine machine = machine_of(model, "lmo");
  EXPECT_THAT(machine.host_links.places, ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(machine.host_links.out, ElementsAre(1e-9, 2e-9));
  EXPECT_THAT(machine.host_links.in, ElementsAre(3e-9, 0));
  EXPECT_THAT(machine.host_links.both, ElementsAre(0, 4e-9));
  EXPECT_THAT(placed(machine, {3, 0}).host_links.places, ElementsAre(1, 0));
  EXPECT_THAT(for_job(machine, 3).host_links.places, ElementsAre(0, 0, 1));
  EXPECT_THAT(with_slower_messages(machine, 2).host_links.out, ElementsAre(2e-9, 4e-9));
  const Machine larger = machine_of(extended(model, 3, 1), "lmo");
  EXPECT_THAT(larger.host_links.places, ElementsAre(0, 1, 2));
  EXPECT_THAT(larger.host_links.out, Each(Gt(0))) << "of the hosts' mean";
  const std::string bytes = to_bytes(machine);
  const Machine again = machine_from_bytes(bytes);
  EXPECT_EQ(again.host_links.places, machine.host_links.places);
  EXPECT_EQ(again.host_links.in, machine.host_links.in);
  model.host_links.reset();
  EXPECT_THAT(machine_of(model, "lmo").host_links.places, IsEmpty());
}

}  // namespace commgauge::simulate::host_links_test
