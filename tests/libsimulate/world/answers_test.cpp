#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "simulated_job.hpp"

namespace commgauge::simulate::answers_test {

using job::limit;
using job::one_way;
using job::overhead;
using job::run;
using job::travel;
using job::us;
using ::testing::DoubleNear;
using ::testing::ElementsAre;

constexpr double bytes = 1e5;
constexpr auto size = static_cast<std::uint64_t>(bytes);

/// Nothing meets on a link or at a port here but requests and answers behind data: links that are
/// shared fairly make no difference.
struct Answers : ::testing::TestWithParam<Sharing> {
  /// alpha = 20 us, beta = 1 ns/B.
  static Machine hockney_machine(int ranks) {
    Model model = hockney_model(ranks);
    model.eager_limit = Bytes{limit};
    Machine machine = machine_of(model, "hockney");
    machine.requests_queue = true;
    machine.sharing = GetParam();
    return machine;
  }
  static Machine lmo_machine(int ranks) {
    Machine machine = job::lmo_machine(ranks);
    machine.requests_queue = true;
    machine.sharing = GetParam();
    return machine;
  }
};
struct Requests : Answers {};

const auto all_kinds = ::testing::Values(Sharing::none, Sharing::rendezvous, Sharing::all);
INSTANTIATE_TEST_SUITE_P(Sharing, Answers, all_kinds);
INSTANTIATE_TEST_SUITE_P(Sharing, Requests, all_kinds);

/// Two ranks send each other a large message, one of them a bit late. @return when each has both
std::vector<double> exchange(const Machine& machine, double late) {
  return run(machine, [late](CoroutineProcess& p) -> Task {
    if (p.rank() == 1) p.compute(late);
    Request out;
    Request in;
    Request* const both[]{&in, &out};
    p.describe_receive(in, 1 - p.rank(), size);
    p.describe_send(out, 1 - p.rank(), size);
    p.start(in);
    p.start(out);
    co_await p.all(both);
  });
}

auto both_at(double time) {
  return ElementsAre(DoubleNear(time, job::eps), DoubleNear(time, job::eps));
}

TEST_P(Answers, PassBothWaysWhereRanksAreInStep) {
  EXPECT_THAT(exchange(hockney_machine(2), 0), both_at(120 * us));
  EXPECT_THAT(exchange(lmo_machine(2), 0), both_at(one_way(bytes)));
}

/// The other rank's request comes before the data can ask for their port: by less than its way.
TEST_P(Answers, PassBothWaysWhereARankIsHardlyLate) {
  EXPECT_THAT(exchange(hockney_machine(2), 19 * us), both_at(139 * us));
}

/// Its answer lets the data go, and its own request comes behind it.
TEST_P(Answers, WaitForDataInTheirSendersPort) {
  EXPECT_THAT(exchange(hockney_machine(2), 50 * us), both_at(50 * us + 2 * 120 * us - 20 * us));
}

TEST_P(Answers, ComeBehindDataThatGoTheSameWay) {
  const double arrives = 50 * us + one_way(bytes) - overhead(bytes);
  const double request = overhead(0) + travel(0);
  EXPECT_THAT(exchange(lmo_machine(2), 50 * us), both_at(arrives - 2 * request + one_way(bytes)));
}

TEST_P(Answers, NeedNotWaitWhereTheyPass) {
  Machine machine = hockney_machine(2);
  machine.requests_queue = false;
  EXPECT_THAT(exchange(machine, 50 * us), both_at(170 * us));
}

TEST_P(Answers, NeedNotWaitWithinAHost) {
  Machine machine = hockney_machine(2);
  machine.hosts = {"h", "h"};
  EXPECT_THAT(exchange(machine, 50 * us), both_at(170 * us));
}

/// Rank 0 sends 1 MB to rank 2, and is asked by rank 1 meanwhile. @return when that has sent
double asked_meanwhile(const Machine& machine) {
  return run(machine, [](CoroutineProcess& p) -> Task {
    Request large;
    Request in;
    Request* const both[]{&in, &large};
    if (p.rank() == 0) {
      p.describe_receive(in, 1, size);
      p.describe_send(large, 2, 1'000'000);
      p.start(in);
      p.start(large);
      co_await p.all(both);
    } else if (p.rank() == 1) {
      p.compute(500 * us);
      co_await p.send(0, size);
    } else {
      co_await p.receive(0, 1'000'000);
    }
  })[1];
}

TEST_P(Answers, WaitForDataToOthers) {
  EXPECT_NEAR(asked_meanwhile(hockney_machine(3)), 1020 * us - 20 * us + 120 * us, job::eps);
}

TEST_P(Answers, NeedNotWaitForDataWithinAHost) {
  Machine machine = hockney_machine(3);
  machine.hosts[2] = machine.hosts[0];
  EXPECT_NEAR(asked_meanwhile(machine), (500 + 120) * us, job::eps);
}

TEST_P(Answers, LeaveAPortWhoseDataAreOnTheirWayToOthers) {
  // The port is free when it has handed over the data; the links are two.
  const double port = overhead(1e6);
  const double request = overhead(0) + travel(0);
  const double sent = std::max(500 * us, port - request);
  EXPECT_NEAR(asked_meanwhile(lmo_machine(3)), sent + one_way(bytes), job::eps);
}

/// Rank 0 sends 1 MB to rank 1, and 500 us later 100 KB to `other`. @return when that finds its
/// request
double asked_behind_data(const Machine& machine, int other) {
  double found = 0;
  run(machine, [&](CoroutineProcess& p) -> Task {
    Request large;
    Request small;
    Request* const both[]{&large, &small};
    if (p.rank() == 0) {
      p.describe_send(large, 1, 1'000'000, 1);
      p.describe_send(small, other, size, 2);
      p.start(large);
      p.compute(500 * us);
      p.start(small);
      co_await p.all(both);
      co_return;
    }
    if (p.rank() == 1) {
      p.describe_receive(large, 0, 1'000'000, 1);
      p.start(large);
    }
    if (p.rank() == other) {
      co_await p.until([&] { return p.probe({0, 0, 2}); });
      found = p.clock();
      co_await p.receive(0, size, 2);
    }
    if (p.rank() == 1) co_await p.one(large);
  });
  return found;
}

TEST_P(Requests, WaitForDataInTheirSendersPort) {
  EXPECT_NEAR(asked_behind_data(hockney_machine(3), 2), (1020 + 20) * us, job::eps);
  EXPECT_NEAR(asked_behind_data(lmo_machine(3), 2), overhead(1e6) + overhead(0) + travel(0),
              job::eps);
}

TEST_P(Requests, ComeBehindDataThatGoTheSameWay) {
  EXPECT_NEAR(asked_behind_data(lmo_machine(3), 1), one_way(1e6) - overhead(1e6), job::eps);
}

TEST_P(Requests, NeedNotWaitWhereTheyPass) {
  Machine machine = hockney_machine(3);
  machine.requests_queue = false;
  EXPECT_NEAR(asked_behind_data(machine, 2), (500 + 20) * us, job::eps);
}

/// On a stream an answer comes behind the request that its sender has sent before, however late
/// that is. So of two ranks in step neither has its data away before it knows of the other's
/// request.
TEST_P(Answers, DontOvertakeRequestsBeforeThem) {
  Machine machine = with_jitter(hockney_machine(2), {.mean = 8 * us});
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    machine.jitter.seed = seed;
    const double time = exchange(machine, 0)[0];
    // What is late in the mean is in 20 us of each message.
    EXPECT_GT(time, 104 * us);
    EXPECT_LT(time, 204 * us) << "twice";
  }
}

