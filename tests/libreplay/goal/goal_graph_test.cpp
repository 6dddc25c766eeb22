#include "goal/goal_graph.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace commgauge::replay::detail::goal_graph_test {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(GoalGraph, DependentsBeginAfterTheStartOrTheEnd) {
  const Graph graph(
      trace::goal_from("num_ranks 1\nrank 0 {\na: calc 1\nb: calc 2\nc: calc 3\n"
                       "b requires a\nc requires a\nc irequires b\n}\n"));
  ASSERT_EQ(graph.nodes.size(), 3U);
  EXPECT_THAT(graph.after_end(0), ElementsAre(1, 2));
  EXPECT_THAT(graph.after_start(0), IsEmpty());
  EXPECT_THAT(graph.after_start(1), ElementsAre(2));
  EXPECT_EQ(graph.nodes[0].awaits, 0U);
  EXPECT_EQ(graph.nodes[1].awaits, 1U);
  EXPECT_EQ(graph.nodes[2].awaits, 2U);
}

TEST(GoalGraph, RanksStandOneBehindTheOther) {
  const Graph graph(
      trace::goal_from("num_ranks 2\nrank 0 {\nsend 8b to 1 tag 3\n}\n"
                       "rank 1 {\ncalc 5\nrecv 8b from 0 tag 3\n}\n"));
  EXPECT_THAT(graph.first, ElementsAre(0, 1, 3));
  EXPECT_EQ(graph.nodes[2].rank, 1U);
  EXPECT_FALSE(graph.has_wildcards);
}

TEST(GoalGraph, PlacesArePairsThatAreNamed) {
  const Graph graph(
      trace::goal_from("num_ranks 1\nrank 0 {\ncalc 1 cpu 2\ncalc 1 cpu 2\n"
                       "calc 1\n}\n"));
  EXPECT_EQ(graph.cpus, 3U);
  EXPECT_EQ(graph.places, 2U);
  EXPECT_EQ(graph.nodes[0].place, graph.nodes[1].place);
  EXPECT_NE(graph.nodes[0].place, graph.nodes[2].place);
}

}  // namespace commgauge::replay::detail::goal_graph_test
