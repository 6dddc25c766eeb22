#include "plan/fabric_load.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "commgauge/base/index.hpp"

namespace commgauge::fabric_load_test {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::Field;

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

/// From the first hosts to as many others, each to its own.
LoadRound round_of(const std::vector<double>& times) {
  LoadRound round;
  const int count = static_cast<int>(times.size());
  for (int host = 0; host < count; ++host) round.pairs.push_back({host, count + host});
  round.times = times;
  return round;
}

LoadedLink out_of_first(int senders, int hosts) {
  LoadedLink link{std::vector<int>(at(hosts)), Passing::out, 0};
  std::fill_n(link.side.begin(), senders, 1);
  return link;
}

double shown_by(const std::vector<double>& times) {
  const int senders = static_cast<int>(times.size());
  return rate_shown(out_of_first(senders, 2 * senders), round_of(times), Matrix(2 * senders, 1.0));
}

TEST(RateShown, IsTheLinksWhereItIsBusyToTheEnd) {
  EXPECT_NEAR(shown_by({2.0, 2.0, 2.0}), 1.5, 1e-12);
}

/// From 4 / 3 on the last one goes at its own rate, 1 / 4: a third of its bytes went before.
TEST(RateShown, LeavesOutWhatCameAtItsOwnRate) {
  Matrix alone(4, 1.0);
  alone(1, 3) = 4;
  EXPECT_NEAR(rate_shown(out_of_first(2, 4), round_of({4 / 3.0, 4.0}), alone), 1, 1e-12);
}

TEST(RateShown, HardlyMindsALateMessage) { EXPECT_NEAR(shown_by({2, 2, 2, 2, 2.1}), 2.45, 1e-12); }

/// A link of the rate 1 whose first two messages get more of it; then the third has it alone.
TEST(RateShown, DoesNotMindHowALinkIsShared) { EXPECT_NEAR(shown_by({2.6, 2.6, 3.0}), 1, 1e-12); }

TEST(RateShown, OfNothingIsNothing) { EXPECT_EQ(rate_shown({}, {}, Matrix(2, 1.0)), 0); }

/// Five hosts have a link of the rate 2. Three of them send into one of the rate 1, which lets them
/// end last. So their own link carries half of what it can at the end.
struct Crossing {
  LoadedLink out = out_of_first(5, 10);
  LoadedLink in{{0, 0, 0, 0, 0, 1, 1, 1, 2, 2}, Passing::in, 1};
  Matrix alone{10, 1.0};
  LoadRound round = round_of({});
  Crossing() {
    out.rate = 2;
    round = round_of(std::vector<double>(5));
    round.times = times_at_once(round.pairs, alone, std::vector{out, in});
  }
};

TEST(RateShown, KnowsWhatOtherLinksLetPass) {
  const Crossing crossing;
  EXPECT_LT(rate_shown(crossing.out, crossing.round, crossing.alone), 1.8);
  EXPECT_NEAR(rate_shown(crossing.out, crossing.round, crossing.alone, std::vector{crossing.in}), 2,
              1e-9);
}

TEST(RatesShown, AreThoseThatAgreeWithOneAnother) {
  const Crossing crossing;
  const std::vector<ShownLink> shown{{crossing.out, {crossing.round}},
                                     {crossing.in, {crossing.round}}};
  const auto links = with_rates_shown(shown, crossing.alone);
  ASSERT_TRUE(links);
  EXPECT_THAT(*links,
              ElementsAre(Field(&LoadedLink::rate, about(2)), Field(&LoadedLink::rate, about(1))));
  EXPECT_TRUE(with_rates_shown({}, crossing.alone)->empty());
}

}  // namespace commgauge::fabric_load_test
