#include "explain/critical_path.hpp"

#include <gtest/gtest.h>

#include "made_machine.hpp"
#include "marked_rank.hpp"

namespace commgauge::replay::critical_path_test {

using simulate::Causes;
using simulate::Moment;
using simulate::Why;

/// Rank 0 computes twice for 1 s, and sends; its message is on its way for 2 s to rank 1, which
/// computes for 1 s and waits.
Causes late_message() {
  Causes causes(2);
  const Moment first = causes.happens(0, 1, {{simulate::beginning, 1, Why::computing}});
  const Moment sent = causes.happens(0, 2, {{first, 1, Why::computing}});
  const std::uint32_t message = causes.add_message({.from = 0, .to = 1, .bytes = 100});
  const Moment arrived = causes.happens(1, 4, {{sent, 2, Why::flight, message}});
  const Moment came = causes.happens(1, 1, {{simulate::beginning, 1, Why::computing}});
  const Moment received =
      causes.happens(1, 4, {{came, 0, Why::same}, {arrived, 0, Why::waiting, message}});
  causes.set_end(0, sent);
  causes.set_end(1, received);
  return causes;
}

CriticalPath path_of(std::size_t most_steps) {
  const Causes causes = late_message();
  const auto machine = simulate::machine_of(simulate::hockney_model(2), "hockney");
  const trace::Trace trace = one_message_in_a_region();
  return critical_path_of(causes, Places(trace), LongestPaths(causes), {causes, machine, {}},
                          most_steps);
}

TEST(CriticalPath, PartsAreTheRunsTime) {
  const CriticalPath path = path_of(100);
  double sum = 0;
  for (const auto& part : path.parts) sum += part.seconds;
  EXPECT_DOUBLE_EQ(sum, 4);
  ASSERT_FALSE(path.parts.empty());
  for (std::size_t i = 1; i < path.parts.size(); ++i) {
    EXPECT_GE(path.parts[i - 1].seconds, path.parts[i].seconds) << "most seconds first";
  }
}

TEST(CriticalPath, StepsThatContinueEachOtherAreOne) {
  const CriticalPath path = path_of(100);
  ASSERT_EQ(path.steps.size(), 2U);
  EXPECT_EQ(path.steps[0].rank, 0);
  EXPECT_EQ(path.steps[0].kind, CostKind::computing);
  EXPECT_DOUBLE_EQ(path.steps[0].from, 0);
  EXPECT_DOUBLE_EQ(path.steps[0].to, 2);
  EXPECT_FALSE(path.steps[0].message.has_value());
  EXPECT_EQ(path.steps[1].kind, CostKind::other) << "nobody knows what messages' costs consist of";
  ASSERT_TRUE(path.steps[1].message.has_value());
  EXPECT_EQ(*path.steps[1].message, (PathMessage{0, 1, 100}));
  EXPECT_EQ(path.left_out, 0U);
}

TEST(CriticalPath, StepsBeyondTheMostAreCounted) {
  const CriticalPath path = path_of(1);
  EXPECT_EQ(path.steps.size(), 1U);
  EXPECT_EQ(path.left_out, 1U);
}

}  // namespace commgauge::replay::critical_path_test
