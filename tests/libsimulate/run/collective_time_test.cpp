#include "commgauge/simulate/run/collective_time.hpp"

#include <gtest/gtest.h>

#include "simulated_job.hpp"

namespace commgauge::simulate::collective_time_test {

using namespace job;
using schedule::Algorithm;

schedule::Collective of_all(schedule::Operation operation, std::uint64_t size) {
  return {.operation = operation, .ranks = 3, .counts = {size}};
}

TEST(CollectiveTime, OfABroadcastIsUntilTheLastRankHasIt) {
  const Seconds time =
      time_of(lmo_machine(3), of_all(schedule::Operation::bcast, 1000), Algorithm::flat);
  EXPECT_NEAR(time.value, overhead(1000) + one_way(1000), eps);
}

/// The others have gone on long before: they only send.
TEST(CollectiveTime, OfAGatherIsUntilItsRootGoesOn) {
  const Seconds time =
      time_of(lmo_machine(3), of_all(schedule::Operation::gather, 1000), Algorithm::flat);
  EXPECT_NEAR(time.value, one_way(1000) + overhead(1000), eps);
}

TEST(CollectiveTime, OfOneRankIsNothing) {
  schedule::Collective alone = of_all(schedule::Operation::bcast, 1000);
  alone.ranks = 1;
  EXPECT_EQ(time_of(lmo_machine(1), alone, Algorithm::flat).value, 0);
}

}  // namespace commgauge::simulate::collective_time_test
