#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "told.hpp"

namespace commgauge::record::recording_test {

using testing::EndsWith;
using testing::IsEmpty;

TEST(Recording, BeginsWithTheProgramAndEndsWithMpiFinalize) {
  const auto& trace = recorded("messages");
  ASSERT_EQ(trace.ranks.size(), 2U);
  for (std::size_t number = 0; number < trace.ranks.size(); ++number) {
    const trace::Rank& rank = trace.ranks[number];
    EXPECT_TRUE(rank.is_complete);
    EXPECT_EQ(rank.threads, 1);
    EXPECT_EQ(rank.host, trace.ranks[0].host);
    const auto* const first = rank.events.front().as<trace::event::Enter>();
    ASSERT_NE(first, nullptr);
    EXPECT_EQ(trace.names.at(first->name), number == 0 ? "MPI_Recv" : "MPI_Send");
    const auto* const last = rank.events.back().as<trace::event::Leave>();
    ASSERT_NE(last, nullptr);
    EXPECT_EQ(trace.names.at(last->name), "MPI_Finalize");
  }
}

TEST(Recording, TellsHowTheProgramWasCalled) {
  const auto& trace = recorded("messages");
  EXPECT_THAT(trace.program, EndsWith("recorded-calls messages"));
  EXPECT_TRUE(trace.has_processor_time);
  EXPECT_FALSE(trace.is_virtual);
  EXPECT_THAT(trace.remarks, IsEmpty());
}

/// By one clock of the host, from one moment on.
TEST(Recording, NoMessageArrivesBeforeItWasSent) {
  const auto& trace = recorded("messages");
  const auto& sender = trace.ranks.at(1).events;
  const auto& receiver = trace.ranks.at(0).events;
  ASSERT_TRUE(sender.at(1).is<trace::event::Send>());
  ASSERT_TRUE(receiver.at(1).is<trace::event::Receive>());
  EXPECT_GE(sender.at(0).time, 0);
  EXPECT_GE(receiver.at(0).time, 0);
  EXPECT_LT(sender.at(0).time, receiver.at(2).time);
}

}  // namespace commgauge::record::recording_test
