#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <random>
#include <vector>

#include "commgauge/simulate/machine/topology.hpp"
#include "commgauge/simulate/run/simulation.hpp"
#include "simulated_job.hpp"
#include "whole_model.hpp"

namespace commgauge::simulate::one_sided_test {

using testing::HasSubstr;

using namespace job;

double put_time(double size) { return overhead(size) + travel(size); }

void open_window(CoroutineProcess& p) { p.world().expose(p.rank(), 1); }

TEST(OneSided, APutIsAMessageWithoutAReceiver) {
  for (const std::uint64_t size : {std::uint64_t{0}, std::uint64_t{1000}, 20 * limit}) {
    const auto program = [size](CoroutineProcess& p) -> Task {
      open_window(p);
      if (p.rank() != 0) co_return;
      Request put;
      p.describe_access(put, 1, size);
      p.start(put);
      EXPECT_NEAR(p.clock(), overhead(static_cast<double>(size)), eps);
      co_await p.one(put);
    };
    const std::vector<double> ends = run(lmo_machine(2), program);
    EXPECT_NEAR(ends[0], put_time(static_cast<double>(size)), eps);
    EXPECT_EQ(ends[1], 0);
  }
}

TEST(OneSided, ItsEndIsKnownAnEmptyMessageLater) {
  const auto program = [](CoroutineProcess& p) -> Task {
    open_window(p);
    if (p.rank() != 0) co_return;
    Request put;
    p.describe_access(put, 1, 1000);
    p.start(put);
    co_await p.one(put);
    p.hear_of(put.peer, put.over);
  };
  EXPECT_NEAR(run(lmo_machine(2), program)[0], put_time(1000) + put_time(0), eps);
}

TEST(OneSided, AGetIsAnEmptyMessageAndAMessageBack) {
  for (const std::uint64_t size : {std::uint64_t{8}, 20 * limit}) {
    const auto program = [size](CoroutineProcess& p) -> Task {
      open_window(p);
      if (p.rank() != 0) co_return;
      Request get;
      p.describe_access(get, 1, 0, size);
      p.start(get);
      EXPECT_NEAR(p.clock(), overhead(0), eps);
      co_await p.one(get);
    };
    const std::vector<double> ends = run(lmo_machine(2), program);
    EXPECT_NEAR(ends[0], put_time(0) + one_way(static_cast<double>(size)), eps);
    EXPECT_EQ(ends[1], 0);
  }
}

/// So that asking again and again comes to an end.
TEST(OneSided, AnAccessToOnesOwnMemoryCostsALook) {
  const auto program = [](CoroutineProcess& p) -> Task {
    open_window(p);
    Request get;
    p.describe_access(get, p.rank(), 0, 8);
    p.start(get);
    co_await p.one(get);
    p.hear_of(get.peer, get.over);
  };
  EXPECT_NEAR(run(lmo_machine(2), program)[0], 100e-9, eps);
}

/// On models without overlap a message keeps both its ranks for all of its time.
TEST(OneSided, APutWithoutOverlapIsThereAtItsEnd) {
  const auto program = [](CoroutineProcess& p) -> Task {
    open_window(p);
    if (p.rank() != 0) co_return;
    Request put;
    p.describe_access(put, 1, 1000);
    p.start(put);
    co_await p.one(put);
  };
  EXPECT_NEAR(run(machine_of(hockney_model(2), "hockney"), program)[0], 21 * us, eps);
}

TEST(OneSided, PutsOfAPairWaitForItsLink) {
  const auto program = [](CoroutineProcess& p) -> Task {
    open_window(p);
    if (p.rank() != 0) co_return;
    Request puts[2];
    Request* const both[]{&puts[0], &puts[1]};
    for (Request* const put : both) {
      p.describe_access(*put, 1, 4000);
      p.start(*put);
    }
    EXPECT_NEAR(p.clock(), 2 * overhead(4000), eps);
    co_await p.all(both);
  };
  // The sender's part is longer than the link's.
  EXPECT_NEAR(run(lmo_machine(2), program)[0], overhead(4000) + put_time(4000), eps);
}

/// The second of two large answers starts when the first has left its port, as two large messages
/// would.
TEST(OneSided, AnswersGetTheirSendersPortInTurn) {
  const auto program = [](CoroutineProcess& p) -> Task {
    open_window(p);
    if (p.rank() == 0) co_return;
    Request get;
    p.describe_access(get, 0, 0, 100'000);
    p.start(get);
    co_await p.one(get);
  };
  const std::vector<double> ends = run(lmo_machine(3), program);
  EXPECT_NEAR(ends[1], put_time(0) + one_way(100'000), eps);
  EXPECT_NEAR(ends[2], put_time(0) + overhead(100'000) + one_way(100'000), eps);
}

/// What a rank sends goes behind an answer that it gives, though it takes no part in that.
TEST(OneSided, AMessageWaitsBehindAnAnswerAtItsPort) {
  const auto program = [](CoroutineProcess& p) -> Task {
    open_window(p);
    if (p.rank() == 0) {
      p.compute(put_time(0) + 5 * us);
      co_await p.send(2, 1000);
    } else if (p.rank() == 1) {
      Request get;
      p.describe_access(get, 0, 0, 100'000);
      p.start(get);
      co_await p.one(get);
    } else {
      co_await p.receive(0, 1000);
    }
  };
  for (std::uint64_t seed = 1; seed < 20; ++seed) {
    const std::vector<double> ends = run(lmo_machine(3), program, seed);
    EXPECT_NEAR(ends[0], put_time(0) + 5 * us + overhead(1000), eps);
    EXPECT_NEAR(ends[1], put_time(0) + one_way(100'000), eps);
    EXPECT_NEAR(ends[2], put_time(0) + overhead(100'000) + one_way(1000), eps);
  }
}

TEST(OneSided, PutsPassTheReceiversPortOneAfterTheOther) {
  constexpr int ranks = 3;
  constexpr std::uint64_t size = 2000;
  Model model = model_of(ranks);
  BottleneckParameters p;
  p.C.assign(ranks, 10e-6);
  p.L = Matrix(ranks, 20e-6);
  p.g = p.inverse_beta = Matrix(ranks, 3e-9);
  p.s.assign(ranks, 1e-9);
  p.r.assign(ranks, 2e-9);
  model.bottleneck = exact(p);
  model.eager_limit = Bytes{limit};
  const auto program = [](CoroutineProcess& process) -> Task {
    open_window(process);
    if (process.rank() == 0) co_return;
    Request put;
    process.describe_access(put, 0, size);
    process.start(put);
    co_await process.one(put);
  };
  const std::vector<double> ends = run(machine_of(model, "bottleneck"), program);
  const double arrival = 10e-6 + 20e-6 + size * 3e-9;
  EXPECT_NEAR(ends[1], arrival, eps);
  EXPECT_NEAR(ends[2], arrival + size * 2e-9, eps);
}

TEST(OneSided, AccessesHaveTheirTimeInTheOrderOfArrival) {
  const auto program = [](CoroutineProcess& p) -> Task {
    open_window(p);
    if (p.rank() == 0) {
      p.sleep(100 * us);
      co_await p.until([&] { return p.find_accesses(); });
      EXPECT_EQ(p.clock(), 100 * us);
      co_return;
    }
    p.compute((4 - p.rank()) * 20 * us);
    Request put;
    p.describe_access(put, 0, 10);
    p.start(put);
    co_await p.one(put);
  };
  for (std::uint64_t seed = 1; seed < 20; ++seed) {
    const std::vector<double> ends = run(lmo_machine(4), program, seed);
    for (int r = 1; r < 4; ++r) {
      EXPECT_NEAR(ends[static_cast<std::size_t>(r)], (4 - r) * 20 * us + put_time(10), eps);
    }
  }
}

/// Takes the lock, holds it, gives it back.
Task hold(CoroutineProcess& p, Effect kind, double time) {
  Request lock;
  p.describe_access(lock, 0, 0, no_answer, kind);
  p.start(lock);
  co_await p.one(lock);
  p.hear_of(lock.peer, lock.over);
  p.compute(time);
  Request unlock;
  p.describe_access(unlock, 0, 0, no_answer, Effect::unlock);
  p.start(unlock);
  co_await p.one(unlock);
}

constexpr double grasp = 2 * 30 * us;  ///< of a lock that is free: there and back

TEST(OneSided, ALockIsHadInTheOrderOfAsking) {
  const auto program = [](CoroutineProcess& p) -> Task {
    open_window(p);
    if (p.rank() == 0) co_return;
    p.compute(p.rank() * us);
    co_await hold(p, Effect::exclusive_lock, 100 * us);
  };
  for (std::uint64_t seed = 1; seed < 20; ++seed) {
    const std::vector<double> ends = run(lmo_machine(4), program, seed);
    const double first = us + grasp + 100 * us + put_time(0);
    const double turn = put_time(0) + 100 * us + put_time(0);
    EXPECT_NEAR(ends[1], first, eps);
    EXPECT_NEAR(ends[2], first + turn, eps);
    EXPECT_NEAR(ends[3], first + 2 * turn, eps);
  }
}

TEST(OneSided, SharedLocksAreHadTogether) {
  const auto program = [](CoroutineProcess& p) -> Task {
    open_window(p);
    if (p.rank() == 0) co_return;
    p.compute(p.rank() * us);
    const bool shares = p.rank() != 3;
    co_await hold(p, shares ? Effect::shared_lock : Effect::exclusive_lock, 100 * us);
  };
  const std::vector<double> ends = run(lmo_machine(4), program);
  const auto shared = [](int r) { return r * us + grasp + 100 * us + put_time(0); };
  EXPECT_NEAR(ends[1], shared(1), eps);
  EXPECT_NEAR(ends[2], shared(2), eps);
  EXPECT_NEAR(ends[3], shared(2) + put_time(0) + 100 * us + put_time(0), eps);
}

TEST(OneSided, ALockThatIsNotGivenBackIsADeadlock) {
  const auto program = [](CoroutineProcess& p) -> Task {
    open_window(p);
    Request lock;
    p.describe_access(lock, 0, 0, no_answer, Effect::exclusive_lock);
    p.start(lock);
    co_await p.one(lock);
  };
  try {
    run(lmo_machine(2), program);
    FAIL();
  } catch (const DeadlockError& error) {
    EXPECT_THAT(error.what(), HasSubstr("rank 1 waits for a lock of rank 0's window"));
  }
}

/// Random accesses, messages and locks; all ranks draw the same numbers.
Task random_accesses(CoroutineProcess& p, std::uint64_t seed) {
  open_window(p);
  std::mt19937_64 random(seed);
  const auto draw = [&](int most) { return static_cast<int>(random() % (most + 1u)); };
  const int ranks = p.machine().ranks;
  std::deque<Request> open;
  for (int step = 0; step < 12; ++step) {
    const int from = draw(ranks - 1);
    const int to = draw(ranks - 1);
    const auto size = static_cast<std::uint64_t>(draw(3) == 0 ? draw(100'000) : draw(300));
    const int what = draw(6);
    const int pause = draw(60);
    if (p.rank() == pause % ranks) p.compute(pause * us);
    if (what == 6) {
      const auto kind = pause % 2 == 0 ? Effect::shared_lock : Effect::exclusive_lock;
      if (p.rank() != 0) co_await hold(p, kind, pause * us);
      continue;
    }
    if (what >= 4 && from != to) {
      if (p.rank() == from) co_await p.send(to, size, step);
      if (p.rank() == to) co_await p.receive(what == 4 ? wildcard : from, size, step);
      continue;
    }
    if (p.rank() != from) continue;
    Request& access = open.emplace_back();
    const bool is_fetch = what == 2;
    p.describe_access(access, to, what == 1 ? 0 : size,
                      what == 0 || what >= 3 ? no_answer
                      : is_fetch             ? size
                                             : size / 2);
    p.start(access);
    if (what == 3) continue;
    std::vector<Request*> all;
    for (Request& one : open) {
      if (!one.done) all.push_back(&one);
    }
    co_await p.all(all);
  }
  for (Request& one : open) {
    if (!one.done) co_await p.one(one);
  }
}

TEST(OneSided, TimesDontDependOnWhoRunsFirst) {
  std::vector<Machine> machines;
  for (const char* const kind : {"lmo", "loggps", "hockney", "bottleneck", "plogp"}) {
    machines.push_back(machine_of(whole::whole_model(), kind));
    machines.push_back(on_two_hosts(machines.back()));
  }
  machines.push_back(
      machine_of(Topology{{{1}, {2}, {3}, {0}}}, {.start_up = Seconds{10 * us},
                                                  .per_byte = SecondsPerByte{1e-9},
                                                  .block = {},
                                                  .switching = Switching::store_and_forward,
                                                  .has_contention = true}));
  for (std::size_t m = 0; m < machines.size(); ++m) {
    for (std::uint64_t seed = 1; seed < 60; ++seed) {
      const auto program = [seed](CoroutineProcess& p) { return random_accesses(p, seed); };
      const std::vector<double> ends = run(machines[m], program);
      for (std::uint64_t order = 1; order < 4; ++order) {
        ASSERT_EQ(ends, run(machines[m], program, order)) << "machine " << m << ", " << seed;
      }
    }
  }
}

}  // namespace commgauge::simulate::one_sided_test
