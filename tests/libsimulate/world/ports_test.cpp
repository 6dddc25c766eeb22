#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "simulated_job.hpp"

namespace commgauge::simulate::ports_test {

using namespace job;

TEST(Ports, MessagesOfAPairWaitForItsLink) {
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

TEST(Ports, LargeMessagesGetTheirReceiversPortInTurn) {
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

TEST(Ports, ManyLargeMessagesOfAPairFollowOneAnotherOnItsLink) {
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

TEST(Ports, ASmallMessageWaitsForItsSendersPort) {
  // The port is free when the large one is in it, and its overhead over.
  EXPECT_NEAR(small_behind_large(2, 100 * us), overhead(1e6) + one_way(8), eps);
}

TEST(Ports, ASmallMessageDoesntPassALargeOneOnTheirLink) {
  const double large_there = one_way(1e6) - overhead(1e6);
  EXPECT_NEAR(small_behind_large(1, 1500 * us), large_there + 8 * 2e-9 + overhead(8), eps);
}

TEST(Ports, ASmallMessageGoesAheadWhileTheLargeOnesRequestTravels) {
  EXPECT_NEAR(small_behind_large(2, 0), one_way(8), eps);
  EXPECT_NEAR(small_behind_large(1, 0), one_way(8), eps);
}

TEST(Ports, ASmallMessageDoesntWaitForALargeOneThatNobodyReceives) {
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
TEST(Ports, APortThatAMessageNeedsNoTimeOfDoesntDelayIt) {
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

}  // namespace commgauge::simulate::ports_test
