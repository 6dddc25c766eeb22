#include "goal/goal_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "commgauge/base/error.hpp"

namespace commgauge::trace::detail::goal_text_test {

using testing::HasSubstr;
using testing::ThrowsMessage;

const std::string name = "schedule";

TEST(GoalText, WordsAndNumbersComeBehindBlanksAndComments) {
  const std::string given = "  // a comment\n /* and\n another */ l1: calc 17\n";
  GoalText text(given, name);
  ASSERT_TRUE(text.skip_to_statement());
  EXPECT_EQ(text.word(), "l1");
  EXPECT_TRUE(text.take(':'));
  EXPECT_FALSE(text.take("cal")) << "a part of a word";
  EXPECT_TRUE(text.take("calc"));
  EXPECT_EQ(text.number(100, "a number"), 17U);
  text.end_line();
  EXPECT_FALSE(text.skip_to_statement());
}

TEST(GoalText, LargeNumbersAreRefusedWithTheirLine) {
  const std::string given = "\n\n256";
  GoalText text(given, name);
  ASSERT_TRUE(text.skip_to_statement());
  EXPECT_THAT([&] { static_cast<void>(text.number(255, "a cpu")); },
              ThrowsMessage<InputError>(HasSubstr("3")));
}

TEST(GoalText, AnyIsMinusOne) {
  const std::string given = "-1 7";
  GoalText text(given, name);
  EXPECT_TRUE(text.take_any());
  EXPECT_FALSE(text.take_any());
  EXPECT_EQ(text.number(10, "a tag"), 7U);
}

TEST(GoalText, WhatIsExpectedAndNotThereIsNamed) {
  const std::string given = "rank 1";
  GoalText text(given, name);
  EXPECT_THAT([&] { text.expect("num_ranks", "the number of ranks"); },
              ThrowsMessage<InputError>(HasSubstr("the number of ranks")));
}

}  // namespace commgauge::trace::detail::goal_text_test
