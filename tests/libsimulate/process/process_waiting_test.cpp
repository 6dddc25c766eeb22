#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "commgauge/simulate/process/collective.hpp"
#include "simulated_job.hpp"

namespace commgauge::simulate::process_waiting_test {

using namespace job;

TEST(ProcessWaiting, ATestFindsWhatHasArrivedByNow) {
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

/// Unsuccessful attempts at a test of it, then one that isn't.
TEST(ProcessWaiting, TestsOfACollectiveOperationBringItToItsEndOnEachRank) {
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

}  // namespace commgauge::simulate::process_waiting_test
