#include "commgauge/predict/by_replicates.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "certain.hpp"
#include "commgauge/base/error.hpp"
#include "commgauge/predict/predict.hpp"
#include "logarithms.hpp"

namespace commgauge::by_replicates_test {

/// Parameters with so many replicates around them.
template <class Parameters, class Scale>
Fitted<Parameters> spread(const Parameters& value, int count, Scale&& scaled) {
  Fitted<Parameters> fitted = certain(value);
  fitted.replicates.clear();
  for (int k = 0; k < count; ++k) {
    fitted.replicates.push_back(scaled(value, 1 + 0.02 * std::sin(1.0 + k)));
  }
  fitted.replicate_kind = ReplicateKind::passes;
  fitted.residual = 0.01;
  return fitted;
}

HockneyParameters scaled(const HockneyParameters& p, double factor) {
  return {Matrix(2, p.alpha(0, 1) * factor), Matrix(2, p.beta(0, 1) * factor), 0, 0};
}

Model hockney(int eager_replicates, int rendezvous_replicates) {
  Model model;
  model.ranks = 2;
  model.eager_limit = Bytes{1000};
  model.hockney = spread(HockneyParameters{Matrix(2, 10 * us), Matrix(2, 1 * ns), 0, 0},
                         eager_replicates, scaled);
  model.hockney_rendezvous = spread(HockneyParameters{Matrix(2, 30 * us), Matrix(2, 2 * ns), 0, 0},
                                    rendezvous_replicates, scaled);
  return model;
}

void expect_equal(const Prediction& one, const Prediction& other) {
  EXPECT_DOUBLE_EQ(one.time.value, other.time.value);
  EXPECT_DOUBLE_EQ(one.low.value, other.low.value);
  EXPECT_DOUBLE_EQ(one.high.value, other.high.value);
}

using Time = std::function<double(const Model&)>;

ByReplicates said_by(const Model& model, const std::string& name, const Time& time) {
  const auto only = [&](const Model& one) { return std::vector<double>{time(one)}; };
  return by_replicates(model, name, only).front();
}

Prediction predicted_by(const Model& model, const std::string& name, const Time& time) {
  return time_by_replicates(model, name, said_by(model, name, time));
}

double width(const Prediction& prediction) { return prediction.high.value - prediction.low.value; }

TEST(ByReplicates, AMessageHasTheIntervalOfItsPrediction) {
  const Model model = hockney(7, 7);
  const Query query{"hockney", Operation::p2p, 0, 1, Bytes{500}};
  const auto time = [&](const Model& one) { return predict_time(one, query).value; };
  const Prediction prediction = predict(model, query);
  EXPECT_LT(prediction.low, prediction.time);
  EXPECT_LT(prediction.time, prediction.high);
  expect_equal(predicted_by(model, "hockney", time), prediction);
  EXPECT_EQ(calls_by_replicates(model, "hockney"), 8U);
}

/// Where replicates of two fits don't belong together each varies while the other stays.
TEST(ByReplicates, FitsOfDifferentReplicatesVaryByThemselves) {
  const Model model = hockney(7, 5);
  const Query below{"hockney", Operation::p2p, 0, 1, Bytes{500}};
  const Query above{"hockney", Operation::p2p, 0, 1, Bytes{5000}};
  const auto both = [&](const Model& one) {
    return predict_time(one, below).value + predict_time(one, above).value;
  };
  const Prediction sum = predicted_by(model, "hockney", both);
  EXPECT_EQ(calls_by_replicates(model, "hockney"), 13U);
  EXPECT_DOUBLE_EQ(sum.time.value, both(model));
  const auto half_width = [](const Prediction& p) { return p.high.value - p.time.value; };
  EXPECT_GT(half_width(sum), half_width(predict(model, below)));
}

/// Links between hosts vary while all else stays, even if there are as many replicates.
TEST(ByReplicates, LinksBetweenHostsVaryByThemselves) {
  Model model = hockney(5, 5);
  Fabric fabric;
  fabric.value = {{2}, {1}, 1};
  for (const double out : {1.9, 1.95, 2.0, 2.05, 2.1}) fabric.replicates.push_back({{out}, {1}, 1});
  model.fabric = fabric;
  EXPECT_EQ(calls_by_replicates(model, "hockney"), 11U);
  const auto uplink = [](const Model& one) { return one.fabric->value.out.front(); };
  const auto costs = [](const Model& one) { return one.hockney->value.alpha(0, 1); };
  const ByReplicates uplinks = said_by(model, "hockney", uplink);
  const ByReplicates alphas = said_by(model, "hockney", costs);
  for (std::size_t k = 0; k < uplinks.size(); ++k) {
    EXPECT_TRUE(uplinks[k] == 2 || alphas[k] == alphas.front()) << k;
  }
  const Prediction told = predicted_by(model, "hockney", uplink);
  EXPECT_EQ(told.time.value, 2);
  EXPECT_GT(width(told), 0.2);
  model.fabric->replicates.clear();
  EXPECT_EQ(calls_by_replicates(model, "hockney"), 6U) << "taken as they are";
}

TEST(ByReplicates, WithoutReplicatesThereIsNoInterval) {
  const Model model = hockney(0, 0);
  const auto time = [](const Model&) { return 1.0; };
  EXPECT_FALSE(predicted_by(model, "hockney", time).has_interval());
  EXPECT_EQ(calls_by_replicates(model, "hockney"), 1U);
}

/// The second time is the first and a constant, or twice the first.
TEST(ByReplicates, WhatMovesBothAlikeDoesNotWidenAPair) {
  const Model model = hockney(7, 7);
  const Query query{"hockney", Operation::p2p, 0, 1, Bytes{500}};
  const auto numbers = [&](const Model& one) {
    const double time = predict_time(one, query).value;
    return std::vector<double>{time, time + 1, 2 * time};
  };
  const auto slower = [&](double factor) {
    const double time = factor * predict_time(model, query).value;
    return std::vector<double>{time, time + 1, 2 * time};
  };
  const auto all = by_replicates(model, "hockney", numbers, slower);
  ASSERT_EQ(all.size(), 3U);
  for (const ByReplicates& one : all) {
    EXPECT_EQ(one.size(), calls_by_replicates(model, "hockney", true));
  }
  const double time = all[0].front();
  EXPECT_GT(width(time_by_replicates(model, "hockney", all[0])), 0.01 * time);
  const Prediction constant = difference_by_replicates(model, "hockney", all[1], all[0]);
  EXPECT_DOUBLE_EQ(constant.time.value, 1);
  EXPECT_NEAR(width(constant), 0, 1e-12);
  const Prediction twice = ratio_by_replicates(model, "hockney", all[2], all[0]);
  EXPECT_DOUBLE_EQ(twice.time.value, 2);
  EXPECT_NEAR(width(twice), 0, 1e-12);
  const Prediction first = difference_by_replicates(model, "hockney", all[2], all[0]);
  EXPECT_GT(width(first), 0.01 * time);
  EXPECT_NEAR(difference_by_replicates(model, "hockney", all[0], all[2]).low.value,
              -first.high.value, 1e-15);
}

/// A parameter that is only bounded may be anything down to nothing.
TEST(ByReplicates, ABoundWidensTheIntervalDownwards) {
  Model model;
  model.ranks = 3;
  BottleneckParameters p;
  p.C = {10 * us, 10 * us, 10 * us};
  p.L = Matrix(3, 20 * us);
  p.g = Matrix(3, 10 * ns);
  constexpr double not_known = std::numeric_limits<double>::quiet_NaN();
  p.s = p.r = {not_known, not_known, not_known};
  const auto same = [](const BottleneckParameters& value, double) { return value; };
  model.bottleneck = spread(p, 5, same);
  model.bottleneck->high.s = model.bottleneck->high.r = {4 * ns, 4 * ns, 4 * ns};
  const Query query{"bottleneck", Operation::scatter, 0, -1, Bytes{100'000}};
  const auto time = [&](const Model& one) { return predict_time(one, query).value; };
  const Prediction prediction = predicted_by(model, "bottleneck", time);
  expect_equal(prediction, predict(model, query));
  EXPECT_LT(prediction.low.value, prediction.time.value - 100'000 * 4 * ns / 2);
}

}  // namespace commgauge::by_replicates_test
