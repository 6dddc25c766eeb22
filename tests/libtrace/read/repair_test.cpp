#include "read/repair.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "commgauge/base/error.hpp"

namespace commgauge::trace::repair_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

/// Two ranks of MPI_COMM_WORLD that do nothing yet.
Trace two_ranks() {
  Trace trace;
  trace.communicators.push_back({"MPI_COMM_WORLD", {0, 1}, {}});
  trace.ranks.resize(2);
  return trace;
}

std::vector<Remark> all_of(const Remarks& remarks) {
  std::vector<Remark> all;
  remarks.append_to(all);
  return all;
}

TEST(MergeCommunicators, ThoseOfTheSameMembersAreOneIfEachRankHasItsOwn) {
  Trace trace = two_ranks();
  trace.communicators.push_back({"", {1, 0}, {}});
  trace.communicators.push_back({"", {1, 0}, {}});
  trace.ranks[0].events = {event::Send{.peer = 1, .context = 1}};
  trace.ranks[1].events = {event::Receive{.peer = 0, .context = 2}};
  std::vector<Unknown> unknown(2);
  unknown[1].collectives = {{.context = 2}};
  Remarks remarks;
  merge_communicators(trace, unknown, remarks);
  const auto of_send = std::get<event::Send>(trace.ranks[0].events[0].what).context;
  EXPECT_EQ(std::get<event::Receive>(trace.ranks[1].events[0].what).context, of_send);
  EXPECT_EQ(unknown[1].collectives[0].context, of_send);
  ASSERT_EQ(all_of(remarks).size(), 1U);
}

TEST(MergeCommunicators, ThoseThatARankUsesBothStayApart) {
  Trace trace = two_ranks();
  trace.communicators.push_back({"", {1, 0}, {}});
  trace.communicators.push_back({"", {1, 0}, {}});
  for (Rank& rank : trace.ranks) rank.events = {event::Meet{1}, event::Meet{2}};
  std::vector<Unknown> unknown(2);
  Remarks remarks;
  merge_communicators(trace, unknown, remarks);
  EXPECT_EQ(std::get<event::Meet>(trace.ranks[0].events[0].what).context, 1U);
  EXPECT_EQ(std::get<event::Meet>(trace.ranks[0].events[1].what).context, 2U);
}

/// Both ranks call it once; rank 1 is the root of those that have one.
Trace with_collective(schedule::Operation operation) {
  Trace trace = two_ranks();
  for (Rank& rank : trace.ranks) {
    auto& what = rank.collectives.emplace_back().what;
    what.operation = operation;
    what.ranks = 2;
    what.root = 1;
  }
  return trace;
}

TEST(CompleteCollectives, CountsAreOfAllRanksBytes) {
  Trace trace = with_collective(schedule::Operation::gatherv);
  std::vector<Unknown> unknown(2);
  unknown[0].collectives = {{.sent = 30}};
  unknown[1].collectives = {{.sent = 50, .received = 80}};
  Remarks remarks;
  complete_collectives(trace, unknown, true, remarks);
  for (const Rank& rank : trace.ranks) {
    EXPECT_THAT(rank.collectives[0].what.counts, ElementsAre(30, 50));
  }
}

TEST(CompleteCollectives, ScorePCountsOnceForEachPartner) {
  for (const bool is_score_p : {true, false}) {
    Trace trace = with_collective(schedule::Operation::allreduce);
    std::vector<Unknown> unknown(2);
    for (auto& rank : unknown) rank.collectives = {{.sent = 16, .received = 16}};
    Remarks remarks;
    complete_collectives(trace, unknown, is_score_p, remarks);
    EXPECT_THAT(trace.ranks[0].collectives[0].what.counts, ElementsAre(is_score_p ? 8 : 16));
  }
}

TEST(CompleteCollectives, RanksThatCallSomethingElseAreRefused) {
  Trace trace = with_collective(schedule::Operation::allreduce);
  trace.ranks[1].collectives[0].what.operation = schedule::Operation::barrier;
  std::vector<Unknown> unknown(2);
  for (auto& rank : unknown) rank.collectives = {{.sent = 8}};
  Remarks remarks;
  EXPECT_THAT([&] { complete_collectives(trace, unknown, true, remarks); },
              ThrowsMessage<InputError>(HasSubstr("isn't the same at ranks 0 and 1")));
  unknown[1].collectives.clear();
  EXPECT_THAT([&] { complete_collectives(trace, unknown, true, remarks); },
              ThrowsMessage<InputError>(HasSubstr("not all members call them")));
}

TEST(CompleteReceives, TakeTheMessagesThatWereLeft) {
  Trace trace = two_ranks();
  trace.ranks[0].events = {{event::Send{.peer = 1, .tag = 3, .bytes = 8}, 10},
                           {event::Send{.peer = 1, .tag = 4, .bytes = 16}, 20}};
  trace.ranks[1].events = {event::Receive{.peer = 0, .tag = 3, .found = {0, 3, 8}},
                           event::Receive{.peer = any, .tag = any}};
  std::vector<Unknown> unknown(2);
  unknown[1].receives = {1};
  Remarks remarks;
  complete_receives(trace, unknown, remarks);
  const auto& receive = std::get<event::Receive>(trace.ranks[1].events[1].what);
  EXPECT_EQ(receive.found, (Found{0, 4, 16}));
  EXPECT_EQ(receive.peer, 0);
  EXPECT_EQ(receive.tag, 4);
  EXPECT_EQ(receive.bytes, 16U);
  trace.ranks[0].events.pop_back();
  EXPECT_THAT([&] { complete_receives(trace, unknown, remarks); },
              ThrowsMessage<InputError>(HasSubstr("rank 1's event 1 cannot be used")));
}

TEST(NoteClocks, MessagesThatComeBeforeTheyWereSentAreCounted) {
  for (const std::int64_t received : {5, 15}) {
    Trace trace = two_ranks();
    trace.ranks[0].events = {{event::Send{.peer = 1, .tag = 3}, 10}};
    trace.ranks[1].events = {
        {event::Receive{.request = 0, .peer = 0, .tag = 3, .found = {0, 3, 0}}, 1},
        {event::Wait{.count = 1}, received}};
    trace.ranks[1].requests = {0};
    Remarks remarks;
    note_clocks(trace, remarks);
    EXPECT_EQ(all_of(remarks).size(), received < 10 ? 1U : 0U) << received;
  }
}

}  // namespace commgauge::trace::repair_test
