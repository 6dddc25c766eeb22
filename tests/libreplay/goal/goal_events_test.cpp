#include "goal/goal_events.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <utility>

namespace commgauge::replay::detail::goal_events_test {

TEST(EventQueue, EventsComeByTimeThenByOrder) {
  std::mt19937_64 engine{7};
  EventQueue queue;
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint32_t> expected;
  std::uint64_t now = 0;
  for (std::uint32_t i = 0; i < 20000; ++i) {
    const std::uint64_t time = now + (engine() >> (4 + engine() % 60));
    const auto order = static_cast<std::uint32_t>(engine());
    if (expected.emplace(std::pair{time, order}, i).second) queue.push({time, order, i});
    if (i % 3 == 0) continue;
    const Event event = queue.pop();
    ASSERT_EQ((std::pair{event.time, event.order}), expected.begin()->first);
    ASSERT_EQ(event.code, expected.begin()->second);
    expected.erase(expected.begin());
    now = event.time;
    ASSERT_EQ(queue.empty(), expected.empty());
  }
}

TEST(EventQueue, WhatIsOlderComesFirstEvenIfItCameLater) {
  EventQueue queue;
  queue.push({0, 5, 1});
  queue.push({0, 9, 2});
  EXPECT_EQ(queue.pop().code, 1);
  queue.push({0, 7, 3});
  queue.push({0, 6, 4});
  EXPECT_EQ(queue.pop().code, 4);
  EXPECT_EQ(queue.pop().code, 3);
  EXPECT_EQ(queue.pop().code, 2);
  EXPECT_TRUE(queue.empty());
}

}  // namespace commgauge::replay::detail::goal_events_test
