// Messages that share links. Link times by hand: 10 us start-up, 1 ns a byte.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <queue>
#include <random>
#include <tuple>
#include <vector>

#include "commgauge/simulate/machine/topology.hpp"
#include "commgauge/simulate/run/simulation.hpp"

namespace commgauge::simulate::shared_links_test {

constexpr double us = 1e-6;
constexpr double eps = 1e-14;

Machine shared(const Topology& topology, Switching switching = Switching::store_and_forward) {
  return machine_of(topology, {.start_up = Seconds{10 * us},
                               .per_byte = SecondsPerByte{1e-9},
                               .block = {},
                               .switching = switching,
                               .has_contention = true});
}

/// A message that is sent at a time, and received when it is there.
struct Sent {
  int from{};
  int to{};
  std::uint64_t size{};
  double time{};  ///< [s]
  Mode mode{};
};

Task carry(CoroutineProcess& p, const std::vector<Sent>& all, std::vector<double>& arrivals) {
  std::vector<std::unique_ptr<Request>> requests(all.size());
  std::vector<std::size_t> sends;
  for (std::size_t m = 0; m < all.size(); ++m) {
    if (all[m].to == p.rank()) {
      requests[m] = std::make_unique<Request>();
      p.describe_receive(*requests[m], all[m].from, all[m].size, static_cast<int>(m));
      p.start(*requests[m]);
    } else if (all[m].from == p.rank()) {
      sends.push_back(m);
    }
  }
  std::ranges::stable_sort(sends, {}, [&](std::size_t m) { return all[m].time; });
  for (const std::size_t m : sends) {
    if (all[m].time > p.clock()) p.sleep(all[m].time - p.clock());
    requests[m] = std::make_unique<Request>();
    p.describe_send(*requests[m], all[m].to, all[m].size, static_cast<int>(m), all[m].mode);
    p.start(*requests[m]);
  }
  std::vector<Request*> open;
  for (const auto& request : requests) {
    if (request) open.push_back(request.get());
  }
  // One after the other as they end, to see when that is.
  while (!open.empty()) {
    co_await p.any(open);
    std::erase_if(open, [&](const Request* request) {
      if (request->done && request->kind == Request::Kind::receive) {
        arrivals[static_cast<std::size_t>(request->found_tag)] = p.clock();
      }
      return request->done;
    });
  }
}

std::vector<double> arrivals(const Machine& machine, const std::vector<Sent>& all,
                             std::uint64_t order = 0) {
  std::vector<double> times(all.size());
  Simulation simulation(machine);
  if (order > 0) simulation.go_on_at_random(order);
  simulation.run([&](CoroutineProcess& p) -> Task { co_await carry(p, all, times); });
  return times;
}

void expect_near(const std::vector<double>& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t m = 0; m < found.size(); ++m) EXPECT_NEAR(found[m], expected[m] * us, eps) << m;
}

TEST(SharedLinks, AMessageAloneTakesWhatItDoesWithoutContention) {
  for (const Switching switching : {Switching::store_and_forward, Switching::wormhole}) {
    const Machine machine = shared(torus({4, 4}), switching);
    for (int to = 1; to < machine.ranks; ++to) {
      const double alone = machine.pair(0, to).arrival.at(5000);
      EXPECT_NEAR(arrivals(machine, {{0, to, 5000, 0, {}}})[0], alone, eps) << to;
    }
  }
}

