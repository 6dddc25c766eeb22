#include "commgauge/simulate/machine/topology.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "commgauge/base/error.hpp"
#include "commgauge/simulate/run/simulation.hpp"

namespace commgauge::simulate::topology_test {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr double us = 1e-6;
constexpr double eps = 1e-15;

/// 50 us and 10 ns/B.
LinkParameters parameters() { return {Seconds{50 * us}, SecondsPerByte{1e-8}, {}}; }

/// Hops of all pairs against a formula.
template <class Formula>
void expect_hops(const Topology& topology, Formula&& formula) {
  const Routes routes(topology);
  for (int from = 0; from < topology.processors(); ++from) {
    for (int to = 0; to < topology.processors(); ++to) {
      ASSERT_EQ(routes.hops(from, to), formula(from, to)) << from << " to " << to;
    }
  }
}

int diameter(const Topology& topology) {
  const Routes routes(topology);
  int most = 0;
  for (int from = 0; from < topology.processors(); ++from) {
    for (int to = 0; to < topology.processors(); ++to) {
      most = std::max(most, routes.hops(from, to));
    }
  }
  return most;
}

/// The processors that a message comes to.
std::vector<int> way(const Topology& topology, int from, int to) {
  const Routes routes(topology);
  std::vector<int> places{from};
  while (places.back() != to) {
    const auto n = static_cast<std::size_t>(topology.processors());
    const auto here = static_cast<std::size_t>(places.back());
    const std::int32_t link = routes.links()[here * n + static_cast<std::size_t>(to)];
    places.push_back(routes.ends()[static_cast<std::size_t>(link)]);
  }
  return places;
}

int ring_distance(int a, int b, int n) {
  const int apart = std::abs(a - b);
  return std::min(apart, n - apart);
}

TEST(Topology, HypercubeIsAsFarAsBitsDiffer) {
  for (const int n : {1, 2, 4, 16, 64}) {
    expect_hops(hypercube(n),
                [](int a, int b) { return std::popcount(static_cast<unsigned>(a ^ b)); });
  }
}

TEST(Topology, RingAndTorusAreAsFarAsTheirRingsAdd) {
  for (const int n : {1, 2, 3, 4, 9}) {
    expect_hops(ring(n), [n](int a, int b) { return ring_distance(a, b, n); });
  }
  expect_hops(torus({4, 3, 2}), [](int a, int b) {
    return ring_distance(a / 6, b / 6, 4) + ring_distance(a / 2 % 3, b / 2 % 3, 3) +
           ring_distance(a % 2, b % 2, 2);
  });
}

TEST(Topology, MeshIsAsFarAsItsExtentsAdd) {
  expect_hops(mesh({3, 5}),
              [](int a, int b) { return std::abs(a / 5 - b / 5) + std::abs(a % 5 - b % 5); });
  EXPECT_EQ(diameter(mesh({7})), 6);
}

TEST(Topology, TreeGoesByTheNearestAboveBoth) {
  expect_hops(tree(15, 2), [](int a, int b) {
    int hops = 0;
    for (++a, ++b; a != b; ++hops) (a > b ? a : b) /= 2;
    return hops;
  });
  EXPECT_EQ(diameter(tree(13, 3)), 4);
  EXPECT_EQ(diameter(tree(5, 1)), 4);
}

TEST(Topology, FullyConnectedIsOneLinkAway) {
  expect_hops(fully_connected(6), [](int a, int b) { return a == b ? 0 : 1; });
}

/// The paper's table 2: structurally the same, other numbers.
TEST(Topology, RingOfFourAndHypercubeOfFourDifferByNumbersAlone) {
  expect_hops(ring(4), [](int a, int b) { return ring_distance(a, b, 4); });
  const Routes in_ring(ring(4));
  const Routes in_cube(hypercube(4));
  EXPECT_EQ(in_ring.hops(1, 2), 1);
  EXPECT_EQ(in_cube.hops(1, 2), 2);
  const std::vector<int> order{0, 1, 3, 2};  // Gray's
  for (int a = 0; a < 4; ++a) {
    for (int b = 0; b < 4; ++b) {
      const int from = order[static_cast<std::size_t>(a)];
      EXPECT_EQ(in_ring.hops(a, b), in_cube.hops(from, order[static_cast<std::size_t>(b)]));
    }
  }
}

TEST(Topology, OfEqualWaysTheLinkThatStandsFirstIsTaken) {
  EXPECT_THAT(way(hypercube(8), 0, 7), ElementsAre(0, 1, 3, 7));
  EXPECT_THAT(way(mesh({3, 3}), 0, 8), ElementsAre(0, 3, 6, 7, 8));
  EXPECT_THAT(way(ring(4), 0, 2), ElementsAre(0, 1, 2));
  EXPECT_THAT(way(ring(4), 3, 1), ElementsAre(3, 0, 1));
  EXPECT_THAT(way(Topology{{{2, 1}, {3}, {3}, {0}}}, 0, 3), ElementsAre(0, 2, 3));
}

TEST(Topology, LinksLeadOneWay) {
  const Topology one_way = topology_from_text("# round\n2: 0\n\n0: 1  # on\n1: 2\r\n", "t");
  expect_hops(one_way, [](int a, int b) { return (b - a + 3) % 3; });
  const Machine machine = machine_of(one_way, parameters());
  EXPECT_NEAR(machine.pair(0, 1).arrival.at(0), 50 * us, eps);
  EXPECT_NEAR(machine.pair(1, 0).arrival.at(0), 100 * us, eps);
  EXPECT_NEAR(machine.pair(0, 1).reply, 100 * us, eps);
}

TEST(Topology, GeneratorsHaveNames) {
  const std::vector<std::pair<std::string, Topology>> cases{{"ring:5", ring(5)},
                                                            {"mesh:2x3", mesh({2, 3})},
                                                            {"torus:4x3x2", torus({4, 3, 2})},
                                                            {"hypercube:8", hypercube(8)},
                                                            {"tree:7", tree(7, 2)},
                                                            {"tree:13,3", tree(13, 3)},
                                                            {"full:3", fully_connected(3)},
                                                            {"torus:9", ring(9)}};
  for (const auto& [name, topology] : cases) {
    ASSERT_TRUE(generated(name)) << name;
    EXPECT_EQ(generated(name)->links, topology.links) << name;
  }
  for (const char* file : {"ring", "links.txt", "./ring:4", "star:4"}) {
    EXPECT_FALSE(generated(file)) << file;
  }
  for (const char* wrong :
       {"ring:", "ring:0", "ring:4x4", "hypercube:6", "mesh:4x", "mesh:x4", "torus:4,4", "tree:7,0",
        "tree:7,2,2", "full:-3", "full:4097", "mesh:70000x70000", "ring:99999999999"}) {
    EXPECT_THROW((void)generated(wrong), InputError) << wrong;
  }
}

TEST(Topology, DamagedFilesAreRefusedByLine) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"0: 1\n1: 0 x\n", "f: line 2: 'x' is no processor"},
      {"0: 1\n1 0\n", "f: line 2: there is no colon"},
      {"0: 1\nq: 0\n", "f: line 2: 'q' is no processor"},
      {": 1\n", "f: line 1: '' is no processor"},
      {"0 1: 1\n", "f: line 1: there is no colon behind its first number"},
      {"0: 1\n1: -1\n", "f: line 2: '-1' is no processor"},
      {"0: 1\n1: 4096\n", "f: line 2: '4096' is no processor"},
      {"0: 1\n\n1: 0 1\n", "f: line 3: processor 1 has a link to itself"},
      {"0: 1 1\n1: 0\n", "f: line 1: it has processor 1 twice"},
      {"0: 1\n1: 0\n0: 1\n", "f: line 3: processor 0 has a second line"},
      {"0: 1\n2: 0\n", "f: processor 1 has no line"},
      {"0: 1\n1: 0 2\n", "f: processor 2 has no line"},
      {"# nothing\n", "f: there are no processors"}};
  for (const auto& [text, expected] : cases) {
    try {
      (void)topology_from_text(text, "f");
      ADD_FAILURE() << text;
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr(expected));
    }
  }
}

