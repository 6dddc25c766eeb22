#include <gtest/gtest.h>

#include "commgauge/schedule/schedule.hpp"

namespace commgauge::schedule {

Collective ring_of(int ranks, int root, const std::vector<int>& order) {
  Collective what;
  what.operation = Operation::ring;
  what.ranks = ranks;
  what.root = root;
  what.counts = {100};
  what.order = order;
  return what;
}

TEST(Ring, EachSendsToTheNextAndGetsFromTheOneBefore) {
  const Collective what = ring_of(5, 1, {3, 0, 2, 4});
  const std::vector<int> members{1, 3, 0, 2, 4};
  for (std::size_t k = 0; k < members.size(); ++k) {
    const Schedule made = schedule_of(what, Algorithm::flat, members[k]);
    ASSERT_EQ(made.steps.size(), 2U);
    const Step& in = made.steps.front();
    const Step& out = made.steps.back();
    EXPECT_EQ(in.kind, Step::Kind::receive);
    EXPECT_EQ(out.kind, Step::Kind::send);
    EXPECT_EQ(in.round, out.round) << "at once";
    EXPECT_EQ(out.peer, members[(k + 1) % members.size()]);
    EXPECT_EQ(in.peer, members[(k + 4) % members.size()]);
    EXPECT_EQ(in.here.count, 100U);
    EXPECT_NE(in.here.buffer, out.here.buffer);
  }
}

TEST(Ring, OfTwoIsAnExchangeAndOthersDoNothing) {
  Collective what = ring_of(4, 2, {0});
  what.operation = Operation::exchange;
  EXPECT_EQ(schedule_of(what, Algorithm::flat, 2).steps.front().peer, 0);
  EXPECT_EQ(schedule_of(what, Algorithm::flat, 0).steps.back().peer, 2);
  EXPECT_TRUE(schedule_of(what, Algorithm::flat, 1).steps.empty());
  EXPECT_TRUE(schedule_of(what, Algorithm::flat, 3).steps.empty());
}

}  // namespace commgauge::schedule
