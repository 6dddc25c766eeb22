#include "commgauge/predict/predict.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "certain.hpp"
#include "commgauge/base/error.hpp"
#include "logarithms.hpp"
#include "predict/formulas.hpp"
#include "refused_prediction.hpp"

namespace commgauge::formulas_test {

/// The formulas of docs/models.md.
Prediction by_formula(const Model& model, const Query& query) {
  const auto told = formulas::predict(model, query);
  if (!told) formulas::refuse_unmeasured(model, query);
  return *told;
}

constexpr double close = 1e-15;
constexpr Bytes size{1000};  ///< so that 1 ns/B is 1 us

Matrix links(double a, double b, double c) {
  Matrix m(3);
  m.set_both(0, 1, a);
  m.set_both(0, 2, b);
  m.set_both(1, 2, c);
  return m;
}

/// Three ranks. At 1000 bytes a message costs them 2, 4 and 6 us, and the links take, L and bytes
/// together, 10 + 4, 20 + 5 and 30 + 6 us.
Model additive() {
  const AdditiveParameters lmo{{1 * us, 2 * us, 3 * us},
                               {1 * ns, 2 * ns, 3 * ns},
                               links(10 * us, 20 * us, 30 * us),
                               links(4 * ns, 5 * ns, 6 * ns)};
  Model model;
  model.ranks = 3;
  model.eager_limit = Bytes{1500};
  model.lmo = certain(lmo);
  model.lom = certain(AdditiveParameters{lmo.C, lmo.t, {}, lmo.inverse_beta});
  return model;
}

double time_of(const Model& model, const std::string& name, Operation operation, int from,
               int to = -1, Bytes bytes = size) {
  const Prediction prediction = by_formula(model, {name, operation, from, to, bytes});
  EXPECT_NEAR(prediction.low.value, prediction.time.value, close);
  EXPECT_NEAR(prediction.high.value, prediction.time.value, close);
  return prediction.time.value;
}

TEST(PredictLmo, ByHand) {
  const Model model = additive();
  // 2 + 20 + 5 + 6
  EXPECT_NEAR(time_of(model, "lmo", Operation::p2p, 0, 2), 33 * us, close);
  EXPECT_NEAR(time_of(model, "lmo", Operation::p2p, 2, 0), 33 * us, close);
  // The first leaves at 2 and takes 18, the second leaves at 4 and takes 31.
  EXPECT_NEAR(time_of(model, "lmo", Operation::scatter, 0), 35 * us, close);
  // They arrive at 18 and 31; each takes 2 to be taken in.
  EXPECT_NEAR(time_of(model, "lmo", Operation::gather, 0), 33 * us, close);
  // They arrive at 27 and 40; each takes 6.
  EXPECT_NEAR(time_of(model, "lmo", Operation::gather, 2), 46 * us, close);
}

/// The slow root of a gather is what counts when all have arrived before it is free.
TEST(PredictLmo, GatherAtABusyRoot) {
  Model model = additive();
  model.lmo->value.C[0] = 99 * us;
  model.lmo->replicates.assign(3, model.lmo->value);
  // The first arrives at 18, is taken in until 118; the second until 218.
  EXPECT_NEAR(time_of(model, "lmo", Operation::gather, 0), 218 * us, close);
}

TEST(PredictLmo, OneAfterTheOtherAboveTheEagerLimit) {
  // At 2000 bytes: the root 3 each, the ways 10 + 8 + 6 and 20 + 10 + 9.
  const Model model = additive();
  EXPECT_NEAR(time_of(model, "lmo", Operation::scatter, 0, -1, Bytes{2000}), 69 * us, close);
  EXPECT_NEAR(time_of(model, "lmo", Operation::gather, 0, -1, Bytes{2000}), 69 * us, close);
}

TEST(PredictLom, ByHand) {
  const Model model = additive();
  EXPECT_NEAR(time_of(model, "lom", Operation::p2p, 0, 2), 13 * us, close);
  // 2 · 2 + max(8, 11)
  EXPECT_NEAR(time_of(model, "lom", Operation::scatter, 0), 15 * us, close);
  EXPECT_NEAR(time_of(model, "lom", Operation::gather, 0), 15 * us, close);
  // 2 · 3 + 14 + 19
  EXPECT_NEAR(time_of(model, "lom", Operation::scatter, 0, -1, Bytes{2000}), 39 * us, close);
}

Model hockney() {
  HockneyParameters p{links(10 * us, 20 * us, 30 * us), links(4 * ns, 5 * ns, 6 * ns), 0, 0};
  p.alpha(1, 0) = 11 * us;
  Model model;
  model.ranks = 3;
  model.eager_limit = Bytes{1500};
  model.hockney = certain(p);
  return model;
}

TEST(PredictHockney, ByHand) {
  const Model model = hockney();
  EXPECT_NEAR(time_of(model, "hockney", Operation::p2p, 0, 1), 14 * us, close);
  EXPECT_NEAR(time_of(model, "hockney", Operation::p2p, 1, 0), 15 * us, close);
  EXPECT_NEAR(time_of(model, "hockney", Operation::scatter, 0), 39 * us, close);
  EXPECT_NEAR(time_of(model, "hockney", Operation::gather, 0), 40 * us, close);
}

TEST(PredictHockney, TakesTheLineOfTheRegime) {
  Model model = hockney();
  EXPECT_NEAR(time_of(model, "hockney", Operation::p2p, 0, 1, Bytes{2000}), 18 * us, close);
  HockneyParameters above = model.hockney->value;
  above.alpha(0, 1) = 50 * us;
  model.hockney_rendezvous = certain(above);
  EXPECT_NEAR(time_of(model, "hockney", Operation::p2p, 0, 1, Bytes{2000}), 58 * us, close);
  EXPECT_NEAR(time_of(model, "hockney", Operation::p2p, 0, 1, Bytes{1500}), 16 * us, close);
}

TEST(PredictHockney, RefusesAPairThatWasNotMeasured) {
  Model model = hockney();
  model.hockney->value.alpha(0, 2) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW((void)by_formula(model, {"hockney", Operation::p2p, 0, 2, size}), InputError);
  EXPECT_THROW((void)by_formula(model, {"hockney", Operation::scatter, 0, -1, size}), InputError);
  EXPECT_NEAR(time_of(model, "hockney", Operation::gather, 0), 40 * us, close);
}

Model bottleneck() {
  BottleneckParameters p{{1 * us, 2 * us, 3 * us},
                         {4 * ns, 4 * ns, 4 * ns},
                         {5 * ns, 5 * ns, 5 * ns},
                         links(10 * us, 20 * us, 30 * us),
                         {},
                         links(6 * ns, 7 * ns, 7 * ns)};
  p.g(1, 0) = 8 * ns;
  p.g(2, 0) = 9 * ns;
  Model model;
  model.ranks = 3;
  model.eager_limit = Bytes{1500};
  model.bottleneck = certain(p);
  return model;
}

TEST(PredictBottleneck, ByHand) {
  Model model = bottleneck();
  EXPECT_NEAR(time_of(model, "bottleneck", Operation::p2p, 0, 1), (13 + 6) * us, close);
  EXPECT_NEAR(time_of(model, "bottleneck", Operation::p2p, 1, 0), (13 + 8) * us, close);
  // The second leaves 1 + 4 later: 5 + 24 + 7.
  EXPECT_NEAR(time_of(model, "bottleneck", Operation::scatter, 0), 36 * us, close);
  // 2 · 1, the farther of 12 and 23, and the root's 2 · 5 against 9 of the slowest pair.
  EXPECT_NEAR(time_of(model, "bottleneck", Operation::gather, 0), 35 * us, close);
  // At 2000 bytes one after the other: 13 + 12 + 24 + 14.
  EXPECT_NEAR(time_of(model, "bottleneck", Operation::scatter, 0, -1, Bytes{2000}), 63 * us, close);
  // Likewise: 13 + 16 + 24 + 18.
  EXPECT_NEAR(time_of(model, "bottleneck", Operation::gather, 0, -1, Bytes{2000}), 71 * us, close);
  model.bottleneck->value.r[0] = 4 * ns;
  model.bottleneck->replicates.assign(3, model.bottleneck->value);
  EXPECT_NEAR(time_of(model, "bottleneck", Operation::gather, 0), 34 * us, close);
}

/// A gap of which only a bound is known: predicted at the bound, down to nothing.
TEST(PredictBottleneck, WithABoundOnly) {
  Model model = bottleneck();
  for (BottleneckParameters* p : {&model.bottleneck->value, &model.bottleneck->low}) {
    p->s[0] = p->r[0] = std::numeric_limits<double>::quiet_NaN();
  }
  model.bottleneck->replicates.assign(3, model.bottleneck->value);
  model.bottleneck->high.s[0] = 3 * ns;
  const Prediction scatter = by_formula(model, {"bottleneck", Operation::scatter, 0, -1, size});
  EXPECT_NEAR(scatter.time.value, (1 + 3 + 24 + 7) * us, close);
  EXPECT_NEAR(scatter.low.value, (1 + 24 + 7) * us, close);
  EXPECT_NEAR(scatter.high.value, scatter.time.value, close);
  const Prediction gather = by_formula(model, {"bottleneck", Operation::gather, 0, -1, size});
  EXPECT_NEAR(gather.time.value, 35 * us, close);
  EXPECT_NEAR(gather.low.value, 34 * us, close);
}

/// Predictions of 13, 14 and 15 us: two degrees of freedom. Times are above zero: their logarithms
/// scatter.
TEST(PredictionInterval, OfAFurtherReplicate) {
  Model model = hockney();
  model.hockney->replicates[0].alpha(0, 1) = 9 * us;
  model.hockney->replicates[2].alpha(0, 1) = 11 * us;
  const Query query{"hockney", Operation::p2p, 0, 1, size};
  // 4.302653 · sqrt(1 + 1/3)
  const double deviation = log_deviation({13, 14, 15});
  EXPECT_NEAR(by_formula(model, query).high.value, 14 * us * std::exp(4.968276 * deviation), 1e-11);
  EXPECT_NEAR(by_formula(model, query).low.value, 14 * us / std::exp(4.968276 * deviation), 1e-11);
  model.hockney->replicate_kind = ReplicateKind::draws;
  // A draw scatters as the mean of one pass does, a further pass as much again.
  EXPECT_NEAR(by_formula(model, query).high.value,
              14 * us * std::exp(4.302653 * std::sqrt(2.0) * deviation), 1e-11);
}

TEST(PredictionInterval, OfATimeIsAboveZero) {
  Model model = hockney();
  model.hockney->replicates[0].alpha(0, 1) = 1 * us;
  model.hockney->replicates[2].alpha(0, 1) = 30 * us;
  const Query query{"hockney", Operation::p2p, 0, 1, size};
  EXPECT_GT(by_formula(model, query).low.value, 0);
  // A replicate that says less than nothing has no logarithm.
  model.hockney->replicates[0].alpha(0, 1) = -9 * us;
  EXPECT_GT(by_formula(model, query).low.value, 0);
  EXPECT_LT(by_formula(model, query).low.value, 5 * us);
}

/// A residual of 10 %, times 1.959964.
TEST(PredictionInterval, ContainsTheMisfit) {
  Model model = hockney();
  model.hockney->residual = 0.1;
  const Query query{"hockney", Operation::p2p, 0, 1, size};
  EXPECT_NEAR(by_formula(model, query).high.value, 14 * us * std::exp(0.1959964), 1e-11);
  model.confidence = 0.9;
  EXPECT_NEAR(by_formula(model, query).high.value, 14 * us * std::exp(0.1644854), 1e-11);
}

TEST(Extrapolation, IsOutsideTheRangeOfSizes) {
  const Model model = additive();
  const auto is_flagged = [&](std::uint64_t bytes) {
    return by_formula(model, {"lmo", Operation::p2p, 0, 1, Bytes{bytes}}).extrapolated;
  };
  EXPECT_TRUE(is_flagged(99));
  EXPECT_FALSE(is_flagged(100));
  EXPECT_FALSE(is_flagged(2000));
  EXPECT_TRUE(is_flagged(2001));
}

TEST(PredictErrors, SayWhatIsWrong) {
  const Model model = additive();
  const auto expect = [&](const Query& query, const std::string& words) {
    EXPECT_NE(refusal(model, query).find(words), std::string::npos) << refusal(model, query);
  };
  expect({"loggq", Operation::p2p, 0, 1, size}, "unknown model 'loggq'");
  expect({"bottleneck", Operation::p2p, 0, 1, size}, "the file has no model bottleneck");
  expect({"lmo", Operation::p2p, 3, 1, size}, "rank 3 is out of range");
  expect({"lmo", Operation::p2p, 0, -1, size}, "rank -1 is out of range");
  expect({"lmo", Operation::p2p, 1, 1, size}, "sender and receiver are both rank 1");
  expect({"lmo", Operation::scatter, -1, -1, size}, "rank -1 is out of range");
}

/// A root's part of an eager message; no other of these models tells it.
TEST(SenderTime, OfLmoOnly) {
  const Model model = additive();
  Query query{"lmo", Operation::p2p, 2, 0, size, Side::sender};
  EXPECT_NEAR(by_formula(model, query).time.value, 6 * us, close);
  query.size = Bytes{1501};
  EXPECT_NE(refusal(model, query).find("lmo knows no sender's time above"), std::string::npos);
  query.size = size;
  query.model = "lom";
  EXPECT_NE(refusal(model, query).find("lom knows no sender's time"), std::string::npos);
  query = {"lmo", Operation::scatter, 0, -1, size, Side::sender};
  EXPECT_NE(refusal(model, query).find("sender's time of scatter"), std::string::npos);
}

TEST(Broadcast, FlatIsAScatter) {
  for (const Model& model : {additive(), hockney(), bottleneck()}) {
    for (const std::string& name : model_names()) {
      if (!model.has(name)) continue;
      for (const Bytes bytes : {size, Bytes{2000}}) {
        EXPECT_EQ(time_of(model, name, Operation::bcast, 1, -1, bytes),
                  time_of(model, name, Operation::scatter, 1, -1, bytes));
      }
    }
  }
}

double binomial(const Model& model, const std::string& name, int root, Bytes bytes = size) {
  return by_formula(model,
                    {name, Operation::bcast, root, -1, bytes, Side::receiver, Algorithm::binomial})
      .time.value;
}

/// Three ranks: the root sends to the second after it, then to the first.
TEST(Broadcast, BinomialOfThreeByHand) {
  // Hockney, from 0: 25 to rank 2, then 14 to rank 1. From 1: 15 to rank 0, then 36 to rank 2.
  EXPECT_NEAR(binomial(hockney(), "hockney", 0), 39 * us, close);
  EXPECT_NEAR(binomial(hockney(), "hockney", 1), 51 * us, close);
  // LMO, from 0: 33 to rank 2; rank 1 is served from 2 on, for 20.
  EXPECT_NEAR(binomial(additive(), "lmo", 0), 33 * us, close);
  // From 1: rank 0 first, for 20; rank 2 from 4 on, for 4 + 30 + 6 + 6.
  EXPECT_NEAR(binomial(additive(), "lmo", 1), 50 * us, close);
  // At 2000 bytes one after the other: 42, then 27.
  EXPECT_NEAR(binomial(additive(), "lmo", 0, Bytes{2000}), 69 * us, close);
  // Bottleneck, from 0: 31 to rank 2; rank 1 is served from 5 on, for 19.
  EXPECT_NEAR(binomial(bottleneck(), "bottleneck", 0), 31 * us, close);
  // From 2: rank 1 first, for 42; rank 0 from 3 + 4 on, for 24 + 9.
  EXPECT_NEAR(binomial(bottleneck(), "bottleneck", 2), 42 * us, close);
}

TEST(PredictMessages, AsOneByOne) {
  const Model model = additive();
  const std::vector<PairMessage> messages{{0, 1, Bytes{0}}, {2, 0, size}, {1, 2, Bytes{2000}}};
  for (const std::string name : {"lmo", "lom"}) {
    const auto predictions = predict_messages(model, name, Side::receiver, messages);
    const auto times = predict_message_times(model, name, Side::receiver, messages);
    ASSERT_EQ(predictions.size(), 3U);
    ASSERT_EQ(times.size(), 3U);
    for (std::size_t k = 0; k < 3; ++k) {
      const auto& [from, to, bytes] = messages[k];
      const Prediction one = by_formula(model, {name, Operation::p2p, from, to, bytes});
      EXPECT_EQ(predictions[k].time, one.time);
      EXPECT_EQ(predictions[k].low, one.low);
      EXPECT_EQ(predictions[k].high, one.high);
      EXPECT_EQ(predictions[k].extrapolated, one.extrapolated);
      EXPECT_EQ(times[k].time, one.time);
      EXPECT_EQ(times[k].extrapolated, one.extrapolated);
    }
  }
}

TEST(PredictMessages, SayWhichIsRefused) {
  const Model model = additive();
  const std::vector<PairMessage> messages{{0, 1, size}, {1, 3, size}};
  EXPECT_EQ(refusal([&] {
              (void)predict_messages(model, "lmo", Side::receiver, messages);
            }).find("a message from 1 to 3: rank 3 is out of range"),
            0U);
  const std::vector<PairMessage> above{{0, 1, size}, {0, 1, Bytes{1501}}};
  EXPECT_EQ(refusal([&] {
              (void)predict_message_times(model, "lmo", Side::sender, above);
            }).find("a message from 0 to 1: lmo knows no sender's time above"),
            0U);
  EXPECT_NE(refusal([&] { (void)predict_messages(model, "lmoo", Side::receiver, messages); }), "");
  EXPECT_TRUE(predict_messages(model, "lmo", Side::receiver, {}).empty());
}

}  // namespace commgauge::formulas_test
