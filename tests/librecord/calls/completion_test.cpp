#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "told.hpp"

namespace commgauge::record::completion_test {

using testing::ElementsAre;
using testing::SizeIs;

template <class Kind>
std::vector<Kind> all_of(const trace::Rank& rank) {
  std::vector<Kind> found;
  for (const trace::Event& event : rank.events) {
    if (const auto* const one = event.as<Kind>()) found.push_back(*one);
  }
  return found;
}

TEST(Completion, AWaitNamesTheRequestsThatAreOver) {
  EXPECT_THAT(told(recorded("waits"), 0),
              ElementsAre("MPI_Irecv: receive 1 from 1 tag 0 as #0, got 1 from 1 tag 0",
                          "MPI_Irecv: receive 1 from 1 tag 1 as #1, got 1 from 1 tag 1",
                          "MPI_Irecv: receive 1 from 1 tag 2 as #2, got 1 from 1 tag 2",
                          "MPI_Send: send 0 to 1 tag 99", "MPI_Waitany: wait for #1",
                          "MPI_Send: send 0 to 1 tag 99", "MPI_Waitsome: wait for #2",
                          "MPI_Send: send 0 to 1 tag 99", "MPI_Waitall: wait for #0", "MPI_Waitall",
                          "MPI_Recv: receive 64 from 1 tag 5, got 1 from 1 tag 5",
                          "MPI_Finalize: own barrier"));
}

TEST(Completion, ATestIsAPollOfWhatIsOver) {
  const auto lines = told(recorded("tests"), 0);
  ASSERT_THAT(lines, SizeIs(17));
  EXPECT_THAT(std::vector(lines.begin() + 3, lines.begin() + 9),
              ElementsAre("MPI_Send: send 0 to 1 tag 99", "MPI_Testany: poll for #1",
                          "MPI_Send: send 0 to 1 tag 99", "MPI_Testsome: poll for #2",
                          "MPI_Send: send 0 to 1 tag 99", "MPI_Testall: poll for #0"));
}

TEST(Completion, WhatALookHasFoundOverIsOverOnce) {
  const auto lines = told(recorded("tests"), 0);
  ASSERT_THAT(lines, SizeIs(17));
  EXPECT_THAT(
      std::vector(lines.begin() + 9, lines.end()),
      ElementsAre("MPI_Irecv: receive 9 from any tag any as #0, got 1 from 1 tag 7",
                  "MPI_Test: in vain", "MPI_Send: send 0 to 1 tag 99",
                  "MPI_Request_get_status: poll for #0", "MPI_Isend: send 1 to 1 tag 8 as #2",
                  "MPI_Wait", "MPI_Wait: wait for #2", "MPI_Finalize: own barrier"));
}

TEST(Completion, TestsInVainAreCounted) {
  const trace::Rank& rank = recorded("polling").ranks.at(0);
  const auto polls = all_of<trace::event::Poll>(rank);
  ASSERT_THAT(polls, SizeIs(1));
  EXPECT_GT(polls.front().attempts, 10U);
  EXPECT_EQ(polls.front().count, 1U);
  const auto in_vain = all_of<trace::event::UnsuccessfulPolls>(rank);
  ASSERT_THAT(in_vain, SizeIs(1));
  EXPECT_EQ(in_vain.front().attempts, 1U);
}

TEST(Completion, ARequestThatIsGivenUpIsFreed) {
  const auto lines = told(recorded("waits"), 1);
  ASSERT_THAT(lines, SizeIs(9));
  EXPECT_THAT(std::vector(lines.end() - 3, lines.end()),
              ElementsAre("MPI_Isend: send 1 to 0 tag 5 as #0", "MPI_Request_free: free #0",
                          "MPI_Finalize: own barrier"));
}

TEST(Completion, OfWhatIsCancelledNothingIsLeft) {
  const auto& trace = recorded("cancel");
  EXPECT_THAT(told(trace, 1),
              ElementsAre("MPI_Irecv", "MPI_Cancel", "MPI_Wait", "MPI_Barrier: barrier",
                          "MPI_Recv: receive 1 from any tag 99, got 1 from 0 tag 99",
                          "MPI_Barrier: barrier", "MPI_Finalize: own barrier"));
  ASSERT_THAT(trace.remarks, SizeIs(1));
  EXPECT_EQ(trace.remarks[0].text, "receives that were cancelled: left out");
  EXPECT_EQ(trace.remarks[0].count, 2U);
}

}  // namespace commgauge::record::completion_test