TEST(Topology, ProcessorsThatCannotBeReachedAreRefused) {
  try {
    (void)machine_of(topology_from_text("0: 1\n1: 0\n2: 0\n", "f"), parameters());
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("no way from processor 0 to processor 2"));
  }
}

TEST(Topology, StoreAndForwardTakesAllOfTheMessageOnEachLink) {
  const Machine machine = machine_of(ring(8), parameters());
  EXPECT_NEAR(machine.pair(0, 3).arrival.at(1000), 3 * (50 * us + 10 * us), eps);
  EXPECT_EQ(machine.pair(0, 3).send_overhead.at(1000), 0);
  EXPECT_EQ(machine.eager_limit, std::numeric_limits<double>::infinity());
  LinkParameters blocks = parameters();
  blocks.block = Bytes{300};
  const Machine cut = machine_of(ring(8), blocks);
  EXPECT_NEAR(cut.pair(0, 3).arrival.at(1000), 3 * (4 * 50 * us + 10 * us), eps);
  EXPECT_NEAR(cut.pair(0, 1).arrival.at(300), 53 * us, eps);
  EXPECT_NEAR(cut.pair(0, 1).arrival.at(301), 103.01 * us, eps);
  EXPECT_NEAR(cut.pair(0, 1).arrival.at(0), 50 * us, eps);
  EXPECT_NEAR(cut.pair(0, 1).request, 50 * us, eps);
}

