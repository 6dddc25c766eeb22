#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "commgauge/trace/read/reader.hpp"
#include "random_trace.hpp"

namespace commgauge::trace::foreign_test {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

/// Archives that foreign.py writes with OTF2's own Python module.
class Foreign : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system(COMMGAUGE_PYTHON " -c 'import otf2' 2>/dev/null") != 0) {
      GTEST_SKIP() << "python3-otf2 isn't installed";
    }
  }

  [[nodiscard]] std::filesystem::path archive(const std::string& which) const {
    const auto directory = folder_ / which;
    const auto command = std::string{COMMGAUGE_PYTHON " " COMMGAUGE_FOREIGN " "} + which + " '" +
                         directory.string() + "'";
    EXPECT_EQ(std::system(command.c_str()), 0);
    return directory;
  }
  [[nodiscard]] Trace trace(const std::string& which) const { return read(archive(which)); }

  Folder folder_;
};

std::vector<std::string> texts(const Trace& trace) {
  std::vector<std::string> all;
  for (const auto& one : trace.remarks) all.push_back(std::to_string(one.count) + ' ' + one.text);
  return all;
}

template <class Kind>
std::vector<Kind> events(const Rank& rank) {
  std::vector<Kind> all;
  for (const auto& one : rank.events) {
    if (const auto* const what = one.as<Kind>()) all.push_back(*what);
  }
  return all;
}

TEST_F(Foreign, ScorePsArchiveIsRead) {
  const auto trace = this->trace("plain");
  EXPECT_THAT(texts(trace), ElementsAre(HasSubstr("1 calls of MPI_Send without a message"),
                                        HasSubstr("3 reductions without an operator")));
  ASSERT_EQ(trace.ranks.size(), 3U);
  EXPECT_EQ(trace.ranks[1].host, "node0");
  EXPECT_EQ(trace.ranks[2].host, "node1");
  EXPECT_EQ(trace.communicators[0].name, "MPI_COMM_WORLD");
  EXPECT_THAT(trace.communicators[1].members, ElementsAre(0, 1));
  EXPECT_FALSE(trace.has_processor_time);
}

/// data/scorep/README.md says whose they are.
TEST(ScoreP, RealArchivesAreRead) {
  for (const std::string which : {"ping-pong", "ping-pong-papi"}) {
    const auto trace = read(std::filesystem::path{COMMGAUGE_DATA} / "scorep" / which);
    ASSERT_EQ(trace.ranks.size(), 2U) << which;
    EXPECT_THAT(texts(trace), IsEmpty()) << which;
    EXPECT_FALSE(trace.has_processor_time);
    for (int r = 0; r < 2; ++r) {
      const auto& rank = trace.ranks[static_cast<std::size_t>(r)];
      const auto sends = events<event::Send>(rank);
      const auto receives = events<event::Receive>(rank);
      ASSERT_EQ(sends.size(), 8U) << which;
      ASSERT_EQ(receives.size(), 8U) << which;
      for (std::size_t k = 0; k < 8; ++k) {
        EXPECT_EQ(sends[k].bytes, 16384U << k);
        EXPECT_EQ(receives[k].bytes, 16384U << k);
        EXPECT_EQ(sends[k].peer, 1 - r);
        EXPECT_EQ(sends[k].tag, r == 0 ? 10 : 20);
      }
    }
  }
}

TEST_F(Foreign, MessagesHaveTheirPeersBytesAndRequests) {
  const auto trace = this->trace("plain");
  const auto sends = events<event::Send>(trace.ranks[0]);
  ASSERT_EQ(sends.size(), 2U);
  EXPECT_EQ(sends[0].peer, 1);
  EXPECT_EQ(sends[0].bytes, 100U);
  EXPECT_EQ(sends[0].request, no_request);
  EXPECT_EQ(sends[1].request, 1U);
  const auto receives = events<event::Receive>(trace.ranks[0]);
  ASSERT_EQ(receives.size(), 1U);
  EXPECT_EQ(receives[0].found.peer, 2);
  EXPECT_EQ(receives[0].tag, 7);
  EXPECT_EQ(receives[0].bytes, 50U);
  const auto waits = events<event::Wait>(trace.ranks[0]);
  ASSERT_EQ(waits.size(), 2U);
  EXPECT_EQ(waits[0].count, 2U);
}

TEST_F(Foreign, MessagesToOneselfHaveACommunicatorOfTheirOwn) {
  const auto trace = this->trace("plain");
  const auto message = events<event::Send>(trace.ranks[2]).back();
  EXPECT_EQ(message.peer, 2);
  EXPECT_THAT(trace.communicators[message.context].members, ElementsAre(2));
  EXPECT_EQ(events<event::UnsuccessfulPolls>(trace.ranks[2]).size(), 1U);
}

