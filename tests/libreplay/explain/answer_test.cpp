#include "commgauge/replay/explain/answer.hpp"

#include <gtest/gtest.h>

#include <set>

namespace commgauge::replay::answer_test {

TEST(Answer, KindsHaveWordsOfTheirOwn) {
  std::set<std::string> words;
  for (int kind = 0; kind <= static_cast<int>(Answer::Kind::both); ++kind) {
    words.insert(to_text(static_cast<Answer::Kind>(kind)));
  }
  EXPECT_EQ(words.size(), 9U);
  EXPECT_EQ(words.count(""), 0U);
  EXPECT_EQ(to_text(Answer::Kind::call_site), "call_site");
}

TEST(Answer, BoundsAreNothingToDo) {
  EXPECT_TRUE(is_bound(Answer::Kind::all_waits));
  EXPECT_TRUE(is_bound(Answer::Kind::both));
  EXPECT_FALSE(is_bound(Answer::Kind::balance));
  EXPECT_FALSE(is_bound(Answer::Kind::domino_path));
}

}  // namespace commgauge::replay::answer_test
