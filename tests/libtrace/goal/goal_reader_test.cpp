#include "commgauge/trace/goal/goal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "commgauge/base/error.hpp"

namespace commgauge::trace::goal_reader_test {

using Kind = GoalOperation::Kind;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr auto at_end = GoalDependency::Kind::requires_end;
constexpr auto at_start = GoalDependency::Kind::requires_start;

const std::string example = R"(// two ranks
num_ranks 2

rank 0 {
l1: calc 100 cpu 1
l2: send 10b to 1 tag 5 cpu 0 nic 2
l2 requires l1
a_label: recv 8b from -1 tag -1   
/* a comment
   of two lines */
a_label irequires l2
calc 7
}

rank 1 {
recv 10b from 0 tag 5
l4000000000: send 8b to 0
}
)";

std::string error_of(const std::string& text) {
  try {
    (void)goal_from(text, "x.goal");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::string in_rank(const std::string& lines) {
  return "num_ranks 2\nrank 0 {\n" + lines + "\n}\nrank 1 {\n}\n";
}

TEST(GoalReader, OperationsAndDependenciesAreRead) {
  const Goal goal = goal_from(example);
  ASSERT_EQ(goal.ranks.size(), 2);
  EXPECT_EQ(goal.operations(), 6);
  EXPECT_THAT(goal.ranks[0].operations,
              ElementsAre(GoalOperation{Kind::compute, 1, 0, 0, 0, 100},
                          GoalOperation{Kind::send, 0, 2, 1, 5, 10},
                          GoalOperation{Kind::receive, 0, 0, goal_any, goal_any, 8},
                          GoalOperation{Kind::compute, 0, 0, 0, 0, 7}));
  EXPECT_THAT(goal.ranks[0].dependencies,
              ElementsAre(GoalDependency{1, 0, at_end}, GoalDependency{2, 1, at_start}));
  EXPECT_THAT(goal.ranks[1].operations, ElementsAre(GoalOperation{Kind::receive, 0, 0, 0, 5, 10},
                                                    GoalOperation{Kind::send, 0, 0, 0, 0, 8}));
}

TEST(GoalReader, LinesMayEndAsInWindows) {
  std::string text;
  for (const char c : example) text += c == '\n' ? "\r\n" : std::string(1, c);
  EXPECT_EQ(goal_from(text), goal_from(example));
}

TEST(GoalReader, ErrorsHaveTheirLineAndReason) {
  EXPECT_THAT(error_of(""), HasSubstr("line 1 of x.goal can't be read: expected num_ranks"));
  EXPECT_THAT(error_of("num_ranks 0\n"), HasSubstr("there must be a rank"));
  EXPECT_THAT(error_of("num_ranks 99999999999\n"), HasSubstr("the number of ranks is too large"));
  EXPECT_THAT(error_of("num_ranks 2\nrank 0 {\n}\n"),
              HasSubstr("line 4 of x.goal can't be read: rank 1 of 2 lacks"));
  EXPECT_THAT(error_of("num_ranks 2\nrank 1 {\n}\n"), HasSubstr("rank 1 stands in a wrong place"));
  EXPECT_THAT(error_of("num_ranks 1\nrank 0 {\n"), HasSubstr("expected } (the file ends)"));
  EXPECT_THAT(error_of("num_ranks 1\nrank 0 {\n// }"), HasSubstr("expected }"));
  EXPECT_THAT(error_of("num_ranks 1\n/* rank"), HasSubstr("a comment has no end"));
  EXPECT_THAT(error_of(in_rank("l1: calc 1\nl1: calc 2")),
              HasSubstr("line 4 of x.goal can't be read: label l1 is there already"));
  EXPECT_THAT(error_of(in_rank("l2: calc 1\nl2 requires l1")),
              HasSubstr("no operation is labelled l1"));
  EXPECT_THAT(error_of(in_rank("l2: calc 1\nl2 needs l1")),
              HasSubstr("expected :, requires or irequires"));
  EXPECT_THAT(error_of(in_rank("l1: wait 5")), HasSubstr("expected send, recv or calc"));
  EXPECT_THAT(error_of(in_rank("send 5 to 1")), HasSubstr("expected b (\"to 1\" is there)"));
  EXPECT_THAT(error_of(in_rank("send 5b from 1")), HasSubstr("expected to"));
  EXPECT_THAT(error_of(in_rank("send 5b to 2")), HasSubstr("a rank is too large (at most 1)"));
  EXPECT_THAT(error_of(in_rank("send 5b to -1")), HasSubstr("expected a rank"));
  EXPECT_THAT(error_of(in_rank("send 5b to 1 tag -1")), HasSubstr("expected a tag"));
  EXPECT_THAT(error_of(in_rank("send 5b to 1 tag 4294967295")), HasSubstr("a tag is too large"));
  EXPECT_THAT(error_of(in_rank("send 5b to 1 cpu 256")),
              HasSubstr("a cpu is too large (at most 255)"));
  EXPECT_THAT(error_of(in_rank("calc 99999999999999999999")), HasSubstr("a time is too large"));
  EXPECT_THAT(error_of(in_rank("calc 5 5")), HasSubstr("expected the line's end"));
  EXPECT_THAT(error_of(std::string("num_ranks 1\nrank 0 {\n\0}\n", 25)), HasSubstr("expected"));
}

/// A few bytes are changed, taken away, doubled, or the rest is lacking.
std::string damaged(std::string text, std::mt19937& engine) {
  for (auto many = 1 + engine() % 3; many > 0 && !text.empty(); --many) {
    const std::size_t place = engine() % text.size();
    const std::size_t length = 1 + engine() % 8;
    switch (engine() % 5) {
      case 0:
        text[place] = static_cast<char>(engine());
        break;
      case 1:
        text.erase(place, length);
        break;
      case 2:
        text.insert(place, text.substr(place, length));
        break;
      case 3:
        text[place] = "0123456789 -b:{}\nlr"[engine() % 19];
        break;
      default:
        if (engine() % 4 == 0) text.resize(place);
    }
  }
  return text;
}

TEST(GoalReader, DamagedTextsAreRefusedOrReadCorrectly) {
  int refused = 0;
  for (std::uint32_t seed = 0; seed < 5000; ++seed) {
    std::mt19937 engine{seed};
    const std::string text = damaged(example, engine);
    try {
      const Goal goal = goal_from(text);
      EXPECT_EQ(goal_from(to_text(goal)), goal) << text;
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr("line ")) << text;
      ++refused;
    }
  }
  EXPECT_GT(refused, 1000);
  EXPECT_LT(refused, 4500);
}

}  // namespace commgauge::trace::goal_reader_test
