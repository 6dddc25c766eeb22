// What is told of recorded ranks with several threads.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "commgauge/replay/explain/efficiency.hpp"
#include "commgauge/replay/explain/explanation.hpp"
#include "commgauge/replay/run/replay.hpp"
#include "commgauge/replay/run/retimed.hpp"
#include "commgauge/replay/run/spans.hpp"
#include "made_machine.hpp"
#include "recorded_threads.hpp"

namespace commgauge::replay::threads_explained_test {

using namespace threads;
using trace::event::RegionBegin;
using trace::event::RegionEnd;

constexpr double ms = 1e-3;
constexpr double eps = 1e-12;

constexpr std::uint32_t region = 3;

trace::Trace with_region(trace::Trace trace) {
  trace.names.emplace_back("solve");
  return trace;
}

/// The first thread computes 1 ms, starts another one, computes 2 ms, and joins it, which computes
/// 5 ms: 4 ms of them in the region that the first is in, too, for its 2 ms. A third does nothing.
trace::Trace one_rank() {
  return with_region(trace_of_threads({{together({in_call(1 * ms, {starts(1), starts(2)}),
                                                  {at<RegionBegin>(region, 1 * ms)},
                                                  {at<RegionEnd>(region, 3 * ms)},
                                                  in_call(3 * ms, {acquire(1, 1)}),
                                                  in_call(3 * ms, {}, finalize)}),
                                        together({{begins(1)},
                                                  {at<RegionBegin>(region, 1 * ms)},
                                                  {at<RegionEnd>(region, 5 * ms)},
                                                  in_call(5 * ms, {release(1)}),
                                                  {ends(1)}}),
                                        together({{begins(2)}, in_call(0, {}), {ends(2)}})}}));
}

struct Replayed {
  simulate::Causes causes;
  Options options;
  Result result;
  Replayed(const trace::Trace& trace, const simulate::Machine& machine) : causes(machine.ranks) {
    options.causes = &causes;
    options.keeps_timeline = true;
    result = replay(trace, machine, options);
  }
};

Explanation explained(const trace::Trace& trace, const simulate::Machine& machine) {
  const Replayed replayed(trace, machine);
  return explain(trace, machine, replayed.result, replayed.causes);
}

const Answer* find(const Explanation& all, Answer::Kind kind) {
  const auto found = std::ranges::find(all.answers, kind, &Answer::kind);
  return found == all.answers.end() ? nullptr : &*found;
}

TEST(ThreadsExplained, AWaitForAnotherThreadIsOne) {
  const Explanation all = explained(one_rank(), machine(1));
  EXPECT_NEAR(all.time, 6 * ms, eps);
  const Answer* const wait = find(all, Answer::Kind::wait);
  ASSERT_NE(wait, nullptr);
  EXPECT_EQ(wait->title, "Rank 0 waits at pthread_join for another of its threads, until 6.00 ms");
  EXPECT_TRUE(wait->advice.starts_with("divide more evenly what the threads of a rank do"))
      << wait->advice;
  EXPECT_NEAR(wait->time, 3 * ms, eps);
  EXPECT_EQ(wait->where, (Whereabouts{0, whole_program, "pthread_join", ""}));
  EXPECT_EQ(find(all, Answer::Kind::call_site)->advice, wait->advice);
  EXPECT_EQ(find(all, Answer::Kind::rank)->advice, wait->advice);
}

TEST(ThreadsExplained, TheCriticalPathGoesThroughThreads) {
  const Explanation all = explained(one_rank(), machine(1));
  double outside = 0;
  double inside = 0;
  for (const CriticalPath::Part& part : all.critical_path.parts) {
    EXPECT_EQ(part.kind, CostKind::computing);
    (part.where.region == "solve" ? inside : outside) += part.seconds;
  }
  EXPECT_NEAR(inside, 4 * ms, eps);
  EXPECT_NEAR(outside, 2 * ms, eps);
}

TEST(ThreadsExplained, InstancesOfRegionsAreTheRanks) {
  const Explanation all = explained(one_rank(), machine(1));
  ASSERT_EQ(all.balance.size(), 2U);
  for (const Balance& balance : all.balance) {
    const bool is_region = balance.region == "solve";
    EXPECT_NEAR(balance.computing, (is_region ? 6 : 8) * ms, eps);
    EXPECT_EQ(balance.instances, is_region ? 2U : 1U);
    EXPECT_NEAR(balance.time, 6 * ms, eps) << "one rank has nobody to divide it with";
  }
}

/// What two ranks compute is 2 and 4 ms in the first thread, and the same the other way round in
/// the second one, in a region that is only there.
TEST(ThreadsExplained, StretchesOfThreadsArentMixed) {
  const auto rank = [](double first, double second) {
    return std::vector<Events>{together({in_call(0, {starts(1)}), in_call(first, {acquire(1, 1)}),
                                         in_call(first, {}, finalize)}),
                               together({{begins(1)},
                                         {at<RegionBegin>(region, 0)},
                                         {at<RegionEnd>(region, second)},
                                         in_call(second, {release(1)}),
                                         {ends(1)}})};
  };
  const trace::Trace trace =
      with_region(trace_of_threads({rank(2 * ms, 4 * ms), rank(4 * ms, 2 * ms)}));
  const Explanation all = explained(trace, machine(2));
  EXPECT_NEAR(all.time, 4 * ms, eps);
  const auto solve = std::ranges::find(all.balance, "solve", &Balance::region);
  ASSERT_NE(solve, all.balance.end());
  EXPECT_NEAR(solve->mean_over_max, 0.75, eps);
  EXPECT_NEAR(solve->time, 4 * ms, eps) << "3 ms in it, and rank 1's first thread has 4";
  EXPECT_NEAR(find(all, Answer::Kind::all_balanced)->time, 3 * ms, eps);
}

TEST(ThreadsExplained, EfficiencyCountsThreadsThatCompute) {
  const trace::Trace trace = one_rank();
  const Replayed replayed(trace, machine(1));
  const Efficiencies all = efficiency(trace, machine(1), replayed.result, replayed.options);
  EXPECT_NEAR(all.run.mean_useful, 4 * ms, eps);
  EXPECT_NEAR(all.run.most_useful, 5 * ms, eps);
  EXPECT_NEAR(all.run.time, 6 * ms, eps);
  ASSERT_EQ(all.regions.size(), 1U);
  EXPECT_EQ(all.regions[0].instances, 1U) << "each thread's first";
  EXPECT_NEAR(all.regions[0].mean_useful, 3 * ms, eps);
  EXPECT_NEAR(all.regions[0].most_useful, 4 * ms, eps);
  EXPECT_NEAR(all.regions[0].time, 5 * ms, eps) << "from 1 to 6 ms";
}

TEST(ThreadsExplained, UtilisationIsOfTheThreadsTimes) {
  const Replayed replayed(one_rank(), machine(1));
  // The first is there for 6 ms, the second one from 1 to 6 ms, the third at 1 ms.
  EXPECT_NEAR(replayed.result.ranks[0].further_threads, 5 * ms, eps);
  EXPECT_NEAR(replayed.result.utilisation(), 8.0 / 11, eps);
}

TEST(ThreadsExplained, SpansAreOfThreads) {
  const trace::Trace trace = one_rank();
  const Replayed replayed(trace, machine(1));
  const std::vector<Span> spans = spans_of(trace, replayed.result).front();
  ASSERT_EQ(spans.size(), 7U);
  const auto second = of_thread(spans, 1);
  ASSERT_EQ(second.size(), 2U);
  EXPECT_TRUE(second[0].is_region);
  EXPECT_NEAR(second[0].from, 2 * ms, eps);
  EXPECT_NEAR(second[0].to, 6 * ms, eps);
  EXPECT_EQ(second[1].depth, 0);
  EXPECT_EQ(of_thread(spans, 0).size(), 4U);
  EXPECT_EQ(of_thread(spans, 2).size(), 1U);
}

TEST(ThreadsExplained, SpansLeftOpenEndWithTheirThread) {
  const trace::Trace trace = with_region(trace_of_threads(
      {{together({in_call(0, {starts(1)}), in_call(5 * ms, {}, finalize)}),
        together({{begins(1)}, {at<RegionBegin>(region, 1 * ms)}, in_call(2 * ms, {})})}}));
  const Replayed replayed(trace, machine(1));
  const auto spans = spans_of(trace, replayed.result).front();
  const auto second = of_thread(spans, 1);
  ASSERT_EQ(second.size(), 2U);
  EXPECT_NEAR(second[0].to, 2 * ms, eps);
  EXPECT_EQ(second[1].depth, 1);
}

TEST(ThreadsExplained, RetimedTakesTheSameTimeAgain) {
  trace::Trace trace = one_rank();
  trace.is_virtual = false;
  // Readings of the clock, whose time is in the computing: they are left out.
  const Event reads = trace::event::ClockReads{50'000};
  for (const std::size_t event : {8U, 1U}) {
    trace.ranks[0].events.insert(trace.ranks[0].events.begin() + static_cast<long>(event), reads);
    for (std::uint32_t& first : trace.ranks[0].further_threads) first += event < first ? 1 : 0;
  }
  const Replayed replayed(trace, machine(1));
  const trace::Trace again = retimed(trace, replayed.result, replayed.options);
  ASSERT_EQ(again.ranks[0].further_threads.size(), 2U);
  EXPECT_EQ(again.ranks[0].events.size() + 2, trace.ranks[0].events.size());
  for (std::size_t thread = 1; thread < 3; ++thread) {
    EXPECT_TRUE(events_of(again.ranks[0], thread).front().is<trace::event::ThreadBegin>());
    EXPECT_EQ(events_of(again.ranks[0], thread).front().time, 1'000'000);
  }
  const Result result = replay(again, machine(1));
  EXPECT_EQ(result.time, replayed.result.time);
  EXPECT_NEAR(result.time, 6 * ms, eps);
}

/// Rank 0's second thread starts a receive, and its first one waits for it. Rank 1 is late.
TEST(ThreadsExplained, AWaitForAnothersReceiveIsConfirmed) {
  const Event receive =
      trace::event::Receive{.request = 0, .peer = 1, .bytes = 8, .found = {1, 0, 8}};
  trace::Trace trace = trace_of_threads(
      {{together({in_call(0, {starts(1)}), in_call(0, {acquire(1, 1)}),
                  in_call(0, {wait_for_first()}, call_of_mpi), in_call(1 * ms, {}, finalize)}),
        together({{begins(1)},
                  in_call(0, {receive}, call_of_mpi),
                  in_call(0, {release(1)}),
                  {ends(1)}})},
       {together({in_call(4 * ms, {send(0, 0, 8)}, call_of_mpi), in_call(4 * ms, {}, finalize)})}});
  trace.ranks[0].requests = {0};
  const Explanation all = explained(trace, machine(2));
  EXPECT_GT(all.time, 5 * ms);
  const Answer* const wait = find(all, Answer::Kind::wait);
  ASSERT_NE(wait, nullptr);
  EXPECT_TRUE(wait->title.starts_with("Rank 0 waits at MPI_Send for a message of rank 1"))
      << wait->title;
  EXPECT_NEAR(wait->time, 4 * ms, 1e-4);
  ASSERT_TRUE(wait->confirmed.has_value());
  EXPECT_NEAR(*wait->confirmed, wait->time, eps);
}

}  // namespace commgauge::replay::threads_explained_test
