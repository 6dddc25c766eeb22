#include "rank/communicator.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace commgauge::emulate::communicator_test {

using testing::ElementsAre;

Communicator with(std::vector<int> peers, std::vector<int> beside = {}) {
  Communicator comm;
  comm.id = 3;
  comm.is_inter = !beside.empty();
  comm.peers = std::move(peers);
  comm.beside = std::move(beside);
  return comm;
}

TEST(Communicator, ItsMembersAreInItsOrder) {
  EXPECT_THAT(with({4, 1, 2}).members(), ElementsAre(4, 1, 2));
  EXPECT_THAT(with({4, 1, 2}).sorted_members(), ElementsAre(4, 1, 2));
}

TEST(Communicator, OfTwoGroupsTheOwnComesFirst) {
  EXPECT_THAT(with({1, 3}, {2, 0}).members(), ElementsAre(2, 0, 1, 3));
}

TEST(Communicator, OfTwoGroupsTheOrderOfAllIsTheSameOnBothSides) {
  EXPECT_THAT(with({1, 3}, {2, 0}).sorted_members(), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(with({2, 0}, {1, 3}).sorted_members(), ElementsAre(0, 1, 2, 3));
}

TEST(Communicator, TheProgramsMessagesAndCollectiveOperationsHaveTheirOwnContexts) {
  Communicator next = with({0});
  next.id = 4;
  EXPECT_NE(with({0}).program_context(), with({0}).collective_context());
  EXPECT_NE(with({0}).collective_context(), next.program_context());
}

}  // namespace commgauge::emulate::communicator_test
