#include "paths/waits.hpp"

#include <gtest/gtest.h>

namespace commgauge::replay::waits_test {

using simulate::Causes;
using simulate::Moment;
using simulate::Why;

/// Rank 0 sleeps for 2 s and computes for 3; its message is on its way for 1 s. Rank 1 computes for
/// 4 s, and waits for the message.
struct Late {
  Causes causes{2};
  std::uint32_t message{};
  Moment received{};

  Late() {
    causes.set_place(0, 7);
    const Moment slept = causes.happens(0, 2, {{simulate::beginning, 2, Why::sleeping}});
    const Moment sent = causes.happens(0, 5, {{slept, 3, Why::computing}});
    message = causes.add_message({.from = 0, .to = 1, .bytes = 8, .sent_by = 7});
    const Moment arrived = causes.happens(1, 6, {{sent, 1, Why::flight, message}});
    causes.set_place(1, 9);
    const Moment came = causes.happens(1, 4, {{simulate::beginning, 4, Why::computing}});
    received = causes.happens(1, 6, {{came, 0, Why::same}, {arrived, 0, Why::waiting, message}});
    causes.set_end(0, sent);
    causes.set_end(1, received);
  }
  [[nodiscard]] LongestPaths::Step wait() const { return {received, causes.of(received)[1], 1}; }
};

TEST(Waits, SayWhoWaitsForWhomAndHowLong) {
  const Late late;
  const Wait wait = wait_of(late.causes, late.wait());
  EXPECT_EQ(wait.rank, 1);
  EXPECT_EQ(wait.place, 9U);
  EXPECT_EQ(wait.partner, 0);
  EXPECT_EQ(wait.partner_place, 7U);
  EXPECT_DOUBLE_EQ(wait.waited, 2);
  EXPECT_DOUBLE_EQ(wait.late, 1) << "until it was sent";
  EXPECT_EQ(wait.why, Why::waiting);
}

TEST(Waits, WithoutThemTheRunIsShorter) {
  const Late late;
  const LongestPaths paths(late.causes);
  EXPECT_DOUBLE_EQ(paths.time(), 6);
  EXPECT_DOUBLE_EQ(time_without(paths, [](Moment, const auto&) { return true; }), 5);
  EXPECT_DOUBLE_EQ(time_without(paths, [](Moment, const auto&) { return false; }), 6);
  const std::set<Awaited> gone{awaited(late.causes, late.received, late.wait().cause)};
  EXPECT_DOUBLE_EQ(paths.with(without(late.causes, gone)), 5);
  EXPECT_TRUE(helps(5, 6));
  EXPECT_FALSE(helps(6, 6));
}

TEST(Waits, AreThoseForMessagesMeetingsAndThreads) {
  EXPECT_TRUE(is_wait({0, 0, Why::waiting}));
  EXPECT_TRUE(is_wait({0, 0, Why::meeting}));
  EXPECT_TRUE(is_wait({0, 0, Why::thread}));
  EXPECT_FALSE(is_wait({0, 1, Why::thread})) << "for a core";
  EXPECT_FALSE(is_wait({0, 1, Why::computing}));
  int count = 0;
  for_each_wait(Late().causes, [&](Moment, const auto&, std::size_t which) {
    ++count;
    EXPECT_EQ(which, 1U);
  });
  EXPECT_EQ(count, 1);
}

TEST(Waits, ForAMessageAreOneWhateverMomentTheyEndAt) {
  const Late late;
  const Awaited what = awaited(late.causes, late.received, late.wait().cause);
  EXPECT_EQ(what.rank, 1);
  EXPECT_EQ(what.message, late.message);
  EXPECT_EQ(what.met, simulate::beginning);
}

TEST(Sleeps, AreCountedWithinATime) {
  const Late late;
  const Sleeps sleeps(late.causes);
  EXPECT_DOUBLE_EQ(sleeps.between(0, 0, 10), 2);
  EXPECT_DOUBLE_EQ(sleeps.between(0, 1.5, 10), 0.5);
  EXPECT_DOUBLE_EQ(sleeps.between(0, 0.5, 1), 0.5);
  EXPECT_DOUBLE_EQ(sleeps.between(1, 0, 10), 0);
}

}  // namespace commgauge::replay::waits_test
