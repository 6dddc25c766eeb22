#include "commgauge/simulate/machine/shared_host_links.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "commgauge/base/error.hpp"
#include "commgauge/base/unknown_value.hpp"

namespace commgauge::simulate::shared_host_links_test {

/// Two hosts of two ranks.
const std::vector<std::string> hosts{"a", "a", "b", "b"};

TEST(SharedHostLinks, AreOfHostsInTheirOrder) {
  const SharedHostLinks links =
      shared_host_links({{1, 1, 2, 2}, {3, 3, 4, 4}, {5, 5, 6, 6}, {7, 7, 8, 8}}, hosts);
  EXPECT_TRUE(links.is_shared());
  EXPECT_EQ(links.places, (std::vector<std::int32_t>{0, 0, 1, 1}));
  EXPECT_EQ(links.out, (std::vector<double>{1, 2}));
  EXPECT_EQ(links.both, (std::vector<double>{7, 8}));
  EXPECT_EQ(links.links(), 9U);
}

TEST(SharedHostLinks, AMessageToAnotherHostPassesBothHostsLinks) {
  const SharedHostLinks links =
      shared_host_links({{1, 1, 2, 2}, {3, 3, 4, 4}, {5, 5, 6, 6}, {7, 7, 8, 8}}, hosts);
  const SharedHostLinks::Route route = links.route(1, 2);
  EXPECT_EQ(route.legs, 4);
  EXPECT_EQ(route.stays[0].link, 0);
  EXPECT_EQ(route.stays[0].keeps, 1);
  EXPECT_EQ(route.stays[1].link, 3);
  EXPECT_EQ(route.stays[2].link, 4 + 1);
  EXPECT_EQ(route.stays[2].keeps, 4);
  EXPECT_EQ(route.stays[3].link, 4 + 3);
  EXPECT_EQ(links.way_in(1, 2), 4);
  EXPECT_EQ(links.way_in(3, 2), 0);
}

TEST(SharedHostLinks, AMessageWithinAHostPassesWhatIsInside) {
  const SharedHostLinks links =
      shared_host_links({{1, 1, 2, 2}, {3, 3, 4, 4}, {5, 5, 6, 6}, {7, 7, 8, 8}}, hosts);
  const SharedHostLinks::Route route = links.route(2, 3);
  EXPECT_EQ(route.legs, 1);
  EXPECT_EQ(route.stays[0].link, 4 + 2);
  EXPECT_EQ(route.stays[0].keeps, 6);
}

/// a in a rack in a row with b; c in a row alone; d in none.
SharedHostLinks rows() {
  Fabric fabric;
  fabric.groups = {{{"b", "a"}, {}}, {{"a"}, 0}, {{"c", "elsewhere"}, {}}};
  fabric.backbone_sides = {{"b"}, {"c", "d"}};
  fabric.value = {{1, 2, 3}, {4, 5, unknown_value}, 6};
  return with_uplinks({}, fabric, {"a", "b", "c", "d", "d"});
}

std::vector<double> keeps(const SharedHostLinks& links, int from, int to) {
  std::vector<double> all;
  for (const auto& stay : links.route(from, to)) {
    if (stay.link >= 0) all.push_back(stay.keeps);
  }
  return all;
}

TEST(SharedHostLinks, AMessagePassesTheUplinksOfGroupsThatHoldOneOfItsHosts) {
  const SharedHostLinks links = rows();
  EXPECT_EQ(keeps(links, 0, 1), (std::vector<double>{2}));
  EXPECT_EQ(keeps(links, 1, 0), (std::vector<double>{5}));
  EXPECT_EQ(keeps(links, 0, 2), (std::vector<double>{2, 1})) << "a is on no side";
  EXPECT_EQ(keeps(links, 2, 0), (std::vector<double>{3, 4, 5}));
  EXPECT_EQ(keeps(links, 1, 2), (std::vector<double>{1, 6}));
  EXPECT_EQ(keeps(links, 2, 3), (std::vector<double>{3})) << "on one side";
  EXPECT_EQ(keeps(links, 3, 4), (std::vector<double>{})) << "on one host";
}

TEST(SharedHostLinks, ALinkKnowsWhoseItIs) {
  const SharedHostLinks links = rows();
  const SharedHostLinks::Route route = links.route(1, 2);
  const std::int32_t out = route.stays[2].link;
  EXPECT_TRUE(links.is_of_group(out));
  EXPECT_FALSE(SharedHostLinks::is_way_in(out));
  EXPECT_EQ(links.ranks_of(out), (std::vector<int>{0, 1}));
  EXPECT_TRUE(links.is_backbone(route.stays[3].link));
  EXPECT_FALSE(links.is_of_group(route.stays[3].link));
  EXPECT_FALSE(links.is_of_group(3));
  EXPECT_EQ(links.ranks_of(4 * 3), (std::vector<int>{3, 4}));
}

TEST(SharedHostLinks, UplinksThatLimitNothingAreNone) {
  Fabric fabric;
  fabric.groups = {{{"a"}, {}}};
  fabric.value = {{unknown_value}, {unknown_value}, unknown_value};
  EXPECT_FALSE(with_uplinks({}, fabric, hosts).is_shared());
}

TEST(SharedHostLinks, TooManyGroupsWithinOneAnotherAreRefused) {
  Fabric fabric;
  for (int group = 0; group <= SharedHostLinks::most_levels; ++group) {
    fabric.groups.push_back({{"a"}, {}});
    fabric.value.out.push_back(1);
    fabric.value.in.push_back(1);
  }
  EXPECT_THROW((void)with_uplinks({}, fabric, hosts), InputError);
}

TEST(SharedHostLinks, WhereNothingIsKnownNoneIsShared) {
  const std::vector<double> unknown(4, unknown_value);
  EXPECT_FALSE(shared_host_links({unknown, unknown, unknown, unknown}, hosts).is_shared());
  const SharedHostLinks one =
      shared_host_links({{1, 1, unknown_value, unknown_value}, unknown, unknown, unknown}, hosts);
  EXPECT_TRUE(one.is_shared());
  EXPECT_EQ(one.route(2, 0).stays[0].link, -1)
      << "nothing is known of the way out of the second host";
}

}  // namespace commgauge::simulate::shared_host_links_test
