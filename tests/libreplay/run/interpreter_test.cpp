#include "run/interpreter.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "commgauge/base/error.hpp"
#include "commgauge/replay/run/replay.hpp"
#include "made_machine.hpp"
#include "recorded_threads.hpp"

namespace commgauge::replay::interpreter_test {

using testing::ElementsAre;
using testing::HasSubstr;
using namespace trace::event;

constexpr std::int64_t us = 1000;  ///< [ns]
constexpr double eps = 1e-15;

/// A call of that name from one of the recorded times to another [us].
threads::Events called(std::uint32_t name, std::int64_t from, std::int64_t to,
                       const threads::Events& what = {}) {
  threads::Events all{{Enter{.name = name, .processor = from * us}, from * us}};
  all.insert(all.end(), what.begin(), what.end());
  all.push_back({Leave{.name = name, .processor = to * us}, to * us});
  return all;
}

enum Name : std::uint32_t { init, barrier, finalize, session_finalize, phase };

/// One rank; processor time is what the events' own times are.
trace::Trace trace_of_rank(const std::vector<threads::Events>& parts) {
  trace::Trace trace = trace_of(1);
  trace.names = {"MPI_Init", "MPI_Barrier", "MPI_Finalize", "MPI_Session_finalize", "phase"};
  trace.has_processor_time = true;
  trace.ranks[0].events = threads::together(parts);
  return trace;
}

RankResult replayed(const trace::Trace& trace, const Options& options = {}) {
  return replay(trace, threads::machine(static_cast<int>(trace.ranks.size())), options).ranks[0];
}

TEST(Interpreter, KnowsCallsByTheirNames) {
  trace::Trace trace;
  trace.names = {"phase",       "MPI_Init_thread", "MPI_Iprobe",
                 "MPI_Improbe", "MPI_Probe",       "MPI_Waitsome"};
  const Names names(trace);
  EXPECT_EQ(names.wait_some, 5U);
  EXPECT_EQ(names.finalize, 6U) << "there is none";
  EXPECT_THAT(names.is_mpi, ElementsAre(0, 1, 1, 1, 1, 1));
  EXPECT_THAT(names.starts_mpi, ElementsAre(0, 1, 0, 0, 0, 0));
  EXPECT_THAT(names.asks_now, ElementsAre(0, 0, 1, 1, 0, 0, 0));
}

TEST(Interpreter, ComputingIsWhatPassesBetweenCalls) {
  const RankResult rank = replayed(
      trace_of_rank({called(barrier, 5, 50), called(barrier, 57, 60), called(finalize, 60, 61)}));
  EXPECT_NEAR(rank.end, 12e-6, eps);
  EXPECT_NEAR(rank.work, 12e-6, eps);
  EXPECT_NEAR(rank.shares.computing, 12e-6, eps);
}

TEST(Interpreter, WhatPassesBeforeMpiStartsIsNoComputing) {
  const RankResult rank =
      replayed(trace_of_rank({called(init, 900, 1000), called(finalize, 1003, 1004)}));
  EXPECT_NEAR(rank.end, 3e-6, eps);
}

TEST(Interpreter, WhatACallCallsComputesNothing) {
  const RankResult rank = replayed(
      trace_of_rank({called(barrier, 5, 50, called(barrier, 20, 30)), called(finalize, 52, 53)}));
  EXPECT_NEAR(rank.end, 7e-6, eps);
}

TEST(Interpreter, BordersOfRegionsDivideComputing) {
  const threads::Events region{{RegionBegin{phase, 2 * us}, 2 * us},
                               {RegionEnd{phase, 9 * us}, 9 * us}};
  Options options;
  options.keeps_marks = true;
  const Result result =
      replay(trace_of_rank({region, called(finalize, 10, 11)}), threads::machine(1), options);
  ASSERT_EQ(result.marks[0].size(), 4U);
  EXPECT_NEAR(result.marks[0][0].time, 2e-6, eps);
  EXPECT_NEAR(result.marks[0][1].time, 9e-6, eps);
  EXPECT_NEAR(result.marks[0][1].computing, 9e-6, eps);
  EXPECT_NEAR(result.marks[0][2].time, 10e-6, eps);
}

TEST(Interpreter, ComputingTakesTheMachinesRatio) {
  simulate::Machine slow = threads::machine(1);
  slow.time_ratios[0] = {2.5, 2.5, 2.5};
  const RankResult rank = replay(trace_of_rank({called(finalize, 4, 5)}), slow).ranks[0];
  EXPECT_NEAR(rank.end, 10e-6, eps);
  EXPECT_NEAR(rank.work, 4e-6, eps) << "on the processor where it was recorded";
}

TEST(Interpreter, WithoutProcessorTimeTheEventsTimesCount) {
  trace::Trace trace = trace_of_rank({called(finalize, 4, 5)});
  trace.ranks[0].events[0].time = 9 * us;
  EXPECT_NEAR(replayed(trace).end, 4e-6, eps);
  trace.has_processor_time = false;
  EXPECT_NEAR(replayed(trace).end, 9e-6, eps);
}

TEST(Interpreter, ATimeThatRunsBackwardsIsNoComputing) {
  EXPECT_EQ(replayed(trace_of_rank({called(barrier, 0, 50), called(finalize, 40, 41)})).end, 0);
}

TEST(Interpreter, WithoutComputingOnlyCallsTakeTime) {
  Options options;
  options.computes = false;
  const RankResult rank = replayed(
      trace_of_rank({called(barrier, 5, 6, {Sleep{3000}}), called(finalize, 9, 9)}), options);
  EXPECT_NEAR(rank.end, 3e-6, eps);
  EXPECT_EQ(rank.work, 0);
}

TEST(Interpreter, ARankEndsAtMpisEnd) {
  const auto end = [](std::uint32_t last, const threads::Events& then) {
    return replayed(trace_of_rank({called(last, 4, 5), then})).end;
  };
  EXPECT_NEAR(end(finalize, called(phase, 9, 9)), 4e-6, eps);
  EXPECT_NEAR(end(session_finalize, called(phase, 9, 9)), 4e-6, eps) << "the last call of MPI";
  EXPECT_NEAR(end(session_finalize, called(barrier, 9, 9)), 8e-6, eps) << "another one follows";
  EXPECT_NEAR(end(barrier, called(phase, 9, 9)), 8e-6, eps) << "there is none";
}

/// Measured computing has what they took; 20 ns each.
TEST(Interpreter, ReadingTheClockTakesTimeWhereComputingIsVirtual) {
  trace::Trace trace = trace_of_rank({{ClockReads{50}}, called(finalize, 0, 0)});
  EXPECT_EQ(replayed(trace).end, 0);
  Options options;
  options.computes = false;
  EXPECT_NEAR(replayed(trace, options).end, 1e-6, eps);
  trace.is_virtual = true;
  EXPECT_NEAR(replayed(trace).end, 1e-6, eps);
}

std::string refusal(const trace::Event& event) {
  trace::Trace trace = trace_of_rank({called(barrier, 0, 0), {event}});
  trace.is_virtual = true;
  try {
    (void)replayed(trace);
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

TEST(Interpreter, SaysWhichEventIsDamaged) {
  EXPECT_THAT(refusal(Enter{.name = 5}),
              HasSubstr("rank 0, event 2 of the trace (its name isn't there)"));
  EXPECT_THAT(refusal(ClockReads{2'000'000'000}), HasSubstr("beyond all reason"));
  EXPECT_THAT(refusal(Meet{1}), HasSubstr("there is no such communicator"));
  EXPECT_EQ(refusal(Meet{0}), "none");
}

}  // namespace commgauge::replay::interpreter_test
