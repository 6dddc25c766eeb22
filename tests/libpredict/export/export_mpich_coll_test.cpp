#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "collective_rules.hpp"
#include "commgauge/export/export.hpp"
#include "commgauge/schedule/decision_tree.hpp"
#include "commgauge/schedule/selection.hpp"

namespace commgauge::export_mpich_coll_test {

using collective_rules::last_size;
using collective_rules::machine;
using collective_rules::ranks;
using collective_rules::read_rules;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::ordered_json;

/// Of the rules for the model's communicators: limits as MPICH reads them, and what is chosen.
std::vector<std::pair<std::string, std::string>> mpich_rules(const Json& tree,
                                                             const std::string& collective) {
  const Json& intra = tree.at("collective=" + collective).at("comm_type=intra");
  std::vector<std::string> sizes;
  for (const auto& [key, value] : intra.items()) sizes.push_back(key);
  EXPECT_THAT(sizes, ::testing::ElementsAre("comm_size<6", "comm_size<=6", "comm_size=any"));
  std::vector<std::pair<std::string, std::string>> rules;
  const Json* node = &intra.at("comm_size<=6");
  // Of MPICH's own rules about the communicator the first that fits six ranks on six hosts.
  while (node->begin().key().starts_with("comm_")) {
    node = &node->at(node->contains("comm_size<8") ? "comm_size<8" : "comm_hierarchy=any");
  }
  for (const auto& [key, value] : node->items()) rules.emplace_back(key, value.begin().key());
  return rules;
}

/// All keys below one about sizes.
void expect_no_communicators_below_sizes(const Json& node, bool is_below = false) {
  for (const auto& [key, value] : node.items()) {
    EXPECT_FALSE(is_below && key.starts_with("comm_")) << key;
    expect_no_communicators_below_sizes(value, is_below || key.find("msg_size") != key.npos);
  }
}

/// What a file chooses for a broadcast, where ranks have hosts of their own.
std::vector<schedule::OwnChoice> broadcasts_by(const std::string& json, int n) {
  const schedule::DecisionTree tree{json.c_str(), [](schedule::Operation, const std::string&) {
                                      return schedule::Algorithm::none;
                                    }};
  schedule::Collective what;
  what.operation = schedule::Operation::bcast;
  what.ranks = n;
  return tree.by_size(what);
}

TEST(CollectiveRules, MpichHasTheSameSizesForBroadcast) {
  const Model model = machine();
  const Json tree = Json::parse(export_model(model, ExportFormat::mpich_coll).text);
  const auto rules = read_rules(export_model(model, ExportFormat::ompi_rules).text);
  const auto& bcast = rules.at(Operation::bcast);
  ASSERT_EQ(bcast.size(), 6U);
  const auto limit = [](std::uint64_t size) { return "avg_msg_size<=" + std::to_string(size - 1); };
  const auto found = mpich_rules(tree, "bcast");
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0],
            std::pair(limit(bcast[4].size), std::string{"algorithm=MPIR_Bcast_intra_binomial"}));
  EXPECT_EQ(found[1],
            std::pair(limit(bcast[5].size), std::string{"algorithm=MPIR_Bcast_allcomm_nb"}));
  EXPECT_EQ(found[2].first, "avg_msg_size=any");
  const auto behind = mpich_rules(tree, "ibcast");
  ASSERT_EQ(behind.size(), 3U);
  EXPECT_EQ(behind[1].second, "algorithm=MPIR_Ibcast_intra_tsp_tree");
}

/// From 8 ranks on MPICH scatters and gathers long broadcasts.
TEST(CollectiveRules, SizesAtWhichMpichTakesAnotherAreLeftToIt) {
  for (const int n : {8, 9}) {
    Model model = machine(n);
    model.lmo->first = Bytes{4096};
    model.lmo->last = Bytes{1 << 20};
    const Exported exported = export_model(model, ExportFormat::mpich_coll);
    const auto own = broadcasts_by(mpich_selection, n);
    const auto found = broadcasts_by(exported.text, n);
    for (const auto& [first, name] : own) {
      if (name.ends_with("binomial")) continue;
      EXPECT_THAT(found, Contains(::testing::FieldsAre(first, name))) << n;
    }
    EXPECT_GT(found.size(), own.size()) << "there are rules up to 12 KiB";
    EXPECT_THAT(
        exported.losses,
        Contains(HasSubstr(n == 8 ? "bcast of 12 KiB to 512 KiB "
                                    "(scatter_recursive_doubling_allgather), 512 KiB to 1 MiB "
                                    "(scatter_ring_allgather)"
                                  : "bcast of 12 KiB to 1 MiB (scatter_ring_allgather)")));
    // Below such a rule MPICH 4.0 would take eight ranks for fewer.
    expect_no_communicators_below_sizes(Json::parse(exported.text).at("collective=bcast"));
  }
}