/// The same with a short eager message before each large one: a request comes behind it, and an
/// answer behind the request, unless its link is shared and the eager message's end isn't known.
TEST_P(Answers, ComeBehindRequestsThatAreBehindEagerMessages) {
  Machine machine = with_jitter(hockney_machine(2), {.mean = 8 * us});
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    machine.jitter.seed = seed;
    const double time = run(machine, [](CoroutineProcess& p) -> Task {
      Request small;
      Request large;
      Request first;
      Request second;
      Request* const all[]{&first, &second, &small, &large};
      p.describe_receive(first, 1 - p.rank(), 8);
      p.describe_receive(second, 1 - p.rank(), size);
      p.describe_send(small, 1 - p.rank(), 8);
      p.describe_send(large, 1 - p.rank(), size);
      for (Request* const one : all) p.start(*one);
      co_await p.all(all);
    })[0];
    EXPECT_GT(time, 104 * us);
    EXPECT_LT(time, GetParam() == Sharing::none ? 204 * us : 320 * us) << "seed " << seed;
  }
}

/// Four ranks exchange with one, then with another. @return when the first has done so
double two_exchanges(const Machine& machine) {
  return run(machine, [](CoroutineProcess& p) -> Task {
    for (const int bit : {1, 2}) {
      Request out;
      Request in;
      Request* const both[]{&in, &out};
      p.describe_receive(in, p.rank() ^ bit, size);
      p.describe_send(out, p.rank() ^ bit, size);
      p.start(in);
      p.start(out);
      co_await p.all(both);
    }
  })[0];
}

