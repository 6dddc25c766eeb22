#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "made_world.hpp"

namespace commgauge::simulate::certainty_test {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr double ms = 1e-3;
constexpr double ns = 1e-9;

/// Of three ranks, rank 0 waits for anybody's message; rank 1 has sent it one at 1 ms.
struct Certainty : testing::Test, MadeWorld {
  Certainty() : MadeWorld{3} {}

  void SetUp() override {
    received = {world.post(0, {0, wildcard, wildcard}, 0)};
    (void)world.send(1, {.to = 0, .size = 1000, .start = 1 * ms});
    world.publish(1, 1);
    EXPECT_FALSE(world.wait_all(0, received));
  }
  [[nodiscard]] bool is_known() { return world.operation(received[0]).known; }

  /// As late an action as may still be followed by an earlier arrival.
  [[nodiscard]] double latest() const {
    return 1 * ms + job::overhead(1000) + job::travel(1000) - least_look_ahead(machine);
  }
  std::array<Offset, 1> received{};
};

TEST_F(Certainty, AMessageIsTakenWhenNobodyCanSendAnEarlierOne) {
  world.publish(2, latest() - 1 * ns);
  world.settle();
  EXPECT_FALSE(is_known());
  EXPECT_THAT(driver.woken, IsEmpty());
  world.publish(2, latest() + 1 * ns);
  world.settle();
  EXPECT_TRUE(is_known());
  EXPECT_THAT(driver.woken, ElementsAre(0));
  EXPECT_EQ(world.message(world.operation(received[0]).message).envelope.source, 1);
}

TEST_F(Certainty, AnEarlierOneIsTakenInstead) {
  (void)world.send(2, {.to = 0, .tag = 5, .size = 0, .start = 0.5 * ms});
  world.publish(2, 1);
  world.settle();
  ASSERT_TRUE(is_known());
  const Message& taken = world.message(world.operation(received[0]).message);
  EXPECT_EQ(taken.envelope.source, 2);
  EXPECT_EQ(taken.envelope.tag, 5);
  EXPECT_EQ(world.unreceived(0).count, 1);
}

TEST_F(Certainty, WhoEndsSendsNoMore) {
  world.finish(2);
  world.settle();
  EXPECT_TRUE(is_known());
}

TEST_F(Certainty, WhoWaitsSendsNothingBeforeItsWaitIsOver) {
  const std::array others{world.post(2, {0, 0, wildcard}, 0)};
  EXPECT_FALSE(world.wait_all(2, others));
  world.settle();
  EXPECT_TRUE(is_known());
}

TEST_F(Certainty, NothingHappensBeforeTheTimeOfTheDriver) {
  driver.time = latest() - 1 * ns;
  world.settle();
  EXPECT_FALSE(is_known());
  driver.time = latest() + 1 * ns;
  world.settle();
  EXPECT_TRUE(is_known());
}

TEST_F(Certainty, ItIsADeadlockOnlyIfNobodyRuns) {
  world.finish(1);
  world.finish(2);
  world.settle();
  EXPECT_TRUE(is_known());
  EXPECT_FALSE(world.nobody_can_go_on()) << "rank 0 has been woken";
  const std::array more{world.post(0, {0, wildcard, wildcard}, 2 * ms)};
  EXPECT_FALSE(world.wait_all(0, more));
  world.settle();
  EXPECT_TRUE(world.nobody_can_go_on());
}

TEST(CertaintyOfNames, AReceiveFromOneRankWaitsForNoOther) {
  MadeWorld made{3};
  const Offset received = made.world.post(0, {0, 1, wildcard}, 0);
  (void)made.world.send(1, {.to = 0, .size = 1000, .start = 1 * ms});
  EXPECT_TRUE(made.world.operation(received).known);
  EXPECT_NEAR(made.world.operation(received).event,
              1 * ms + job::overhead(1000) + job::travel(1000), job::eps);
}

/// In real time a decision that is still to fall may let somebody go on.
TEST(CertaintyInRealTime, ItIsADeadlockIfNothingIsUndecided) {
  MadeWorld made{2};
  made.driver.is_live = true;
  EXPECT_FALSE(made.world.nobody_can_go_on()) << "both run";
  const std::array received{made.world.post(0, {0, wildcard, wildcard}, 0)};
  EXPECT_FALSE(made.world.wait_known(0, 5 * ms));
  made.world.finish(1);
  EXPECT_FALSE(made.world.nobody_can_go_on());
  made.world.settle();
  EXPECT_THAT(made.driver.woken, ElementsAre(0));
  EXPECT_FALSE(made.world.wait_all(0, received));
  made.world.settle();
  EXPECT_TRUE(made.world.nobody_can_go_on());
}

}  // namespace commgauge::simulate::certainty_test
