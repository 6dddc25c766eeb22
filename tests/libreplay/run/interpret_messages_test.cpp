#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "commgauge/base/error.hpp"
#include "commgauge/replay/run/replay.hpp"
#include "made_machine.hpp"
#include "recorded_program.hpp"

namespace commgauge::replay::interpret_messages_test {

using testing::HasSubstr;
using trace::Event;
using namespace trace::event;
using trace::event::Wait;  // not replay::Wait
using Events = std::vector<Event>;

constexpr double us = 1e-6;
constexpr double eps = 1e-15;
constexpr std::uint64_t eager = 5000;  ///< [bytes]

// Of lmo_model(): what a message keeps a rank, and what it takes.
constexpr double overhead(double size) { return 10 * us + size * 1e-9; }
constexpr double travel(double size) { return 20 * us + size * 2e-9; }
constexpr double one_way(double size) { return 2 * overhead(size) + travel(size); }

Sleep sleep_for(std::uint64_t microseconds) { return Sleep{1000 * microseconds}; }

trace::Trace recorded(const std::vector<Events>& ranks) {
  trace::Trace trace = trace_of(static_cast<int>(ranks.size()));
  trace.names = {"call", "MPI_Waitsome", "MPI_Iprobe"};
  for (std::size_t r = 0; r < ranks.size(); ++r) trace.ranks[r].events = ranks[r];
  return trace;
}

std::vector<double> ends(const trace::Trace& trace, const Options& options = {}) {
  const auto ranks = static_cast<int>(trace.ranks.size());
  const simulate::Machine machine = simulate::machine_of(simulate::lmo_model(ranks, eager), "lmo");
  std::vector<double> all;
  for (const RankResult& rank : replay(trace, machine, options).ranks) all.push_back(rank.end);
  return all;
}

/// When the sender goes on whose receiver comes after 1 ms.
double sender_goes_on(trace::Mode mode, std::uint64_t bytes) {
  return ends(recorded({{Send{.peer = 1, .bytes = bytes, .mode = mode}},
                        {sleep_for(1000), Receive{.peer = 0, .bytes = bytes}}}))[0];
}

TEST(InterpretMessages, TheModeSaysWhoWaits) {
  EXPECT_NEAR(sender_goes_on(trace::Mode::standard, eager), overhead(eager), eps);
  EXPECT_GT(sender_goes_on(trace::Mode::standard, eager + 1), 1000 * us);
  EXPECT_GT(sender_goes_on(trace::Mode::synchronous, 8), 1000 * us);
  EXPECT_LT(sender_goes_on(trace::Mode::buffered, eager + 1), 1000 * us);
}

TEST(InterpretMessages, AWaitIsForAllOfItsRequests) {
  trace::Trace trace = recorded(
      {{Receive{.request = 4, .peer = 1, .bytes = 8}, Receive{.request = 2, .peer = 2, .bytes = 8},
        Wait{1, 1}, sleep_for(10), Wait{0, 1}},
       {sleep_for(500), Send{.peer = 0, .bytes = 8}},
       {sleep_for(200), Send{.peer = 0, .bytes = 8}}});
  trace.ranks[0].requests = {4, 2};
  EXPECT_NEAR(ends(trace)[0], 500 * us + one_way(8), eps);
  trace.ranks[0].events.pop_back();
  EXPECT_NEAR(ends(trace)[0], 210 * us + one_way(8), eps) << "for the second alone";
}

/// Rank 2's message had come first when it was recorded; here rank 1's does.
TEST(InterpretMessages, AReceiveFromAnyGetsWhatItGotOrWhatComesFirst) {
  const trace::Trace trace =
      recorded({{Receive{.peer = trace::any, .tag = trace::any, .bytes = 8, .found = {2, 5, 8}}},
                {sleep_for(100), Send{.peer = 0, .tag = 6, .bytes = 8}},
                {sleep_for(900), Send{.peer = 0, .tag = 5, .bytes = 8}}});
  EXPECT_NEAR(ends(trace)[0], 900 * us + one_way(8), eps);
  Options options;
  options.rematches = true;
  EXPECT_NEAR(ends(trace, options)[0], 100 * us + one_way(8), eps);
}

/// Of three: the first, and what is over when it is called.
TEST(InterpretMessages, WaitsomeWaitsForTheFirstAndThenForWhatItGot) {
  trace::Trace trace = recorded(
      {{Receive{.request = 0, .peer = 1, .bytes = 8}, Receive{.request = 1, .peer = 2, .bytes = 8},
        Enter{.name = 1}, Wait{0, 2}, Leave{.name = 1}},
       {sleep_for(100), Send{.peer = 0, .bytes = 8}},
       {sleep_for(300), Send{.peer = 0, .bytes = 8}}});
  trace.ranks[0].requests = {0, 1};
  EXPECT_NEAR(ends(trace)[0], 300 * us + one_way(8), eps);
}

TEST(InterpretMessages, AProbeWaitsUntilTheMessageIsThere) {
  const auto probing = [](const Events& rest) {
    Events events{Probe{.peer = 1, .found = {1, 0, 1000}}};
    events.insert(events.end(), rest.begin(), rest.end());
    return ends(recorded({events, {sleep_for(100), Send{.peer = 0, .bytes = 1000}}}))[0];
  };
  EXPECT_NEAR(probing({}), 100 * us + overhead(1000) + travel(1000), eps);
  EXPECT_NEAR(probing({Receive{.peer = 1, .bytes = 1000}}), 100 * us + one_way(1000), eps);
}

/// What a matched probe finds is for its own receive, whatever is received meanwhile.
TEST(InterpretMessages, WhatIsSetAsideNoOtherReceiveTakes) {
  const trace::Trace trace = recorded(
      {{MatchedProbe{.request = 0, .peer = 1, .found = {1, 0, 1000}},
        Receive{.peer = 1, .bytes = 8}, sleep_for(50), MatchedReceive{.message = 0, .bytes = 1000}},
       {Send{.peer = 0, .bytes = 1000}, sleep_for(900), Send{.peer = 0, .bytes = 8}}});
  const double second = overhead(1000) + 900 * us + one_way(8);
  EXPECT_NEAR(ends(trace)[0], second + 50 * us + overhead(1000), 1e-12);
}

TEST(InterpretMessages, EachTestInVainTakesTime) {
  EXPECT_NEAR(ends(recorded({{UnsuccessfulPolls{30}}}))[0], 30 * 100e-9, eps);
}

TEST(InterpretMessages, ATestThatSucceedsEndsByTheMessage) {
  trace::Trace trace = recorded({{Receive{.request = 0, .peer = 1, .bytes = 8}, Poll{.count = 1}},
                                 {sleep_for(300), Send{.peer = 0, .bytes = 8}}});
  trace.ranks[0].requests = {0};
  EXPECT_NEAR(ends(trace)[0], 300 * us + one_way(8), 100e-9) << "it finds out soon after";
}

/// A put of 1000 bytes is over when they are there; a flush hears of it an empty message later.
TEST(InterpretMessages, AFlushHearsOfAnAccess) {
  const auto accessing = [](const Event& last) {
    trace::Trace trace =
        recorded({{Access{.request = 0, .peer = 1, .context = 1, .bytes = 1000}, last}, {}});
    trace.communicators.push_back({"window", {0, 1}, {}, true});
    trace.ranks[0].requests = {0};
    return ends(trace)[0];
  };
  const double there = overhead(1000) + travel(1000);
  EXPECT_NEAR(accessing(Wait{0, 1}), there, eps);
  EXPECT_NEAR(accessing(Flush{0, 1}), there + overhead(0) + travel(0), eps);
}

TEST(InterpretMessages, WhatIsNotAwaitedKeepsTheReceiverForItsOwnPart) {
  const trace::Trace trace = recorded({{Receive{.peer = 1, .bytes = 1000, .found = {1, 0, 1000}}},
                                       {sleep_for(900), Send{.peer = 0, .bytes = 1000}}});
  Options options;
  options.unawaited = {{.rank = 0, .event = 0}};
  EXPECT_NEAR(ends(trace, options)[0], overhead(1000), eps);
  options.unawaited = {{.rank = 0, .event = 1}};
  EXPECT_NEAR(ends(trace, options)[0], 900 * us + one_way(1000), eps);
}

TEST(InterpretMessages, ARequestThatIsGivenUpMayBeUsedAgain) {
  trace::Trace trace =
      recorded({{Receive{.request = 0, .peer = 1, .tag = 1, .bytes = 8}, Free{0},
                 Receive{.request = 0, .peer = 1, .tag = 2, .bytes = 8}, Wait{0, 1}},
                {Send{.peer = 0, .tag = 2, .bytes = 8}, sleep_for(500),
                 Send{.peer = 0, .tag = 1, .bytes = 8}}});
  trace.ranks[0].requests = {0};
  EXPECT_NEAR(ends(trace)[0], one_way(8), eps) << "what was given up isn't waited for";
}

std::string refusal(const Events& events) {
  trace::Trace trace = recorded({events, {}});
  trace.ranks[0].requests = {0};
  try {
    (void)ends(trace);
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

TEST(InterpretMessages, DamagedEventsAreRefused) {
  EXPECT_THAT(refusal({Send{.peer = 2}}), HasSubstr("there is no such rank"));
  EXPECT_THAT(refusal({Send{.peer = trace::any}}), HasSubstr("there is no such rank"));
  EXPECT_THAT(refusal({Receive{.peer = -7}}), HasSubstr("there is no such rank"));
  EXPECT_THAT(refusal({Send{.peer = 1, .context = 3}}), HasSubstr("no such communicator"));
  EXPECT_THAT(refusal({Send{.request = 1U << 24U, .peer = 1}}), HasSubstr("beyond all reason"));
  EXPECT_THAT(refusal({Wait{0, 2}}), HasSubstr("requests that aren't there"));
  EXPECT_THAT(refusal({Free{}}), HasSubstr("it gives up no request"));
  EXPECT_THAT(refusal({Access{.peer = 1}}), HasSubstr("an access has no request"));
  EXPECT_THAT(refusal({Send{.request = 0, .peer = 1}, Flush{0, 1}}), HasSubstr("no access"));
  EXPECT_THAT(refusal({MatchedReceive{.message = 0}}), HasSubstr("no message was set aside"));
  EXPECT_THAT(refusal({UnsuccessfulPolls{2'000'000'000}}), HasSubstr("beyond all reason"));
}

}  // namespace commgauge::replay::interpret_messages_test
