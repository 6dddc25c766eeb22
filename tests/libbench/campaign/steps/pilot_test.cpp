#include "campaign/steps/pilot.hpp"

#include <gtest/gtest.h>

namespace commgauge::bench::pilot_test {

TEST(GuessPassTime, AnExperimentTakesAsLongAsThePilotsInProportionToItsBlocks) {
  // Three sizes of the six ordered pairs of three ranks: 18 experiments of three blocks, 0.1 s
  // each.
  EXPECT_DOUBLE_EQ(guess_pass_time({1.8}, 3, 18, 3).value, 1.8);
  EXPECT_DOUBLE_EQ(guess_pass_time({1.8}, 3, 90, 3).value, 9);
  EXPECT_DOUBLE_EQ(guess_pass_time({1.8}, 3, 90, 6).value, 18);
}

}  // namespace commgauge::bench::pilot_test
