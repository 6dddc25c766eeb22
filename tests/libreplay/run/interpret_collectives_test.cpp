#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "commgauge/base/error.hpp"
#include "commgauge/replay/run/replay.hpp"
#include "made_machine.hpp"
#include "recorded_program.hpp"
#include "run/interpreter.hpp"

namespace commgauge::replay::interpret_collectives_test {

using schedule::Operation;
using testing::HasSubstr;
using trace::Event;
using namespace trace::event;
using trace::event::Wait;  // not replay::Wait

constexpr double us = 1e-6;
constexpr double eps = 1e-15;
/// Of hockney_model(); it keeps both ranks for that time.
constexpr double one_way(double bytes) { return 20 * us + bytes * 1e-9; }

trace::Collective called(Operation operation, std::uint64_t count = 0, int root = 0) {
  trace::Collective collective;
  collective.what.operation = operation;
  collective.what.counts = {count};
  collective.what.root = root;
  return collective;
}

/// All ranks call the same, each with its own events before.
trace::Trace all_call(int ranks, const trace::Collective& what) {
  trace::Trace trace = trace_of(ranks);
  for (trace::Rank& rank : trace.ranks) {
    rank.collectives = {what};
    rank.events = {Collective{}};
  }
  return trace;
}

std::vector<double> ends(const trace::Trace& trace) {
  const auto ranks = static_cast<int>(trace.ranks.size());
  const auto machine = simulate::machine_of(simulate::hockney_model(ranks), "hockney");
  std::vector<double> all;
  for (const RankResult& rank : replay(trace, machine).ranks) all.push_back(rank.end);
  return all;
}

TEST(InterpretCollectives, ABroadcastOfTwoRanksIsAMessage) {
  for (const int root : {0, 1}) {
    trace::Trace trace = all_call(2, called(Operation::bcast, 1000, root));
    trace.ranks[static_cast<std::size_t>(root)].events.insert(
        trace.ranks[static_cast<std::size_t>(root)].events.begin(), Sleep{500'000});
    EXPECT_NEAR(ends(trace)[static_cast<std::size_t>(1 - root)], 500 * us + one_way(1000), eps);
  }
}

TEST(InterpretCollectives, UnitsCountAsManyBytes) {
  trace::Collective what = called(Operation::bcast, 1000);
  what.what.unit = Bytes{8};
  EXPECT_NEAR(ends(all_call(2, what))[1], one_way(8000), eps);
}

TEST(InterpretCollectives, NobodyLeavesABarrierBeforeTheLastHasCome) {
  trace::Trace trace = all_call(3, called(Operation::barrier));
  trace.ranks[1].events.insert(trace.ranks[1].events.begin(), Sleep{700'000});
  for (const double end : ends(trace)) EXPECT_GE(end, 700 * us + one_way(0));
}

TEST(InterpretCollectives, OneMayGoOnBehindTheCall) {
  trace::Trace trace = all_call(2, called(Operation::bcast, 1000));
  trace.ranks[0].events.insert(trace.ranks[0].events.begin(), Sleep{500'000});
  trace.ranks[1].events = {Collective{.request = 3}, Sleep{300'000}, Wait{0, 1}};
  trace.ranks[1].requests = {3};
  EXPECT_NEAR(ends(trace)[1], 500 * us + one_way(1000), eps);
  trace.ranks[1].events.pop_back();
  EXPECT_NEAR(ends(trace)[1], 300 * us, eps) << "without the wait";
}

TEST(InterpretCollectives, RanksOfACommunicatorHaveItsOrder) {
  trace::Trace trace = trace_of(3);
  trace.communicators.push_back({"", {2, 0}, {}});
  for (const std::size_t rank : {0, 2}) {
    trace.ranks[rank].collectives = {called(Operation::bcast, 1000, 0)};
    trace.ranks[rank].events = {Collective{.context = 1}};
  }
  trace.ranks[2].events.insert(trace.ranks[2].events.begin(), Sleep{400'000});
  EXPECT_NEAR(ends(trace)[0], 400 * us + one_way(1000), eps) << "rank 2 is its root";
  EXPECT_EQ(ends(trace)[1], 0);
}

TEST(InterpretCollectives, ThoseThatMeetGoOnWithTheLast) {
  trace::Trace trace = trace_of(3);
  for (std::size_t rank = 0; rank < 3; ++rank) {
    trace.ranks[rank].events = {Sleep{100'000 * rank}, Meet{0}};
  }
  for (const double end : ends(trace)) EXPECT_NEAR(end, 200 * us, eps);
}

TEST(InterpretCollectives, NeighboursTellEachOtherAtOnce) {
  trace::Trace trace = trace_of(2);
  for (int rank = 0; rank < 2; ++rank) {
    trace::Collective what;
    what.is_neighbourhood = true;
    what.to = {{1 - rank, 0, 1000}};
    what.from = {{1 - rank, 0, 1000}};
    trace.ranks[static_cast<std::size_t>(rank)].collectives = {what};
    trace.ranks[static_cast<std::size_t>(rank)].events = {Collective{}};
  }
  EXPECT_NEAR(ends(trace)[0], ends(trace)[1], eps);
  EXPECT_NEAR(ends(trace)[0], one_way(1000), eps);
}

/// A broadcast from rank 0 to the other group, which is rank 1 alone; rank 2 is beside the root.
TEST(InterpretCollectives, BetweenGroupsTheRootIsOfTheOther) {
  trace::Trace trace = trace_of(3);
  trace.communicators.push_back({"", {0, 2}, {1}});
  const std::vector<int> roots{schedule::root_is_caller, 0, schedule::root_is_beside};
  for (std::size_t rank = 0; rank < 3; ++rank) {
    trace.ranks[rank].collectives = {called(Operation::bcast, 1000, roots[rank])};
    trace.ranks[rank].events = {Collective{.context = 1}};
  }
  EXPECT_NEAR(ends(trace)[1], one_way(1000), eps);
  EXPECT_EQ(ends(trace)[2], 0);
}

TEST(NameOfCollective, IsThatOfTheOperationOfItsNumber) {
  trace::Trace trace = trace_of(2);
  trace::Collective own = called(Operation::barrier);
  own.is_own = true;
  trace::Collective neighbours;
  neighbours.is_neighbourhood = true;
  trace.ranks[1].collectives = {called(Operation::allreduce, 8), own, neighbours};
  trace.ranks[1].events = {Collective{.operation = 0}, Collective{.context = 5, .operation = 0},
                           Collective{.operation = 2}, Collective{.operation = 1}};
  constexpr int tags = 1 << 10;
  EXPECT_EQ(name_of_collective(trace, 1, 0), "MPI_Allreduce");
  EXPECT_EQ(name_of_collective(trace, 1, tags - 1), "MPI_Allreduce");
  EXPECT_EQ(name_of_collective(trace, 1, tags), "a neighbourhood collective");
  EXPECT_EQ(name_of_collective(trace, 1, 2 * tags + 7), "MPI_Finalize");
  EXPECT_EQ(name_of_collective(trace, 1, 3 * tags), "") << "there are but three";
  EXPECT_EQ(name_of_collective(trace, simulate::first_window_context, 0), "");
}

std::string refusal(const trace::Trace& trace) {
  try {
    (void)ends(trace);
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

TEST(InterpretCollectives, DamagedOnesAreRefused) {
  trace::Collective counts = called(Operation::bcast, 8);
  counts.what.counts = {1, 2, 3};
  EXPECT_THAT(refusal(all_call(2, counts)), HasSubstr("counts are not as many as ranks"));
  EXPECT_THAT(refusal(all_call(2, called(Operation::bcast, 8, 2))),
              HasSubstr("its root is no rank"));
  trace::Trace trace = all_call(2, called(Operation::bcast, 8));
  trace.ranks[0].events = {Collective{.operation = 1}};
  EXPECT_THAT(refusal(trace), HasSubstr("there is no such operation"));
  trace.ranks[0].events = {Sleep{1000}, Collective{}};
  trace.ranks[1].events = {Collective{.request = 0}, Collective{.request = 0}};
  EXPECT_THAT(refusal(trace), HasSubstr("still in use"));
  trace.communicators.push_back({"", {1}, {}});
  trace.ranks[0].events = {Collective{.context = 1}};
  EXPECT_THAT(refusal(trace), HasSubstr("it isn't of that communicator"));
  trace::Collective lost;
  lost.is_neighbourhood = true;
  lost.to = {{2, 0, 8}};
  EXPECT_THAT(refusal(all_call(2, lost)), HasSubstr("there is no such neighbour"));
}

TEST(InterpretCollectives, DamagedOnesBetweenGroupsAreRefused) {
  trace::Trace trace = trace_of(2);
  trace.communicators.push_back({"", {0}, {1}});
  const auto refused = [&](const trace::Collective& what) {
    for (trace::Rank& rank : trace.ranks) {
      rank.collectives = {what};
      rank.events = {Collective{.context = 1}};
    }
    return refusal(trace);
  };
  EXPECT_THAT(refused(called(Operation::scan, 8)), HasSubstr("two groups can't do that"));
  EXPECT_THAT(refused(called(Operation::bcast, 8, 1)), HasSubstr("no rank of the other group"));
  trace::Collective counts = called(Operation::allgather, 8);
  counts.what.counts = {1, 2};
  EXPECT_THAT(refused(counts), HasSubstr("counts are not as many as ranks"));
}

}  // namespace commgauge::replay::interpret_collectives_test
