#include "commgauge/replay/run/retimed.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "commgauge/base/error.hpp"
#include "commgauge/replay/run/replay.hpp"
#include "made_machine.hpp"
#include "marked_rank.hpp"

namespace commgauge::replay::retimed_test {

simulate::Machine machine() {
  simulate::Machine made = simulate::machine_of(simulate::hockney_model(2), "hockney");
  made.time_ratios = {{2, 2, 2}, simulate::same_speed};
  return made;
}

Options with_timeline() {
  Options options;
  options.keeps_timeline = true;
  options.counts_traffic = true;
  return options;
}

std::int64_t processor_of(const trace::Event& event) {
  return std::visit(
      [](const auto& what) -> std::int64_t {
        if constexpr (requires { what.processor; }) return what.processor;
        return -1;
      },
      event.what);
}

TEST(Retimed, EventsAreAtTheTimesOfTheReplay) {
  const trace::Trace recorded = one_message_in_a_region();
  const Result result = replay(recorded, machine(), with_timeline());
  const trace::Trace again = retimed(recorded, result, with_timeline());
  EXPECT_TRUE(again.is_virtual);
  const auto& sender = again.ranks[0].events;
  // A processor of half the speed.
  EXPECT_EQ(sender[0].time, 2000);
  EXPECT_EQ(sender[1].time, 6000);
  EXPECT_EQ(processor_of(sender[1]), 6000);
  EXPECT_EQ(sender[2].time, 0);  // that of the event before
  const auto received = std::llround(result.timeline.messages.at(0).received * 1e9);
  const auto& receiver = again.ranks[1].events;
  EXPECT_EQ(receiver[1].time, received);
  EXPECT_EQ(receiver[2].time, received);
  EXPECT_EQ(processor_of(receiver[2]), 0);
}

TEST(Retimed, TakesTheSameTimeAgain) {
  const trace::Trace recorded = one_message_in_a_region();
  const Result result = replay(recorded, machine(), with_timeline());
  simulate::Machine same = machine();
  same.time_ratios = {simulate::same_speed,
                      simulate::same_speed};  // which are in the computing now
  const Result again = replay(retimed(recorded, result, with_timeline()), same);
  EXPECT_EQ(again.time, result.time);
}

TEST(Retimed, ReadingsOfTheClockAreComputedOnce) {
  trace::Trace recorded = one_message_in_a_region();
  recorded.ranks[0].events.insert(recorded.ranks[0].events.begin(), trace::event::ClockReads{1000});
  for (const bool computes : {true, false}) {
    Options options = with_timeline();
    options.computes = computes;
    const Result result = replay(recorded, machine(), options);
    simulate::Machine same = machine();
    same.time_ratios = {simulate::same_speed, simulate::same_speed};
    const Result again = replay(retimed(recorded, result, options), same, options);
    // Where computing takes no time the readings do, and processors make no difference to them.
    EXPECT_NEAR(again.time, result.time, 1e-12) << computes;
  }
}

TEST(Retimed, WhatCameFirstIsNotInTheTrace) {
  const trace::Trace recorded = one_message_in_a_region();
  Options options = with_timeline();
  options.rematches = true;
  const Result result = replay(recorded, machine(), options);
  EXPECT_THROW((void)retimed(recorded, result, options), InputError);
}

TEST(Traffic, IsCountedByPair) {
  const Result result = replay(one_message_in_a_region(), machine(), with_timeline());
  ASSERT_EQ(result.traffic.size(), 1U);
  EXPECT_EQ(result.traffic[0].from, 0);
  EXPECT_EQ(result.traffic[0].to, 1);
  EXPECT_EQ(result.traffic[0].messages, 1U);
  EXPECT_EQ(result.traffic[0].bytes, 100U);
  EXPECT_TRUE(replay(one_message_in_a_region(), machine()).traffic.empty());
}

TEST(Utilisation, IsComputingOfAllTime) {
  const Result result = replay(one_message_in_a_region(), machine(), with_timeline());
  EXPECT_DOUBLE_EQ(result.utilisation(), 6e-6 / (2 * result.time));
  EXPECT_EQ(Result{}.utilisation(), 0);
}

}  // namespace commgauge::replay::retimed_test
