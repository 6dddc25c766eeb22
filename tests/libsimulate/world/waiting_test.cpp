#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simulated_job.hpp"

namespace commgauge::simulate::waiting_test {

using namespace job;
using testing::AllOf;
using testing::HasSubstr;

TEST(Waiting, TheFirstOfSeveralIsTheFirstInVirtualTime) {
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

TEST(Waiting, RanksMeetAtTheLatestClock) {
  const int all[]{0, 1, 2};
  const auto program = [&](CoroutineProcess& p) -> Task {
    p.compute(p.rank() * 1e-3);
    co_await p.until([&] { return p.synchronise(all); });
    co_await p.until([&] { return p.synchronise(all); });
  };
  for (const double end : run(lmo_machine(3), program)) EXPECT_EQ(end, 2e-3);
}

TEST(Waiting, ADeadlockSaysWhatEveryRankWaitsFor) {
  const auto program = [](CoroutineProcess& p) -> Task { co_await p.receive(1 - p.rank(), 10, 3); };
  try {
    run(lmo_machine(2), program);
    FAIL() << "no deadlock was found";
  } catch (const DeadlockError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("rank 0 waits for a message from rank 1 with tag 3"),
                                    HasSubstr("receive what is sent")));
  }
}

}  // namespace commgauge::simulate::waiting_test
