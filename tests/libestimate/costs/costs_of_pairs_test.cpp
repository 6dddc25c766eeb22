#include "commgauge/costs/costs_of_pairs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "certain.hpp"
#include "commgauge/base/error.hpp"

namespace commgauge::costs_of_pairs_test {

using ::testing::HasSubstr;

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

Model empty_model(int ranks) {
  Model model;
  model.ranks = ranks;
  model.eager_limit = Bytes{10};
  return model;
}

LogGpsParameters loggps(int ranks) {
  LogGpsParameters p;
  p.L = Matrix(ranks, 50);
  p.o_prime_s = Matrix(ranks, 3);
  p.O_s = Matrix(ranks, 1);
  p.o_prime_r = Matrix(ranks, 4);
  p.O_r = Matrix(ranks, 2);
  p.g = Matrix(ranks, 20);
  p.G_prime = Matrix(ranks, 2);
  p.G = Matrix(ranks, 5);
  p.mean_L = 60;
  p.mean_o_prime_s = 30;
  p.mean_O_s = 10;
  p.mean_o_prime_r = 40;
  p.mean_O_r = 20;
  p.mean_g = 200;
  p.mean_G_prime = 20;
  p.mean_G = 50;
  p.s = 8;
  return p;
}

void forget(LogGpsParameters& p, int i, int j) {
  for (Matrix* m : {&p.L, &p.o_prime_s, &p.O_s, &p.o_prime_r, &p.O_r, &p.g, &p.G_prime, &p.G}) {
    (*m)(i, j) = unknown;
  }
}

TEST(PairCosts, CurvesHaveAPieceForEachLine) {
  Model model = empty_model(2);
  model.loggps = certain(loggps(2));
  const PairCosts costs = costs_of_pairs(model, "loggps")(0, 1);
  EXPECT_EQ(costs.send_overhead, (Curve{{3, 1}, {}}));
  EXPECT_EQ(costs.gap, (Curve{{20, 2}, {{8, {20 - 3 * 8, 5}}}}));
  EXPECT_EQ(costs.one_way.at(7), 3 + 7 + 50 + 14 + 4 + 14);
  EXPECT_EQ(costs.request, 53);
  EXPECT_FALSE(costs.assumed);
}

TEST(PairCosts, OfHockneyTheLineChangesBeyondTheEagerLimit) {
  Model model = empty_model(2);
  model.hockney = certain(HockneyParameters{Matrix(2, 7), Matrix(2, 2), 0, 0});
  model.hockney_rendezvous = certain(HockneyParameters{Matrix(2, 70), Matrix(2, 1), 0, 0});
  const PairCosts costs = costs_of_pairs(model, "hockney")(1, 0);
  EXPECT_EQ(costs.rendezvous_receiver.at(10), 27);
  EXPECT_EQ(costs.rendezvous_receiver.at(11), 81);
  EXPECT_EQ(costs.one_way.at(11), 29) << "that of an eager one";
}

TEST(PairCosts, ARequestWithoutAHandshakeIsThereNoLaterThanItsData) {
  PairCosts costs;
  costs.arrival = {{50, 1}, {}};
  costs.rendezvous_receiver = {{30, 1}, {}};
  EXPECT_EQ(costs.request_arrival(10), 40);
  EXPECT_EQ(costs.request_arrival(100), 50) << "an empty eager message's time";
  costs.has_handshake = true;
  EXPECT_EQ(costs.request_arrival(10), 50);
}

TEST(PairCosts, APairThatWasNotMeasuredCostsTheMean) {
  Model model = empty_model(3);
  LogGpsParameters p = loggps(3);
  forget(p, 1, 2);
  forget(p, 2, 1);
  model.loggps = certain(p);
  const CostsOfPairs costs = costs_of_pairs(model, "loggps");
  EXPECT_TRUE(costs(1, 2).assumed);
  EXPECT_EQ(costs(1, 2).send_overhead.at(1), 40);
  EXPECT_EQ(costs(1, 2).request, 90);
  EXPECT_EQ(costs(1, 2).reply, 90);
  EXPECT_FALSE(costs(0, 1).assumed);
}

/// As predictions have it.
TEST(PairCosts, TheReplyOverAWayThatWasNotMeasuredIsLikeTheRequest) {
  Model model = empty_model(2);
  LogGpsParameters p = loggps(2);
  forget(p, 1, 0);
  model.loggps = certain(p);
  const CostsOfPairs costs = costs_of_pairs(model, "loggps");
  EXPECT_EQ(costs(0, 1).reply, 53);
  EXPECT_EQ(costs(1, 0).request, 90);
  EXPECT_EQ(costs(1, 0).reply, 53);
}

/// The gap is 1 + k / 5 up to 10 bytes, 50 + 2 (k - 11) above; 0 → 2 was not measured.
PLogPParameters plogp() {
  PLogPParameters p;
  p.sizes = {Bytes{0}, Bytes{10}, Bytes{11}, Bytes{20}};
  const auto measured = [](double value) {
    Matrix m(3, value);
    m(0, 1) += 3;
    m(0, 2) = unknown;
    return m;
  };
  p.L = measured(100);
  for (const double g : {1, 3, 50, 68}) p.g.push_back(measured(g));
  for (const double o : {1, 2, 3, 4}) p.o_s.push_back(measured(o));
  for (const double o : {0.5, 0.6, 7.0, 8.0}) p.o_r.push_back(measured(o));
  return p;
}

TEST(PairCosts, OfPLogPLieOnItsCurves) {
  Model model = empty_model(3);
  model.plogp = certain(plogp());
  const CostsOfPairs costs = costs_of_pairs(model, "plogp");
  const PairCosts measured = costs(1, 0);
  EXPECT_DOUBLE_EQ(measured.one_way.at(0), 101);
  EXPECT_DOUBLE_EQ(measured.one_way.at(5), 102);
  EXPECT_DOUBLE_EQ(measured.one_way.at(15), 158);
  EXPECT_DOUBLE_EQ(measured.arrival.at(0), 100.5);
  EXPECT_DOUBLE_EQ(measured.rendezvous_sender.at(20), 4);
  EXPECT_EQ(measured.request + measured.reply, 0);
  EXPECT_FALSE(measured.assumed);
  EXPECT_TRUE(costs(0, 2).assumed);
  EXPECT_NEAR(costs(0, 2).one_way.at(0), (4 * 101 + 107) / 5.0, 1e-9);
}

TEST(PairCosts, OverheadsGrow) {
  Model model = empty_model(2);
  model.loggps = certain(loggps(2));
  PairCosts costs = costs_of_pairs(model, "loggps")(0, 1);
  grow(costs, {5, 1, 6, 2, 0, 0}, 10);
  EXPECT_EQ(costs.send_overhead.at(0), 15);
  EXPECT_EQ(costs.receive_overhead.at(1), 26 + 2);
  EXPECT_EQ(costs.one_way.at(0), 15 + 50 + 26);
  EXPECT_EQ(costs.arrival.at(0), 65);
  EXPECT_EQ(costs.request, 65);
  EXPECT_EQ(costs.reply, 65);
  EXPECT_EQ(costs.gap.at(0), 20) << "no overhead";
  model.loggp =
      certain(LogGpParameters{Matrix(2, 50), Matrix(2, 3), Matrix(2, 8), Matrix(2, 2), 0, 0, 0, 0});
  PairCosts without_handshake = costs_of_pairs(model, "loggp")(0, 1);
  grow(without_handshake, {5, 1, 6, 2, 0, 0}, 10);
  EXPECT_EQ(without_handshake.request + without_handshake.reply, 0);
  EXPECT_EQ(without_handshake.rendezvous_receiver.at(0), 91);
}

TEST(PairCosts, AMeanIsTheMeanAtEverySize) {
  PairCosts one;
  one.one_way = {{10, 1}, {{5, {20, 2}}}};
  one.request = 4;
  PairCosts other;
  other.one_way = {{30, 3}, {{8, {0, 9}}}};
  other.request = 6;
  const PairCosts mean = mean_of({&one, &other});
  for (const double size : {0, 4, 5, 7, 8, 100}) {
    EXPECT_DOUBLE_EQ(mean.one_way.at(size), (one.one_way.at(size) + other.one_way.at(size)) / 2);
  }
  EXPECT_EQ(mean.request, 5);
  EXPECT_TRUE(mean.assumed);
}

TEST(PairCosts, AModelThatIsNotThereIsRefused) {
  Model model = empty_model(2);
  EXPECT_THROW((void)costs_of_pairs(model, "nonsense"), InputError);
  const auto refusal = [&]() -> std::string {
    try {
      (void)costs_of_pairs(model, "lmo");
      return "";
    } catch (const InputError& error) {
      return error.what();
    }
  };
  EXPECT_EQ(
      refusal(),
      "the file has no model lmo (it has none): give another, or calibrate with --models lmo");
  model.hockney.emplace();
  model.curves.emplace();
  EXPECT_EQ(refusal(),
            "the file has no model lmo (it has hockney, curves): give another, or calibrate with "
            "--models lmo");
}

}  // namespace commgauge::costs_of_pairs_test
