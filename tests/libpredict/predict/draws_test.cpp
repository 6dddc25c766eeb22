#include "commgauge/predict/draws.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "made_machine.hpp"

namespace commgauge::draws_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

simulate::Machine two_ranks() { return simulate::machine_of(simulate::hockney_model(2), ""); }

/// Of a program that takes so long in each draw, by its seed from 1 on.
Draws draws_of(const std::vector<double>& by_seed, double confidence = 0.5) {
  return drawn(two_ranks(), {1e-6, 0}, confidence, [&](const simulate::Machine& machine) {
    return by_seed.at((machine.jitter.seed - 1) % by_seed.size());
  });
}

TEST(Draws, AreAsManyAsTheLevelTakes) {
  EXPECT_EQ(most_draws(0.5), 3U);
  EXPECT_EQ(most_draws(0.95), 39U);
  EXPECT_EQ(most_draws(0.999), 99U);
}

TEST(Draws, AreInOrderAndKnowTheirMedian) {
  const Draws draws = draws_of({3, 1, 2});
  EXPECT_THAT(draws.times, ElementsAre(1, 2, 3));
  EXPECT_EQ(draws.time(), 2);
  EXPECT_EQ(draws.median.jitter.seed, 3U);
  EXPECT_EQ(draws.median.jitter.mean, 1e-6);
}

TEST(Draws, AreFewWhereTheyHardlyDiffer) {
  EXPECT_EQ(draws_of({1, 1.009}, 0.95).times.size(), 9U);
  EXPECT_EQ(draws_of({1, 1.02}, 0.95).times.size(), 39U);
}

TEST(Draws, WidenAnIntervalByWhatTheyTake) {
  const Prediction alone{Seconds{1}, Seconds{0.9}, Seconds{1.2}};
  const Prediction found = with_draws(alone, 1, draws_of({2, 1, 4}));
  EXPECT_EQ(found.time.value, 2);
  EXPECT_DOUBLE_EQ(found.low.value, 0.9);
  EXPECT_DOUBLE_EQ(found.high.value, 4.8);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(
      with_draws({Seconds{1}, Seconds{nan}, Seconds{nan}}, 1, draws_of({2, 1, 4})).has_interval());
}

TEST(Draws, SayWhereOutcomesLieApart) {
  EXPECT_FALSE(outcomes_note(draws_of({1, 1.05, 1.1}).times));
  const auto note = outcomes_note(draws_of({1, 2, 1}).times);
  ASSERT_TRUE(note);
  EXPECT_EQ(note->kind, "outcomes");
  EXPECT_THAT(note->problem, HasSubstr("1.00 s in 2 of 3 draws, 2.00 s in the others"));
}

TEST(Draws, SayHowManyTheyAre) {
  EXPECT_THAT(lateness_note({26e-6, 1e-9}, 9).text(), HasSubstr("the median of 9 draws"));
}

}  // namespace commgauge::draws_test
