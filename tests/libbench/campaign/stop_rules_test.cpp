#include "campaign/stop_rules.hpp"

#include <gtest/gtest.h>

namespace commgauge::bench::stop_rules_test {

TEST(StopRules, APassOwesLessPrecisionThanTheMeanOfAll) {
  Options options;
  options.precision = 0.02;
  options.passes = 9;
  options.min_reps = 4;
  options.max_reps = 40;
  options.raw = true;
  const StopRule rule = pass_rule(options);
  EXPECT_DOUBLE_EQ(rule.precision, 0.06);
  EXPECT_EQ(rule.min_blocks, 4);
  EXPECT_EQ(rule.max_blocks, 40);
  EXPECT_TRUE(rule.raw);
}

TEST(StopRules, WhatIsNotFittedIsQuick) {
  Options options;
  options.min_reps = 20;
  options.raw = true;
  for (const StopRule& rule : {quick_rule(options), warm_up_rule(options)}) {
    EXPECT_LE(rule.max_blocks, 5);
    EXPECT_FALSE(rule.raw);
    EXPECT_EQ(rule.confidence, options.confidence);
  }
}

}  // namespace commgauge::bench::stop_rules_test
