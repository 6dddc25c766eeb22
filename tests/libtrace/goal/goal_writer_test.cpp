#include <gtest/gtest.h>

#include <string>

#include "commgauge/trace/goal/goal.hpp"

namespace commgauge::trace::goal_writer_test {

constexpr auto at_end = GoalDependency::Kind::requires_end;
constexpr auto at_start = GoalDependency::Kind::requires_start;

/// Each rank sends the other one a message, once it has computed.
Goal exchange() {
  Goal goal{std::vector<GoalRank>(2)};
  for (std::uint32_t own : {0U, 1U}) {
    goal.ranks[own].operations = {{GoalOperation::Kind::compute, 1, 0, 0, 0, 100},
                                  {GoalOperation::Kind::send, 0, 2, 1 - own, 5, 10},
                                  {GoalOperation::Kind::receive, 0, 0, goal_any, goal_any, 8}};
    goal.ranks[own].dependencies = {{1, 0, at_end}, {2, 1, at_start}};
  }
  return goal;
}

TEST(GoalWriter, OperationsHaveALineEach) {
  const std::string text = to_text(exchange());
  EXPECT_TRUE(text.starts_with("num_ranks 2\n")) << text;
  EXPECT_NE(text.find("l1: calc 100 cpu 1\n"), std::string::npos) << text;
  EXPECT_NE(text.find("l2: send 10b to 1 tag 5 cpu 0 nic 2\n"), std::string::npos) << text;
  EXPECT_NE(text.find("l3: recv 8b from -1 tag -1\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\nl2 requires l1\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\nl3 irequires l2\n"), std::string::npos) << text;
}

TEST(GoalWriter, WhatIsWrittenIsReadAgain) {
  const Goal goal = exchange();
  const std::string text = to_text(goal);
  EXPECT_EQ(goal_from(text), goal);
  EXPECT_EQ(to_text(goal_from(text)), text);
}

TEST(GoalWriter, TheOrderOfDependenciesIsKept) {
  Goal goal{std::vector<GoalRank>(1)};
  goal.ranks[0].operations.resize(3, {GoalOperation::Kind::compute, 0, 0, 0, 0, 1});
  goal.ranks[0].dependencies = {{2, 0, at_end}, {1, 0, at_end}, {0, 2, at_start}};
  EXPECT_EQ(goal_from(to_text(goal)), goal);
}

}  // namespace commgauge::trace::goal_writer_test
