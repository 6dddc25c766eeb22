#include "commgauge/simulate/machine/shared_host_links.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "commgauge/base/unknown_value.hpp"

namespace commgauge::simulate {
namespace {

/// Two hosts of two ranks.
const std::vector<std::string> hosts{"a", "a", "b", "b"};

TEST(SharedHostLinks, AreOfHostsInTheirOrder) {
  const SharedHostLinks links =
      shared_host_links({{1, 1, 2, 2}, {3, 3, 4, 4}, {5, 5, 6, 6}, {7, 7, 8, 8}}, hosts);
  EXPECT_TRUE(links.is_shared());
  EXPECT_EQ(links.places, (std::vector<std::int32_t>{0, 0, 1, 1}));
  EXPECT_EQ(links.out, (std::vector<double>{1, 2}));
  EXPECT_EQ(links.both, (std::vector<double>{7, 8}));
  EXPECT_EQ(links.links(), 8U);
}

TEST(SharedHostLinks, AMessageToAnotherHostPassesBothHostsLinks) {
  const SharedHostLinks links =
      shared_host_links({{1, 1, 2, 2}, {3, 3, 4, 4}, {5, 5, 6, 6}, {7, 7, 8, 8}}, hosts);
  const SharedHostLinks::Route route = links.route(1, 2);
  EXPECT_EQ(route[0].link, 0);
  EXPECT_EQ(route[0].keeps, 1);
  EXPECT_EQ(route[1].link, 3);
  EXPECT_EQ(route[2].link, 4 + 1);
  EXPECT_EQ(route[2].keeps, 4);
  EXPECT_EQ(route[3].link, 4 + 3);
}

TEST(SharedHostLinks, AMessageWithinAHostPassesWhatIsInside) {
  const SharedHostLinks links =
      shared_host_links({{1, 1, 2, 2}, {3, 3, 4, 4}, {5, 5, 6, 6}, {7, 7, 8, 8}}, hosts);
  const SharedHostLinks::Route route = links.route(2, 3);
  EXPECT_EQ(route[0].link, 4 + 2);
  EXPECT_EQ(route[0].keeps, 6);
  EXPECT_EQ(route[1].link, -1);
}

TEST(SharedHostLinks, WhereNothingIsKnownNoneIsShared) {
  const std::vector<double> unknown(4, unknown_value);
  EXPECT_FALSE(shared_host_links({unknown, unknown, unknown, unknown}, hosts).is_shared());
  const SharedHostLinks one =
      shared_host_links({{1, 1, unknown_value, unknown_value}, unknown, unknown, unknown}, hosts);
  EXPECT_TRUE(one.is_shared());
  EXPECT_EQ(one.route(2, 0)[0].link, -1) << "nothing is known of the way out of the second host";
}

}  // namespace
}  // namespace commgauge::simulate
