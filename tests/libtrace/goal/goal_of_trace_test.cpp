#include "commgauge/trace/goal/goal_of_trace.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "commgauge/base/error.hpp"

namespace {

using namespace commgauge;
using namespace commgauge::trace;
using Kind = Event::Kind;
using ::testing::HasSubstr;

Trace trace_of(std::size_t ranks) {
  Trace trace;
  trace.ranks.resize(ranks);
  trace.communicators.resize(1);
  for (std::size_t rank = 0; rank < ranks; ++rank)
    trace.communicators[0].members.push_back(static_cast<std::int32_t>(rank));
  return trace;
}

Event call(Kind kind, std::int64_t time) {
  Event event;
  event.kind = kind;
  event.time = time;
  event.processor = time / 10;
  return event;
}

Event message(Kind kind, std::int32_t peer, std::uint64_t bytes, std::uint32_t request = 0) {
  Event event;
  event.kind = kind;
  event.peer = peer;
  event.tag = 5;
  event.bytes = bytes;
  event.request = request;
  return event;
}

/// Waits for requests 0 ... count - 1.
Event wait(Rank& rank, std::uint32_t count) {
  Event event;
  event.kind = Kind::wait;
  event.list = static_cast<std::uint32_t>(rank.requests.size());
  event.count = count;
  for (std::uint32_t request = 0; request < count; ++request) rank.requests.push_back(request);
  return event;
}

Event collective(Rank& rank, const schedule::Collective& what, std::uint32_t request = no_request) {
  Event event;
  event.kind = Kind::collective;
  event.request = request;
  event.list = static_cast<std::uint32_t>(rank.collectives.size());
  rank.collectives.push_back({what});
  return event;
}

/// What stands between { and } of a rank.
std::string text_of(const Trace& trace, int rank = 0) {
  const std::string text = to_text(goal_of(trace));
  const auto begin = text.find("{\n", text.find("rank " + std::to_string(rank) + " {")) + 2;
  return text.substr(begin, text.find('}', begin) - begin);
}

std::string error_of(const Event& event) {
  Trace trace = trace_of(2);
  trace.ranks[1].events = {event};
  try {
    (void)goal_of(trace);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(GoalOfTrace, MessagesAreStartedInOrderAndWaitedFor) {
  Trace trace = trace_of(2);
  Rank& rank = trace.ranks[0];
  rank.events = {call(Kind::enter, 0),          message(Kind::receive, 1, 100, 0),
                 message(Kind::send, 1, 30, 1), call(Kind::leave, 1000),
                 call(Kind::enter, 3000),       wait(rank, 2),
                 call(Kind::leave, 9000),       call(Kind::enter, 9010)};
  EXPECT_EQ(text_of(trace),
            "l1: recv 100b from 1 tag 5\n"
            "l2: send 30b to 1 tag 5\n"
            "l2 irequires l1\n"
            "l3: calc 2000\n"
            "l3 irequires l2\n"
            "l4: calc 10\n"
            "l4 requires l3\n"
            "l4 requires l1\n"
            "l4 requires l2\n");
}

TEST(GoalOfTrace, ComputingIsProcessorTimeWhereThereIsOne) {
  Trace trace = trace_of(1);
  trace.has_processor_time = true;
  trace.ranks[0].events = {call(Kind::enter, 0), call(Kind::leave, 1000), call(Kind::enter, 3000)};
  EXPECT_EQ(text_of(trace), "l1: calc 200\n");
}

TEST(GoalOfTrace, WhatAReceiveGotIsTaken) {
  Trace trace = trace_of(2);
  Event receive = message(Kind::receive, any, 100, no_request);
  receive.tag = any;
  receive.found_peer = 1;
  receive.found_tag = 3;
  receive.found_bytes = 0;
  trace.ranks[0].events = {receive};
  EXPECT_EQ(text_of(trace), "l1: recv 1b from 1 tag 3\n");
}

TEST(GoalOfTrace, ABufferedSendIsOverOnceStarted) {
  Trace trace = trace_of(2);
  Event send = message(Kind::send, 1, 8, no_request);
  send.mode = Mode::buffered;
  trace.ranks[0].events = {send, message(Kind::send, 1, 9, no_request)};
  EXPECT_EQ(text_of(trace),
            "l1: send 8b to 1 tag 5\n"
            "l2: send 9b to 1 tag 5\n"
            "l2 irequires l1\n");
}

TEST(GoalOfTrace, CollectiveOperationsAreMessagesWithTagsOfTheirOwn) {
  Trace trace = trace_of(3);
  for (Rank& rank : trace.ranks) {
    rank.events = {collective(rank, {schedule::Operation::barrier, 3})};
    rank.events.push_back(collective(rank, {schedule::Operation::barrier, 3}));
  }
  const std::string text = text_of(trace, 1);
  EXPECT_THAT(text, HasSubstr("send 1b to 2 tag 2147483648\n"));
  EXPECT_THAT(text, HasSubstr("send 1b to 0 tag 2147483648\n"));
  EXPECT_THAT(text, HasSubstr("recv 1b from 0 tag 2147483649\n"));
  EXPECT_THAT(text, HasSubstr("l3 requires l2\nl3 requires l1\n"));
}

TEST(GoalOfTrace, ANonblockingCollectiveOperationGoesOnBesideTheProgram) {
  Trace trace = trace_of(2);
  for (Rank& rank : trace.ranks)
    rank.events = {collective(rank, {schedule::Operation::barrier, 2}, 0), call(Kind::leave, 0),
                   call(Kind::enter, 50), wait(rank, 1), message(Kind::send, 1, 7, no_request)};
  EXPECT_THAT(text_of(trace),
              HasSubstr("l3: calc 50\nl4: send 7b to 1 tag 5\nl4 requires l3\nl4 requires l2\n"));
}

TEST(GoalOfTrace, WhatGoalCannotSayIsRefused) {
  Event synchronous = message(Kind::send, 0, 8);
  synchronous.mode = Mode::synchronous;
  EXPECT_THAT(error_of(synchronous),
              HasSubstr("event 0 of rank 1 can't become GOAL: a synchronous"));
  EXPECT_THAT(error_of(message(Kind::probe, 0, 8)), HasSubstr("a probe leaves its message"));
  EXPECT_THAT(error_of(message(Kind::receive, any, 8)), HasSubstr("doesn't say what it got"));
  EXPECT_THAT(error_of(message(Kind::send, 2, 8)), HasSubstr("there are 2 ranks"));
  EXPECT_THAT(error_of(call(Kind::meet, 0)), HasSubstr("without messages"));
  EXPECT_THAT(error_of(message(Kind::access, 0, 8)), HasSubstr("memory is accessed"));
  EXPECT_THAT(error_of(call(Kind::ready, 0)), HasSubstr("a message is in partitions"));
  Event waits = call(Kind::wait, 0);
  waits.count = 1;
  EXPECT_THAT(error_of(waits), HasSubstr("its list of requests lacks"));
}

TEST(GoalOfTrace, FurtherThreadsAreRefused) {
  Trace trace;
  trace.communicators.push_back({"MPI_COMM_WORLD", {0}, {}});
  trace.ranks.emplace_back().events = {call(Kind::release, 0), call(Kind::acquire, 0),
                                       call(Kind::thread_begin, 0)};
  EXPECT_TRUE(goal_of(trace).ranks[0].operations.empty()) << "one thread that lets itself go on";
  trace.ranks[0].further_threads = {2};
  EXPECT_THAT([&] { static_cast<void>(goal_of(trace)); },
              testing::ThrowsMessage<InputError>(
                  HasSubstr("event 2 of rank 0 can't become GOAL: a further thread begins (")));
}

}  // namespace
