#include "explain/shares.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "commgauge/replay/paths/longest_paths.hpp"
#include "commgauge/replay/run/replay.hpp"
#include "made_program.hpp"

namespace commgauge::replay::shares_test {

using simulate::Cause;
using simulate::Moment;
using testing::ElementsAre;
using testing::IsEmpty;

/// In the loop both ranks compute, send, and compute again; rank 0 computes 5 ms more behind it.
class Divided : public testing::Test {
 protected:
  Divided() {
    Options options;
    options.causes = &causes;
    (void)replay(made.trace, one_millisecond(2), options);
  }
  static Made program() {
    Made made(2);
    for (int r = 0; r < 2; ++r) {
      made.enter_loop(r).compute(r, r == 0 ? 2 : 8).send(r, 1 - r).compute(r, 3);
      made.leave_loop(r).receive(r, 1 - r);
    }
    made.compute(0, 5).finish();
    return made;
  }
  [[nodiscard]] Shares shares(const std::vector<std::uint32_t>& divided_in) const {
    return {causes, places, ends_of_computing(places), divided_in};
  }
  /// What the rank computes then, in the loop or behind it.
  [[nodiscard]] double then(const Shares& shares, int rank, bool is_in_loop) const {
    double sum = 0;
    for (Moment to = 1; to < causes.size(); ++to) {
      for (const Cause& cause : causes.of(to)) {
        if (causes.rank(to) != rank || !is_own_computing(causes, places, to, cause)) continue;
        const std::uint32_t region = places.region(rank, causes.place(to));
        if ((region == Made::loop) == is_in_loop) sum += shares.delay(causes, to, cause);
      }
    }
    return sum;
  }
  /// Instances: the whole program and the loop of rank 0, then those of rank 1.
  std::vector<std::uint32_t> loops_only{Shares::none, 1, Shares::none, 3};

  Made made = program();
  simulate::Causes causes{2};
  Places places{made.trace};
};

TEST_F(Divided, InALoopEachComputesTheMean) {
  ASSERT_EQ(places.instances().size(), 4U);
  const Shares divided = shares(loops_only);
  EXPECT_NEAR(then(divided, 0, true), 8 * ms, 1e-12);
  EXPECT_NEAR(then(divided, 1, true), 8 * ms, 1e-12);
  EXPECT_NEAR(then(divided, 0, false), 5 * ms, 1e-12) << "as it was";
  EXPECT_NEAR(then(divided, 1, false), 0, 1e-12);
}

TEST_F(Divided, WhatIsEvenAfterTheCallStays) {
  const Shares divided = shares(loops_only);
  std::vector<double> delays;
  for (Moment to = 1; to < causes.size(); ++to) {
    for (const Cause& cause : causes.of(to)) {
      if (is_own_computing(causes, places, to, cause) && causes.rank(to) == 1) {
        delays.push_back(divided.delay(causes, to, cause));
      }
    }
  }
  ASSERT_EQ(delays.size(), 2U);
  EXPECT_NEAR(delays[0], 5 * ms, 1e-12) << "before the call, of 8 ms";
  EXPECT_NEAR(delays[1], 3 * ms, 1e-12);
}

TEST_F(Divided, InTheWholeProgramTheLoopCountsToo) {
  const Shares divided = shares({0, 0, 2, 2});
  EXPECT_NEAR(then(divided, 0, true) + then(divided, 0, false), 10.5 * ms, 1e-12);
  EXPECT_NEAR(then(divided, 1, true) + then(divided, 1, false), 10.5 * ms, 1e-12);
}

TEST_F(Divided, WhereNothingIsEachStaysAsItIs) {
  const Shares divided = shares(std::vector(4, Shares::none));
  for (Moment to = 1; to < causes.size(); ++to) {
    for (const Cause& cause : causes.of(to)) {
      EXPECT_EQ(divided.delay(causes, to, cause), cause.delay);
    }
  }
}

std::vector<std::uint32_t> events_of_ends(const std::vector<EndOfComputing>& ends) {
  std::vector<std::uint32_t> events;
  for (const EndOfComputing& end : ends) events.push_back(end.event);
  return events;
}

/// Computing may end at calls and borders of regions outside of calls, not within a call.
TEST(EndsOfComputing, AreBeforeCallsAndBorders) {
  Made made(1);
  made.enter_loop(0).compute(0, 1).send(0, 0).sleep(0, 1).leave_loop(0).finish();
  // 0 begin of the loop, 1 MPI_Send, 2 its message, 3 its end, 4 "sleep", 5 the sleep, 6 its end,
  // 7 end of the loop, 8 MPI_Finalize, 9 its end
  const EndsOfComputing all = ends_of_computing(Places(made.trace));
  ASSERT_EQ(all.size(), 1U);
  EXPECT_THAT(events_of_ends(all[0]), ElementsAre(0, 1, 4, 5, 7, 8));
  std::vector<std::uint32_t> communicating;
  std::vector<std::uint32_t> without_moment;
  for (const EndOfComputing& end : all[0]) {
    if (end.communicates) communicating.push_back(end.event);
    if (!end.has_moment) without_moment.push_back(end.event);
  }
  EXPECT_THAT(communicating, ElementsAre(1));
  EXPECT_THAT(without_moment, ElementsAre(5)) << "a sleep within its call";
}

TEST(EndsOfComputing, AreNoneAtTheStartOfMpi) {
  Made made(1);
  made.trace.names[0] = "MPI_Init";
  made.compute(0, 1).border<trace::event::Enter>(0, 0).border<trace::event::Leave>(0, 0);
  EXPECT_THAT(ends_of_computing(Places(made.trace))[0], IsEmpty());
}

TEST(OwnComputing, IsTimeOfTheProgramAlone) {
  Made made(2);
  made.compute(0, 1).send(0, 1).receive(1, 0).sleep(1, 2).finish();
  simulate::Causes causes(2);
  Options options;
  options.causes = &causes;
  (void)replay(made.trace, one_millisecond(2), options);
  const Places places(made.trace);
  std::vector<double> own;
  for (Moment to = 1; to < causes.size(); ++to) {
    for (const Cause& cause : causes.of(to)) {
      if (is_own_computing(causes, places, to, cause) && cause.delay > 0) {
        own.push_back(cause.delay);
      }
    }
  }
  ASSERT_EQ(own.size(), 2U) << "not the message";
  EXPECT_NEAR(own[0] + own[1], 3 * ms, 1e-12);
  EXPECT_FALSE(is_own_computing(causes, places, 1, {0, 1, simulate::Why::flight}));
  EXPECT_FALSE(is_own_computing(causes, places, 1, {0, 1, simulate::Why::computing, 0}))
      << "of a message";
}

}  // namespace commgauge::replay::shares_test
