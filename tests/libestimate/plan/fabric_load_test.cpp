#include "plan/fabric_load.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace commgauge::fabric_load_test {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

auto about(double value) { return DoubleNear(value, 1e-9); }

TEST(LoadedLink, CarriesWhatChangesSides) {
  const std::vector<int> side{1, 1, 0, 2};
  EXPECT_TRUE((LoadedLink{side, Passing::out, 1}.passes({0, 2})));
  EXPECT_FALSE((LoadedLink{side, Passing::out, 1}.passes({2, 0})));
  EXPECT_FALSE((LoadedLink{side, Passing::out, 1}.passes({0, 1})));
  EXPECT_TRUE((LoadedLink{side, Passing::in, 1}.passes({2, 0})));
  EXPECT_FALSE((LoadedLink{side, Passing::in, 1}.passes({2, 3})));
  EXPECT_TRUE((LoadedLink{side, Passing::between, 1}.passes({2, 3})));
}

TEST(TimesAtOnce, AreThoseAloneWhereNothingIsShared) {
  Matrix alone(4, 1.0);
  alone(2, 3) = 3;
  const std::vector<HostMessage> pairs{{0, 1}, {2, 3}};
  EXPECT_THAT(times_at_once(pairs, alone, {}), ElementsAre(about(1), about(3)));
}

/// Two of them get half of the link each, until the first ends; then the other one has it alone.
TEST(TimesAtOnce, ShareALinkUntilTheFirstEnds) {
  Matrix alone(4, 1.0);
  alone(1, 3) = 4;
  const std::vector<LoadedLink> links{{{1, 1, 0, 0}, Passing::out, 1}};
  const std::vector<HostMessage> pairs{{0, 2}, {1, 3}};
  EXPECT_THAT(times_at_once(pairs, alone, links), ElementsAre(about(4 / 3.0), about(4)));
  EXPECT_THAT(times_at_once(pairs, Matrix(4, 1.0), links), ElementsAre(about(2), about(2)));
}

TEST(RateShown, IsTheLinksWhereItIsBusyToTheEnd) {
  EXPECT_NEAR(rate_shown(std::vector{2.0, 2.0, 2.0}, std::vector{1.0, 1.0, 1.0}), 1.5, 1e-12);
}

/// From 4 / 3 on the last one goes at its own rate, 1 / 4: a third of its bytes went before.
TEST(RateShown, LeavesOutWhatCameAtItsOwnRate) {
  EXPECT_NEAR(rate_shown(std::vector{4 / 3.0, 4.0}, std::vector{1.0, 4.0}), 1, 1e-12);
}

TEST(RateShown, BearsAnOutlier) {
  const std::vector<double> times{2.0, 2.0, 2.0, 2.0, 2.1};
  EXPECT_NEAR(rate_shown(times, std::vector<double>(5, 1.0)), 2.5, 0.01);
}

TEST(RateShown, OfNothingIsNothing) { EXPECT_EQ(rate_shown({}, {}), 0); }

}  // namespace commgauge::fabric_load_test
