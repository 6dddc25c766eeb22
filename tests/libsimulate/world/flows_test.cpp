// Messages that share ports and links fairly while their bytes are under way.

#include "world/carriers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "commgauge/simulate/world/fair_shares.hpp"
#include "simulated_job.hpp"

namespace commgauge::simulate::flows_test {

using job::limit;
using job::overhead;
using job::travel;
using job::us;
using testing::DoubleNear;
using testing::ElementsAre;

constexpr double eps = 1e-12;
constexpr std::uint64_t large = 100'000;

Machine lmo_machine(int ranks, Sharing sharing) {
  Machine machine = job::lmo_machine(ranks);
  machine.sharing = sharing;
  return machine;
}

/// alpha = 20 us, beta = 1 ns/B.
Machine hockney_machine(int ranks, Sharing sharing = Sharing::all) {
  Model model = hockney_model(ranks);
  model.eager_limit = Bytes{limit};
  Machine machine = machine_of(model, "hockney");
  machine.sharing = sharing;
  return machine;
}

struct Sent {
  int from{};
  int to{};
  std::uint64_t size{};
  double at{};  ///< sent and asked for no sooner [s]
};

/// When each is received. Ranks start all they have to do, in the order of the list.
std::vector<double> ends(const Machine& machine, const std::vector<Sent>& all,
                         std::uint64_t order = 0) {
  std::vector<double> times(all.size());
  (void)job::run(
      machine,
      [&](CoroutineProcess& p) -> Task {
        std::vector<std::pair<std::size_t, std::unique_ptr<Request>>> requests;
        for (std::size_t m = 0; m < all.size(); ++m) {
          const Sent& one = all[m];
          if (one.to != p.rank() && one.from != p.rank()) continue;
          if (one.at > p.clock()) p.compute(one.at - p.clock());
          Request& request = *requests.emplace_back(m, std::make_unique<Request>()).second;
          const int tag = static_cast<int>(m);
          if (one.to == p.rank()) {
            p.describe_receive(request, one.from, one.size, tag);
          } else {
            p.describe_send(request, one.to, one.size, tag);
          }
          p.start(request);
        }
        for (const auto& [m, request] : requests) {
          co_await p.one(*request);
          if (all[m].to == p.rank()) times[m] = p.clock();
        }
      },
      order);
  return times;
}

/// The second has its sender's overhead behind the first one's: 110 us. Then both share the link
/// until the first is through.
TEST(Flows, OfAPairShareItsLink) {
  const double begins = overhead(large) + 20 * us;
  const double first = begins + 110 * us + 2 * 90 * us;
  const std::vector<double> times =
      ends(lmo_machine(2, Sharing::rendezvous), {{0, 1, large, 0}, {0, 1, large, 0}});
  EXPECT_NEAR(times[0], first + overhead(large), eps);
  EXPECT_NEAR(times[1], begins + 2 * 200 * us + overhead(large), eps);
}

/// As on a TCP connection, or all at once.
TEST(Flows, OfEagerMessagesFollowOneAnotherOrShare) {
  const std::vector<Sent> two{{0, 1, 4000, 0}, {0, 1, 4000, 0}, {0, 1, 4000, 0}};
  Machine machine = job::lmo_machine(2);
  // 40 us for the bytes of each, every 14 us.
  machine.pairs.change([](PairCosts& costs) {
    for (Curve* const curve : {&costs.arrival, &costs.one_way, &costs.link}) {
      curve->first.per_byte += 8e-9;
    }
  });
  const std::vector<double> in_turn = ends(machine, two);
  machine.sharing = Sharing::rendezvous;
  EXPECT_EQ(ends(machine, two), in_turn);
  machine.sharing = Sharing::all;
  const std::vector<double> shared = ends(machine, two);
  const double begins = overhead(4000) + 20 * us;
  // 14 us alone, 14 us with one half; then three share what is left of the first: 19 us.
  EXPECT_NEAR(shared[0], begins + 28 * us + 3 * 19 * us + overhead(4000), eps);
  // The last is there at 120 us, while the receiver is busy with the second, since 113 us.
  EXPECT_NEAR(shared[2], begins + 113 * us + 2 * overhead(4000), eps);
}

TEST(Flows, AloneTakeAsLongAsEver) {
  for (const std::uint64_t size : {std::uint64_t{0}, std::uint64_t{3000}, large}) {
    for (const Sharing sharing : {Sharing::rendezvous, Sharing::all}) {
      const std::vector<Sent> one{{0, 1, size, 3 * us}};
      EXPECT_EQ(ends(lmo_machine(2, sharing), one), ends(job::lmo_machine(2), one));
      EXPECT_EQ(ends(hockney_machine(2, sharing), one),
                ends(hockney_machine(2, Sharing::none), one));
    }
  }
}

TEST(Flows, ToOneReceiverShareItsPort) {
  EXPECT_THAT(ends(hockney_machine(3), {{1, 2, large / 2, 0}, {0, 2, large, 0}}),
              ElementsAre(DoubleNear(120 * us, eps), DoubleNear(170 * us, eps)));
}

TEST(Flows, OfOneSenderShareItsPort) {
  EXPECT_THAT(ends(hockney_machine(3), {{0, 1, large, 0}, {0, 2, large / 2, 0}}),
              ElementsAre(DoubleNear(170 * us, eps), DoubleNear(120 * us, eps)));
}

/// Three messages arrive at one time, one of them as its bytes have passed. Whoever settles when,
/// the first wildcard receive gets that of the lower rank.
TEST(Flows, ArriveAtTheTimeAtWhichTheyEnd) {
  Model model = hockney_model(4);
  const Machine in_turn = machine_of(model, "hockney");
  Machine machine = in_turn;
  machine.sharing = Sharing::all;
  for (std::uint64_t order = 0; order <= 40; ++order) {
    int first = -1;
    (void)job::run(
        machine,
        [&](CoroutineProcess& p) -> Task {
          constexpr int a = 1;
          constexpr int b = 2;
          if (p.rank() == 1) co_await p.send(0, 10'000, b);
          if (p.rank() >= 2) {
            p.compute(1e-9 * 10'000);
            co_await p.send(0, 0, p.rank() == 2 ? a : b);
          }
          if (p.rank() > 0) co_return;
          Request named;
          p.describe_receive(named, 2, 10'000, a);
          p.start(named);
          co_await p.one(named);
          for (int k = 0; k < 2; ++k) {
            Request any;
            p.describe_receive(any, wildcard, 10'000, b);
            p.start(any);
            co_await p.one(any);
            if (k == 0) first = any.source;
          }
        },
        order);
    ASSERT_EQ(first, 1) << "order " << order;
  }
}

/// A request, and what is eager, comes in behind what its sender has sent before to the same rank.
TEST(Flows, DontOvertakeOneAnother) {
  Machine machine = lmo_machine(2, Sharing::all);
  const std::vector<double> times = ends(machine, {{0, 1, 5000, 0}, {0, 1, 0, 0}});
  EXPECT_NEAR(times[0], overhead(5000) + travel(5000) + overhead(5000), eps);
  EXPECT_GE(times[1], times[0]);
}

/// What an independent simulation says: of all flows anew at each beginning and end.
std::vector<double> by_hand(const Machine& machine, const std::vector<Sent>& all) {
  struct Flow {
    double begins{};
    double left{};  ///< [bytes]
    double most{};  ///< [bytes/s]
    std::vector<std::pair<int, double>> uses{};
    double end{std::numeric_limits<double>::infinity()};
  };
  std::vector<Flow> flows;
  for (const Sent& one : all) {
    const auto size = static_cast<double>(one.size);
    Flow flow{.begins = one.at + machine.pair(one.from, one.to).rendezvous_receiver.at(0),
              .left = size};
    double alone = 0;
    for_each_carrier(machine, one.from, one.to, size, true,
                     [&](CarrierKind kind, int number, double needs) {
                       const int rank = kind == CarrierKind::in_port ? one.to : one.from;
                       const int place = kind == CarrierKind::link        ? one.from * 100 + one.to
                                         : kind == CarrierKind::host_link ? 30'000 + number
                                         : kind == CarrierKind::out_port  ? 10'000 + rank
                                                                          : 20'000 + rank;
                       flow.uses.emplace_back(place, needs / size);
                       alone = std::max(alone, needs);
                     });
    flow.most = size / alone;
    flows.push_back(flow);
  }
  double now = 0;
  for (std::size_t left = flows.size(); left > 0;) {
    FairShares shares;
    std::map<int, int> numbers;
    std::vector<Flow*> active;
    double next = std::numeric_limits<double>::infinity();
    for (Flow& flow : flows) {
      if (flow.begins > now) next = std::min(next, flow.begins);
      if (flow.begins > now || flow.left <= 0) continue;
      std::vector<FairShares::Use> uses;
      for (const auto& [place, per_byte] : flow.uses) {
        const auto [known, is_new] = numbers.emplace(place, 0);
        if (is_new) known->second = shares.add_carrier(1);
        uses.push_back({known->second, per_byte});
      }
      (void)shares.add_flow(flow.most, uses);
      active.push_back(&flow);
    }
    shares.fill();
    for (std::size_t f = 0; f < active.size(); ++f) {
      next = std::min(next, now + active[f]->left / shares.rate(static_cast<int>(f)));
    }
    for (std::size_t f = 0; f < active.size(); ++f) {
      active[f]->left -= shares.rate(static_cast<int>(f)) * (next - now);
      if (active[f]->left > 1e-6) continue;
      active[f]->left = 0;
      active[f]->end = next;
      --left;
    }
    now = next;
  }
  std::vector<double> times;
  for (const Flow& flow : flows) times.push_back(flow.end);
  return times;
}

/// With hosts' links of several speeds, so that bottlenecks depend on one another.
TEST(Flows, OfRandomTrafficTakeWhatASimulationOfAllSays) {
  constexpr int ranks = 8;
  std::mt19937_64 random(3);
  const auto draw = [&](int most) {
    return static_cast<int>(random() % static_cast<unsigned>(most));
  };
  for (int net = 0; net < 200; ++net) {
    Machine machine = hockney_machine(ranks, Sharing::rendezvous);
    SharedHostLinks& links = machine.host_links;
    for (int r = 0; r < ranks; ++r) links.places.push_back(r / 2);
    for (int h = 0; h < ranks / 2; ++h) {
      links.out.push_back((1 + draw(10)) * 1e-10);
      links.in.push_back((1 + draw(10)) * 1e-10);
      links.both.push_back(draw(2) * 1e-9);
      links.inside.push_back(draw(2) * 1e-9);
    }
    std::vector<Sent> all;
    for (int m = 0; m < 25; ++m) {
      // Each rank sends or receives one after the other what it has to, at rising times.
      const int from = draw(ranks);
      const int to = (from + 1 + draw(ranks - 1)) % ranks;
      all.push_back({from, to, 6000 + 1000 * static_cast<std::uint64_t>(draw(200)),
                     m * (1 + draw(2)) * 5 * us});
    }
    std::ranges::sort(all, {}, &Sent::at);
    const std::vector<double> expected = by_hand(machine, all);
    const std::vector<double> times = ends(machine, all);
    // A rank starts all of its messages, then concludes them in the order of the list.
    for (std::size_t m = 0; m < all.size(); ++m) {
      double last = 0;
      for (std::size_t k = 0; k < all.size(); ++k) {
        const bool is_own = all[k].to == all[m].to || all[k].from == all[m].to;
        if (is_own) last = std::max(last, k <= m ? expected[k] : all[k].at);
      }
      EXPECT_NEAR(times[m], last, 1e-9 * last) << "net " << net << ", message " << m;
    }
    for (std::uint64_t order = 1; order <= 2; ++order) {
      ASSERT_EQ(ends(machine, all, order), times) << "net " << net << ", order " << order;
    }
  }
}

}  // namespace commgauge::simulate::flows_test
