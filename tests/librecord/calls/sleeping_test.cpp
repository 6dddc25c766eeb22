#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "told.hpp"

namespace commgauge::record::sleeping_test {

using testing::Each;
using testing::ElementsAre;

/// The lengths of all [ns].
std::vector<std::uint64_t> sleeps_of(const trace::Rank& rank) {
  std::vector<std::uint64_t> found;
  for (const trace::Event& event : rank.events) {
    if (const auto* const one = event.as<trace::event::Sleep>()) found.push_back(one->nanoseconds);
  }
  return found;
}

TEST(Sleeping, TakesAsLongAsTheProgramSays) {
  const std::uint64_t over = 0;  // until a moment that was before
  EXPECT_THAT(sleeps_of(recorded("sleeps").ranks.at(0)),
              ElementsAre(2'000'000U, 3'000'000U, 2'000'000U, 0U, over, 2'000'000U));
}

TEST(Sleeping, IsACallOfItsOwn) {
  const auto lines = told(recorded("sleeps"), 1);
  ASSERT_EQ(lines.size(), 7U);
  EXPECT_THAT(std::vector(lines.begin(), lines.begin() + 6), Each("sleep: sleep"));
}

}  // namespace commgauge::record::sleeping_test
