#include "commgauge/simulate/world/fair_shares.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

namespace commgauge::simulate::fair_shares_test {

constexpr double plenty = std::numeric_limits<double>::infinity();
constexpr double eps = 1e-9;

using Use = FairShares::Use;

TEST(FairShares, HalvesACarrier) {
  FairShares shares;
  const int link = shares.add_carrier(1);
  const Use whole{link, 0.5};
  const int one = shares.add_flow(2, {&whole, 1});
  const int other = shares.add_flow(2, {&whole, 1});
  shares.fill();
  EXPECT_DOUBLE_EQ(shares.rate(one), 1);
  EXPECT_DOUBLE_EQ(shares.rate(other), 1);
  EXPECT_EQ(shares.bottleneck(one), link);
}

TEST(FairShares, GivesWhatOneCantUseToOthers) {
  FairShares shares;
  const int link = shares.add_carrier(1);
  const Use whole{link, 0.1};
  const int slow = shares.add_flow(2, {&whole, 1});
  const int quick = shares.add_flow(10, {&whole, 1});
  shares.fill();
  EXPECT_DOUBLE_EQ(shares.rate(slow), 2);
  EXPECT_EQ(shares.bottleneck(slow), FairShares::own_rate);
  EXPECT_DOUBLE_EQ(shares.rate(quick), 8);
}

TEST(FairShares, AFlowAloneHasAll) {
  FairShares shares;
  const Use whole{shares.add_carrier(1), 0.1};
  const int alone = shares.add_flow(10, {&whole, 1});
  shares.fill();
  EXPECT_EQ(shares.rate(alone), 10);
  EXPECT_EQ(shares.bottleneck(alone), FairShares::own_rate);
}

/// Bertsekas, Gallager: Data Networks, figure 6.15: links 1-2 to 4-5 of capacity 1; sessions over
/// links 1-2 to 3-4, 1-2, 2-3, 2-3 and 3-4 to 4-5.
TEST(FairShares, OfABookAreAsThere) {
  FairShares shares;
  std::vector<int> links(4);
  for (int& link : links) link = shares.add_carrier(1);
  const auto add = [&](const std::vector<int>& route) {
    std::vector<Use> uses;
    for (const int link : route) uses.push_back({links[static_cast<std::size_t>(link)], 1});
    return shares.add_flow(plenty, uses);
  };
  const std::vector<int> sessions{add({0, 1, 2}), add({0}), add({1}), add({1}), add({2, 3})};
  shares.fill();
  std::vector<double> rates;
  for (const int session : sessions) rates.push_back(shares.rate(session));
  EXPECT_THAT(rates, testing::ElementsAre(
                         testing::DoubleNear(1.0 / 3, eps), testing::DoubleNear(2.0 / 3, eps),
                         testing::DoubleNear(1.0 / 3, eps), testing::DoubleNear(1.0 / 3, eps),
                         testing::DoubleNear(2.0 / 3, eps)));
}

/// Each has its own rate, or passes a full carrier on which none has more.
TEST(FairShares, CantBeRaisedWithoutLoweringSmallerOnes) {
  std::mt19937_64 random(7);
  const auto draw = [&] { return std::uniform_real_distribution{0.1, 1.0}(random); };
  for (int net = 0; net < 300; ++net) {
    FairShares shares;
    const std::size_t carriers = 1 + random() % 8;
    std::vector<double> left;
    for (std::size_t c = 0; c < carriers; ++c) {
      left.push_back(draw());
      (void)shares.add_carrier(left.back());
    }
    std::vector<std::vector<Use>> uses(1 + random() % 12);
    std::vector<double> most;
    for (std::vector<Use>& of_flow : uses) {
      for (std::size_t c = 0; c < carriers; ++c) {
        if (random() % 3 == 0) of_flow.push_back({static_cast<int>(c), draw()});
      }
      most.push_back(2 * draw());
      (void)shares.add_flow(most.back(), of_flow);
    }
    shares.fill();
    std::vector<double> used(carriers);
    std::vector<double> highest(carriers);
    for (std::size_t f = 0; f < uses.size(); ++f) {
      const double rate = shares.rate(static_cast<int>(f));
      EXPECT_LE(rate, most[f]);
      for (const Use& use : uses[f]) {
        const auto c = static_cast<std::size_t>(use.carrier);
        used[c] += rate * use.per_byte;
        highest[c] = std::max(highest[c], rate);
      }
    }
    for (std::size_t c = 0; c < carriers; ++c) EXPECT_LE(used[c], left[c] * (1 + eps));
    for (std::size_t f = 0; f < uses.size(); ++f) {
      const double rate = shares.rate(static_cast<int>(f));
      const int bottleneck = shares.bottleneck(static_cast<int>(f));
      if (bottleneck == FairShares::own_rate) {
        EXPECT_EQ(rate, most[f]);
        continue;
      }
      const auto c = static_cast<std::size_t>(bottleneck);
      EXPECT_NEAR(used[c], left[c], eps);
      EXPECT_GE(rate, highest[c] * (1 - eps)) << "net " << net << ", flow " << f;
    }
  }
}

}  // namespace commgauge::simulate::fair_shares_test
