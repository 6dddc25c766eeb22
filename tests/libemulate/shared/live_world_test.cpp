#include "shared/live_world.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string_view>

#include "commgauge/simulate/machine/topology.hpp"

namespace commgauge::emulate::live_world_test {

constexpr int ranks = 3;

/// What ranks share, with the world as two of them see it.
class LiveWorlds : public testing::Test {
 protected:
  [[nodiscard]] SharedMemory open() const { return SharedMemory::open(getpid(), memory_.fd()); }
  static CollectiveNote note(std::string_view name, int rank) {
    CollectiveNote made;
    name.copy(made.name.data(), made.name.size() - 1);
    made.rank = rank;
    return made;
  }

  SharedMemory memory_{SharedMemory::create()};
  Offset place_{LiveWorld::set_up(
      memory_, simulate::machine_of(*simulate::generated("full:3"), {{1e-5}, {1e-8}, {}, {}, {}}))};
  LiveWorld first_{open(), place_, 0};
  LiveWorld second_{open(), place_, 1};
};

TEST_F(LiveWorlds, EachRankSeesTheMachine) {
  EXPECT_EQ(second_.world().machine().ranks, ranks);
  EXPECT_EQ(second_.world().machine().hosts[2], "processor2");
}

TEST_F(LiveWorlds, ANumberIsGivenOnce) {
  const int number = first_.next_number();
  EXPECT_GT(number, 0);
  EXPECT_EQ(second_.next_number(), number + 1);
  EXPECT_EQ(first_.next_number(), number + 2);
}

TEST_F(LiveWorlds, WhoAsksByTheSameKeyGetsTheSameNumber) {
  const int number = first_.number_for(5, 7, 2);
  const int other = first_.number_for(5, 8, 2);
  EXPECT_NE(other, number);
  EXPECT_EQ(second_.number_for(5, 7, 2), number);
  EXPECT_EQ(second_.number_for(5, 8, 2), other);
}

TEST_F(LiveWorlds, WhenAllHaveAskedTheKeyIsFree) {
  const int number = first_.number_for(5, 7, 2);
  EXPECT_EQ(second_.number_for(5, 7, 2), number);
  EXPECT_NE(second_.number_for(5, 7, 2), number);
}

TEST_F(LiveWorlds, TheFirstToAskMaySayWhichNumber) {
  EXPECT_EQ(first_.number_for(5, 7, 2, 1234), 1234);
  EXPECT_EQ(second_.number_for(5, 7, 2), 1234);
}

TEST_F(LiveWorlds, OneRankAloneIsTheFirstToTell) {
  EXPECT_TRUE(second_.is_first_to_fail());
  EXPECT_FALSE(first_.is_first_to_fail());
  EXPECT_TRUE(first_.is_first_to_warn());
  EXPECT_FALSE(second_.is_first_to_warn());
  EXPECT_TRUE(first_.is_first_to_tell_of_rest());
  EXPECT_FALSE(second_.is_first_to_tell_of_rest());
}

TEST_F(LiveWorlds, AMemberHearsHowTheFirstCalledACollectiveOperation) {
  EXPECT_EQ(first_.note_collective(3, 0, 2, note("MPI_Bcast", 0)).rank, 0);
  EXPECT_EQ(first_.collective(3, 0), "MPI_Bcast");
  const CollectiveNote heard = second_.note_collective(3, 0, 2, note("MPI_Barrier", 1));
  EXPECT_STREQ(heard.name.data(), "MPI_Bcast");
  EXPECT_EQ(heard.rank, 0);
}

TEST_F(LiveWorlds, WorkIsDoneMeanwhileUntilThereIsNoMore) {
  int left = 2;
  first_.set_meanwhile([&] { return --left > 0; });
  EXPECT_TRUE(first_.work_meanwhile());
  EXPECT_FALSE(first_.work_meanwhile());
  EXPECT_EQ(left, 0);
}

}  // namespace commgauge::emulate::live_world_test
