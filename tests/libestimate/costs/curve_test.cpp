#include "commgauge/costs/curve.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace commgauge::curve_test {

/// 10 + k, from 5 bytes on 20 + k / 2, from 8 on 3 k.
Curve steps() { return {{10, 1}, {{5, {20, 0.5}}, {8, {0, 3}}}}; }

TEST(Curve, IsReadOnTheLineOfTheSize) {
  EXPECT_EQ(steps().at(0), 10);
  EXPECT_EQ(steps().at(4), 14);
  EXPECT_EQ(steps().at(5), 22.5);
  EXPECT_EQ(steps().at(8), 24);
  EXPECT_EQ(steps().at(100), 300);
  EXPECT_EQ(Curve{}.at(100), 0);
}

TEST(Curve, TheLeastTimeMayBeBeyondAStep) {
  EXPECT_EQ(steps().least(), 10);
  const Curve down{{10, 1}, {{5, {0, 1}}}};
  EXPECT_EQ(down.least(), 5);
  const Curve unknown{{10, 1}, {{5, {std::numeric_limits<double>::quiet_NaN(), 1}}}};
  EXPECT_TRUE(std::isnan(unknown.least()));
}

TEST(Curve, FallsWhereOneLineDoes) {
  EXPECT_FALSE(steps().has_falling_line());
  EXPECT_TRUE((Curve{{10, 1}, {{5, {20, -1}}}}).has_falling_line());
  EXPECT_TRUE((Curve{{10, -1}, {}}).has_falling_line());
}

TEST(Curve, EachFurtherBlockCostsMore) {
  Curve curve{{10, 1}, {}, 100, 5};
  EXPECT_EQ(curve.at(0), 10);
  EXPECT_EQ(curve.at(100), 110);
  EXPECT_EQ(curve.at(101), 111 + 5);
  EXPECT_EQ(curve.at(301), 311 + 3 * 5);
  curve.scale(2);
  EXPECT_EQ(curve.at(301), 2 * (311 + 3 * 5));
}

TEST(Curve, AShiftMovesAllLines) {
  Curve curve = steps();
  curve.shift(2);
  EXPECT_EQ(curve.at(0), 12);
  EXPECT_EQ(curve.at(8), 26);
}

}  // namespace commgauge::curve_test
