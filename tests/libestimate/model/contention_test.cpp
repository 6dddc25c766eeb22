// What is said where pairs take longer at once than alone.

#include "commgauge/model/contention.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

namespace commgauge::contention_test {

Launch launch_with(double ratio, double low, double high) {
  Launch launch;
  launch.contention = {true, ratio, low, high};
  return launch;
}

Model model_of(std::vector<Launch> launches) {
  Model model;
  model.launches = std::move(launches);
  return model;
}

TEST(Contention, IsSaidWithItsNumbers) {
  const Model model = model_of({launch_with(2.834, 2.71, 2.952)});
  EXPECT_EQ(contention_of(model).value().ratio, 2.834);
  EXPECT_EQ(contention_note(model).value().text(),
            "pairs of ranks that communicate at once take 2.83 times as long as alone (2.71 to "
            "2.95 times; what they share, links, switches or memory, is in no model): what has "
            "several messages at once may take up to so long, and intervals of such end there at "
            "least");
}

TEST(Contention, NothingWithinNoise) {
  EXPECT_FALSE(contention_of(model_of({launch_with(1.5, 0.98, 2.9)})));
  EXPECT_FALSE(contention_of(model_of({launch_with(1.04, 1.03, 1.05)})));
  EXPECT_FALSE(contention_note(model_of({launch_with(1, 1, 1)})));
}

TEST(Contention, NothingThatWasNotMeasured) {
  Launch launch = launch_with(2, 2, 2);
  launch.contention.tested = false;
  EXPECT_FALSE(contention_of(model_of({launch})));
  EXPECT_FALSE(contention_note(Model{}));
}

TEST(Contention, NothingThatAModelKnows) {
  Model model = model_of({launch_with(2, 1.9, 2.1)});
  EXPECT_TRUE(contention_of(model));
  HostLinks& links = model.host_links.emplace().value;
  links.out = {1e-9};
  EXPECT_FALSE(contention_of(model));
}

TEST(Contention, BoundsExplainNothing) {
  Model model = model_of({launch_with(2, 1.9, 2.1)});
  HostLinks& links = model.host_links.emplace().value;
  links.out = links.in = links.inside = {std::nan("")};
  EXPECT_TRUE(contention_of(model));
  EXPECT_TRUE(contention_note(model));
}

TEST(Contention, NothingThatLinksBetweenHostsExplain) {
  Model model = model_of({launch_with(2, 1.9, 2.1)});
  model.fabric.emplace();
  EXPECT_FALSE(contention_of(model));
  EXPECT_FALSE(contention_note(model));
}

TEST(Contention, OfLaunchesTheMost) {
  const Model model =
      model_of({launch_with(1.5, 1.4, 1.6), launch_with(2, 1.9, 2.1), launch_with(9, 0.5, 90)});
  EXPECT_EQ(contention_of(model).value().ratio, 2);
}

TEST(Contention, TheCauseIsSaidWhereItIsKnown) {
  Launch launch = launch_with(2, 1.9, 2.1);
  launch.ranks.resize(4);
  for (RankPlace& place : launch.ranks) place.cores = {0, 1};
  EXPECT_EQ(contention_note(model_of({launch})).value().reason,
            "1.9 to 2.1 times; ranks share cores there, and models know each pair alone");
}

TEST(SharedCores, WhereAHostHasMoreRanksThanCores) {
  std::vector<RankPlace> ranks(3);
  for (RankPlace& place : ranks) place.cores = {0, 1};
  EXPECT_TRUE(cores_are_shared(ranks));
  ranks[2].host = "another";
  EXPECT_FALSE(cores_are_shared(ranks));
  ranks[1].cores = ranks[0].cores = {0};
  EXPECT_TRUE(cores_are_shared(ranks));
}

}  // namespace commgauge::contention_test
