// Several threads of a recorded rank.

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "commgauge/base/error.hpp"
#include "commgauge/replay/paths/longest_paths.hpp"
#include "commgauge/replay/paths/walked_marks.hpp"
#include "commgauge/replay/run/replay.hpp"
#include "made_machine.hpp"
#include "recorded_threads.hpp"

namespace commgauge::replay::interpret_threads_test {

using namespace threads;
using trace::Event;

constexpr double ms = 1e-3;
constexpr double eps = 1e-15;

/// The first computes so long, starts the other, computes so long again, and joins it.
trace::Trace two_threads(double first, double second) {
  return trace_of_threads(
      {{together({in_call(1 * ms, {starts(1)}), in_call(1 * ms + first, {acquire(1, 1)}),
                  in_call(1 * ms + first, {}, finalize)}),
        together({{begins(1)}, in_call(second, {release(1)}), {ends(1)}})}});
}

TEST(ThreadsOfATrace, ComputeInParallel) {
  EXPECT_NEAR(replay(two_threads(2 * ms, 5 * ms), machine(1)).time, 6 * ms, eps);
  EXPECT_NEAR(replay(two_threads(7 * ms, 5 * ms), machine(1)).time, 8 * ms, eps);
  const Result result = replay(two_threads(2 * ms, 5 * ms), machine(1));
  EXPECT_NEAR(result.work(), 8 * ms, eps);
  EXPECT_NEAR(result.ranks[0].shares.computing, 8 * ms, eps);
  EXPECT_NEAR(result.ranks[0].shares.waiting, 3 * ms, eps);
}

TEST(ThreadsOfATrace, ShareTheCoresOfTheirRank) {
  Options options;
  options.cores_per_rank = 1;
  EXPECT_NEAR(replay(two_threads(2 * ms, 5 * ms), machine(1), options).time, 8 * ms, eps);
  options.cores_per_rank = 2;
  EXPECT_NEAR(replay(two_threads(2 * ms, 5 * ms), machine(1), options).time, 6 * ms, eps);
}

TEST(ThreadsOfATrace, ComputeNothingWhereThatIsAsked) {
  Options options;
  options.computes = false;
  EXPECT_EQ(replay(two_threads(2 * ms, 5 * ms), machine(1), options).time, 0);
}

TEST(ThreadsOfATrace, ThatWereThereBeforeBeginAtOnce) {
  trace::Trace trace = two_threads(2 * ms, 5 * ms);
  std::erase_if(trace.ranks[0].events, [&](const Event& event) {
    if (!event.is<trace::event::ThreadStart>()) return false;
    --trace.ranks[0].further_threads[0];
    return true;
  });
  EXPECT_NEAR(replay(trace, machine(1)).time, 5 * ms, eps);
}

TEST(ThreadsOfATrace, MeetAtABarrierWhoeverComesLast) {
  // Recorded was the first thread last: then the others have waited for three.
  for (const double first : {1 * ms, 9 * ms}) {
    const auto meets = [&](double processor) {
      return together({in_call(processor, {release(1), acquire(1, 3)}),
                       in_call(processor + 1 * ms, {release(2)})});
    };
    const trace::Trace trace =
        trace_of_threads({{together({in_call(0, {starts(1), starts(2)}), meets(first),
                                     in_call(first + 1 * ms, {acquire(2, 3)}),
                                     in_call(first + 1 * ms, {}, finalize)}),
                           together({{begins(1)}, meets(3 * ms), {ends(1)}}),
                           together({{begins(2)}, meets(2 * ms), {ends(2)}})}});
    EXPECT_NEAR(replay(trace, machine(1)).time, std::max(first, 3 * ms) + 1 * ms, eps);
  }
}

TEST(ThreadsOfATrace, SendAndReceiveAtOnce) {
  const simulate::Machine two = machine(2);
  const double one_way = two.pair(0, 1).one_way.at(1000);
  const auto sends = [](int tag, double processor) {
    return in_call(processor, {send(1, tag, 1000)}, call_of_mpi);
  };
  const auto receives = [](int tag) {
    return in_call(0, {threads::receive(0, tag, 1000)}, call_of_mpi);
  };
  const auto joins = [] {
    return together({in_call(0, {acquire(1, 1)}), in_call(0, {}, finalize)});
  };
  trace::Trace trace = trace_of_threads(
      {{together({in_call(0, {starts(1)}), sends(1, 3 * ms), in_call(3 * ms, {acquire(1, 1)}),
                  in_call(3 * ms, {}, finalize)}),
        together({{begins(1)}, sends(2, 1 * ms), in_call(1 * ms, {release(1)}), {ends(1)}})},
       {together({in_call(0, {starts(1)}), receives(1), joins()}),
        together({{begins(1)}, receives(2), in_call(0, {release(1)}), {ends(1)}})}});
  EXPECT_NEAR(replay(trace, two).time, 3 * ms + one_way, 1e-12);
}

TEST(ThreadsOfATrace, WaitForRequestsOfOthers) {
  const simulate::Machine two = machine(2);
  const Event receive = trace::event::Receive{
      .request = 7, .peer = 0, .tag = 1, .bytes = 1000, .found = {.bytes = 1000}};
  trace::Trace trace =
      trace_of_threads({{together({in_call(2 * ms, {send(1, 1, 1000)}, call_of_mpi),
                                   in_call(2 * ms, {}, finalize)})},
                        {together({in_call(0, {receive}, call_of_mpi), in_call(0, {starts(1)}),
                                   in_call(0, {acquire(1, 1)}), in_call(0, {}, finalize)}),
                         together({{begins(1)},
                                   in_call(0, {wait_for_first()}, call_of_mpi),
                                   in_call(0, {release(1)}),
                                   {ends(1)}})}});
  trace.ranks[1].requests = {7};
  const Result result = replay(trace, two);
  EXPECT_NEAR(result.ranks[1].end, 2 * ms + two.pair(0, 1).one_way.at(1000), 1e-12);
}

TEST(ThreadsOfATrace, OutliveMpi) {
  const trace::Trace trace =
      trace_of_threads({{together({in_call(0, {starts(1)}), in_call(1 * ms, {}, finalize)}),
                         together({{begins(1)}, in_call(5 * ms, {acquire(1, 1), release(2)})}),
                         together({{begins(2)}, in_call(6 * ms, {release(1)})})}});
  EXPECT_NEAR(replay(trace, machine(1)).time, 1 * ms, eps);
}

TEST(ThreadsOfATrace, HaveTheirMarksInTheOrderOfTheirEvents) {
  simulate::Causes causes(1);
  Options options;
  options.keeps_marks = true;
  options.causes = &causes;
  const Result result = replay(two_threads(2 * ms, 5 * ms), machine(1), options);
  std::vector<double> times;
  for (const Mark& mark : result.marks[0]) times.push_back(mark.time);
  const std::vector<double> expected{1 * ms, 1 * ms, 3 * ms, 6 * ms,
                                     6 * ms, 6 * ms, 6 * ms, 6 * ms};
  ASSERT_EQ(times.size(), expected.size());
  for (std::size_t i = 0; i < times.size(); ++i) EXPECT_NEAR(times[i], expected[i], eps) << i;
  // The graph of causes has the same times, and another one where the further thread is quicker.
  const LongestPaths paths(causes);
  const auto same =
      walked_marks(result, paths, [](auto, const auto& cause) { return cause.delay; });
  for (std::size_t i = 0; i < times.size(); ++i) {
    EXPECT_NEAR(same[0][i].time, times[i], eps) << i;
  }
  const auto quicker = walked_marks(result, paths, [](auto, const simulate::Cause& cause) {
    return cause.delay > 4 * ms ? cause.delay / 2 : cause.delay;
  });
  EXPECT_NEAR(quicker[0].back().time, 3.5 * ms, eps);
  EXPECT_NEAR(quicker[0][5].time, 3.5 * ms, eps);
}

TEST(ThreadsOfATrace, ThatWaitForWhatNeverHappensAreSaid) {
  const trace::Trace trace = trace_of_threads({{together({in_call(0, {acquire(1, 1)})})}});
  EXPECT_THROW((void)replay(trace, machine(1)), simulate::DeadlockError);
  const trace::Trace both = trace_of_threads(
      {{together({in_call(0, {acquire(1, 1), release(2)})}),
        together({{begins(1)}, in_call(0, {acquire(2, 1), release(1)}), {ends(1)}})}});
  EXPECT_THROW((void)replay(both, machine(1)), simulate::DeadlockError);
}

TEST(ThreadsOfATrace, ThatAreDamagedAreRefused) {
  const auto refused = [](const Events& events) {
    EXPECT_THROW((void)replay(trace_of_threads({{events}}), machine(1)), InputError);
  };
  refused({begins(1)});
  refused({acquire(1, 0)});
  refused({release(1U << 30U)});
  refused({acquire(1U << 30U, 1)});
}

}  // namespace commgauge::replay::interpret_threads_test
