#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "by_hand.hpp"
#include "fit/estimators.hpp"

namespace commgauge::plogp_test {

/// g(0) is 3 us of the 20 us one way, g(1000) the 20 us more of the round trip.
TEST(EstimatePLogP, ByHand) {
  const std::array launches{TimeTable(by_hand::measurements(2, by_hand::two_ranks()), 0.95)};
  const std::vector<Bytes> sizes = plogp_sizes(launches, {});
  ASSERT_EQ(sizes, (std::vector{Bytes{0}, Bytes{1000}}));
  const auto [fitted, undetermined] = estimate_plogp(launches[0], {}, sizes);
  ASSERT_TRUE(fitted) << undetermined;
  const PLogPParameters& p = fitted->value;
  EXPECT_EQ(p.sizes, sizes);
  EXPECT_NEAR(p.L(0, 1), 17e-6, 1e-15);
  EXPECT_NEAR(p.g[0](0, 1), 3e-6, 1e-15);
  EXPECT_NEAR(p.g[1](1, 0), 23e-6, 1e-15);
  EXPECT_NEAR(p.o_s[1](0, 1), 3e-6, 1e-15);
  EXPECT_NEAR(p.o_r[1](0, 1), 6e-6, 1e-15);
}

TEST(EstimatePLogP, NeedsFloodsOfEmptyMessages) {
  const std::array launches{
      TimeTable(by_hand::measurements(2, by_hand::without_floods(by_hand::two_ranks())), 0.95)};
  const auto [fitted, undetermined] = estimate_plogp(launches[0], {}, {Bytes{0}, Bytes{1000}});
  EXPECT_FALSE(fitted);
  EXPECT_EQ(undetermined.rfind("no pair has", 0), 0U) << undetermined;
}

}  // namespace commgauge::plogp_test
