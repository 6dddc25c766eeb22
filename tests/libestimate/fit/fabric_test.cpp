#include "fit/fabric.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "made_fabric.hpp"

namespace commgauge::fabric_test {

using samples::made_run;
using samples::one_rack;
using samples::own_time;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

FabricEstimate estimate_of(const std::vector<FabricRun>& runs) {
  return estimate_fabric(runs, 0.95);
}

std::string first_warning(const FabricEstimate& found) {
  return found.warnings.empty() ? "" : found.warnings.front().text();
}

TEST(FabricEstimate, TellsGroupsAndWhatTheirUplinksTake) {
  const FabricEstimate found = estimate_of({made_run(one_rack(), 0.01)});
  ASSERT_TRUE(found.fabric);
  const Fabric& fabric = *found.fabric;
  ASSERT_EQ(fabric.groups.size(), 1U);
  EXPECT_THAT(fabric.groups[0].hosts, ElementsAre("n0", "n1", "n2", "n3"));
  EXPECT_FALSE(fabric.groups[0].parent);
  for (const auto way : {&FabricLinks::out, &FabricLinks::in}) {
    EXPECT_NEAR((fabric.value.*way)[0], own_time / 2, 0.01 * own_time);
    EXPECT_LT((fabric.low.*way)[0], (fabric.value.*way)[0]);
    EXPECT_GT((fabric.high.*way)[0], (fabric.value.*way)[0]);
    ASSERT_EQ(fabric.replicates.size(), 5U);
    EXPECT_NEAR((fabric.replicates[2].*way)[0], own_time / 2, 0.02 * own_time);
  }
  EXPECT_TRUE(std::isnan(fabric.value.backbone));
  EXPECT_TRUE(fabric.backbone_sides.empty());
  EXPECT_NEAR(fabric.alone * own_time, 5, 0.1);
  EXPECT_LT(fabric.full_load.value, fabric.alone * 1.01);
  EXPECT_LT(fabric.misfit, 0.05);
  EXPECT_EQ(fabric.message_bytes, 1 << 20);
  EXPECT_GT(fabric.rounds, 45);
  EXPECT_TRUE(found.warnings.empty()) << first_warning(found);
}

TEST(FabricEstimate, AWayThatLimitsNothingHasABound) {
  samples::MadeFabric made{10, {}};
  made.add({0, 1, 2, 3}, Passing::out, 2);
  const FabricEstimate found = estimate_of({made_run(made)});
  ASSERT_TRUE(found.fabric);
  ASSERT_EQ(found.fabric->groups.size(), 1U);
  EXPECT_FALSE(std::isnan(found.fabric->value.out[0]));
  EXPECT_TRUE(std::isnan(found.fabric->value.in[0]));
  EXPECT_TRUE(std::isnan(found.fabric->low.in[0]));
  EXPECT_NEAR(found.fabric->high.in[0], own_time / 4, 0.01 * own_time);
  EXPECT_TRUE(std::isnan(found.fabric->replicates[0].in[0]));
  ASSERT_EQ(found.fabric->notes.size(), 1U);
  EXPECT_THAT(found.fabric->notes[0], HasSubstr("n0, n1, n2, n3"));
  EXPECT_THAT(found.fabric->notes[0], HasSubstr("4.00 GB/s"));
}

/// Two racks have an uplink each, and what one sends out comes into the other.
TEST(FabricEstimate, HalvesAreTwoGroups) {
  samples::MadeFabric made{8, {}};
  for (const Passing way : {Passing::out, Passing::in}) made.add({0, 1, 2, 3}, way, 2);
  const FabricEstimate found = estimate_of({made_run(made)});
  ASSERT_TRUE(found.fabric);
  ASSERT_EQ(found.fabric->groups.size(), 2U);
  EXPECT_THAT(found.fabric->groups[1].hosts, ElementsAre("n4", "n5", "n6", "n7"));
  EXPECT_FALSE(found.fabric->groups[1].parent);
  EXPECT_DOUBLE_EQ(found.fabric->value.out[0], found.fabric->value.in[1]);
}

TEST(FabricEstimate, SeesALinkThatAllShare) {
  samples::MadeFabric made{8, {}};
  LoadedLink all{{0, 1, 2, 3, 4, 5, 6, 7}, Passing::between, 2 / own_time};
  made.links.push_back(all);
  const FabricEstimate found = estimate_of({made_run(made)});
  ASSERT_TRUE(found.fabric);
  EXPECT_TRUE(found.fabric->groups.empty());
  EXPECT_EQ(found.fabric->backbone_sides.size(), 8U);
  EXPECT_NEAR(found.fabric->value.backbone, own_time / 2, 0.01 * own_time);
  EXPECT_NEAR(found.fabric->replicates[0].backbone, own_time / 2, 0.01 * own_time);
}

TEST(FabricEstimate, NestedGroupsHaveParents) {
  samples::MadeFabric made{16, {}};
  for (const Passing way : {Passing::out, Passing::in}) {
    made.add({0, 1, 2, 3}, way, 1.6);
    made.add({0, 1, 2, 3, 4, 5, 6, 7}, way, 2.4);
  }
  const FabricEstimate found = estimate_of({made_run(made)});
  ASSERT_TRUE(found.fabric) << first_warning(found);
  for (const HostGroup& group : found.fabric->groups) {
    if (group.hosts.size() != 4) continue;
    ASSERT_TRUE(group.parent);
    EXPECT_EQ(found.fabric->groups[at(*group.parent)].hosts.size(), 8U);
  }
}

TEST(FabricEstimate, WithoutLinksSaysWhatCouldHaveBeenSeen) {
  const FabricEstimate found = estimate_of({made_run({8, {}}, 0.01)});
  EXPECT_FALSE(found.fabric);
  ASSERT_EQ(found.warnings.size(), 1U);
  EXPECT_EQ(found.warnings[0].kind, "no_fabric");
  EXPECT_THAT(found.warnings[0].problem, HasSubstr("random pairs"));
}

TEST(FabricEstimate, SeveralLaunchesAreReplicates) {
  const FabricEstimate found =
      estimate_of({made_run(one_rack(), 0.02, 1), made_run(one_rack(), 0.02, 2),
                   made_run(one_rack(), 0.02, 3)});
  ASSERT_TRUE(found.fabric);
  EXPECT_EQ(found.fabric->replicates.size(), 3U);
  EXPECT_NEAR(found.fabric->value.out[0], own_time / 2, 0.02 * own_time);
  EXPECT_LT(found.fabric->low.out[0], found.fabric->value.out[0]);
}

TEST(FabricEstimate, KeepsWhatAllLaunchesSaw) {
  const FabricEstimate found = estimate_of({made_run(one_rack()), made_run({10, {}})});
  EXPECT_FALSE(found.fabric);
  EXPECT_THAT(first_warning(found), HasSubstr("launches saw different links"));
}

TEST(FabricEstimate, AMissingRoundMeansNoFabric) {
  FabricRun run = made_run(one_rack());
  run.rounds.erase(run.rounds.begin() + 30);
  const FabricEstimate found = estimate_of({run});
  EXPECT_FALSE(found.fabric);
  EXPECT_THAT(first_warning(found), HasSubstr("not all rounds"));
}

TEST(FabricEstimate, SaysWhatWasLeftOutAndDisturbed) {
  FabricRun run = made_run(one_rack());
  run.lost = run.repetitions / 2;
  EXPECT_THAT(first_warning(estimate_of({run})), HasSubstr("lost its core"));
  run.left_out = Diagnostic{.kind = "fabric_left_out", .problem = "no time"};
  const FabricEstimate found = estimate_of({run});
  EXPECT_FALSE(found.fabric);
  EXPECT_EQ(first_warning(found), "no time");
  EXPECT_TRUE(estimate_of({}).warnings.empty());
}

TEST(FabricEstimate, NamesOfHostsMustBeTheSame) {
  FabricRun other = made_run(one_rack());
  other.hosts[0] = "x";
  EXPECT_THAT(first_warning(estimate_of({made_run(one_rack()), other})),
              HasSubstr("name hosts differently"));
}

}  // namespace commgauge::fabric_test
