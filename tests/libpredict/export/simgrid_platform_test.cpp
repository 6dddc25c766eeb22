#include "export/simgrid_platform.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "exportable.hpp"
#include "refusal.hpp"

namespace commgauge::simgrid_platform_test {

using exportable::all;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(SimGridPlatform, TheEnvelopeIsPaidByTheLatency) {
  EXPECT_NEAR(link_latency(40 * us, 10 * ns), 39.84 * us, 1e-15);
  EXPECT_EQ(link_latency(0.1 * us, 10 * ns), 0);
}

TEST(SimGridPlatform, MeansAndFastestOfPairs) {
  Matrix gaps(3, 4.0);
  gaps(0, 1) = 1;
  gaps(2, 1) = 10;
  gaps(2, 0) = 5;
  EXPECT_NEAR(mean_of_pairs(gaps), (1 + 10 + 5 + 3 * 4) / 6.0, 1e-12);
  const RankGaps fastest = fastest_gaps(gaps);
  EXPECT_THAT(fastest.send, ElementsAre(1, 4, 5));
  EXPECT_THAT(fastest.receive, ElementsAre(4, 1, 4));
}

/// 10 ns/B: the envelope takes 0.16 us.
TEST(SimGridPlatform, LatenciesArePairsOwnOrOne) {
  Matrix L = all(40 * us);
  L(0, 1) = 100 * us;
  const Latencies own = own_latencies(L, all(10 * ns));
  EXPECT_NEAR(own.of_pairs(0, 1), 99.84 * us, 1e-12);
  EXPECT_NEAR(own.of_pairs(1, 0), 39.84 * us, 1e-12);
  EXPECT_THAT(own.losses, IsEmpty());
  const Latencies equal = equal_latencies(L, all(10 * ns));
  EXPECT_NEAR(equal.of_pairs(0, 1), 49.84 * us, 1e-12) << "a sixth of 300 us";
  EXPECT_NEAR(equal.of_pairs(1, 0), 49.84 * us, 1e-12);
  EXPECT_THAT(equal.losses, ElementsAre(HasSubstr("from 40.0 µs to 100 µs")));
  EXPECT_THAT(equal_latencies(all(40 * us), all(10 * ns)).losses, IsEmpty());
}

TEST(SimGridPlatform, LatenciesAThousandTimesApartAreOne) {
  Matrix L = all(1.16 * us);
  L(0, 1) = 900 * us;
  EXPECT_NEAR(comparable_latencies(L, all(10 * ns)).of_pairs(1, 0), 1 * us, 1e-12);
  L(0, 1) = 1100 * us;
  EXPECT_GT(comparable_latencies(L, all(10 * ns)).of_pairs(1, 0), 180 * us);
}

TEST(SimGridPlatform, RefusesWhatIsNoBandwidthOrNotKnown) {
  Matrix wrong = all(10 * ns);
  wrong(2, 1) = 0;
  EXPECT_THAT(refusal([&] { (void)own_latencies(all(us), wrong); }),
              HasSubstr("of the link from rank 2 to 1 is not positive"));
  Matrix L = all(us);
  L(0, 2) = std::nan("");
  EXPECT_THAT(refusal([&] { (void)equal_latencies(L, all(10 * ns)); }),
              HasSubstr("of the link from rank 0 to 2 is not known"));
  EXPECT_THAT(refusal([] { require_not_negative(std::nan(""), 1, "C"); }),
              HasSubstr("C of rank 1 is negative or not known"));
  EXPECT_EQ(refusal([] { require_not_negative(0, 1, "C"); }), "");
}

TEST(SimGridPlatform, HasHostsLinksAndRoutesOneWay) {
  Platform platform;
  platform.add_rank(0, {0.25, 0.5}, {2, 4});
  platform.add_link({"0-1", 8, 0.125});
  platform.add_route(0, 1, {"0-1", "out0"});
  const std::string text = platform.text();
  EXPECT_THAT(text, HasSubstr("<host id=\"rank0\" speed=\"1Gf\">"));
  EXPECT_THAT(text, HasSubstr("<prop id=\"smpi/os\" value=\"0:0.25:0.5\"/>"));
  EXPECT_THAT(text, HasSubstr("<prop id=\"smpi/ois\" value=\"0:0.25:0.5\"/>"));
  EXPECT_THAT(text, HasSubstr("<prop id=\"smpi/or\" value=\"0:2:4\"/>"));
  EXPECT_THAT(text, HasSubstr("<link id=\"0-1\" bandwidth=\"8Bps\" latency=\"0.125s\"/>"));
  EXPECT_THAT(text, HasSubstr("<route src=\"rank0\" dst=\"rank1\" symmetrical=\"NO\">"
                              "<link_ctn id=\"0-1\"/><link_ctn id=\"out0\"/></route>"));
  EXPECT_THAT(text, HasSubstr("<prop id=\"network/model\" value=\"CM02\"/>"));
}

/// A rack in a row on one side, and two hosts on the other.
Model behind_uplinks() {
  Model model;
  model.ranks = 5;
  model.launches.emplace_back();
  for (int i = 0; i < model.ranks; ++i) {
    model.launches.front().ranks.push_back({"h" + std::to_string(i), {0}});
  }
  Fabric fabric;
  fabric.groups = {{{"h0", "h1", "h2"}, {}}, {{"h0", "h1"}, 0}};
  fabric.backbone_sides = {{"h0", "h1", "h2"}, {"h3", "h4"}};
  fabric.value = {{0.5, 0.25}, {0.125, std::nan("")}, 2};
  model.fabric = fabric;
  return model;
}

TEST(SimGridPlatform, RoutesPassTheLinksBetweenHosts) {
  const Uplinks uplinks(behind_uplinks());
  EXPECT_THAT(uplinks.between(0, 3), ElementsAre("group-out0", "group-out1", "backbone"));
  EXPECT_THAT(uplinks.between(3, 0), ElementsAre("backbone", "group-in1"));
  EXPECT_THAT(uplinks.between(0, 2), ElementsAre("group-out0"));
  EXPECT_THAT(uplinks.between(0, 1), IsEmpty());
  EXPECT_THAT(uplinks.all(), SizeIs(4));
  Platform platform({}, uplinks);
  platform.add_route(3, 0, {"3-0"});
  const std::string text = platform.text();
  EXPECT_THAT(text, HasSubstr("<link id=\"group-out0\" bandwidth=\"4Bps\" latency=\"0s\"/>"));
  EXPECT_THAT(text, HasSubstr("<link id=\"backbone\" bandwidth=\"0.5Bps\" latency=\"0s\"/>"));
  EXPECT_THAT(text, HasSubstr("<link_ctn id=\"3-0\"/><link_ctn id=\"backbone\"/>"
                              "<link_ctn id=\"group-in1\"/></route>"));
  EXPECT_THAT(Uplinks(Model{}).all(), IsEmpty());
}

/// A section begins above its bound, and counts the envelope's 16 bytes.
TEST(SimGridPlatform, StepsBeginWithTheirFirstByte) {
  const std::string text = Platform({{{100, 2, 0.5}}, 4000}).text();
  EXPECT_THAT(text, HasSubstr("<prop id=\"smpi/lat-factor\" value=\"0:1;115:2\"/>"));
  EXPECT_THAT(text, HasSubstr("<prop id=\"smpi/bw-factor\" value=\"0:1;115:0.5\"/>"));
  EXPECT_THAT(text, HasSubstr("<prop id=\"smpi/send-is-detached-thresh\" value=\"4001\"/>"));
  EXPECT_THAT(text, HasSubstr("<prop id=\"network/model\" value=\"SMPI\"/>"));
}

TEST(SimGridPlatform, AClustersHostsShareTheirLinkOrABackbone) {
  EqualHosts hosts{{0.5, 0}, {0.5, 0}, 18, 0.125, true};
  EXPECT_THAT(cluster_text(200, hosts),
              HasSubstr("radical=\"0-199\" speed=\"1Gf\" bw=\"8Bps\" lat=\"8s\""))
      << "half of 18 s less 16 bytes, in each of two links";
  EXPECT_THAT(losses_of_cluster(hosts), SizeIs(2));
  hosts.shared = false;
  EXPECT_THAT(cluster_text(200, hosts), HasSubstr("bb_bw=\"8Bps\" bb_lat=\"16s\""));
  EXPECT_THAT(losses_of_cluster(hosts), SizeIs(1));
}

}  // namespace commgauge::simgrid_platform_test
