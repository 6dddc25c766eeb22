#include "commgauge/replay/run/replay.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "commgauge/base/error.hpp"
#include "commgauge/replay/paths/walked_marks.hpp"
#include "made_machine.hpp"
#include "recorded_program.hpp"

namespace commgauge::replay::replay_test {

namespace event = trace::event;

class RandomPrograms : public testing::TestWithParam<std::tuple<std::string, int>> {
 protected:
  static simulate::Machine machine() {
    const auto& [kind, ranks] = GetParam();
    if (kind == "hockney") return simulate::machine_of(simulate::hockney_model(ranks), kind);
    return simulate::machine_of(simulate::lmo_model(ranks, 300), kind);
  }
};

TEST_P(RandomPrograms, TakeTheSameTimesAgain) {
  const simulate::Machine made = machine();
  for (std::uint64_t seed = 1; seed <= 250; ++seed) {
    const Recorded recorded = record_random(made, seed);
    for (const bool rematches : {false, true}) {
      Options options;
      options.rematches = rematches;
      const Result again = replay(recorded.trace, made, options);
      for (std::size_t r = 0; r < recorded.ends.size(); ++r) {
        EXPECT_EQ(again.ranks[r].end, recorded.ends[r])
            << "seed " << seed << ", rank " << r << ", rematches " << rematches;
      }
    }
  }
}

/// Each of its events in a call of its own.
trace::Trace in_calls(trace::Trace trace) {
  trace.names = {"call"};
  for (trace::Rank& rank : trace.ranks) {
    std::vector<trace::Event> events;
    for (const trace::Event& event : rank.events) {
      events.push_back(event::Enter{});
      events.push_back(event);
      events.push_back(event::Leave{});
    }
    rank.events = events;
  }
  return trace;
}

TEST_P(RandomPrograms, HaveTheirMarksWhereAWalkHasThem) {
  const simulate::Machine made = machine();
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    simulate::Causes causes(made.ranks);
    Options options;
    options.keeps_timeline = true;
    options.causes = &causes;
    const Result result = replay(in_calls(record_random(made, seed).trace), made, options);
    const auto walked = walked_marks(result, LongestPaths(causes),
                                     [](auto, const auto& cause) { return cause.delay; });
    for (std::size_t r = 0; r < walked.size(); ++r) {
      for (std::size_t k = 0; k < walked[r].size(); ++k) {
        const double time = result.marks[r][k].time;
        ASSERT_NEAR(walked[r][k].time, time, 1e-12 * (1 + time))
            << "seed " << seed << ", rank " << r;
      }
    }
  }
}

TEST(Replay, MinutesOfAskingInVainTakeNoTimeHere) {
  trace::Trace trace = trace_of(2);
  trace.is_virtual = true;
  constexpr std::uint64_t most = 1'000'000'000;
  for (int i = 0; i < 30; ++i) {
    trace.ranks[0].events.emplace_back(event::UnsuccessfulPolls{most});
    trace.ranks[0].events.emplace_back(event::ClockReads{most});
  }
  const Result result = replay(trace, simulate::machine_of(simulate::hockney_model(2), "hockney"));
  EXPECT_NEAR(result.time, 30 * most * (100e-9 + 20e-9), 0.01) << "each is rounded";
  EXPECT_NEAR(result.ranks[0].shares.waiting, 3000, 0.01);
}

TEST(Replay, ATestMayWaitForHours) {
  trace::Trace trace = trace_of(2);
  trace.ranks[0].events = {event::Sleep{36'000'000'000'000}, event::Send{.peer = 1}};
  trace.ranks[1].events = {event::Receive{.request = 0}, event::Poll{.count = 1}};
  trace.ranks[1].requests = {0};
  const Result result = replay(trace, simulate::machine_of(simulate::hockney_model(2), "hockney"));
  EXPECT_NEAR(result.ranks[1].end, 36'000, 1e-2);
}

TEST(Replay, SleepingIsNoComputing) {
  trace::Trace trace = trace_of(2);
  trace.ranks[0].events = {event::Sleep{3'000'000'000}};
  Options options;
  options.keeps_timeline = true;
  const auto machine = simulate::machine_of(simulate::hockney_model(2), "hockney");
  const Result result = replay(trace, machine, options);
  EXPECT_NEAR(result.time, 3, 1e-9);
  EXPECT_NEAR(result.ranks[0].shares.sleeping, 3, 1e-9);
  EXPECT_EQ(result.ranks[0].shares.computing, 0);
  EXPECT_EQ(result.utilisation(), 0);
  ASSERT_EQ(result.timeline.ranks[0].size(), 1U);
  EXPECT_EQ(result.timeline.ranks[0][0].what, Doing::sleeping);
}

TEST(Replay, ADeadlockSaysWhatToDo) {
  trace::Trace trace = trace_of(2);
  trace.ranks[1].events = {event::Receive{.peer = 0}};
  const simulate::Machine machine = simulate::machine_of(simulate::hockney_model(2), "hockney");
  for (const bool rematches : {false, true}) {
    Options options;
    options.rematches = rematches;
    try {
      (void)replay(trace, machine, options);
      FAIL() << "it ended";
    } catch (const simulate::DeadlockError& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find("rank 1 waits for a message from rank 0"), std::string::npos) << text;
      EXPECT_NE(text.find(rematches ? "without --rematch" : "try --rematch"), std::string::npos)
          << text;
    }
  }
}

TEST(Replay, ADeadlockNamesTheCollective) {
  trace::Trace trace = trace_of(2);
  trace::Rank& rank = trace.ranks[1];
  rank.collectives.emplace_back().what.operation = schedule::Operation::reduce_scatter_block;
  rank.collectives.front().what.counts = {100};
  rank.events = {event::Collective{}};
  try {
    (void)replay(trace, simulate::machine_of(simulate::hockney_model(2), "hockney"));
    FAIL() << "it ended";
  } catch (const simulate::DeadlockError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("rank 1 waits for rank 0 in MPI_Reduce_scatter_block"), std::string::npos)
        << text;
  }
}

TEST(Replay, AReceiveThatIsCancelledInATraceIsRefused) {
  trace::Trace trace = trace_of(2);
  trace.ranks[1].events = {event::Cancel{}};
  EXPECT_THROW((void)replay(trace, simulate::machine_of(simulate::hockney_model(2), "hockney")),
               InputError);
}

INSTANTIATE_TEST_SUITE_P(Machines, RandomPrograms,
                         testing::Combine(testing::Values("lmo", "hockney"),
                                          testing::Values(3, 6)));

}  // namespace commgauge::replay::replay_test
