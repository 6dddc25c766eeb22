#include "goal/goal_matching.hpp"

#include <gtest/gtest.h>

namespace commgauge::replay::detail::goal_matching_test {

/// Two messages of rank 0 to rank 1, which are 0 and 1; and that rank's receives, 2 and 3.
Graph graph_of(const std::string& first, const std::string& second) {
  return Graph(
      trace::goal_from("num_ranks 2\nrank 0 {\nsend 8b to 1 tag 3\nsend 8b to 1 tag 4\n}\n"
                       "rank 1 {\nrecv 8b from " +
                       first + "\nrecv 8b from " + second + "\n}\n"));
}

TEST(GoalMatching, AReceiveTakesTheMessageOfItsTag) {
  Graph graph = graph_of("0 tag 4", "0 tag 3");
  GoalMatching matching(graph);
  EXPECT_EQ(matching.arrive(0), no_index);
  EXPECT_EQ(matching.post(2), no_index);
  EXPECT_EQ(matching.a_waiting_message(), 0U);
  EXPECT_EQ(matching.post(3), 0U);
  EXPECT_EQ(matching.arrive(1), 2U);
  EXPECT_EQ(matching.a_waiting_message(), no_index);
}

TEST(GoalMatching, AWildcardTakesWhatCameFirst) {
  Graph graph = graph_of("-1 tag -1", "0 tag 3");
  GoalMatching matching(graph);
  EXPECT_EQ(matching.arrive(1), no_index);
  EXPECT_EQ(matching.arrive(0), no_index);
  EXPECT_EQ(matching.post(2), 1U);
  EXPECT_EQ(matching.post(3), 0U);
}

TEST(GoalMatching, TheFirstPostedThatFitsTakesAMessage) {
  Graph graph = graph_of("-1 tag -1", "0 tag 3");
  GoalMatching matching(graph);
  EXPECT_EQ(matching.post(2), no_index);
  EXPECT_EQ(matching.post(3), no_index);
  EXPECT_EQ(matching.arrive(0), 2U);
  EXPECT_EQ(matching.arrive(1), no_index) << "the other receive is of another tag";
}

TEST(WaitingTable, KeepsItsQueuesApartWhileItGrows) {
  std::vector<Node> nodes(300);
  WaitingTable table;
  for (std::uint32_t i = 0; i < 300; ++i) {
    const WaitingTable::Key key{i % 100, 7};
    table.append(table.find(key), key, i, nodes);
  }
  for (std::uint32_t sender = 0; sender < 100; ++sender) {
    for (std::uint32_t turn = 0; turn < 3; ++turn) {
      const std::size_t place = table.find({sender, 7});
      ASSERT_EQ(table.take(place, nodes), sender + 100 * turn);
    }
    EXPECT_EQ(table.head(table.find({sender, 7})), no_index);
  }
}

}  // namespace commgauge::replay::detail::goal_matching_test
