#include "commgauge/schedule/schedule.hpp"

#include <set>

#include "symbolic.hpp"

namespace commgauge::schedule::schedule_test {

using namespace symbolic;

TEST(Schedule, WordsAreDifferent) {
  std::set<std::string> operations;
  for (const Operation operation : all_operations()) {
    EXPECT_TRUE(operations.insert(to_text(operation)).second);
    std::set<std::string> words;
    for (const Algorithm one : algorithms_of(operation)) {
      EXPECT_TRUE(words.insert(to_text(one)).second) << to_text(operation);
    }
    EXPECT_FALSE(words.empty());
    EXPECT_TRUE(words.contains("flat") || words.contains("linear"));
  }
  EXPECT_EQ(operations.size(), 16U);
  EXPECT_EQ(to_text(Operation::reduce_scatter_block), "reduce_scatter_block");
  EXPECT_EQ(to_text(Algorithm::linear), "linear");
}

TEST(Schedule, RoundsGoUpAndLocalStepsHaveTheirOwn) {
  for (const Operation operation : all_operations()) {
    for_each_case(operation, true, [](Collective what, Algorithm algorithm) {
      what.counts = {5};
      for (int rank = 0; rank < what.ranks; ++rank) {
        const Schedule schedule = schedule_of(what, algorithm, rank);
        for (std::size_t k = 1; k < schedule.steps.size(); ++k) {
          const Step& before = schedule.steps[k - 1];
          const Step& step = schedule.steps[k];
          EXPECT_GE(step.round, before.round);
          if (!step.is_message() || !before.is_message()) {
            EXPECT_GT(step.round, before.round);
          }
          if (step.kind == Step::Kind::receive && before.kind == Step::Kind::send) {
            EXPECT_GT(step.round, before.round) << "receives are started first";
          }
        }
      }
    });
  }
}

TEST(Schedule, SomeExchangeInTurn) {
  const std::set<Algorithm> all{Algorithm::pairwise, Algorithm::shift, Algorithm::in_order};
  for (const Operation operation : all_operations()) {
    for_each_case(operation, true, [&](Collective what, Algorithm algorithm) {
      what.counts = {5};
      const Schedule schedule = schedule_of(what, algorithm, what.ranks - 1);
      EXPECT_EQ(schedule.is_in_turn, all.contains(algorithm))
          << to_text(operation) << ", " << to_text(algorithm);
    });
  }
}

TEST(Schedule, NoneIsEmpty) {
  const Schedule nothing = schedule_of({Operation::bcast, 4}, Algorithm::none, 2);
  EXPECT_TRUE(nothing.steps.empty() && nothing.gives.empty() && nothing.gets.empty());
}

}  // namespace commgauge::schedule::schedule_test
