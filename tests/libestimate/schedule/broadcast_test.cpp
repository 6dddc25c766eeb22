#include "symbolic.hpp"

namespace commgauge::schedule::broadcast_test {

using namespace symbolic;

TEST(Broadcast, EveryoneHasTheRootsData) {
  for_each_case(Operation::bcast, true, [](Collective what, Algorithm algorithm) {
    for (const std::uint64_t count : {0, 1, 5, 64}) {
      what.counts = {count};
      const std::vector<Values> all = results({what}, algorithm);
      Values expected;
      for (std::uint64_t i = 0; i < count; ++i) expected.push_back({symbol(what.root, 0, i)});
      for (int rank = 0; rank < what.ranks; ++rank) {
        if (rank == what.root) continue;
        EXPECT_EQ(all[static_cast<std::size_t>(rank)], expected) << "rank " << rank;
      }
    }
  });
}

TEST(Broadcast, BinomialServesTheFarthestFirst) {
  Collective what{Operation::bcast, 6, 2, {10}};
  const Schedule root = schedule_of(what, Algorithm::binomial, 2);
  ASSERT_EQ(root.steps.size(), 3U);
  EXPECT_EQ(root.steps[0].peer, 0);
  EXPECT_EQ(root.steps[1].peer, 4);
  EXPECT_EQ(root.steps[2].peer, 3);
}

TEST(Broadcast, AtOnceIsOneRoundOfTheRoot) {
  const Collective what{Operation::bcast, 5, 2, {10}};
  const Schedule root = schedule_of(what, Algorithm::at_once, 2);
  ASSERT_EQ(root.steps.size(), 4U);
  for (const Step& step : root.steps) EXPECT_EQ(step.round, root.steps[0].round);
  EXPECT_NE(schedule_of(what, Algorithm::flat, 2).steps[1].round,
            schedule_of(what, Algorithm::flat, 2).steps[0].round);
}

TEST(Broadcast, ScatterSendsNothingThatIsEmptyButRingsDo) {
  // Of 5 bytes among 8 ranks the last three have none.
  const Collective what{Operation::bcast, 8, 0, {5}};
  std::size_t empty = 0;
  for (int rank = 0; rank < 8; ++rank) {
    for (const Step& step : schedule_of(what, Algorithm::scatter_ring, rank).steps) {
      if (step.kind == Step::Kind::send && step.here.count == 0) ++empty;
    }
  }
  EXPECT_EQ(empty, 21U);
}

}  // namespace commgauge::schedule::broadcast_test