/// MPICH broadcasts to nodes first, and within them then.
TEST(CollectiveRules, MpichsBroadcastsAmongRanksOfOneHostAreLeftToIt) {
  Model model = machine();
  model.launches.emplace_back();
  for (int rank = 0; rank < ranks; ++rank) {
    model.launches.front().ranks.push_back({"h" + std::to_string(rank / 2), {0}});
  }
  const Exported exported = export_model(model, ExportFormat::mpich_coll);
  EXPECT_THAT(exported.losses, Contains(HasSubstr("bcast of 0 B to 5.86 KiB (node by node)")));
  EXPECT_THAT(exported.losses, Not(Contains(HasSubstr("no broadcast goes"))));
  EXPECT_THAT(exported.usage, Not(Contains(HasSubstr("DEVICE_COLLECTIVE"))));
  const Json tree = Json::parse(exported.text);
  for (const std::string collective : {"collective=bcast", "collective=ibcast"}) {
    EXPECT_EQ(tree.at(collective), Json::parse(mpich_selection).at(collective));
  }
  EXPECT_THAT(export_model(machine(), ExportFormat::mpich_coll).usage,
              Contains(HasSubstr("BCAST_DEVICE_COLLECTIVE=0")));
}

TEST(CollectiveRules, MpichCountsBlocksOfAllRanks) {
  const Json tree = Json::parse(export_model(machine(), ExportFormat::mpich_coll).text);
  for (const std::string collective : {"scatter", "gather"}) {
    const auto rules = mpich_rules(tree, collective);
    ASSERT_EQ(rules.size(), 3U);
    const std::uint64_t change = std::stoull(rules[0].first.substr(rules[0].first.find("<=") + 2));
    EXPECT_EQ(change % ranks, 0U);
    EXPECT_EQ(rules[1].first, "total_msg_size<=" + std::to_string(last_size * ranks));
  }
}

TEST(CollectiveRules, MpichsFileNamesEveryCollectiveAsBefore) {
  Model slow = machine();
  slow.lmo->value.C = std::vector<double>(ranks, 1e-3);
  const Json with_trees = Json::parse(export_model(slow, ExportFormat::mpich_coll).text);
  const Json tree = Json::parse(export_model(machine(), ExportFormat::mpich_coll).text);
  EXPECT_EQ(tree.size(), 44U);
  for (const auto& [collective, choice] : tree.items()) {
    const bool is_ours = collective == "collective=scatter" || collective == "collective=gather" ||
                         collective == "collective=bcast" || collective == "collective=ibcast";
    EXPECT_FALSE(choice.empty()) << collective;
    EXPECT_EQ(choice != with_trees.at(collective), is_ours) << collective;
  }
}

TEST(CollectiveRules, SayHowTheyAreUsedAndWhatGoesWrong) {
  const Exported open_mpi = export_model(machine(), ExportFormat::ompi_rules);
  EXPECT_THAT(open_mpi.usage, Contains(HasSubstr("coll_tuned_dynamic_rules_filename")));
  EXPECT_THAT(open_mpi.usage, Contains(HasSubstr("WRONG DATA")));
  const Exported mpich = export_model(machine(), ExportFormat::mpich_coll);
  EXPECT_THAT(mpich.usage, Contains(HasSubstr("MPIR_CVAR_IGATHER_TREE_KVAL=6")));
  EXPECT_THAT(mpich.usage, Contains(HasSubstr("CAN HANG")));
  Model slow = machine();
  slow.lmo->value.C = std::vector<double>(ranks, 1e-3);
  const Exported trees = export_model(slow, ExportFormat::mpich_coll);
  EXPECT_THAT(trees.usage, Not(Contains(HasSubstr("IGATHER"))));
  EXPECT_THAT(trees.usage, Not(Contains(HasSubstr("CAN HANG")))) << "as MPICH itself";
}

}  // namespace commgauge::export_mpich_coll_test
