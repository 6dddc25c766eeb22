#include "commgauge/schedule/decision_tree.hpp"

#include <gtest/gtest.h>

namespace commgauge::schedule::decision_tree_test {

/// Of a tree in which algorithms have the names that --collectives has.
Algorithm decide(const std::string& json, const Collective& what) {
  const DecisionTree tree{json.c_str(), [](Operation operation, const std::string& name) {
                            for (const Algorithm one : algorithms_of(operation)) {
                              if (to_text(one) == name) return one;
                            }
                            return Algorithm::none;
                          }};
  return tree.algorithm_for(what);
}

/// Binomial where the rule fits, else flat; of a bcast, or of a gatherv of those counts.
bool fits(const std::string& rule, const Collective& what) {
  const std::string json = R"({"collective=)" + to_text(what.operation) + R"(": {")" + rule +
                           R"(": {"algorithm=binomial": {}}, "comm_size=any": {"algorithm=flat":
                           {}}}})";
  return decide(json, what) == Algorithm::binomial;
}

Collective bcast(int ranks, std::uint64_t count, Bytes unit = {1}) {
  Collective what;
  what.operation = Operation::bcast;
  what.ranks = ranks;
  what.counts = {count};
  what.unit = unit;
  return what;
}

TEST(DecisionTree, ComparesRanksAndSizes) {
  EXPECT_TRUE(fits("comm_size<8", bcast(7, 1)));
  EXPECT_FALSE(fits("comm_size<8", bcast(8, 1)));
  EXPECT_TRUE(fits("comm_size<=8", bcast(8, 1)));
  EXPECT_TRUE(fits("avg_msg_size<=80", bcast(3, 10, {8})));
  EXPECT_FALSE(fits("avg_msg_size<80", bcast(3, 10, {8})));
  EXPECT_TRUE(fits("total_msg_size<241", bcast(3, 10, {8})));
  EXPECT_FALSE(fits("total_msg_size<240", bcast(3, 10, {8})));
}

TEST(DecisionTree, ComparesWithPowersOfTwo) {
  EXPECT_TRUE(fits("comm_size=pow2", bcast(8, 1)));
  EXPECT_FALSE(fits("comm_size=pow2", bcast(9, 1)));
  EXPECT_TRUE(fits("count<pow2", bcast(9, 7)));
  EXPECT_FALSE(fits("count<pow2", bcast(9, 8))) << "8 of the 9 ranks";
}

/// "0 binomial, 34 flat"
std::string by_size(const std::string& rules, int ranks) {
  const std::string json = R"({"collective=bcast": {)" + rules + "}}";
  const DecisionTree tree{json.c_str(),
                          [](Operation, const std::string&) { return Algorithm::none; }};
  std::string text;
  for (const auto& [first, name] : tree.by_size(bcast(ranks, 1))) {
    text += (text.empty() ? "" : ", ") + std::to_string(first.value) + " " + name;
  }
  return text;
}

TEST(DecisionTree, SaysFromWhichSizeOnWhatIsTaken) {
  const auto rules = [](const std::string& first, const std::string& second) {
    return '"' + first + R"(": {"algorithm=few": {}}, ")" + second +
           R"(": {"algorithm=more": {}}, "comm_size=any": {"algorithm=many": {}})";
  };
  EXPECT_EQ(by_size(rules("avg_msg_size<100", "avg_msg_size<=200"), 3),
            "0 few, 100 more, 201 many");
  EXPECT_EQ(by_size(rules("total_msg_size<100", "total_msg_size<=300"), 3),
            "0 few, 34 more, 101 many");
  EXPECT_EQ(by_size(rules("total_msg_size<99", "total_msg_size<=299"), 3),
            "0 few, 33 more, 100 many");
  EXPECT_EQ(by_size(rules("count<pow2", "count<=10"), 9), "0 few, 8 more, 11 many");
  EXPECT_EQ(by_size(rules("comm_size<8", "avg_msg_size<=200"), 3), "0 few");
  EXPECT_EQ(by_size(rules("comm_size<8", "avg_msg_size<=200"), 9), "0 more, 201 many");
}

TEST(DecisionTree, AsksYesOrNo) {
  Collective what = bcast(4, 1);
  what.is_commutative = false;
  EXPECT_TRUE(fits("is_commutative=no", what));
  EXPECT_FALSE(fits("is_commutative=yes", what));
  EXPECT_TRUE(fits("is_op_built_in=yes", what));
  EXPECT_TRUE(fits("is_sendbuf_inplace=no", what));
  EXPECT_TRUE(fits("is_block_regular=yes", what));
}

TEST(DecisionTree, RanksAreAloneOnTheirHosts) {
  EXPECT_TRUE(fits("comm_type=intra", bcast(4, 1)));
  EXPECT_FALSE(fits("comm_type=inter", bcast(4, 1)));
  EXPECT_FALSE(fits("comm_hierarchy=parent", bcast(4, 1)));
  EXPECT_FALSE(fits("is_node_consecutive=yes", bcast(4, 1)));
}

TEST(DecisionTree, SizesOfAnAllgathervAreTheMeanOfItsBlocks) {
  Collective what = bcast(3, 0);
  what.operation = Operation::allgatherv;
  what.counts = {1, 2, 6};
  const auto decided = [&](const std::string& rule) {
    return decide(R"({"collective=allgatherv": {")" + rule +
                      R"(": {"algorithm=ring": {}}, "count=any": {"algorithm=bruck": {}}}})",
                  what);
  };
  EXPECT_EQ(decided("avg_msg_size<=3"), Algorithm::ring);
  EXPECT_EQ(decided("avg_msg_size<3"), Algorithm::bruck);
  EXPECT_EQ(decided("total_msg_size<=9"), Algorithm::ring);
  EXPECT_EQ(decided("is_block_regular=no"), Algorithm::ring);
}

TEST(DecisionTree, TheFirstRuleThatFitsCounts) {
  const std::string json = R"({"collective=bcast": {"comm_type=intra": {
      "avg_msg_size<10": {"algorithm=flat": {}},
      "avg_msg_size<100": {"comm_size=pow2": {"algorithm=binomial": {}},
                           "comm_size=any": {"algorithm=scatter-ring": {}}},
      "avg_msg_size=any": {"algorithm=scatter-recursive-doubling": {}}}}})";
  EXPECT_EQ(decide(json, bcast(4, 9)), Algorithm::flat);
  EXPECT_EQ(decide(json, bcast(4, 10)), Algorithm::binomial);
  EXPECT_EQ(decide(json, bcast(5, 10)), Algorithm::scatter_ring);
  EXPECT_EQ(decide(json, bcast(4, 100)), Algorithm::scatter_recursive_doubling);
}

TEST(DecisionTree, BelowARuleAboutTheCallFewerRanksTakeTheNumberToo) {
  const std::string json = R"({"collective=bcast": {"is_sendbuf_inplace=no": {
      "comm_size<8": {"algorithm=binomial": {}}, "comm_size=any": {"algorithm=flat": {}}}}})";
  EXPECT_EQ(decide(json, bcast(8, 1)), Algorithm::binomial);
  EXPECT_EQ(decide(json, bcast(9, 1)), Algorithm::flat);
}

}  // namespace commgauge::schedule::decision_tree_test
