#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "told.hpp"

namespace commgauge::record::other_calls_test {

using testing::ElementsAre;
using testing::Field;
using testing::StartsWith;
using testing::UnorderedElementsAre;

TEST(OtherCalls, ThatFailDoNothingInTheTrace) {
  const auto lines = told(recorded("others"), 0);
  ASSERT_GE(lines.size(), 2U);
  EXPECT_THAT(std::vector(lines.begin(), lines.begin() + 2),
              ElementsAre("MPI_Lookup_name", "MPI_Send"));
}

TEST(OtherCalls, OfFilesAreAsLongAsTheyTook) {
  EXPECT_THAT(told_of("MPI_File_open", recorded("others"), 1), ElementsAre("MPI_File_open: sleep"));
  const trace::Rank& rank = recorded("others").ranks.at(1);
  const auto slept = std::ranges::find_if(
      rank.events, [](const trace::Event& one) { return one.is<trace::event::Sleep>(); });
  ASSERT_NE(slept, rank.events.end());
  const auto nanoseconds = static_cast<std::int64_t>(slept->as<trace::event::Sleep>()->nanoseconds);
  EXPECT_GT(nanoseconds, 0);
  EXPECT_LE(nanoseconds, (slept + 1)->time - (slept - 1)->time);
}

TEST(OtherCalls, WithLargeCountsAreThoseWithout) {
  EXPECT_EQ(told_of("MPI_Send", recorded("others"), 0).at(1), "MPI_Send: send 3 to 1 tag 2");
}

TEST(OtherCalls, WhatNoReplayKnowsIsARemarkOfTheTrace) {
  EXPECT_THAT(
      recorded("others").remarks,
      UnorderedElementsAre(
          Field(&trace::Remark::text, StartsWith("MPI_Lookup_name that failed: only when it")),
          Field(&trace::Remark::text, StartsWith("MPI_Send that failed: only when it")),
          Field(&trace::Remark::text, StartsWith("file operations, as long as they took: only"))));
}

}  // namespace commgauge::record::other_calls_test
