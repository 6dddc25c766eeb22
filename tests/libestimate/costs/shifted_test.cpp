#include "commgauge/costs/shifted.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>

#include "../by_classes.hpp"
#include "commgauge/base/statistics.hpp"
#include "commgauge/costs/costs_of_pairs.hpp"
#include "commgauge/model/model_list.hpp"

namespace commgauge::shifted_test {

using samples::by_classes;

double empty_message(const Model& model, const std::string& name, int from, int to) {
  return costs_of_pairs(model, name)(from, to).one_way.at(0);
}

double each_byte(const Model& model, const std::string& name, int from, int to) {
  const auto size = static_cast<double>(fitted_sizes(model, name).last.value);
  const PairCosts costs = costs_of_pairs(model, name)(from, to);
  return (costs.one_way.at(size) - costs.one_way.at(0)) / size;
}

/// All of a model's messages between hosts 1.5 times, each byte 2 times.
TimeFactors between_hosts(const Model& model, int from, int to) {
  if (model.host(from) == model.host(to)) return {};
  return {1.5, 2, 0, 0};
}

/// Models of both parts, in which the mean of two hosts' parts is exact for pairs of one class.
class ShiftedMessages : public ::testing::TestWithParam<const char*> {};

TEST_P(ShiftedMessages, TakeSoManyTimesAsLong) {
  const std::string name = GetParam();
  const Model before = by_classes(4, 2);
  const Model after =
      shifted(before, {}, [&](int from, int to) { return between_hosts(before, from, to); });
  for (const auto& [from, to] : {std::pair(0, 2), std::pair(0, 4), std::pair(7, 0)}) {
    EXPECT_NEAR(empty_message(after, name, from, to) / empty_message(before, name, from, to), 1.5,
                1e-9);
    EXPECT_NEAR(each_byte(after, name, from, to) / each_byte(before, name, from, to), 2, 1e-9);
  }
}

INSTANTIATE_TEST_SUITE_P(Models, ShiftedMessages, ::testing::Values("hockney", "lmo", "curves"));

TEST(Shifted, LinksTakeWhatRanksParametersDont) {
  const Model before = by_classes(4, 2);
  const Model after =
      shifted(before, {}, [&](int from, int to) { return between_hosts(before, from, to); });
  EXPECT_EQ(after.lmo->value.C, before.lmo->value.C);
  EXPECT_EQ(after.lmo->value.t, before.lmo->value.t);
  EXPECT_NEAR(empty_message(after, "lmo", 0, 1), empty_message(before, "lmo", 0, 1), 1e-15);
}

TEST(Shifted, AHostThatIsApartHasItsOwnFactors) {
  const Model before = by_classes(6, 2);
  const Model after = shifted(before, {{"n2", "host n2"}}, [&](int from, int to) {
    const bool concerns = before.host(from) == "n2" || before.host(to) == "n2";
    return concerns && before.host(from) != before.host(to) ? TimeFactors{3, 1, 0, 0}
                                                            : TimeFactors{};
  });
  EXPECT_NEAR(empty_message(after, "hockney", 4, 0), 3 * empty_message(before, "hockney", 4, 0),
              1e-15);
  EXPECT_NEAR(empty_message(after, "hockney", 0, 5), 3 * empty_message(before, "hockney", 0, 5),
              1e-15);
  EXPECT_EQ(empty_message(after, "hockney", 0, 8), empty_message(before, "hockney", 0, 8));
  EXPECT_EQ(empty_message(after, "hockney", 4, 5), empty_message(before, "hockney", 4, 5));
  EXPECT_EQ(model_from_json(to_json(after), "itself").ranks, 12);
}

/// Each pair has its own values; all messages take longer.
class DriftOfAll : public ::testing::TestWithParam<const char*> {};

TEST_P(DriftOfAll, IsThatOfEachPair) {
  const std::string name = GetParam();
  const Model before = samples::model(4);
  const Model after = shifted(before, {}, [](int, int) { return TimeFactors{1.5, 2, 0, 0}; });
  EXPECT_NEAR(empty_message(after, name, 3, 1) / empty_message(before, name, 3, 1), 1.5, 1e-9);
  EXPECT_NEAR(each_byte(after, name, 3, 1) / each_byte(before, name, 3, 1), 2, 1e-9);
  const Model read = model_from_json(to_json(after), "itself");
  EXPECT_EQ(read.ranks, 4);
}

INSTANTIATE_TEST_SUITE_P(Models, DriftOfAll,
                         ::testing::Values("hockney", "lom", "lmo", "bottleneck", "loggp", "plogp",
                                           "curves"));

TEST(Shifted, MeansFollow) {
  const Model before = samples::model(4);
  const Model after = shifted(before, {}, [](int, int) { return TimeFactors{1.5, 2, 0, 0}; });
  EXPECT_NEAR(after.hockney->value.mean_alpha, 1.5 * before.hockney->value.mean_alpha, 1e-15);
  EXPECT_NEAR(after.hockney->value.mean_beta, 2 * before.hockney->value.mean_beta, 1e-20);
}

TEST(Shifted, IntervalsHoldTheirValueWhereTheModelsWereOfNoWidth) {
  Model before = samples::model(3);
  before.hockney->low = before.hockney->high = before.hockney->value;
  const Model after = shifted(before, {}, [](int, int) { return TimeFactors{1.5, 2, 0.1, 0.1}; });
  EXPECT_LT(after.hockney->low.alpha(0, 1), after.hockney->value.alpha(0, 1));
  EXPECT_GT(after.hockney->high.alpha(0, 1), after.hockney->value.alpha(0, 1));
}

TEST(Shifted, FactorsThatAreNotSureWidenIntervals) {
  const Model before = by_classes(4, 2);
  const auto factors = [](int, int) { return TimeFactors{2, 1, 0.2, 0}; };
  const Model after = shifted(before, {}, factors);
  const auto width = [](const Model& model) {
    return (model.hockney->high.alpha(0, 2) - model.hockney->low.alpha(0, 2)) /
           model.hockney->value.alpha(0, 2);
  };
  const double of_factor = 2 * (std::exp(0.2 * normal_quantile(before.confidence)) - 1);
  EXPECT_NEAR(width(after), std::hypot(width(before), of_factor), 1e-9);
  std::vector<double> replicates;
  for (const HockneyParameters& one : after.hockney->replicates) {
    replicates.push_back(std::log(one.alpha(0, 2)));
  }
  EXPECT_GT(std::sqrt(variance(replicates)), 0.1);
}

TEST(Shifted, AModelWithoutClassesKeepsEachPairsValue) {
  Model before = samples::model(4);
  const Model after = shifted(before, {}, [](int from, int to) {
    return from + to == 3 ? TimeFactors{2, 2, 0, 0} : TimeFactors{};
  });
  EXPECT_NEAR(after.hockney->value.alpha(0, 3), 2 * before.hockney->value.alpha(0, 3), 1e-15);
  EXPECT_EQ(after.hockney->value.alpha(0, 2), before.hockney->value.alpha(0, 2));
}

}  // namespace commgauge::shifted_test