/// Ranks 0 and 1 send to 2 along the line 0 - 1 - 2: both need the link from 1 to 2.
TEST(SharedLinks, TheSecondOnALinkWaits) {
  const Machine line = shared(mesh({3}));
  // 1's is there first: until 20. 0's comes to 1 at 15, waits until 20, needs 15.
  expect_near(arrivals(line, {{0, 2, 5000, 0, {}}, {1, 2, 10'000, 0, {}}}), {35, 20});
  // 1's is sent at 16, when 0's has the link until 30.
  expect_near(arrivals(line, {{0, 2, 5000, 0, {}}, {1, 2, 0, 16 * us, {}}}), {30, 40});
  // At one time: 0's comes to the link at 15, when 1 sends: the lower rank goes first.
  expect_near(arrivals(line, {{0, 2, 5000, 0, {}}, {1, 2, 0, 15 * us, {}}}), {30, 40});
}

TEST(SharedLinks, WormsWaitForTheWholeWorm) {
  const Machine line = shared(mesh({3}), Switching::wormhole);
  // 0's head is at 1 at 10, waits until 1's has gone at 20, and keeps the link for 10 + 5.
  expect_near(arrivals(line, {{0, 2, 5000, 0, {}}, {1, 2, 10'000, 0, {}}}), {35, 20});
  // Alone: 2 · 10 + 5.
  expect_near(arrivals(line, {{0, 2, 5000, 0, {}}}), {25});
}

TEST(SharedLinks, LinksLeadBothWaysAtOnceAndCrossingWaysDontMeet) {
  const Machine grid = shared(mesh({3, 3}));
  // 3 to 5 and 1 to 7 cross at 4, 5 to 3 comes the other way.
  expect_near(arrivals(grid, {{3, 5, 1000, 0, {}}, {1, 7, 1000, 0, {}}, {5, 3, 1000, 0, {}}}),
              {22, 22, 22});
}

TEST(SharedLinks, MessagesOfAPairStayInOrder) {
  const Machine line = shared(mesh({3}));
  expect_near(arrivals(line, {{0, 2, 20'000, 0, {}}, {0, 2, 0, 0, {}}}), {60, 70});
}

/// Request, answer and data, each by its way.
TEST(SharedLinks, ASynchronousMessageTravelsThreeTimes) {
  const Machine round = shared(Topology{{{1}, {2}, {0}}});
  // Request 10, reply over two links 20, data 15.
  expect_near(arrivals(round, {{0, 1, 5000, 0, Mode::synchronous}}), {45});
  // The request waits until 9 for a message to the same link, the data for one from 32 to 82.
  expect_near(arrivals(round, {{0, 1, 5000, 1 * us, Mode::synchronous},
                               {0, 1, 0, 0, {}},
                               {0, 1, 40'000, 32 * us, {}}}),
              {82 + 15, 10, 82});
}

/// A queue of events by hand: who is first at a link has it first.
std::vector<double> by_hand(const Machine& machine, const std::vector<Sent>& all) {
  using Event = std::tuple<double, int, int, std::size_t, int>;  // time, rank, number, message, at
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events;
  std::vector<std::size_t> order(all.size());
  for (std::size_t m = 0; m < all.size(); ++m) order[m] = m;
  std::ranges::stable_sort(order, {}, [&](std::size_t m) { return all[m].time; });
  std::map<int, int> numbers;
  for (const std::size_t m : order) {
    events.emplace(all[m].time, all[m].from, numbers[all[m].from]++, m, all[m].from);
  }
  std::map<std::int32_t, double> free;
  std::vector<double> times(all.size());
  while (!events.empty()) {
    const auto [time, rank, number, m, at] = events.top();
    events.pop();
    const std::int32_t link = machine.network.next_link(at, all[m].to);
    const int next = machine.network.ends[static_cast<std::size_t>(link)];
    const auto size = static_cast<double>(all[m].size);
    const double start = std::max(time, free[link]);
    free[link] = start + machine.network.keeps.at(size);
    if (next == all[m].to) {
      times[m] = free[link];
    } else {
      events.emplace(start + machine.network.leads.at(size), rank, number, m, next);
    }
  }
  return times;
}

TEST(SharedLinks, TrafficIsServedInTheOrderOfTimeHoweverRanksGoOn) {
  const std::vector<Machine> machines{shared(ring(6)), shared(ring(6), Switching::wormhole),
                                      shared(mesh({2, 3})), shared(tree(6, 2)),
                                      shared(Topology{{{1}, {2}, {3}, {4}, {5}, {0}}})};
  for (const Machine& machine : machines) {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
      std::mt19937_64 random(seed);
      std::vector<Sent> all(1 + random() % 20);
      for (Sent& one : all) {
        one.from = static_cast<int>(random() % 6);
        one.to = static_cast<int>((static_cast<std::uint64_t>(one.from) + 1 + random() % 5) % 6);
        one.size = random() % 4 * 10'000;
        one.time = static_cast<double>(random() % 8) * 10 * us;
      }
      // A receiver that has something to send later looks only then.
      std::vector<double> expected = by_hand(machine, all);
      for (std::size_t m = 0; m < all.size(); ++m) {
        for (const Sent& other : all) {
          if (other.from == all[m].to) expected[m] = std::max(expected[m], other.time);
        }
      }
      const std::vector<double> found = arrivals(machine, all);
      for (std::size_t m = 0; m < all.size(); ++m) {
        ASSERT_NEAR(found[m], expected[m], eps) << "seed " << seed << ", message " << m;
      }
      for (std::uint64_t order = 1; order <= 3; ++order) {
        ASSERT_EQ(arrivals(machine, all, order), found) << "seed " << seed << ", order " << order;
      }
    }
  }
}

}  // namespace commgauge::simulate::shared_links_test
