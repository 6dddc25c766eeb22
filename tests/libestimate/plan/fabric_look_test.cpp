#include "commgauge/plan/fabric_look.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "commgauge/base/error.hpp"
#include "made_fabric.hpp"

namespace commgauge::fabric_look_test {

using samples::own_time;

/// Counts its rounds.
struct Machine {
  samples::MadeFabric fabric;
  Matrix alone;
  int rounds{};
  int alone_rounds{};

  explicit Machine(samples::MadeFabric made)
      : fabric{std::move(made)}, alone(fabric.hosts, own_time) {}

  std::vector<SecondsPerByte> operator()(std::span<const HostMessage> pairs) {
    ++rounds;
    alone_rounds += pairs.size() == 1 ? 1 : 0;
    std::vector<SecondsPerByte> times;
    for (const double time : times_at_once(pairs, alone, fabric.links)) times.push_back({time});
    return times;
  }
};

FabricLook look_at(Machine& machine, std::uint64_t seed = 1) {
  const auto look = look_for_fabric(
      machine.fabric.hosts, [&](std::span<const HostMessage> pairs) { return machine(pairs); },
      seed);
  EXPECT_TRUE(look);
  return look.value_or(FabricLook{});
}

TEST(FabricLook, TwoSearchesSeeTheSame) {
  Machine machine(samples::one_rack());
  const FabricLook look = look_at(machine);
  EXPECT_EQ(look.rounds, machine.rounds);
  for (const FabricSearched& search : look.searches) {
    const FoundGroup* const group = group_of(search.fabric, {0, 1, 2, 3});
    ASSERT_NE(group, nullptr);
    ASSERT_TRUE(group->out.value);
    EXPECT_NEAR(group->out.value->value, own_time / 2, 0.01 * own_time);
    EXPECT_GE(group->out.round, 0);
    EXPECT_LT(group->out.round, search.fabric.rounds);
  }
  EXPECT_GT(look.searches[1].first_round, look.searches[0].first_round);
}

TEST(FabricLook, TimesMatchingsByThemselves) {
  Machine machine(samples::one_rack());
  const FabricLook look = look_at(machine);
  ASSERT_EQ(std::ssize(look.alone), look.searches[0].fabric.bisection_rounds);
  for (const auto& round : look.alone) {
    ASSERT_EQ(round.size(), 5U);
    for (const SecondsPerByte time : round) EXPECT_NEAR(time.value, own_time, 1e-15);
  }
  EXPECT_EQ(machine.alone_rounds, 5 * look.searches[0].fabric.bisection_rounds);
}

/// A host that does both at half the rate each isn't held up by another one.
TEST(FabricLook, AHostThatSendsAndReceivesInTurnIsNoLink) {
  Machine machine({12, {}});
  const auto look = look_for_fabric(
      12,
      [&](std::span<const HostMessage> pairs) {
        std::vector<SecondsPerByte> times = machine(pairs);
        for (std::size_t k = 0; k < pairs.size(); ++k) {
          const bool both = std::ranges::any_of(pairs, [&](const HostMessage& other) {
            return other.from == pairs[k].to || other.to == pairs[k].from;
          });
          if (both) times[k].value *= 2;
        }
        return times;
      },
      1);
  ASSERT_TRUE(look);
  for (const FabricSearched& search : look->searches) {
    EXPECT_TRUE(search.fabric.groups.empty());
    EXPECT_FALSE(search.fabric.backbone);
  }
}

/// Not every pair of many hosts meets by itself.
TEST(FabricLook, OfManyHostsAFewPartnersTell) {
  constexpr int hosts = 96;
  samples::MadeFabric fabric{hosts, {}};
  std::vector<int> rack;
  for (int host = 0; host < hosts / 4; ++host) rack.push_back(host);
  for (const Passing way : {Passing::out, Passing::in}) fabric.add(rack, way, 6);
  Machine machine(fabric);
  const FabricLook look = look_at(machine);
  EXPECT_LT(look.rounds, 800);
  for (const FabricSearched& search : look.searches) {
    EXPECT_NE(group_of(search.fabric, rack), nullptr);
  }
}

TEST(FabricLook, GivesUpWherePairsTellOtherThanTheirHosts) {
  Machine machine({96, {}});
  for (int i = 0; i < 96; ++i) {
    for (int j = 0; j < 96; ++j) {
      if (i != j) machine.alone(i, j) *= 1 + ((i + j) % 5);
    }
  }
  EXPECT_FALSE(look_for_fabric(
      96, [&](std::span<const HostMessage> pairs) { return machine(pairs); }, 1));
}

/// While the second search runs the rack's uplink is as wide as can be.
TEST(FabricLook, AThirdSearchDecides) {
  Machine machine(samples::one_rack());
  const samples::MadeFabric narrow = machine.fabric;
  const samples::MadeFabric wide{narrow.hosts, {}};
  const auto rounds_of = [&](const samples::MadeFabric& fabric, std::uint64_t seed) {
    Machine other(fabric);
    const MeasureAtOnce measure = [&](std::span<const HostMessage> pairs) { return other(pairs); };
    return find_fabric(machine.alone, measure, {.seed = seed}).rounds;
  };
  const int begin = 45 + rounds_of(narrow, 1);  // exchanges of ten hosts
  const int end = begin + rounds_of(wide, 2);
  const auto look = look_for_fabric(
      narrow.hosts,
      [&](std::span<const HostMessage> pairs) {
        machine.fabric = machine.rounds >= begin && machine.rounds < end ? wide : narrow;
        return machine(pairs);
      },
      1);
  ASSERT_TRUE(look);
  for (const FabricSearched& search : look->searches) {
    EXPECT_NE(group_of(search.fabric, {0, 1, 2, 3}), nullptr);
  }
  EXPECT_EQ(look->searches[1].first_round, end);
  ASSERT_TRUE(look->differing);
  EXPECT_TRUE(look->differing->groups.empty());
}

TEST(FabricLook, GuessesItsRounds) {
  for (const int hosts : {4, 8, 16, 32, 96}) {
    Machine machine({hosts, {}});
    const int rounds = look_at(machine).rounds;
    EXPECT_LE(rounds, guess_rounds(hosts)) << hosts;
    EXPECT_LE(guess_rounds(hosts), 3 * rounds) << hosts;
  }
}

TEST(FabricLook, RefusesTimesOfOtherPairs) {
  const auto nothing = [](std::span<const HostMessage>) { return std::vector<SecondsPerByte>{}; };
  EXPECT_THROW((void)look_for_fabric(4, nothing, 1), InputError);
}

}  // namespace commgauge::fabric_look_test
