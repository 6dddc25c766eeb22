// Several threads of a rank.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "simulated_job.hpp"

namespace commgauge::simulate::threads_test {

using namespace job;

constexpr double ms = 1e-3;

constexpr int ended = 99;  ///< tag of a thread's last message, to its rank

Task as_thread(CoroutineProcess& thread, const std::function<Task(CoroutineProcess&)> work) {
  co_await work(thread);
  co_await thread.send(thread.rank(), 0, ended);
}

class Threads : public testing::TestWithParam<int> {
 public:
  using Work = std::function<Task(CoroutineProcess&)>;

  /// Runs two threads, the rank's first and a further one, on each of some ranks.
  /// @return by rank and thread: when its work was over
  std::map<std::pair<int, int>, double> run(int ranks, const Work& first, const Work& second) {
    const Machine machine = lmo_machine(ranks);
    Simulation simulation(machine, 3);
    if (GetParam() > 0) simulation.go_on_at_random(static_cast<std::uint64_t>(GetParam()));
    std::map<std::pair<int, int>, double> ends;
    const auto noting = [&](const Work& work, int thread) {
      return [&ends, work, thread](CoroutineProcess& p) -> Task {
        co_await work(p);
        ends[{p.rank(), thread}] = p.clock();
      };
    };
    const Work noted_first = noting(first, 0);
    const Work noted_second = noting(second, 1);
    simulation.run([&](CoroutineProcess& p) -> Task {
      simulation.begin_thread(p, [&](CoroutineProcess& q) { return as_thread(q, noted_second); });
      co_await noted_first(p);
      co_await p.receive(p.rank(), 0, ended);
    });
    return ends;
  }
};

// Whatever the order in which they go on.
INSTANTIATE_TEST_SUITE_P(, Threads, testing::Range(0, 12));

Task nothing(CoroutineProcess&) { co_return; }

TEST_P(Threads, ComputeAndSendInParallel) {
  const auto ends = run(
      2,
      [](CoroutineProcess& p) -> Task {
        p.compute(3 * ms);
        if (p.rank() == 0) co_await p.send(1, 1000, 0);
        if (p.rank() == 1) co_await p.receive(0, 1000, 0);
      },
      [](CoroutineProcess& p) -> Task {
        p.compute(2 * ms);
        if (p.rank() == 0) co_await p.send(1, 1000, 1);
        if (p.rank() == 1) co_await p.receive(0, 1000, 1);
      });
  EXPECT_NEAR(ends.at({0, 0}), 3 * ms + overhead(1000), eps);
  EXPECT_NEAR(ends.at({0, 1}), 2 * ms + overhead(1000), eps);
  EXPECT_NEAR(ends.at({1, 0}), 3 * ms + one_way(1000), eps);
  EXPECT_NEAR(ends.at({1, 1}), 2 * ms + one_way(1000), eps);
}

TEST_P(Threads, ShareTheirPairsLink) {
  const auto ends = run(
      2,
      [](CoroutineProcess& p) -> Task {
        if (p.rank() == 0) co_await p.send(1, 1000, 0);
        if (p.rank() == 1) co_await p.receive(0, 1000, 0);
      },
      [](CoroutineProcess& p) -> Task {
        if (p.rank() == 0) co_await p.send(1, 1000, 1);
        if (p.rank() == 1) co_await p.receive(0, 1000, 1);
      });
  // At the same time; the first thread's message goes first.
  EXPECT_NEAR(ends.at({0, 0}), overhead(1000), eps);
  EXPECT_NEAR(ends.at({0, 1}), overhead(1000), eps);
  EXPECT_NEAR(ends.at({1, 0}), one_way(1000), eps);
  EXPECT_NEAR(ends.at({1, 1}), one_way(1000) + 1000 * 2e-9, eps);
}

TEST_P(Threads, TakeMessagesInTheOrderOfTheirClocks) {
  const auto ends = run(
      2,
      [](CoroutineProcess& p) -> Task {
        p.compute(2 * ms);
        if (p.rank() == 0) co_await p.send(1, 0);
        if (p.rank() == 1) co_await p.receive(wildcard, 0);
      },
      [](CoroutineProcess& p) -> Task {
        p.compute(1 * ms);
        if (p.rank() == 0) co_await p.send(1, 0);
        if (p.rank() == 1) co_await p.receive(wildcard, 0);
      });
  EXPECT_NEAR(ends.at({1, 1}), 1 * ms + one_way(0), eps);
  EXPECT_NEAR(ends.at({1, 0}), 2 * ms + one_way(0), eps);
}

TEST_P(Threads, AnswerOneAnother) {
  const auto ends = run(
      3,
      [](CoroutineProcess& p) -> Task {
        for (int turn = 0; turn < 5; ++turn) {
          if (p.rank() == 0) co_await p.send(1, 100, 0);
          if (p.rank() == 0) co_await p.receive(1, 100, 0);
          if (p.rank() == 1) co_await p.receive(wildcard, 100, 0);
          if (p.rank() == 1) co_await p.send(0, 100, 0);
        }
      },
      [](CoroutineProcess& p) -> Task {
        p.compute(1);
        for (int turn = 0; turn < 5; ++turn) {
          if (p.rank() == 0) co_await p.send(2, limit + 1, 1);
          if (p.rank() == 0) co_await p.receive(2, limit + 1, 1);
          if (p.rank() == 2) co_await p.receive(wildcard, limit + 1, 1);
          if (p.rank() == 2) co_await p.send(0, limit + 1, 1);
        }
      });
  EXPECT_NEAR(ends.at({0, 0}), 10 * one_way(100), 1e-14);
  EXPECT_NEAR(ends.at({0, 1}), 1 + 10 * one_way(limit + 1), 1e-14);
}

TEST_P(Threads, MayWaitForWhatAnotherHasStarted) {
  Request request;
  const auto ends = run(
      2,
      [&](CoroutineProcess& p) -> Task {
        if (p.rank() == 1) {
          p.describe_receive(request, 0, 100, 5);
          co_await p.own_turn();
          p.start(request);
          co_await p.send(1, 0, 6);
        } else {
          p.compute(1 * ms);
          co_await p.send(1, 100, 5);
        }
      },
      [&](CoroutineProcess& p) -> Task {
        if (p.rank() != 1) co_return;
        co_await p.receive(1, 0, 6);
        co_await p.one(request);
      });
  EXPECT_NEAR(ends.at({1, 1}), 1 * ms + one_way(100), eps);
}

TEST_P(Threads, HaveTheSameTimesWhateverTheOrderInWhichTheyGoOn) {
  const auto traffic = [](int thread) {
    return [thread](CoroutineProcess& p) -> Task {
      std::mt19937_64 random(static_cast<std::uint64_t>(10 * p.rank() + thread));
      const int left = (p.rank() + 2) % 3;
      const int right = (p.rank() + 1) % 3;
      for (int turn = 0; turn < 40; ++turn) {
        p.compute(static_cast<double>(random() % 50) * us);
        Request out;
        p.describe_send(out, right, turn % 4 == 0 ? limit + 1 : 100 * (random() % 20), thread);
        co_await p.own_turn();
        p.start(out);
        co_await p.receive(turn % 3 == 0 ? wildcard : left, limit + 1, thread);
        co_await p.one(out);
      }
    };
  };
  static const auto expected = run(3, traffic(0), traffic(1));
  EXPECT_EQ(run(3, traffic(0), traffic(1)), expected);
}

TEST_P(Threads, LeaveMeetingsAtOneTimeInOneOrder) {
  static constexpr std::array members{0, 1, 2};
  const auto meet = [](int thread) {
    return [thread](CoroutineProcess& p) -> Task {
      std::mt19937_64 random(0);
      for (int turn = 0; turn < 20; ++turn) {
        p.compute(static_cast<double>(random() % 3) * 100 * us);
        co_await p.own_turn();
        co_await p.until([&] { return p.synchronise(members, thread); });
        Request out;
        const std::uint64_t bytes = static_cast<std::uint64_t>(thread + 2) * limit;
        p.describe_send(out, (p.rank() + 1) % 3, bytes, thread);
        co_await p.own_turn();
        p.start(out);
        co_await p.receive((p.rank() + 2) % 3, bytes, thread);
        co_await p.one(out);
        co_await p.until([&] { return p.synchronise(members, thread); });
      }
    };
  };
  static const auto expected = run(3, meet(0), meet(1));
  EXPECT_EQ(run(3, meet(0), meet(1)), expected);
}

TEST_P(Threads, InADeadlockAreNamed) {
  try {
    run(2, nothing, [](CoroutineProcess& p) { return p.receive(1 - p.rank(), 0, 7); });
    FAIL();
  } catch (const DeadlockError& error) {
    EXPECT_THAT(error.what(),
                testing::HasSubstr("rank 1's thread 1 waits for a message from rank 0 with tag 7"));
  }
}

}  // namespace commgauge::simulate::threads_test