TEST(Topology, WormholeAddsAStartUpForEachLink) {
  LinkParameters wormhole = parameters();
  wormhole.switching = Switching::wormhole;
  EXPECT_NEAR(machine_of(ring(8), wormhole).pair(0, 3).arrival.at(1000), 160 * us, eps);
}

TEST(Topology, ParametersThatAreNoneAreRefused) {
  const auto refused = [](auto&& change) {
    LinkParameters wrong = parameters();
    change(wrong);
    EXPECT_THROW((void)machine_of(ring(2), wrong), InputError);
  };
  refused([](LinkParameters& p) { p.start_up.value = 0; });
  refused([](LinkParameters& p) { p.start_up.value = std::numeric_limits<double>::quiet_NaN(); });
  refused([](LinkParameters& p) { p.per_byte.value = -1; });
  refused([](LinkParameters& p) { p.per_byte.value = std::numeric_limits<double>::infinity(); });
  refused([](LinkParameters& p) { p.block = Bytes{0}; });
  refused([](LinkParameters& p) {
    p.block = Bytes{1};
    p.switching = Switching::wormhole;
  });
}

TEST(Topology, FullyConnectedProcessorsAreOfOneKind) {
  EXPECT_EQ(machine_of(fully_connected(64), parameters()).pairs.distinct(), 1U);
  EXPECT_EQ(machine_of(hypercube(64), parameters()).pairs.distinct(), 6U);
}

TEST(Placed, RanksAreWhereTheListSays) {
  LinkParameters shared = parameters();
  shared.has_contention = true;
  Machine machine = machine_of(ring(6), shared);
  for (int r = 0; r < machine.ranks; ++r) {
    const double ratio = 1 + r;
    machine.time_ratios[static_cast<std::size_t>(r)] = {ratio, ratio, ratio};
  }
  const Machine apart = placed(machine, {3, 0, 5});
  EXPECT_EQ(apart.ranks, 3);
  EXPECT_NEAR(apart.pair(0, 1).arrival.at(0), 150 * us, eps);
  EXPECT_NEAR(apart.pair(1, 2).arrival.at(0), 50 * us, eps);
  EXPECT_THAT(apart.hosts, ElementsAre("processor3", "processor0", "processor5"));
  const auto ratio = [](double value) { return Estimate{value, value, value}; };
  EXPECT_THAT(apart.time_ratios, ElementsAre(ratio(4), ratio(1), ratio(6)));
  EXPECT_THAT(apart.network.places, ElementsAre(3, 0, 5));
  const Machine job = for_job(apart, 2);
  EXPECT_THAT(job.network.places, ElementsAre(3, 0));
  EXPECT_NEAR(least_look_ahead(job), 150 * us, eps);
}

TEST(Placed, RefusesPlacesThatAreNoneOrTaken) {
  const Machine machine = machine_of(ring(4), parameters());
  const auto why_not = [&](const std::vector<int>& places) -> std::string {
    try {
      (void)placed(machine, places);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(why_not({3, 2, 1, 0}), "");
  EXPECT_THAT(why_not({0, 4}), HasSubstr("rank 1 is to be at place 4 (the machine has 4"));
  EXPECT_THAT(why_not({-1}), HasSubstr("rank 0 is to be at place -1"));
  EXPECT_THAT(why_not({2, 1, 2}), HasSubstr("rank 2 is to be at place 2, another rank, too"));
}

TEST(Topology, MachinesGoThroughBytes) {
  LinkParameters all = parameters();
  all.block = Bytes{300};
  all.has_contention = true;
  const Machine machine = machine_of(torus({3, 2}), all);
  const std::string bytes = to_bytes(machine);
  const Machine again = machine_from_bytes(bytes);
  EXPECT_EQ(to_bytes(again), bytes);
  EXPECT_EQ(again.network.keeps, machine.network.keeps);
  EXPECT_EQ(again.pair(0, 5).arrival.at(1000), machine.pair(0, 5).arrival.at(1000));
  EXPECT_EQ(again.network.next_link(0, 5), machine.network.next_link(0, 5));
}

}  // namespace commgauge::simulate::topology_test
