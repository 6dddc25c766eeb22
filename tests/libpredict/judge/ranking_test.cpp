#include "commgauge/judge/ranking.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "certain.hpp"

namespace commgauge::ranking_test {

/// Measured in 1 s, predicted so much longer.
Comparison off_by(double error, const std::string& model, Operation operation, Bytes size) {
  Comparison one;
  one.model = model;
  one.measured.operation = operation;
  one.measured.size = size;
  one.measured.time_s = 1;
  one.prediction.time = Seconds{1 + error};
  return one;
}

TEST(Comparison, IsRelativeToTheMeasuredTime) {
  Comparison one = off_by(0, "lmo", Operation::p2p, Bytes{8});
  one.measured.time_s = 4;
  EXPECT_EQ(one.relative_error(), -0.75);
  one.prediction.low = Seconds{1};
  one.prediction.high = Seconds{4};
  EXPECT_TRUE(one.inside());
  one.prediction.high = Seconds{3.5};
  EXPECT_FALSE(one.inside());
  one.prediction.low = one.prediction.high = Seconds{std::numeric_limits<double>::quiet_NaN()};
  EXPECT_FALSE(one.inside());
}

TEST(RankingOf, AveragesMediansOverSizesAndThenOperations) {
  const std::vector<Ranking> places = ranking_of(
      {off_by(0.25, "lmo", Operation::p2p, Bytes{8}),
       off_by(-0.125, "lmo", Operation::p2p, Bytes{8}), off_by(8, "lmo", Operation::p2p, Bytes{8}),
       off_by(-0.75, "lmo", Operation::p2p, Bytes{64}),
       off_by(0.25, "lmo", Operation::scatter, Bytes{8})});
  ASSERT_EQ(places.size(), 1U);
  EXPECT_EQ(places[0].model, "lmo");
  ASSERT_EQ(places[0].operations.size(), 2U);
  // Medians of 0.25 and 0.75.
  EXPECT_EQ(places[0].operations[0], std::pair(Operation::p2p, 0.5));
  EXPECT_EQ(places[0].operations[1], std::pair(Operation::scatter, 0.25));
  EXPECT_EQ(places[0].error, 0.375);
}

TEST(RankingOf, TheSmallestErrorComesFirst) {
  const std::vector<Ranking> places = ranking_of({off_by(0.5, "a", Operation::p2p, Bytes{8}),
                                                  off_by(-0.25, "b", Operation::p2p, Bytes{8}),
                                                  off_by(0.375, "c", Operation::p2p, Bytes{8})});
  ASSERT_EQ(places.size(), 3U);
  EXPECT_EQ(places[0].model, "b");
  EXPECT_EQ(places[1].model, "c");
  EXPECT_EQ(places[2].model, "a");
}

TEST(RankingOf, ModelsThatSayLessComeLast) {
  const std::vector<Ranking> places = ranking_of({off_by(0.5, "b", Operation::p2p, Bytes{8}),
                                                  off_by(0.5, "b", Operation::p2p, Bytes{64}),
                                                  off_by(0, "a", Operation::p2p, Bytes{8})});
  ASSERT_EQ(places.size(), 2U);
  EXPECT_EQ(places[0].model, "b");
  EXPECT_EQ(places[1].error, 0);
  EXPECT_TRUE(ranking_of({}).empty());
}

/// LogGP knows nothing of the second pair.
TEST(AgainstPredictions, SkipsWhatAModelCantSay) {
  const Matrix all(3, 10 * us);
  Model model;
  model.ranks = 3;
  model.hockney = certain(HockneyParameters{all, Matrix(3, 1 * ns), 0, 0});
  Matrix L = all;
  L(1, 2) = std::numeric_limits<double>::quiet_NaN();
  model.loggp = certain(LogGpParameters{L, all, all, Matrix(3, 1 * ns), 0, 0, 0, 0});
  OneWayTime known;
  known.from = 0;
  known.to = 1;
  known.size = Bytes{1000};
  known.time_s = 10 * us;
  OneWayTime not_known = known;
  not_known.from = 1;
  not_known.to = 2;
  const auto [all_of_them, skipped] = against_predictions(model, {known, not_known});
  EXPECT_EQ(skipped, 1);
  ASSERT_EQ(all_of_them.size(), 3U);
  EXPECT_EQ(all_of_them[0].model, "hockney");
  EXPECT_EQ(all_of_them[1].model, "loggp");
  EXPECT_EQ(all_of_them[2].model, "hockney");
  EXPECT_EQ(all_of_them[2].measured.from, 1);
  EXPECT_NEAR(all_of_them[0].prediction.time.value, 11 * us, 1e-15);
  EXPECT_NEAR(all_of_them[0].relative_error(), 0.1, 1e-9);
  EXPECT_NEAR(all_of_them[1].prediction.time.value, 31 * us, 1e-15);
}

}  // namespace commgauge::ranking_test
