#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "told.hpp"

namespace commgauge::record::regions_test {

using testing::ElementsAre;

TEST(Regions, StandBetweenTheCallsThatTheyEnclose) {
  EXPECT_THAT(told(recorded("regions"), 1),
              ElementsAre("region solve begins", "MPI_Barrier: barrier", "region solve ends",
                          "2 clock reads", "sleep: sleep", "MPI_Barrier: barrier",
                          "MPI_Finalize: own barrier"));
}

TEST(Regions, BeginBeforeTheirCallsByBothClocks) {
  const auto& trace = recorded("regions");
  ASSERT_TRUE(trace.has_processor_time);
  const auto& events = trace.ranks.at(0).events;
  const auto* const begin = events.at(0).as<trace::event::RegionBegin>();
  const auto* const enter = events.at(1).as<trace::event::Enter>();
  ASSERT_NE(begin, nullptr);
  ASSERT_NE(enter, nullptr);
  EXPECT_GE(enter->processor, begin->processor);
  EXPECT_GE(events.at(1).time, events.at(0).time);
}

}  // namespace commgauge::record::regions_test
