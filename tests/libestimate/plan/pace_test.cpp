#include "commgauge/plan/pace.hpp"

#include <gtest/gtest.h>

namespace commgauge::pace_test {

/// 8 passes of 10 rounds in 60 s, of which preparing took 20.
const Pace pace{{60}, {20}, 10, 8};

TEST(Pace, IsBehindWhatTheBudgetAllowsForTheRoundsThatAreDone) {
  EXPECT_FALSE(pace.is_behind({20}, 0));
  EXPECT_FALSE(pace.is_behind({20.5}, 0));
  EXPECT_TRUE(pace.is_behind({21}, 0));
  // Half of the rounds: due at 40 s.
  EXPECT_FALSE(pace.is_behind({40}, 40));
  EXPECT_TRUE(pace.is_behind({41}, 40));
  // Within a round, too.
  EXPECT_TRUE(pace.is_behind({41.05}, 40));
  EXPECT_FALSE(pace.is_behind({41.05}, 40.9));
}

TEST(Pace, WithoutABudgetNothingIsLate) {
  const Pace free{.begin = {20}, .rounds = 10, .passes = 8};
  EXPECT_FALSE(free.is_behind({1e9}, 0));
  EXPECT_TRUE(free.fits_another({1e9}, 5));
  EXPECT_DOUBLE_EQ(free.remaining({30}, 40).value, 10);
}

TEST(Pace, BeginsAPassThatFits) {
  EXPECT_TRUE(pace.fits_another({45}, 5));  // 5 s each
  EXPECT_TRUE(pace.fits_another({55}, 7));
  EXPECT_FALSE(pace.fits_another({55.1}, 7));
  EXPECT_FALSE(pace.fits_another({52}, 3));  // 10.7 s each
}

TEST(Pace, BeginsThePassesThatIntervalsNeedInAnyCase) {
  EXPECT_TRUE(pace.fits_another({59}, 0));
  EXPECT_TRUE(pace.fits_another({59}, 2));
  EXPECT_FALSE(pace.fits_another({59}, 3));
  const Pace short_one{{60}, {20}, 10, 2};
  EXPECT_FALSE(short_one.fits_another({59}, 2));
}

/// The same, but four and a half passes were done in an earlier run: 35 rounds are left.
const Pace resumed{{60}, {20}, 10, 8, 45};

TEST(Pace, OfAResumedMeasurementIsThatOfWhatIsLeft) {
  EXPECT_FALSE(resumed.is_behind({20}, 45));
  EXPECT_TRUE(resumed.is_behind({21}, 45));
  EXPECT_FALSE(resumed.is_behind({40}, 62.5));
  EXPECT_TRUE(resumed.is_behind({41}, 62.5));
  EXPECT_TRUE(resumed.fits_another({59}, 4)) << "nothing is known yet";
  EXPECT_TRUE(resumed.fits_another({48}, 7));   // 11.2 s each
  EXPECT_FALSE(resumed.fits_another({49}, 7));  // 11.6 s each
  EXPECT_LT(resumed.remaining({25}, 45.4).value, 0);
  EXPECT_DOUBLE_EQ(resumed.remaining({25}, 50).value, 30);
}

TEST(Pace, TellsWhatIsLeftOnlyWhenSomethingWasMeasured) {
  EXPECT_LT(pace.remaining({20}, 0).value, 0);
  EXPECT_LT(pace.remaining({25}, 0.4).value, 0);
  EXPECT_DOUBLE_EQ(pace.remaining({24}, 16).value, 16);
  // However slow it is, the budget ends it.
  EXPECT_DOUBLE_EQ(pace.remaining({30}, 1).value, 30);
  EXPECT_DOUBLE_EQ(pace.remaining({61}, 20).value, 0);
}

}  // namespace commgauge::pace_test
