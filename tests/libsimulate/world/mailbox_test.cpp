#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "simulated_job.hpp"

namespace commgauge::simulate::mailbox_test {

using namespace job;

/// Whoever's message arrives first in virtual time is received first, whatever was sent first.
TEST(Mailbox, AReceiveFromAnyoneTakesTheFirstToArrive) {
  std::vector<int> order;
  const auto program = [&](CoroutineProcess& p) -> Task {
    if (p.rank() != 0) {
      p.compute((4 - p.rank()) * 100 * us);
      co_await p.send(0, 10);
      co_return;
    }
    for (int k = 1; k < 4; ++k) {
      Request request;
      p.describe_receive(request, wildcard, 10);
      p.start(request);
      co_await p.one(request);
      order.push_back(request.source);
    }
  };
  run(lmo_machine(4), program);
  EXPECT_THAT(order, testing::ElementsAre(3, 2, 1));
}

TEST(Mailbox, AProbeLeavesTheMessage) {
  double seen = 0;
  const auto program = [&](CoroutineProcess& p) -> Task {
    if (p.rank() == 1) {
      co_await p.send(0, 10, 7);
      co_return;
    }
    const Offset found = co_await p.until([&] { return p.probe({0, wildcard, wildcard}); });
    seen = p.clock();
    EXPECT_EQ(p.message(found).envelope.tag, 7);
    co_await p.receive(1, 10, 7);
  };
  const std::vector<double> ends = run(lmo_machine(2), program);
  EXPECT_NEAR(seen, one_way(10) - overhead(10), eps);
  EXPECT_NEAR(ends[0], one_way(10), eps);
}

/// Whatever is known of the message when it is asked: it may be matched before it has arrived.
TEST(Mailbox, AReceiveIsTakenBackUnlessItsMessageHasCome) {
  for (const std::uint64_t size : {std::uint64_t{1000}, limit + 1}) {
    for (const double when : {100 * us, 10e-3}) {
      for (std::uint64_t seed = 0; seed < 40; ++seed) {
        const Machine machine = lmo_machine(3);
        Simulation simulation(machine);
        simulation.go_on_at_random(seed);
        simulation.run([&](CoroutineProcess& p) -> Task {
          if (p.rank() == 0) {
            p.compute(1e-3);
            co_await p.send(1, size);
          }
          if (p.rank() != 1) co_return;
          Request first;
          p.describe_receive(first, 0, size);
          p.start(first);
          p.compute(when);
          const bool is_taken_back = co_await p.until([&] { return p.cancel(first); });
          EXPECT_EQ(is_taken_back, when < 1e-3);
          EXPECT_EQ(first.is_cancelled, is_taken_back);
          if (is_taken_back) {
            co_await p.receive(0, size);
          } else {
            co_await p.one(first);
          }
        });
        const double end = simulation.process(1).clock();
        if (when < 1e-3) {
          EXPECT_NEAR(end, 1e-3 + one_way(static_cast<double>(size)), eps);
        } else {
          EXPECT_GE(end, when);
        }
      }
    }
  }
}

/// What a rank sends to itself, and then receives.
Program to_oneself(std::uint64_t size, Mode mode) {
  return [=](CoroutineProcess& p) -> Task {
    Request sent;
    p.describe_send(sent, p.rank(), size, 0, mode);
    p.start(sent);
    co_await p.one(sent);
    co_await p.receive(p.rank(), size);
  };
}

TEST(Mailbox, AMessageToOneselfWaitsForItsReceiveAsAnyOther) {
  EXPECT_EQ(run(lmo_machine(1), to_oneself(limit, Mode::standard)), std::vector{0.0});
  EXPECT_THROW(run(lmo_machine(1), to_oneself(limit + 1, Mode::standard)), DeadlockError);
  EXPECT_THROW(run(lmo_machine(1), to_oneself(1, Mode::synchronous)), DeadlockError);
  EXPECT_EQ(run(lmo_machine(1), to_oneself(limit + 1, Mode::buffered)), std::vector{0.0});
}

TEST(Mailbox, AMessageToOneselfCostsNothingWhenItsReceiveIsThere) {
  const auto program = [](CoroutineProcess& p) -> Task {
    Request sent;
    p.describe_send(sent, p.rank(), limit + 1, 0, Mode::synchronous);
    p.start(sent);
    p.compute(1e-3);
    co_await p.receive(p.rank(), limit + 1);
    co_await p.one(sent);
  };
  const std::vector<double> ends = run(on_two_hosts(lmo_machine(4)), program);
  for (const double end : ends) EXPECT_NEAR(end, 1e-3, eps);
}

}  // namespace commgauge::simulate::mailbox_test
