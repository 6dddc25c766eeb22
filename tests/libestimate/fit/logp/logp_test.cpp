#include <gtest/gtest.h>

#include "by_hand.hpp"
#include "fit/estimators.hpp"

namespace commgauge::logp_test {

/// L is what o_s and o_r leave of half a round trip.
TEST(EstimateLogP, ByHand) {
  const TimeTable table(by_hand::measurements(2, by_hand::two_ranks()), 0.95);
  const auto [fitted, undetermined] = estimate_logp(table, {});
  ASSERT_TRUE(fitted) << undetermined;
  EXPECT_NEAR(fitted->value.L(0, 1), 14e-6, 1e-15);
  EXPECT_NEAR(fitted->value.o(1, 0), 3e-6, 1e-15);
  EXPECT_NEAR(fitted->value.g(0, 1), 3e-6, 1e-15);
  EXPECT_NEAR(fitted->value.mean_L, 14e-6, 1e-15);
  EXPECT_NEAR(fitted->residual, 0, 1e-9);
  EXPECT_EQ(fitted->last, Bytes{0});
  EXPECT_EQ(fitted->replicates.size(), 3U);
  EXPECT_TRUE(fitted->warnings.empty());
}

TEST(EstimateLogP, TakesAllOfOneSize) {
  const TimeTable table(by_hand::measurements(2, by_hand::without_floods(by_hand::two_ranks())),
                        0.95);
  const auto [fitted, undetermined] = estimate_logp(table, {});
  EXPECT_FALSE(fitted);
  EXPECT_EQ(undetermined, "no pair has round trip, overheads and flood of one small size");
}

}  // namespace commgauge::logp_test
