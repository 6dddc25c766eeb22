#include "campaign/keep_rhythm.hpp"

#include <gtest/gtest.h>

namespace commgauge::bench::keep_rhythm_test {

TEST(KeepRhythm, IsThatOfPassesAndOfHalfMinutes) {
  KeepRhythm rhythm;
  rhythm.kept({10}, {10});
  EXPECT_TRUE(rhythm.is_due({10.1}, true));
  EXPECT_FALSE(rhythm.is_due({39}, false));
  EXPECT_TRUE(rhythm.is_due({40}, false));
}

TEST(KeepRhythm, TakesATwentiethOfTheTimeAtMost) {
  KeepRhythm rhythm;
  rhythm.kept({10}, {12});
  EXPECT_FALSE(rhythm.is_due({49}, true)) << "2 s after 37 others";
  EXPECT_TRUE(rhythm.is_due({50}, true));
  EXPECT_TRUE(rhythm.is_due({50}, false));
}

}  // namespace commgauge::bench::keep_rhythm_test
