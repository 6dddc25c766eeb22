#include "costs/fabric_of_hosts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "commgauge/base/unknown_value.hpp"

namespace commgauge::fabric_of_hosts_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Two racks of two hosts in a row of five, the last of them in no rack; a backbone to a sixth.
Fabric row_of_racks() {
  Fabric fabric;
  fabric.groups = {{{"a", "b"}, 2}, {{"c", "d"}, 2}, {{"a", "b", "c", "d", "e"}, {}}};
  fabric.backbone_sides = {{"a", "b", "c", "d", "e"}, {"f"}};
  fabric.value = {{1, 2, 3}, {4, 5, 6}, 7};
  fabric.low = fabric.high = fabric.value;
  fabric.replicates = {{{10, 20, 30}, {40, 50, 60}, 70}};
  return fabric;
}

std::vector<HostLike> as_they_are(const std::vector<std::string>& names) {
  std::vector<HostLike> hosts;
  for (const std::string& name : names) hosts.push_back({name, name, 0});
  return hosts;
}

TEST(FabricOfHosts, AllHostsHaveItAsItIs) {
  const Fabric whole = row_of_racks();
  const Fabric same =
      fabric_of_hosts(whole, as_they_are({"a", "b", "c", "d", "e", "f"}), 6).value();
  ASSERT_EQ(same.groups.size(), 3U);
  EXPECT_EQ(same.groups[0].parent, 2);
  EXPECT_EQ(same.value.out, whole.value.out);
  EXPECT_EQ(same.value.backbone, 7);
  EXPECT_EQ(same.backbone_sides, whole.backbone_sides);
}

TEST(FabricOfHosts, SomeHostsKeepTheirGroups) {
  const Fabric some = fabric_of_hosts(row_of_racks(), as_they_are({"d", "a", "f"}), 3).value();
  ASSERT_EQ(some.groups.size(), 3U);
  EXPECT_THAT(some.groups[2].hosts, ElementsAre("d", "a"));
  EXPECT_EQ(some.groups[1].parent, 2);
  EXPECT_THAT(some.replicates.front().in, ElementsAre(40, 50, 60));
}

TEST(FabricOfHosts, GroupsOfNoneAndOfAllGo) {
  const Fabric some = fabric_of_hosts(row_of_racks(), as_they_are({"a", "b", "e"}), 3).value();
  ASSERT_EQ(some.groups.size(), 1U);
  EXPECT_THAT(some.groups[0].hosts, ElementsAre("a", "b"));
  EXPECT_FALSE(some.groups[0].parent);
  EXPECT_THAT(some.value.out, ElementsAre(1));
  EXPECT_THAT(some.backbone_sides, IsEmpty());
  EXPECT_TRUE(std::isnan(some.value.backbone));
  EXPECT_FALSE(fabric_of_hosts(row_of_racks(), as_they_are({"a", "b"}), 2));
}

TEST(FabricOfHosts, WhereNoLinkIsKnownToLimitThereIsNone) {
  Fabric fabric = row_of_racks();
  fabric.value = {std::vector<double>(3, unknown_value), std::vector<double>(3, unknown_value),
                  unknown_value};
  EXPECT_FALSE(fabric_of_hosts(fabric, as_they_are({"a", "b", "c", "d", "e", "f"}), 6));
}

TEST(FabricOfHosts, CopiesStandSideBySide) {
  std::vector<HostLike> hosts = as_they_are({"a", "b", "c", "d", "e", "f"});
  for (const char* const name : {"a", "b", "f"}) {
    hosts.push_back({std::string{name} + "#2", name, 1});
  }
  const Fabric larger = fabric_of_hosts(row_of_racks(), hosts, 9).value();
  ASSERT_EQ(larger.groups.size(), 5U);
  EXPECT_THAT(larger.groups[1].hosts, ElementsAre("a#2", "b#2"));
  EXPECT_THAT(larger.groups[4].hosts, ElementsAre("a#2", "b#2"));
  EXPECT_EQ(larger.groups[0].parent, 3);
  EXPECT_EQ(larger.groups[1].parent, 4);
  EXPECT_THAT(larger.value.out, ElementsAre(1, 1, 2, 3, 3));
  EXPECT_EQ(larger.backbone_sides.size(), 4U);
  const Diagnostic said = larger_fabric(row_of_racks(), larger);
  EXPECT_EQ(said.count, 5);
  EXPECT_THAT(said.text(), HasSubstr("the outermost stand side by side"));
  EXPECT_THAT(said.text(), HasSubstr("backbone"));
}

}  // namespace commgauge::fabric_of_hosts_test
