#include "paths/received.hpp"

#include <gtest/gtest.h>

#include "marked_rank.hpp"

namespace commgauge::replay::received_test {

using namespace trace::event;

/// Rank 1 waits for two receives of rank 0's messages, of 8 and of 16 bytes.
trace::Trace two_receives() {
  trace::Trace trace = two_ranks();
  trace.ranks[1].events = {Receive{.request = 0, .peer = 0, .bytes = 8, .found = {0, 0, 8}},
                           Receive{.request = 1, .peer = 0, .bytes = 16, .found = {0, 0, 16}},
                           trace::event::Wait{.list = 0, .count = 2}};
  trace.ranks[1].requests = {0, 1};
  return trace;
}

class Received : public testing::Test {
 protected:
  std::optional<Unawaited> receive_of_bytes(std::uint64_t bytes, int context = 0) {
    const std::uint32_t message =
        causes_.add_message({.from = 0, .to = 1, .bytes = bytes, .context = context});
    const Wait wait{.why = simulate::Why::waiting, .rank = 1, .place = 2, .message = message};
    return receive_of(trace_, causes_, wait);
  }

  trace::Trace trace_ = two_receives();
  simulate::Causes causes_{2};
};

TEST_F(Received, IsTheOneThatFits) {
  ASSERT_TRUE(receive_of_bytes(8).has_value());
  EXPECT_EQ(receive_of_bytes(8)->event, 0U);
  ASSERT_TRUE(receive_of_bytes(16).has_value());
  EXPECT_EQ(receive_of_bytes(16)->event, 1U);
  EXPECT_EQ(receive_of_bytes(16)->rank, 1);
}

TEST_F(Received, IsNotCertainIfTwoFit) {
  std::get<Receive>(trace_.ranks[1].events[1].what).found.bytes = 8;
  EXPECT_FALSE(receive_of_bytes(8).has_value());
}

TEST_F(Received, IsNoneOfACollectiveOperation) {
  EXPECT_FALSE(receive_of_bytes(8, 1).has_value());
  EXPECT_FALSE(receive_of_bytes(100).has_value());
}

TEST_F(Received, IsNoneOfAnotherThread) {
  trace_.ranks[1].events.insert(trace_.ranks[1].events.begin() + 2, ThreadBegin{1});
  trace_.ranks[1].events.erase(trace_.ranks[1].events.begin() + 1);
  EXPECT_FALSE(receive_of_bytes(8).has_value());
}

}  // namespace commgauge::replay::received_test
