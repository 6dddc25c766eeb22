#include "commgauge/simulate/process/process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "simulated_job.hpp"

namespace commgauge::simulate::process_test {

using namespace job;

TEST(Process, AnEagerMessageTakesWhatTheModelSays) {
  const auto program = [](CoroutineProcess& p) -> Task {
    if (p.rank() == 0) co_await p.send(1, 1000);
    if (p.rank() == 1) co_await p.receive(0, 1000);
  };
  const std::vector<double> ends = run(lmo_machine(2), program);
  EXPECT_NEAR(ends[0], overhead(1000), eps);
  EXPECT_NEAR(ends[1], one_way(1000), eps);
}

TEST(Process, AMessageThatHasArrivedCostsItsReceiveOverhead) {
  const auto program = [](CoroutineProcess& p) -> Task {
    if (p.rank() == 0) co_await p.send(1, 1000);
    if (p.rank() == 1) {
      p.compute(1e-3);
      co_await p.receive(0, 1000);
    }
  };
  EXPECT_NEAR(run(lmo_machine(2), program)[1], 1e-3 + overhead(1000), eps);
}

TEST(Process, ARendezvousWaitsForItsReceiver) {
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

TEST(Process, ASynchronousMessageIsARendezvousWhateverItsSize) {
  const auto program = [](CoroutineProcess& p) -> Task {
    if (p.rank() == 0) co_await p.send(1, 8, 0, Mode::synchronous);
    if (p.rank() == 1) {
      p.compute(1e-3);
      co_await p.receive(0, 8);
    }
  };
  EXPECT_NEAR(run(lmo_machine(2), program)[0], 1e-3 + one_way(8), eps);
}

TEST(Process, ALongerMessageThanItsReceiveIsTruncated) {
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

TEST(Process, ADisturbedProcessorIsSlower) {
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

}  // namespace commgauge::simulate::process_test