TEST_F(Foreign, CollectiveOperationsHaveTheirCounts) {
  const auto trace = this->trace("plain");
  for (const auto& rank : trace.ranks) {
    ASSERT_EQ(rank.collectives.size(), 4U);
    EXPECT_EQ(rank.collectives[0].what.operation, schedule::Operation::bcast);
    EXPECT_EQ(rank.collectives[0].what.root, 1);
    EXPECT_THAT(rank.collectives[0].what.counts, ElementsAre(20));
    EXPECT_THAT(rank.collectives[1].what.counts, ElementsAre(8));
    EXPECT_THAT(rank.collectives[2].what.counts, ElementsAre(4, 5, 6));
    EXPECT_EQ(rank.collectives[3].what.operation, schedule::Operation::allgather);
    EXPECT_THAT(rank.collectives[3].what.counts, ElementsAre(10));
    EXPECT_EQ(events<event::Meet>(rank).size(), 1U);
    EXPECT_EQ(events<event::Collective>(rank)[3].request, 0U);
  }
}

TEST_F(Foreign, TimesAreNanosecondsSinceTheBeginning) {
  const auto trace = this->trace("plain");
  EXPECT_EQ(trace.ranks[0].events[0].time, 0);
  EXPECT_EQ(trace.ranks[1].events[0].time, 100);  // ten ticks of 10 ns
}

TEST_F(Foreign, OtherThreadsAreNoticed) {
  const auto trace = this->trace("threads");
  EXPECT_EQ(trace.ranks[0].threads, 2);
  EXPECT_THAT(texts(trace), testing::Contains(HasSubstr("threads beside the one")));
}

TEST_F(Foreign, TwoThreadsThatCallMpiAreRefused) {
  EXPECT_THAT([&] { static_cast<void>(trace("calling_threads")); },
              ThrowsMessage<InputError>(HasSubstr("a second thread calls MPI_Send")));
}

TEST_F(Foreign, CommunicatorsWithANumberAtEachRankBecomeOne) {
  const auto trace = this->trace("own_numbers");
  EXPECT_THAT(texts(trace), ElementsAre(HasSubstr("a number of their own at each rank")));
  EXPECT_EQ(events<event::Collective>(trace.ranks[0])[0].context,
            events<event::Collective>(trace.ranks[1])[0].context);
}

TEST_F(Foreign, MissingCompletionsAreTakenFromTheCalls) {
  const auto trace = this->trace("missing_completions");
  EXPECT_THAT(texts(trace), ElementsAre(HasSubstr("2 completions of requests are missing"),
                                        HasSubstr("1 receives without an end")));
  const auto receive = events<event::Receive>(trace.ranks[0]).at(0);
  EXPECT_EQ(receive.peer, 1);
  EXPECT_EQ(receive.tag, 3);
  EXPECT_EQ(receive.bytes, 33U);
  EXPECT_EQ(events<event::Wait>(trace.ranks[0]).at(0).count, 1U);
}

TEST_F(Foreign, WhatCannotBeKnownIsRefused) {
  EXPECT_THAT([&] { static_cast<void>(trace("lost_receive")); },
              ThrowsMessage<InputError>(HasSubstr("rank 0's event")));
  EXPECT_THAT([&] { static_cast<void>(trace("silent_collective")); },
              ThrowsMessage<InputError>(
                  HasSubstr("rank 1's event 2 cannot be used (MPI_Iallreduce has no record")));
  EXPECT_THAT([&] { static_cast<void>(trace("one_sided_collective")); },
              ThrowsMessage<InputError>(HasSubstr("not all members call them")));
}

TEST_F(Foreign, OpenRegionsAreClosed) {
  const auto trace = this->trace("open_regions");
  EXPECT_THAT(texts(trace), ElementsAre(HasSubstr("2 regions left open")));
  ASSERT_EQ(trace.ranks[0].events.size(), 4U);
  EXPECT_TRUE(trace.ranks[0].events[2].is<event::Leave>());
  EXPECT_TRUE(trace.ranks[0].events[3].is<event::RegionEnd>());
}

TEST_F(Foreign, MpiCommWorldNeedNotBeDefined) {
  const auto trace = this->trace("no_world");
  EXPECT_THAT(texts(trace), ElementsAre(HasSubstr("MPI_COMM_WORLD isn't defined")));
  EXPECT_THAT(trace.communicators[0].members, ElementsAre(0, 1, 2));
}

TEST_F(Foreign, ModesOfSendsAreThoseOfTheirCalls) {
  const auto trace = this->trace("modes");
  std::vector<Mode> modes;
  for (const auto& send : events<event::Send>(trace.ranks[0])) modes.push_back(send.mode);
  const auto of_both = {Mode::standard, Mode::synchronous, Mode::buffered, Mode::standard,
                        Mode::standard, Mode::synchronous, Mode::buffered, Mode::standard};
  EXPECT_THAT(modes, ElementsAreArray(of_both));
}

TEST_F(Foreign, EarlyMessagesAreCounted) {
  EXPECT_THAT(texts(trace("early_message")), ElementsAre(HasSubstr("1 messages arrive before")));
}

TEST_F(Foreign, AnchorsMayHaveOtherNames) {
  const auto directory = archive("plain");
  for (const auto* suffix : {".otf2", ".def", ""}) {
    std::filesystem::rename(directory / (std::string{"traces"} + suffix),
                            directory / (std::string{"eztrace_log"} + suffix));
  }
  EXPECT_EQ(read(directory).ranks.size(), 3U);
}

}  // namespace commgauge::trace::foreign_test
