#include "job/meeting.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "recorded_rank.hpp"

namespace commgauge::record::meeting_test {

using testing::ElementsAre;
using testing::SizeIs;

class Meeting : public RecordedRank {};

TEST_F(Meeting, MembersSynchroniseByABarrierAndGoOnTogether) {
  synchronise(recorder, 4, 3);
  ASSERT_THAT(kept.kinds(), ElementsAre(kind<event::Collective>, kind<event::Meet>));
  const auto& barrier = std::get<event::Collective>(kept.events[0].what);
  EXPECT_EQ(barrier.context, 4U);
  EXPECT_EQ(barrier.request, trace::no_request);
  EXPECT_EQ(std::get<event::Meet>(kept.events[1].what).context, 4U);
  ASSERT_THAT(kept.collectives, SizeIs(1));
  EXPECT_TRUE(kept.collectives[0].is_own);
  EXPECT_EQ(kept.collectives[0].what.operation, schedule::Operation::barrier);
  EXPECT_EQ(kept.collectives[0].what.ranks, 3);
}

TEST_F(Meeting, MpisOwnOperationMayHaveDataAndARequest) {
  write_own(recorder, 2, schedule::Operation::bcast, 5, 3, 100, 7);
  ASSERT_THAT(kept.collectives, SizeIs(1));
  const auto& what = kept.collectives[0].what;
  EXPECT_EQ(what.operation, schedule::Operation::bcast);
  EXPECT_EQ(what.ranks, 5);
  EXPECT_EQ(what.root, 3);
  EXPECT_THAT(what.counts, ElementsAre(100U));
  EXPECT_EQ(std::get<event::Collective>(kept.events[0].what).request, 7U);
}

}  // namespace commgauge::record::meeting_test
