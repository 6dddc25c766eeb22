#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "commgauge/base/error.hpp"
#include "commgauge/replay/run/replay.hpp"
#include "commgauge/replay/run/retimed.hpp"
#include "made_machine.hpp"
#include "recorded_program.hpp"

namespace commgauge::replay::interpret_partitions_test {

using testing::HasSubstr;
using trace::Event;
using namespace trace::event;
using trace::event::Wait;  // not replay::Wait

constexpr double us = 1e-6;
constexpr double eps = 1e-15;

/// One message takes 20 us + 1 ns/B, and keeps its sender for that time.
simulate::Machine machine() { return simulate::machine_of(simulate::hockney_model(2), "hockney"); }
constexpr double one_way(double bytes) { return 20 * us + bytes * 1e-9; }
constexpr double telling = one_way(16);

PrepareSend prepare_send(int partitions, std::uint64_t bytes, std::uint32_t request = 0) {
  return {.request = request,
          .peer = 1,
          .tag = 7,
          .partitions = static_cast<std::uint32_t>(partitions),
          .bytes = bytes};
}
PrepareReceive prepare_receive(int partitions, std::uint64_t bytes, std::uint32_t request = 0) {
  return {.request = request,
          .peer = 0,
          .tag = 7,
          .partitions = static_cast<std::uint32_t>(partitions),
          .bytes = bytes};
}
Event start(std::uint32_t request = 0) { return Start{request}; }
Event ready(int first, std::uint32_t count = 1, std::uint32_t request = 0) {
  return Ready{request, first, count};
}
Event arrived(int which, std::uint32_t request = 0) { return Arrived{request, which}; }
Event sleep(std::uint64_t nanoseconds) { return Sleep{nanoseconds}; }

/// Adds a wait for one request.
void wait(trace::Rank& rank, std::uint32_t request = 0) {
  rank.events.emplace_back(
      Wait{.list = static_cast<std::uint32_t>(rank.requests.size()), .count = 1});
  rank.requests.push_back(request);
}

/// Of 2 x 1000 bytes, from rank 0 to rank 1, which has four partitions.
trace::Trace one_message() {
  trace::Trace trace = trace_of(2);
  trace.ranks[0].events = {prepare_send(2, 1000), start(), sleep(50'000), ready(1), ready(0)};
  trace.ranks[1].events = {prepare_receive(4, 500), start()};
  for (trace::Rank& rank : trace.ranks) wait(rank);
  return trace;
}

TEST(Partitioned, EachPartitionIsAMessage) {
  const Result result = replay(one_message(), machine());
  const double last = telling + 50 * us + 2 * one_way(1000);
  EXPECT_NEAR(result.ranks[0].end, last, eps);
  EXPECT_NEAR(result.ranks[1].end, last, eps);
}

TEST(Partitioned, ARangeIsOnePartitionAfterTheOther) {
  trace::Trace trace = one_message();
  trace.ranks[0].events[3] = ready(0, 2);
  trace.ranks[0].events.erase(trace.ranks[0].events.begin() + 4);
  EXPECT_NEAR(replay(trace, machine()).time, telling + 50 * us + 2 * one_way(1000), eps);
}

TEST(Partitioned, MayBeStartedAgain) {
  trace::Trace trace = one_message();
  for (trace::Rank& rank : trace.ranks) {
    const auto again = rank.events;
    rank.events.insert(rank.events.end(), again.begin() + 1, again.end());
  }
  EXPECT_NEAR(replay(trace, machine()).time, telling + 2 * (50 * us + 2 * one_way(1000)), eps);
}

/// Whoever asks for a partition goes on when its bytes are there, at the next time of asking.
TEST(Partitioned, TheReceiverAsksUntilItsPartitionIsThere) {
  trace::Trace trace = one_message();
  auto& receiver = trace.ranks[1].events;
  receiver.insert(receiver.begin() + 2, {arrived(2), sleep(1'000'000)});
  EXPECT_NEAR(replay(trace, machine()).ranks[1].end, telling + 50 * us + one_way(1000) + 1000 * us,
              0.1 * us);
  receiver[2] = arrived(1);
  EXPECT_NEAR(replay(trace, machine()).ranks[1].end,
              telling + 50 * us + 2 * one_way(1000) + 1000 * us, 0.1 * us);
}

TEST(Partitioned, TheOrderOfPreparingTellsWhichSendIsAReceives) {
  trace::Trace trace = trace_of(2);
  trace.ranks[0].events = {
      prepare_send(1, 1000, 0), prepare_send(3, 5000, 1), start(0),      start(1),
      ready(0, 1, 0),           sleep(1'000'000),         ready(0, 3, 1)};
  trace.ranks[1].events = {prepare_receive(2, 500, 5), prepare_receive(1, 15000, 4), start(4),
                           start(5)};
  const auto end_with = [&trace](std::uint32_t request) {
    trace::Trace waiting = trace;
    wait(waiting.ranks[1], request);
    return replay(waiting, machine()).ranks[1].end;
  };
  const double first = 2 * telling + one_way(1000);
  EXPECT_NEAR(end_with(5), first, eps);
  EXPECT_NEAR(end_with(4), first + 1000 * us + 3 * one_way(5000), eps);
}

TEST(Partitioned, WithNobodyItTakesNothing) {
  trace::Trace trace = one_message();
  std::get<PrepareSend>(trace.ranks[0].events[0].what).peer = trace::nobody;
  std::get<PrepareReceive>(trace.ranks[1].events[0].what).peer = trace::nobody;
  const Result result = replay(trace, machine());
  EXPECT_NEAR(result.ranks[0].end, 50 * us, eps);
  EXPECT_EQ(result.ranks[1].end, 0);
}

TEST(Partitioned, WhatIsGivenUpLeavesItsNumber) {
  trace::Trace trace = one_message();
  for (trace::Rank& rank : trace.ranks) {
    const auto again = rank.events;
    rank.events.emplace_back(Free{0});
    rank.events.insert(rank.events.end(), again.begin(), again.end());
  }
  EXPECT_NEAR(replay(trace, machine()).time, 2 * (telling + 50 * us + 2 * one_way(1000)), eps);
}

TEST(Partitioned, ARetimedTraceTakesTheSameTime) {
  const trace::Trace recorded = one_message();
  Options options;
  options.keeps_marks = true;
  const Result result = replay(recorded, machine(), options);
  EXPECT_EQ(replay(retimed(recorded, result, options), machine()).time, result.time);
}

std::string refusal(const trace::Trace& trace) {
  try {
    (void)replay(trace, machine());
  } catch (const Error& error) {
    return error.what();
  }
  return "it was replayed";
}
/// @param rank  whose event that is, or becomes one behind the others
std::string refusal(std::size_t rank, std::size_t event, const Event& damaged) {
  trace::Trace trace = one_message();
  auto& events = trace.ranks[rank].events;
  if (event < events.size()) {
    events[event] = damaged;
  } else {
    events.push_back(damaged);
  }
  return refusal(trace);
}

TEST(Partitioned, WhatCannotBeIsRefused) {
  EXPECT_THAT(refusal(0, 1, start(3)),
              HasSubstr("rank 0, event 1 of the trace (its request isn't"));
  EXPECT_THAT(refusal(0, 2, start()), HasSubstr("still in use"));
  EXPECT_THAT(refusal(0, 2, prepare_send(2, 1000)), HasSubstr("still in use"));
  EXPECT_THAT(refusal(0, 4, ready(1)), HasSubstr("no such partition that isn't ready"));
  EXPECT_THAT(refusal(0, 4, ready(2)), HasSubstr("no such partition that isn't ready"));
  EXPECT_THAT(refusal(0, 4, ready(-1)), HasSubstr("no such partition that isn't ready"));
  EXPECT_THAT(refusal(0, 3, ready(1, 4'000'000'000)), HasSubstr("no such partition"));
  EXPECT_THAT(refusal(0, 1, ready(0)), HasSubstr("no such partition that isn't ready"));
  EXPECT_THAT(refusal(1, 1, ready(0)), HasSubstr("no such partition that isn't ready"));
  EXPECT_THAT(refusal(1, 9, arrived(4)), HasSubstr("there is no such partition"));
  EXPECT_THAT(refusal(1, 9, arrived(-1)), HasSubstr("there is no such partition"));
  EXPECT_THAT(refusal(1, 1, arrived(0)), HasSubstr("its receive isn't started"));
  EXPECT_THAT(refusal(0, 9, arrived(0)), HasSubstr("its receive isn't started"));
  EXPECT_THAT(refusal(0, 0, prepare_send(1 << 30, 1)), HasSubstr("too many"));
  PrepareReceive far = prepare_receive(1, 8);
  far.peer = 2;
  EXPECT_THAT(refusal(1, 0, far), HasSubstr("there is no such rank"));
  far.peer = 0;
  far.context = 9;
  EXPECT_THAT(refusal(1, 0, far), HasSubstr("there is no such communicator"));
}

TEST(Partitioned, WhatIsNeverSentIsADeadlock) {
  trace::Trace trace = one_message();
  trace.ranks[0].events.erase(trace.ranks[0].events.begin() + 4);
  EXPECT_THAT(refusal(trace), HasSubstr("rank 0 waits for its partitions to be ready; rank 1 waits "
                                        "for partition 0 of rank 0"));
  trace.ranks[0].events.clear();
  EXPECT_THAT(refusal(trace), HasSubstr("rank 1 waits for rank 0 to prepare a message"));
}

/// Of its number, what was prepared, started, or made ready.
Event another(const Event& event, int kind) {
  const std::uint32_t request = std::min(request_in(event), 9U);
  if (kind == 0) return prepare_send(2, 1000, request);
  if (kind == 1) return prepare_receive(4, 500, request);
  return kind == 2 ? start(request) : ready(0, 2, request);
}

void damage(auto& what, int kind, const auto& number) {
  if constexpr (requires { what.tag; }) {
    if (kind == 2) what.tag = number(-2, 5);
    if (kind == 5) what.peer = number(-2, 2);
  }
  if constexpr (requires { what.partitions; }) {
    if (kind == 3) what.partitions = static_cast<std::uint32_t>(number(0, 5));
    if (kind == 4) what.bytes = static_cast<std::uint64_t>(number(0, 1)) * ~std::uint64_t{0};
  }
  if constexpr (requires { what.first; }) {
    if (kind == 2) what.first = number(-2, 5);
    if (kind == 3) what.count = static_cast<std::uint32_t>(number(0, 5));
  }
}

/// Without the looks of receivers, which would ask for a very long time.
TEST(Partitioned, DamageDoesNoHarm) {
  std::mt19937 random{1};
  const auto number = [&random](int least, int most) {
    return std::uniform_int_distribution<int>{least, most}(random);
  };
  int replayed = 0;
  for (int i = 0; i < 3000; ++i) {
    trace::Trace trace = one_message();
    for (int left = number(1, 3); left > 0; --left) {
      trace::Rank& rank = trace.ranks[static_cast<std::size_t>(number(0, 1))];
      const auto which =
          static_cast<std::size_t>(number(0, static_cast<int>(rank.events.size()) - 1));
      const Event other = trace.ranks[static_cast<std::size_t>(number(0, 1))].events[0];
      const int kind = number(0, 6);
      if (kind == 0) rank.events.erase(rank.events.begin() + static_cast<long>(which));
      if (kind == 1) rank.events.insert(rank.events.begin() + static_cast<long>(which), other);
      if (which >= rank.events.size()) continue;
      Event& event = rank.events[which];
      if (kind == 6 && !event.is<Wait>()) event = another(event, number(0, 3));
      std::visit([&](auto& what) { damage(what, kind, number); }, event.what);
    }
    const std::string said = refusal(trace);
    replayed += said == "it was replayed";
    EXPECT_THAT(said, testing::AnyOf("it was replayed", HasSubstr(": ")));
  }
  EXPECT_GT(replayed, 100);
  EXPECT_LT(replayed, 2900);
}

}  // namespace commgauge::replay::interpret_partitions_test
