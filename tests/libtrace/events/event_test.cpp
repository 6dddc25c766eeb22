#include "commgauge/trace/events/event.hpp"

#include <gtest/gtest.h>

namespace commgauge::trace::event_test {

TEST(Event, IsOfOneKind) {
  const Event one{event::Send{.request = 3, .peer = 1}, 17};
  EXPECT_TRUE(one.is<event::Send>());
  EXPECT_TRUE((one.is<event::Receive, event::Send>()));
  EXPECT_FALSE((one.is<event::Receive, event::Wait>()));
  ASSERT_NE(one.as<event::Send>(), nullptr);
  EXPECT_EQ(one.as<event::Send>()->peer, 1);
  EXPECT_EQ(one.as<event::Receive>(), nullptr);
  EXPECT_EQ(one.time, 17);
}

TEST(Event, TellsOfARequestIfItsKindDoes) {
  EXPECT_EQ(request_in(event::Send{}), no_request);
  EXPECT_EQ(request_in(event::Send{.request = 3}), 3U);
  EXPECT_EQ(request_in(event::Free{4}), 4U);
  EXPECT_EQ(request_in(event::Sleep{5}), no_request);
  Event start = event::Start{1};
  set_request(start, 2);
  EXPECT_EQ(request_in(start), 2U);
}

/// A trace has millions of them.
TEST(Event, IsSmall) { EXPECT_EQ(sizeof(Event), 56U); }

}  // namespace commgauge::trace::event_test
