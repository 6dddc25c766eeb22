#include "run/summary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace commgauge::record::summary_test {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

TEST(Summary, ThreadsAreToldIfAnyRankHadMoreThanOne) {
  EXPECT_EQ(text_of_threads({"1", "1"}), "");
  EXPECT_THAT(text_of_threads({"1", "4", "2"}),
              StartsWith("2 of 3 ranks had up to 4 threads (only what the first computes"));
}

TEST(Summary, WhatIsLeftOutIsListed) {
  EXPECT_EQ(text_of_left_out({}), "");
  EXPECT_THAT(text_of_left_out({"MPI_Comm_spawn", "MPI_Abort"}),
              HasSubstr("MPI_Abort, MPI_Comm_spawn (only when they began and ended"));
}

TEST(Summary, TheArchiveHasARemarkForEach) {
  EXPECT_THAT(remarks_of({}), IsEmpty());
  const auto remarks = remarks_of({"MPI_Comm_spawn", "MPI_Abort"});
  ASSERT_EQ(remarks.size(), 2U);
  EXPECT_THAT(remarks[0].text, StartsWith("MPI_Abort: only when it began and ended"));
  EXPECT_EQ(remarks[0].count, 1U);
}

}  // namespace commgauge::record::summary_test
