#include "commgauge/simulate/world/world.hpp"

#include <gtest/gtest.h>

#include <array>

#include "made_world.hpp"

namespace commgauge::simulate::world_test {

using namespace job;

TEST(World, RanksRunAtFirst) {
  MadeWorld made{3};
  for (int rank = 0; rank < 3; ++rank) {
    EXPECT_FALSE(made.world.is_blocked(rank));
    EXPECT_EQ(made.world.published(rank), 0);
    EXPECT_EQ(made.world.unreceived(rank).count, 0);
    EXPECT_FALSE(made.world.has_threads(rank));
  }
  EXPECT_FALSE(made.world.nobody_can_go_on());
}

TEST(World, AClockThatIsPublishedNeverFalls) {
  MadeWorld made{1};
  made.world.publish(0, 2e-3);
  made.world.publish(0, 1e-3);
  EXPECT_EQ(made.world.published(0), 2e-3);
}

TEST(World, AnEagerMessageNeedsNoWaiting) {
  MadeWorld made{2};
  EXPECT_EQ(made.world.send(0, {.to = 1, .context = 4, .tag = 9, .size = 1000, .start = 1e-3}), 0U);
  const World::Unreceived found = made.world.unreceived(1);
  ASSERT_EQ(found.count, 1);
  const Message& message = made.world.message(found.first);
  EXPECT_EQ(message.envelope.context, 4);
  EXPECT_EQ(message.envelope.source, 0);
  EXPECT_EQ(message.envelope.tag, 9);
  EXPECT_EQ(message.size, 1000U);
  EXPECT_NEAR(message.arrival, 1e-3 + overhead(1000) + travel(1000), eps);
  EXPECT_NEAR(message.end, 1e-3 + one_way(1000), eps);
}

TEST(World, ARendezvousIsOverWhenItIsReceived) {
  MadeWorld made{2};
  const Offset sent = made.world.send(0, {.to = 1, .size = 100'000, .rendezvous = true});
  ASSERT_NE(sent, 0U);
  EXPECT_TRUE(made.world.operation(sent).is_send);
  EXPECT_FALSE(made.world.operation(sent).known);
  const std::array waits_for{sent};
  EXPECT_FALSE(made.world.wait_all(0, waits_for));
  EXPECT_TRUE(made.world.is_blocked(0));
  const Offset received = made.world.post(1, {0, 0, 0}, 0);
  made.world.publish(1, 1);
  made.world.settle();
  ASSERT_TRUE(made.world.operation(received).known);
  EXPECT_NEAR(made.world.operation(received).event, one_way(1e5), eps);
  EXPECT_TRUE(made.world.operation(sent).known);
  EXPECT_FALSE(made.world.is_blocked(0));
}

/// The links of a rank are found again however many it has.
TEST(World, MessagesOfAPairDoNotOvertakeEachOther) {
  constexpr int ranks = 60;
  MadeWorld made{ranks};
  for (int to = 1; to < ranks; ++to) (void)made.world.send(0, {.to = to, .tag = 1, .size = 5000});
  for (int to = 1; to < ranks; ++to) {
    (void)made.world.send(0, {.to = to, .tag = 2, .size = 0, .start = 1 * us});
  }
  for (int to = 1; to < ranks; ++to) {
    const Offset large = made.world.find_message(to, {0, 0, 1}, 1);
    const Offset small = made.world.find_message(to, {0, 0, 2}, 1);
    ASSERT_NE(large, 0U);
    ASSERT_NE(small, 0U);
    EXPECT_NEAR(made.world.message(large).arrival, overhead(5000) + travel(5000), eps);
    EXPECT_GE(made.world.message(small).arrival, made.world.message(large).arrival) << to;
    EXPECT_LT(made.world.message(small).arrival, made.world.message(large).arrival + 1 * us) << to;
    EXPECT_EQ(made.world.message(large).number, to - 1);
    EXPECT_EQ(made.world.message(small).number, ranks - 1 + to - 1);
  }
}

TEST(World, AReceiveTakesTheMessageThatIsThere) {
  MadeWorld made{2};
  (void)made.world.send(0, {.to = 1, .tag = 1, .size = 10});
  (void)made.world.send(0, {.to = 1, .tag = 2, .size = 20, .start = 50 * us});
  const Offset received = made.world.post(1, {0, 0, 2}, 1e-3);
  ASSERT_TRUE(made.world.operation(received).known);
  EXPECT_EQ(made.world.message(made.world.operation(received).message).size, 20U);
  EXPECT_EQ(made.world.unreceived(1).count, 1);
  made.world.drop(received);
  EXPECT_NE(made.world.find_message(1, {0, 0, 1}, 1e-3), 0U);
  EXPECT_EQ(made.world.find_message(1, {0, 0, 2}, 1e-3), 0U);
}

TEST(World, WhoHasFinishedIsNotBlocked) {
  MadeWorld made{2};
  const std::array waits_for{made.world.post(0, {0, 1, 0}, 0)};
  EXPECT_FALSE(made.world.wait_all(0, waits_for));
  EXPECT_TRUE(made.world.is_left_alone(1)) << "rank 0 waits for it alone";
  EXPECT_FALSE(made.world.is_left_alone(0));
  made.world.finish(1);
  EXPECT_FALSE(made.world.is_blocked(1));
  EXPECT_TRUE(made.world.is_blocked(0));
  made.world.settle();
  EXPECT_TRUE(made.world.nobody_can_go_on());
}

}  // namespace commgauge::simulate::world_test
