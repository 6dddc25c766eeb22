#include "thresholds/breaks/line_step.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace commgauge::line_step_test {

Segment line(Estimate intercept, Estimate slope) {
  Segment segment;
  segment.intercept = intercept;
  segment.slope = slope;
  return segment;
}

const Estimate flat{0, 0, 0};

TEST(LineStep, HasTheJointUncertainty) {
  const Segment before = line({1, 0.7, 1.3}, flat);
  const Segment after = line({2, 1.6, 2.4}, flat);
  const Estimate step = step_at(Bytes{10}, before, after);
  EXPECT_NEAR(step.value, 1, 1e-12);
  EXPECT_NEAR(step.low, 0.5, 1e-12) << "hypot(0.3, 0.4)";
  EXPECT_NEAR(step.high, 1.5, 1e-12);
  EXPECT_FALSE(differ_at(Bytes{10}, before, after)) << "1 is not more than 3 * 0.5";
  EXPECT_TRUE(differ_at(Bytes{10}, before, line({2.6, 2.2, 3.0}, flat)));
  EXPECT_TRUE(differ_at(Bytes{10}, line({2.6, 2.2, 3.0}, flat), before)) << "down as well";
}

TEST(LineStep, SlopesCountWithTheSize) {
  const Segment before = line({1, 0.9, 1.1}, {1, 0.98, 1.02});
  const Segment after = line({1, 1, 1}, {2, 2, 2});
  const Estimate step = step_at(Bytes{5}, before, after);
  EXPECT_NEAR(step.value, 5, 1e-12);
  EXPECT_NEAR(step.high, 5.2, 1e-12) << "0.1 + 5 * 0.02";
}

}  // namespace commgauge::line_step_test
