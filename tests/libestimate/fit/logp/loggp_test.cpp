#include <gtest/gtest.h>

#include "by_hand.hpp"
#include "fit/estimators.hpp"

namespace commgauge::loggp_test {

TEST(EstimateLogGp, ByHand) {
  const TimeTable table(by_hand::measurements(2, by_hand::two_ranks()), 0.95);
  const auto [fitted, undetermined] = estimate_loggp(table, {});
  ASSERT_TRUE(fitted) << undetermined;
  EXPECT_NEAR(fitted->value.L(0, 1), 14e-6, 1e-15);
  EXPECT_NEAR(fitted->value.o(1, 0), 3e-6, 1e-15);
  EXPECT_NEAR(fitted->value.g(0, 1), 3e-6, 1e-15);
  EXPECT_NEAR(fitted->value.G(1, 0), 7e-9, 1e-18);
  EXPECT_NEAR(fitted->value.mean_G, 7e-9, 1e-18);
  EXPECT_EQ(fitted->last, Bytes{1000});
}

TEST(EstimateLogGp, NeedsFloodsOfTwoSizes) {
  const TimeTable table(by_hand::measurements(2, by_hand::without_floods(by_hand::two_ranks())),
                        0.95);
  const auto [fitted, undetermined] = estimate_loggp(table, {});
  EXPECT_FALSE(fitted);
  EXPECT_NE(undetermined, "");
}

}  // namespace commgauge::loggp_test