/// Whether the second exchange takes once or twice a message's time is chance: whoever has done
/// with the first sooner may have its data away before the other begins.
TEST_P(Answers, LateMessagesPutRanksOutOfStep) {
  Machine machine = with_jitter(hockney_machine(4), {.mean = 8 * us});
  int twice = 0;
  constexpr std::uint64_t seeds = 100;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    machine.jitter.seed = seed;
    const double time = two_exchanges(machine);
    EXPECT_GT(time, 208 * us);
    EXPECT_TRUE(time < 300 * us || time > 308 * us) << time;
    if (time > 308 * us) ++twice;
  }
  EXPECT_GT(twice, 2);
  EXPECT_LT(twice, 50);
}

/// Rank 0 sends 1 MB to each of two others, which share its port, and is asked by a third one
/// meanwhile: the answer leaves when both are gone, twice as late as one alone.
TEST(AnswersBehindSharedData, LeaveWhenTheLastOfThemIsGone) {
  Model model = hockney_model(4);
  model.eager_limit = Bytes{limit};
  Machine machine = machine_of(model, "hockney");
  machine.requests_queue = true;
  machine.sharing = Sharing::rendezvous;
  const auto ends = run(machine, [](CoroutineProcess& p) -> Task {
    Request in;
    Request out[2];
    if (p.rank() == 0) {
      Request* const all[]{&in, &out[0], &out[1]};
      p.describe_receive(in, 3, size);
      p.describe_send(out[0], 1, 1'000'000);
      p.describe_send(out[1], 2, 1'000'000);
      p.start(in);
      for (Request& one : out) p.start(one);
      co_await p.all(all);
    } else if (p.rank() == 3) {
      p.compute(500 * us);
      co_await p.send(0, size);
    } else {
      co_await p.receive(0, 1'000'000);
    }
  });
  EXPECT_NEAR(ends[1], 2020 * us, job::eps);
  EXPECT_NEAR(ends[2], 2020 * us, job::eps);
  EXPECT_NEAR(ends[3], 2000 * us + 120 * us, job::eps);
}

/// C = 10 us, L = 20 us.
Model bottleneck_of(int ranks, double port, double link) {
  Model model = hockney_model(ranks);
  model.hockney.reset();
  const std::vector<double> ports(static_cast<std::size_t>(ranks), port);
  model.bottleneck =
      exact(BottleneckParameters{std::vector<double>(ports.size(), 10 * us), ports, ports,
                                 Matrix(ranks, 20 * us), Matrix(ranks, link), Matrix(ranks, link)});
  return model;
}

/// The sender's port is ten times as fast as the link: its data have left when the link has them.
TEST(AnswersBehindSharedData, AreNeverThereBeforeTheDataHaveLeft) {
  Model model = bottleneck_of(3, 1e-9, 10e-9);
  model.eager_limit = Bytes{limit};
  Machine machine = machine_of(model, "bottleneck");
  machine.requests_queue = true;
  machine.sharing = Sharing::rendezvous;
  const double found = asked_behind_data(machine, 2);
  EXPECT_GT(found, 1e6 * 10e-9);
  EXPECT_LT(found, 1e6 * 10e-9 + 100 * us);
}

}  // namespace commgauge::simulate::answers_test
