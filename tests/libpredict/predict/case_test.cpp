#include "predict/case.hpp"

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "refusal.hpp"

namespace commgauge::case_test {

/// From, to, bytes.
using Way = std::tuple<int, int, double>;

Model machine() {
  Model model;
  model.ranks = 4;
  model.eager_limit = Bytes{1000};
  return model;
}

Query collective(Operation operation, Algorithm algorithm, int root, Bytes size = Bytes{8}) {
  return {
      .model = "lmo", .operation = operation, .from = root, .size = size, .algorithm = algorithm};
}

Query message(int from, int to) {
  return {.model = "lmo", .from = from, .to = to, .size = Bytes{8}};
}

std::vector<Way> ways_of(const Query& query) {
  std::vector<Way> ways;
  for (const Message& m : case_of(machine(), query).messages) {
    EXPECT_EQ(m.eager_limit, 1000);
    ways.emplace_back(m.from, m.to, m.size);
  }
  return ways;
}

using Ways = std::vector<Way>;

TEST(Case, AMessageIsItself) { EXPECT_EQ(ways_of(message(2, 1)), (Ways{{2, 1, 8}})); }

TEST(Case, AFlatCollectiveGoesThroughThePeers) {
  EXPECT_EQ(ways_of(collective(Operation::scatter, Algorithm::flat, 1)),
            (Ways{{1, 0, 8}, {1, 2, 8}, {1, 3, 8}}));
  EXPECT_EQ(ways_of(collective(Operation::gather, Algorithm::flat, 1)),
            (Ways{{0, 1, 8}, {2, 1, 8}, {3, 1, 8}}));
  Query ordered = collective(Operation::scatter, Algorithm::flat, 1);
  ordered.order = {3, 0, 2};
  EXPECT_EQ(ways_of(ordered), (Ways{{1, 3, 8}, {1, 0, 8}, {1, 2, 8}}));
}

/// 0 serves 2, which serves 3, and then 1.
TEST(Case, ATreeSendsTheBlocksOfSubtrees) {
  EXPECT_EQ(ways_of(collective(Operation::scatter, Algorithm::binomial, 0)),
            (Ways{{0, 2, 16}, {0, 1, 8}, {2, 3, 8}}));
  EXPECT_EQ(ways_of(collective(Operation::gather, Algorithm::binomial, 0)),
            (Ways{{3, 2, 8}, {1, 0, 8}, {2, 0, 16}}));
  EXPECT_EQ(ways_of(collective(Operation::bcast, Algorithm::binomial, 0)),
            (Ways{{0, 2, 8}, {0, 1, 8}, {2, 3, 8}}));
}

TEST(Case, MessagesAboveTheEagerLimitDontOverlapUnlessAllAreStartedAtOnce) {
  const auto overlaps = [](Algorithm algorithm, Bytes size) {
    return case_of(machine(), collective(Operation::scatter, algorithm, 0, size)).overlaps();
  };
  EXPECT_TRUE(overlaps(Algorithm::flat, Bytes{1000}));
  EXPECT_FALSE(overlaps(Algorithm::flat, Bytes{1001}));
  EXPECT_TRUE(overlaps(Algorithm::at_once, Bytes{1001}));
  EXPECT_FALSE(overlaps(Algorithm::binomial, Bytes{501})) << "two blocks";
}

std::string reason(const Query& query) {
  return refusal([&] { (void)case_of(machine(), query); });
}

TEST(Case, RefusesWhatStandsInNoJob) {
  EXPECT_EQ(reason(message(4, 1)).rfind("rank 4 is out of range", 0), 0U);
  EXPECT_EQ(reason(message(1, -1)).rfind("rank -1 is out of range", 0), 0U);
  EXPECT_EQ(reason(message(1, 1)).rfind("sender and receiver are", 0), 0U);
  Query query = message(1, 2);
  EXPECT_EQ(reason(query), "");
  query.algorithm = Algorithm::binomial;
  EXPECT_EQ(reason(query).rfind("an order or algorithm with p2p", 0), 0U);
}

TEST(Case, RefusesAnOrderThatIsNone) {
  for (const std::vector<int>& order : {std::vector{0, 2}, {0, 2, 2}, {0, 1, 2}, {0, 2, 4}}) {
    Query query = collective(Operation::scatter, Algorithm::flat, 1);
    query.order = order;
    EXPECT_EQ(reason(query).rfind("the serving order is not one of", 0), 0U);
  }
}

TEST(Case, ASendersTimeIsOfModelsThatTellIt) {
  const auto refused = [](const std::string& model, Bytes size) {
    return reason({.model = model, .from = 0, .to = 1, .size = size, .side = Side::sender});
  };
  EXPECT_EQ(refused("loggp", Bytes{1001}), "");
  EXPECT_EQ(refused("lmo", Bytes{1000}), "");
  EXPECT_EQ(refused("lmo", Bytes{1001}).rfind("lmo knows no sender's time above the eager", 0), 0U);
  EXPECT_EQ(refused("hockney", Bytes{1}).rfind("hockney knows no sender's time (", 0), 0U);
  Query scatter = collective(Operation::scatter, Algorithm::flat, 0);
  scatter.side = Side::sender;
  EXPECT_EQ(reason(scatter).rfind("a sender's time of scatter (", 0), 0U);
}

TEST(ForEachMessage, SaysWhichIsRefused) {
  const std::vector<PairMessage> messages{{0, 1, Bytes{8}}, {3, 2, Bytes{16}}, {2, 4, Bytes{8}}};
  Ways ways;
  const std::string why = refusal([&] {
    for_each_message(machine(), "lmo", Side::receiver, messages, [&](std::size_t k, const Case& c) {
      EXPECT_EQ(k, ways.size());
      const Message& m = c.messages.front();
      ways.emplace_back(m.from, m.to, m.size);
    });
  });
  EXPECT_EQ(ways, (Ways{{0, 1, 8}, {3, 2, 16}}));
  EXPECT_EQ(why.rfind("a message from 2 to 4: rank 4 is out of range", 0), 0U) << why;
}

}  // namespace commgauge::case_test
