#include "commgauge/trace/goal/goal_of_trace.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "commgauge/base/error.hpp"

namespace commgauge::trace::goal_of_trace_test {

using ::testing::HasSubstr;

Trace trace_of(std::size_t ranks) {
  Trace trace;
  trace.ranks.resize(ranks);
  trace.communicators.resize(1);
  for (std::size_t rank = 0; rank < ranks; ++rank)
    trace.communicators[0].members.push_back(static_cast<std::int32_t>(rank));
  return trace;
}

/// With a tenth of the time as CPU time.
template <class Kind>
Event call(std::int64_t time) {
  Kind what{};
  what.processor = time / 10;
  return {what, time};
}

event::Send send(std::int32_t peer, std::uint64_t bytes, std::uint32_t request = 0) {
  return {.request = request, .peer = peer, .tag = 5, .bytes = bytes};
}
event::Receive receive(std::int32_t peer, std::uint64_t bytes, std::uint32_t request = 0) {
  return {.request = request, .peer = peer, .tag = 5, .bytes = bytes};
}

/// Waits for requests 0 ... count - 1.
Event wait(Rank& rank, std::uint32_t count) {
  const event::Wait wait{static_cast<std::uint32_t>(rank.requests.size()), count};
  for (std::uint32_t request = 0; request < count; ++request) rank.requests.push_back(request);
  return wait;
}

Event collective(Rank& rank, const schedule::Collective& what, std::uint32_t request = no_request) {
  const auto number = static_cast<std::uint32_t>(rank.collectives.size());
  rank.collectives.push_back({what});
  return event::Collective{.request = request, .operation = number};
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
  rank.events = {call<event::Enter>(0),    receive(1, 100, 0),       send(1, 30, 1),
                 call<event::Leave>(1000), call<event::Enter>(3000), wait(rank, 2),
                 call<event::Leave>(9000), call<event::Enter>(9010)};
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
  trace.ranks[0].events = {call<event::Enter>(0), call<event::Leave>(1000),
                           call<event::Enter>(3000)};
  EXPECT_EQ(text_of(trace), "l1: calc 200\n");
}

TEST(GoalOfTrace, WhatAReceiveGotIsTaken) {
  Trace trace = trace_of(2);
  event::Receive got = receive(any, 100, no_request);
  got.tag = any;
  got.found = {1, 3, 0};
  trace.ranks[0].events = {got};
  EXPECT_EQ(text_of(trace), "l1: recv 1b from 1 tag 3\n");
}

TEST(GoalOfTrace, ABufferedSendIsOverOnceStarted) {
  Trace trace = trace_of(2);
  event::Send buffered = send(1, 8, no_request);
  buffered.mode = Mode::buffered;
  trace.ranks[0].events = {buffered, send(1, 9, no_request)};
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
    rank.events = {collective(rank, {schedule::Operation::barrier, 2}, 0), call<event::Leave>(0),
                   call<event::Enter>(50), wait(rank, 1), send(1, 7, no_request)};
  EXPECT_THAT(text_of(trace),
              HasSubstr("l3: calc 50\nl4: send 7b to 1 tag 5\nl4 requires l3\nl4 requires l2\n"));
}

TEST(GoalOfTrace, WhatGoalCannotSayIsRefused) {
  event::Send synchronous = send(0, 8);
  synchronous.mode = Mode::synchronous;
  EXPECT_THAT(error_of(synchronous),
              HasSubstr("event 0 of rank 1 can't become GOAL: a synchronous"));
  EXPECT_THAT(error_of(event::Probe{.peer = 0, .tag = 5}), HasSubstr("a probe leaves its message"));
  EXPECT_THAT(error_of(receive(any, 8)), HasSubstr("doesn't say what it got"));
  EXPECT_THAT(error_of(send(2, 8)), HasSubstr("there are 2 ranks"));
  EXPECT_THAT(error_of(event::Meet{}), HasSubstr("without messages"));
  EXPECT_THAT(error_of(event::Access{.bytes = 8}), HasSubstr("memory is accessed"));
  EXPECT_THAT(error_of(event::Ready{}), HasSubstr("a message is in partitions"));
  EXPECT_THAT(error_of(event::Wait{.count = 1}), HasSubstr("its list of requests lacks"));
}

TEST(GoalOfTrace, FurtherThreadsAreRefused) {
  Trace trace;
  trace.communicators.push_back({"MPI_COMM_WORLD", {0}, {}});
  trace.ranks.emplace_back().events = {event::Release{}, event::Acquire{}, event::ThreadBegin{}};
  EXPECT_TRUE(goal_of(trace).ranks[0].operations.empty()) << "one thread that lets itself go on";
  trace.ranks[0].further_threads = {2};
  EXPECT_THAT([&] { static_cast<void>(goal_of(trace)); },
              testing::ThrowsMessage<InputError>(
                  HasSubstr("event 2 of rank 0 can't become GOAL: a further thread begins (")));
}

}  // namespace commgauge::trace::goal_of_trace_test
