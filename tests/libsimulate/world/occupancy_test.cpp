#include <gtest/gtest.h>

#include <vector>

#include "simulated_job.hpp"

namespace commgauge::simulate::occupancy_test {

using namespace job;

/// A message to rank 0 that takes the rendezvous protocol.
struct Large {
  int from;
  std::uint64_t size;
  double start;
};

/// Those of ranks 1 and 2 are 5 ms on their way, that of rank 3 is not: it is the last to be sent.
Machine with_distant_ranks() {
  Model model = lmo_model(4, limit);
  for (const int rank : {1, 2}) {
    model.lmo->value.L(rank, 0) = model.lmo->value.L(0, rank) = 5000 * us;
  }
  model.lmo->low = model.lmo->high = model.lmo->value;
  return machine_of(model, "lmo");
}

/// @return when the last of them is received; the others' receives are posted, too
double received_at(const std::vector<Large>& all) {
  double time = 0;
  run(with_distant_ranks(), [&](CoroutineProcess& p) -> Task {
    for (const Large& one : all) {
      if (p.rank() != one.from) continue;
      p.sleep(one.start);
      co_await p.send(0, one.size);
    }
    if (p.rank() != 0) co_return;
    std::vector<Request> requests(all.size());
    std::vector<Request*> each;
    for (std::size_t k = 0; k < all.size(); ++k) {
      p.describe_receive(requests[k], all[k].from, all[k].size);
      p.start(requests[k]);
      each.push_back(&requests[k]);
    }
    co_await p.one(requests.back());
    time = p.clock();
    co_await p.all(each);
  });
  return time;
}

// Rank 1's message keeps the port of rank 0 from 5310 to 5420 us, rank 2's from 5450 to 5560 us.
const Large first{1, 100'000, 0};
const Large second{2, 100'000, 140 * us};
constexpr double first_begins = 5310 * us;
constexpr double first_ends = 5420 * us;
constexpr double second_ends = 5560 * us;

TEST(Occupancy, EachAloneHasThePortAtOnce) {
  EXPECT_NEAR(received_at({first}), first_ends, eps);
  EXPECT_NEAR(received_at({first, second}), second_ends, eps);
}

/// 10 kB keep it 20 us, at the end of 80 us.
Large small(double received) { return {3, 10'000, received - 80 * us}; }

TEST(Occupancy, WhatIsMatchedLaterMayBeServedBefore) {
  for (const double time : {5200 * us, first_begins}) {
    EXPECT_NEAR(received_at({first, second, small(time)}), time, 1e-12) << time;
    EXPECT_NEAR(received_at({small(time), second, first}), first_ends, eps) << time;
  }
}

TEST(Occupancy, WhatWouldBeServedMeanwhileWaits) {
  for (const double time : {first_begins + 1 * us, 5400 * us, first_ends + 19 * us}) {
    EXPECT_NEAR(received_at({first, second, small(time)}), first_ends + 20 * us, eps) << time;
  }
  EXPECT_NEAR(received_at({first, second, small(5445 * us)}), 5445 * us, eps);
}

/// 30 kB keep it 40 us, longer than it is free between the others.
TEST(Occupancy, ATimeThatIsTooShortIsPassedOver) {
  for (const double time : {5350 * us, 5445 * us, 5500 * us}) {
    const Large longer{3, 30'000, time - 160 * us};
    EXPECT_NEAR(received_at({first, second, longer}), second_ends + 40 * us, eps) << time;
  }
}

}  // namespace commgauge::simulate::occupancy_test
