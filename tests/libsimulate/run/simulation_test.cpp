#include "commgauge/simulate/run/simulation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <random>
#include <vector>

#include "commgauge/predict/predict.hpp"
#include "commgauge/simulate/machine/topology.hpp"
#include "commgauge/simulate/process/collective.hpp"
#include "made_machine.hpp"
#include "simulated_rank.hpp"

namespace commgauge::simulate {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr double us = 1e-6;
constexpr double eps = 1e-15;
constexpr std::uint64_t limit = 5000;

// One message on the machine of lmo_model():
double overhead(double size) { return 10 * us + size * 1e-9; }
double travel(double size) { return 20 * us + size * 2e-9; }
double one_way(double size) { return 2 * overhead(size) + travel(size); }

using Program = std::function<Task(CoroutineProcess&)>;

/// The ranks' clocks at the end.
std::vector<double> run(const Machine& machine, const Program& program) {
  Simulation simulation(machine);
  simulation.run(program);
  std::vector<double> ends;
  for (int r = 0; r < machine.ranks; ++r) ends.push_back(simulation.process(r).clock());
  return ends;
}

Machine lmo_machine(int ranks) { return machine_of(lmo_model(ranks, limit), "lmo"); }

TEST(Simulation, AnEagerMessageTakesWhatTheModelSays) {
  const auto program = [](CoroutineProcess& p) -> Task {
    if (p.rank() == 0) co_await p.send(1, 1000);
    if (p.rank() == 1) co_await p.receive(0, 1000);
  };
  const std::vector<double> ends = run(lmo_machine(2), program);
  EXPECT_NEAR(ends[0], overhead(1000), eps);
  EXPECT_NEAR(ends[1], one_way(1000), eps);
}

TEST(Simulation, AMessageThatHasArrivedCostsItsReceiveOverhead) {
  const auto program = [](CoroutineProcess& p) -> Task {
    if (p.rank() == 0) co_await p.send(1, 1000);
    if (p.rank() == 1) {
      p.compute(1e-3);
      co_await p.receive(0, 1000);
    }
  };
  EXPECT_NEAR(run(lmo_machine(2), program)[1], 1e-3 + overhead(1000), eps);
}

TEST(Simulation, ARendezvousWaitsForItsReceiver) {
  const auto program = [](CoroutineProcess& p) -> Task {
    if (p.rank() == 0) co_await p.send(1, limit + 1);
    if (p.rank() == 1) {
      p.compute(1e-3);
      co_await p.receive(0, limit + 1);
    }
  };
  const std::vector<double> ends = run(lmo_machine(2), program);
  EXPECT_NEAR(ends[0], 1e-3 + one_way(limit + 1), eps);
  EXPECT_NEAR(ends[1], ends[0], eps);
}

TEST(Simulation, ASynchronousMessageIsARendezvousWhateverItsSize) {
  const auto program = [](CoroutineProcess& p) -> Task {
    if (p.rank() == 0) co_await p.send(1, 8, 0, Mode::synchronous);
    if (p.rank() == 1) {
      p.compute(1e-3);
      co_await p.receive(0, 8);
    }
  };
  EXPECT_NEAR(run(lmo_machine(2), program)[0], 1e-3 + one_way(8), eps);
}

TEST(Simulation, MessagesOfAPairWaitForItsLink) {
  const auto program = [](CoroutineProcess& p) -> Task {
    if (p.rank() == 0) {
      co_await p.send(1, 4000);
      co_await p.send(1, 4000);
    } else {
      p.compute(1e-3);  // until both have arrived
      const auto before = p.clock();
      co_await p.receive(0, 4000);
      co_await p.receive(0, 4000);
      EXPECT_NEAR(p.clock() - before, 2 * overhead(4000), eps);
    }
  };
  EXPECT_NEAR(run(lmo_machine(2), program)[0], 2 * overhead(4000), eps);
}

/// Whoever's message arrives first in virtual time is received first, whatever was sent first.
TEST(Simulation, AReceiveFromAnyoneTakesTheFirstToArrive) {
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

TEST(Simulation, LargeMessagesGetTheirReceiversPortInTurn) {
  const auto program = [](CoroutineProcess& p) -> Task {
    if (p.rank() != 0) {
      co_await p.send(0, 100'000);
      co_return;
    }
    Request in[2];
    Request* const both[]{&in[0], &in[1]};
    for (int k = 0; k < 2; ++k) {
      p.describe_receive(in[k], k + 1, 100'000);
      p.start(in[k]);
    }
    co_await p.all(both);
  };
  // The second is taken in when the first has been.
  EXPECT_NEAR(run(lmo_machine(3), program)[0], one_way(1e5) + overhead(1e5), eps);
}

TEST(Simulation, ManyLargeMessagesOfAPairFollowOneAnotherOnItsLink) {
  constexpr int messages = 2000;
  const auto program = [](CoroutineProcess& p) -> Task {
    std::vector<Request> requests(messages);
    std::vector<Request*> all;
    for (Request& request : requests) {
      if (p.rank() == 0) {
        p.describe_send(request, 1, 100'000);
      } else {
        p.describe_receive(request, 0, 100'000);
      }
      p.start(request);
      all.push_back(&request);
    }
    co_await p.all(all);
  };
  const double link = 1e5 * 2e-9;
  EXPECT_NEAR(run(lmo_machine(2), program)[1], one_way(1e5) + (messages - 1) * link, 1e-12);
}

/// Rank 0 sends 1 MB to rank 1, which waits for it, computes for a while, and sends 8 bytes to
/// `small_to`. @return when these are there
double small_behind_large(int small_to, double meanwhile) {
  double there = 0;
  const auto program = [&](CoroutineProcess& p) -> Task {
    if (p.rank() == 0) {
      Request large;
      p.describe_send(large, 1, 1'000'000);
      p.start(large);
      p.compute(meanwhile);
      co_await p.send(small_to, 8, 1);
      co_await p.one(large);
      co_return;
    }
    Request large;
    if (p.rank() == 1) {
      p.describe_receive(large, 0, 1'000'000);
      p.start(large);
    }
    if (p.rank() == small_to) {
      co_await p.receive(0, 8, 1);
      there = p.clock();
    }
    if (p.rank() == 1) co_await p.one(large);
  };
  run(lmo_machine(3), program);
  return there;
}

TEST(Simulation, ASmallMessageWaitsForItsSendersPort) {
  // The port is free when the large one is in it, and its overhead over.
  EXPECT_NEAR(small_behind_large(2, 100 * us), overhead(1e6) + one_way(8), eps);
}

TEST(Simulation, ASmallMessageDoesntPassALargeOneOnTheirLink) {
  const double large_there = one_way(1e6) - overhead(1e6);
  EXPECT_NEAR(small_behind_large(1, 1500 * us), large_there + 8 * 2e-9 + overhead(8), eps);
}

TEST(Simulation, ASmallMessageGoesAheadWhileTheLargeOnesRequestTravels) {
  EXPECT_NEAR(small_behind_large(2, 0), one_way(8), eps);
  EXPECT_NEAR(small_behind_large(1, 0), one_way(8), eps);
}

TEST(Simulation, ASmallMessageDoesntWaitForALargeOneThatNobodyReceives) {
  double there = 0;
  const auto program = [&](CoroutineProcess& p) -> Task {
    Request large;
    if (p.rank() == 0) {
      p.describe_send(large, 1, 1'000'000);
      p.start(large);
      co_await p.send(2, 8);
      co_await p.one(large);
    } else if (p.rank() == 1) {
      p.compute(1);
      co_await p.receive(0, 1'000'000);
    } else {
      co_await p.receive(0, 8);
      there = p.clock();
    }
  };
  run(lmo_machine(3), program);
  EXPECT_NEAR(there, one_way(8), eps);
}

/// Hosts without overheads keep no port, so nothing waits for one, whatever was matched first.
TEST(Simulation, APortThatAMessageNeedsNoTimeOfDoesntDelayIt) {
  Model model = lmo_model(3, 0);
  model.lmo->value.C.assign(3, 0);
  model.lmo->value.t.assign(3, 0);
  model.lmo->value.L(1, 0) = 50 * us;
  model.lmo->value.inverse_beta(1, 0) = 20e-9;
  model.lmo->low = model.lmo->high = model.lmo->value;
  const auto to_one = [](CoroutineProcess& p) -> Task {
    if (p.rank() != 0) {
      co_await p.send(0, 1000);
      co_return;
    }
    Request in[2];
    Request* const both[]{&in[0], &in[1]};
    for (int k = 0; k < 2; ++k) {
      p.describe_receive(in[k], k + 1, 1000);
      p.start(in[k]);
    }
    co_await p.all(both);
  };
  const std::vector<double> ends = run(machine_of(model, "lmo"), to_one);
  EXPECT_NEAR(ends[1], 70 * us, eps);
  EXPECT_NEAR(ends[2], 22 * us, eps);
}

TEST(Simulation, TheFirstOfSeveralIsTheFirstInVirtualTime) {
  int first = -1;
  const auto program = [&](CoroutineProcess& p) -> Task {
    if (p.rank() != 0) {
      p.compute(p.rank() == 1 ? 1e-3 : 1e-4);
      co_await p.send(0, 10);
      co_return;
    }
    Request in[2];
    Request* const both[]{&in[0], &in[1]};
    for (int k = 0; k < 2; ++k) {
      p.describe_receive(in[k], k + 1, 10);
      p.start(in[k]);
    }
    co_await p.any(both);
    first = in[0].done ? 0 : 1;
    co_await p.all(both);
  };
  run(lmo_machine(3), program);
  EXPECT_EQ(first, 1);
}

TEST(Simulation, ATestFindsWhatHasArrivedByNow) {
  std::vector<bool> found;
  const auto program = [&](CoroutineProcess& p) -> Task {
    if (p.rank() == 1) {
      co_await p.send(0, 10);
      co_return;
    }
    Request in;
    Request* const one[]{&in};
    p.describe_receive(in, 1, 10);
    p.start(in);
    for (const double pause : {0.0, 29 * us, 2 * us}) {
      p.compute(pause);
      found.push_back(co_await p.until([&] { return p.test_all(one); }));
    }
  };
  run(lmo_machine(2), program);
  EXPECT_THAT(found, testing::ElementsAre(false, false, true));
}

TEST(Simulation, AProbeLeavesTheMessage) {
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

TEST(Simulation, ALongerMessageThanItsReceiveIsTruncated) {
  bool is_truncated = false;
  const auto program = [&](CoroutineProcess& p) -> Task {
    if (p.rank() == 1) {
      co_await p.send(0, 11);
      co_return;
    }
    Request in;
    p.describe_receive(in, 1, 10);
    p.start(in);
    co_await p.one(in);
    is_truncated = in.is_truncated;
  };
  run(lmo_machine(2), program);
  EXPECT_TRUE(is_truncated);
}

/// Whatever is known of the message when it is asked: it may be matched before it has arrived.
TEST(Simulation, AReceiveIsTakenBackUnlessItsMessageHasCome) {
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

TEST(Simulation, RanksMeetAtTheLatestClock) {
  const int all[]{0, 1, 2};
  const auto program = [&](CoroutineProcess& p) -> Task {
    p.compute(p.rank() * 1e-3);
    co_await p.until([&] { return p.synchronise(all); });
    co_await p.until([&] { return p.synchronise(all); });
  };
  for (const double end : run(lmo_machine(3), program)) EXPECT_EQ(end, 2e-3);
}

TEST(Simulation, ADeadlockSaysWhatEveryRankWaitsFor) {
  const auto program = [](CoroutineProcess& p) -> Task { co_await p.receive(1 - p.rank(), 10, 3); };
  try {
    run(lmo_machine(2), program);
    FAIL() << "no deadlock was found";
  } catch (const DeadlockError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("rank 0 waits for a message from rank 1 with tag 3"),
                                    HasSubstr("receive what is sent")));
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

TEST(Simulation, AMessageToOneselfWaitsForItsReceiveAsAnyOther) {
  EXPECT_EQ(run(lmo_machine(1), to_oneself(limit, Mode::standard)), std::vector{0.0});
  EXPECT_THROW(run(lmo_machine(1), to_oneself(limit + 1, Mode::standard)), DeadlockError);
  EXPECT_THROW(run(lmo_machine(1), to_oneself(1, Mode::synchronous)), DeadlockError);
  EXPECT_EQ(run(lmo_machine(1), to_oneself(limit + 1, Mode::buffered)), std::vector{0.0});
}

TEST(Simulation, AMessageToOneselfCostsNothingWhenItsReceiveIsThere) {
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

TEST(Simulation, WhatARankThrowsArrives) {
  const auto program = [](CoroutineProcess& p) -> Task {
    if (p.rank() == 1) throw InputError("no");
    co_return;
  };
  EXPECT_THROW(run(lmo_machine(2), program), InputError);
}

TEST(Simulation, ADisturbedProcessorIsSlower) {
  Machine machine = lmo_machine(2);
  machine.disturbances = {parse_disturbance("rank=1,speed=0.5")};
  const auto program = [](CoroutineProcess& p) -> Task {
    p.compute(1e-3);
    co_return;
  };
  const std::vector<double> ends = run(machine, program);
  EXPECT_NEAR(ends[0], 1e-3, eps);
  EXPECT_NEAR(ends[1], 2e-3, eps);
}

/// A collective operation of all ranks, each in its own task.
std::vector<double> run(const Machine& machine, const schedule::Collective& what,
                        schedule::Algorithm algorithm) {
  return run(machine, [&](CoroutineProcess& p) -> Task {
    Group all;
    for (int r = 0; r < machine.ranks; ++r) all.ranks.push_back(r);
    all.context = 1;
    MessagesOnly messages(all, what.unit);
    Request request;
    request.kind = Request::Kind::collective;
    p.start_collective(request, perform(schedule_of(what, algorithm, p.rank()), messages));
    co_await p.one(request);
  });
}

/// Unsuccessful attempts at a test of it, then one that isn't.
TEST(Simulation, TestsOfACollectiveOperationBringItToItsEndOnEachRank) {
  constexpr int enough = 100'000;
  const schedule::Collective what{
      .operation = schedule::Operation::allreduce, .ranks = 4, .counts = {1000}, .unit = Bytes{8}};
  const auto program = [&](CoroutineProcess& p) -> Task {
    MessagesOnly messages({.ranks = {0, 1, 2, 3}, .context = 1}, what.unit);
    Request request;
    Request* const one[]{&request};
    request.kind = Request::Kind::collective;
    const auto steps = schedule_of(what, schedule::Algorithm::recursive_doubling, p.rank());
    p.start_collective(request, perform(steps, messages));
    int attempts = 0;
    while (attempts < enough && !co_await p.until([&] { return p.test_all(one); })) {
      p.poll_unsuccessfully();
      ++attempts;
    }
    EXPECT_GT(attempts, 0);
    EXPECT_TRUE(request.done) << "rank " << p.rank();
  };
  run(lmo_machine(4), program);
}

struct CollectiveCase {
  commgauge::Operation predicted;
  schedule::Operation operation;
  commgauge::Algorithm by;
  schedule::Algorithm algorithm;
};

class SimulatedCollective : public testing::TestWithParam<CollectiveCase> {};

/// Up to the eager limit a prediction and a simulation of the same messages are the same.
TEST_P(SimulatedCollective, TakesWhatIsPredicted) {
  const auto& [predicted, operation, by, algorithm] = GetParam();
  for (const int ranks : {2, 3, 5, 8}) {
    const Model model = lmo_model(ranks, 100'000);
    for (const std::uint64_t size : {0, 100, 4000}) {
      schedule::Collective what{.operation = operation, .ranks = ranks, .counts = {size}};
      Query query{"lmo", predicted, 0, -1, Bytes{size}};
      query.algorithm = by;
      const double expected = predict_time(model, query).value;
      const double found = std::ranges::max(run(machine_of(model, "lmo"), what, algorithm));
      EXPECT_NEAR(found, expected, 1e-12 * expected) << ranks << " ranks, " << size << " bytes";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, SimulatedCollective,
    testing::Values(CollectiveCase{commgauge::Operation::scatter, schedule::Operation::scatter,
                                   commgauge::Algorithm::flat, schedule::Algorithm::flat},
                    CollectiveCase{commgauge::Operation::scatter, schedule::Operation::scatter,
                                   commgauge::Algorithm::binomial, schedule::Algorithm::binomial},
                    CollectiveCase{commgauge::Operation::gather, schedule::Operation::gather,
                                   commgauge::Algorithm::flat, schedule::Algorithm::flat},
                    CollectiveCase{commgauge::Operation::gather, schedule::Operation::gather,
                                   commgauge::Algorithm::binomial, schedule::Algorithm::binomial},
                    CollectiveCase{commgauge::Operation::bcast, schedule::Operation::bcast,
                                   commgauge::Algorithm::binomial, schedule::Algorithm::binomial}));

/// In each of the three rounds a message goes out while one comes in.
TEST(Simulation, RecursiveDoublingTakesItsRounds) {
  const Machine machine = machine_of(hockney_model(8), "hockney");
  const schedule::Collective what{
      .operation = schedule::Operation::allreduce, .ranks = 8, .counts = {1000}, .unit = Bytes{8}};
  for (const double end : run(machine, what, schedule::Algorithm::recursive_doubling)) {
    EXPECT_NEAR(end, 3 * (20 * us + 8000e-9), eps);
  }
}

/// A ring, without contention and with; with wormhole switching, too, and one whose links lead one
/// way.
std::vector<Machine> topologies(int ranks) {
  LinkParameters parameters{Seconds{20 * us}, SecondsPerByte{1e-9}, Bytes{1000}};
  std::vector<Machine> machines{machine_of(ring(ranks), parameters)};
  parameters.has_contention = true;
  machines.push_back(machine_of(ring(ranks), parameters));
  machines.push_back(machines.back());
  machines.back().disturbances.push_back(parse_disturbance("rank=*,period=37us,length=11us"));
  Topology one_way;
  for (int r = 0; r < ranks; ++r) one_way.links.push_back({(r + 1) % ranks});
  machines.push_back(machine_of(one_way, parameters));
  parameters.block.reset();
  parameters.switching = Switching::wormhole;
  machines.push_back(machine_of(mesh({ranks}), parameters));
  return machines;
}

/// All of them end, and twice the same. tests/libemulate compares them with live processes.
/// Whatever real order ranks go on in, and however early is decided what can be: no time changes.
TEST(Simulation, RandomProgramsTakeTheSameTimesInAnyOrder) {
  constexpr std::uint64_t programs = 400;
  std::vector<Machine> machines;
  for (const std::uint64_t eager_limit : {0, 400, 30'000}) {
    machines.push_back(machine_of(lmo_model(5, eager_limit), ""));
    machines.push_back(machines.back());
    machines.back().disturbances.push_back(parse_disturbance("rank=*,period=37us,length=11us"));
    machines.push_back(on_two_hosts(machines.back()));
  }
  machines.push_back(machine_of(hockney_model(5), ""));
  machines.push_back(on_two_hosts(machines.back()));
  std::ranges::copy(topologies(5), std::back_inserter(machines));
  for (const Machine& machine : machines) {
    const auto times = [&](std::uint64_t program_seed, std::uint64_t order) {
      std::vector<int> notes(5);
      Simulation simulation(machine);
      if (order > 0) simulation.go_on_at_random(order);
      simulation.run([&](CoroutineProcess& p) -> Task {
        random_program::SimulatedRank rank(p, notes);
        random_program::Program program(rank, program_seed);
        co_await program.run();
      });
      std::vector<double> ends;
      for (int r = 0; r < machine.ranks; ++r) ends.push_back(simulation.process(r).clock());
      return ends;
    };
    for (std::uint64_t seed = 1; seed <= programs; ++seed) {
      const std::vector<double> ends = times(seed, 0);
      for (std::uint64_t order = 1; order <= 3; ++order) {
        ASSERT_EQ(times(seed, order), ends) << "program " << seed << ", order " << order;
      }
    }
  }
}

/// A message of a rank that starts all it has to do at given times, then waits for one after the
/// other.
struct Traffic {
  int from{};
  int to{};
  std::uint64_t size{};
  Mode mode{};
  double sent{};    ///< no sooner [s]
  double posted{};  ///< no sooner [s]
};

std::vector<Traffic> draw_traffic(std::mt19937_64& random, int ranks) {
  const auto draw = [&](std::uint64_t most) { return random() % (most + 1); };
  std::vector<Traffic> all(4 + draw(10));
  const int receiver = static_cast<int>(draw(static_cast<std::uint64_t>(ranks) - 1));
  for (Traffic& one : all) {
    one.from = static_cast<int>(draw(1));
    // Most to one receiver, so that they meet on its link; some to the sender itself.
    one.to = draw(2) > 0 ? receiver : static_cast<int>(draw(static_cast<std::uint64_t>(ranks) - 1));
    one.size = draw(2) == 0 ? draw(200'000) : draw(6000);
    one.mode = draw(3) == 0 ? Mode::synchronous : Mode::standard;
    one.sent = static_cast<double>(draw(500)) * us;
    one.posted = static_cast<double>(draw(500)) * us;
  }
  return all;
}

/// What `p` does of it. @param times  of each message that it has received or sent
/// @param questions  seeds questions that take no time and change nothing; 0: none
Task carry(CoroutineProcess& p, const std::vector<Traffic>& all, std::vector<double>& times,
           std::uint64_t questions) {
  std::mt19937_64 random(questions);
  struct Start {
    double time;
    int message;
    bool sends;
  };
  std::vector<Start> starts;
  for (int m = 0; m < std::ssize(all); ++m) {
    const Traffic& one = all[static_cast<std::size_t>(m)];
    if (one.from == p.rank()) starts.push_back({one.sent, m, true});
    if (one.to == p.rank()) starts.push_back({one.posted, m, false});
  }
  std::ranges::stable_sort(starts, {}, &Start::time);
  std::vector<std::unique_ptr<Request>> requests;
  for (const Start& start : starts) {
    const Traffic& one = all[static_cast<std::size_t>(start.message)];
    Request& request = *requests.emplace_back(std::make_unique<Request>());
    if (start.time > p.clock()) p.sleep(start.time - p.clock());
    if (questions > 0 && random() % 2 == 0) {
      co_await p.until([&, now = p.clock()] { return p.test_some({}, now); });
    }
    if (start.sends) {
      p.describe_send(request, one.to, one.size, start.message, one.mode);
    } else {
      p.describe_receive(request, one.from, one.size, start.message);
    }
    p.start(request);
  }
  for (const auto& request : requests) {
    co_await p.one(*request);
    times.push_back(p.clock());
  }
}

TEST(Simulation, TrafficTakesTheSameTimesInAnyOrder) {
  std::vector<Machine> machines{lmo_machine(4), machine_of(hockney_model(4), ""),
                                on_two_hosts(lmo_machine(4)),
                                on_two_hosts(machine_of(hockney_model(4), ""))};
  machines.push_back(machines.front());
  machines.back().disturbances.push_back(parse_disturbance("rank=0,period=37us,length=11us"));
  std::ranges::copy(topologies(4), std::back_inserter(machines));
  for (const Machine& machine : machines) {
    for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
      std::mt19937_64 random(seed);
      const std::vector<Traffic> all = draw_traffic(random, machine.ranks);
      const auto run_in = [&](std::uint64_t order) {
        std::vector<std::vector<double>> times(4);
        Simulation simulation(machine);
        if (order > 0) simulation.go_on_at_random(order);
        simulation.run([&](CoroutineProcess& p) -> Task {
          co_await carry(p, all, times[static_cast<std::size_t>(p.rank())],
                         order > 0 ? order + static_cast<std::uint64_t>(p.rank()) : 0);
        });
        return times;
      };
      const auto times = run_in(0);
      for (std::uint64_t order = 1; order <= 4; ++order) {
        ASSERT_EQ(run_in(order), times) << "seed " << seed << ", order " << order;
      }
    }
  }
}

}  // namespace
}  // namespace commgauge::simulate
