#include "commgauge/costs/formulas.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace commgauge::formulas_test {

// Seconds and bytes are small whole numbers here, so that sums are exact.

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
constexpr double limit = 10;

Message from_0_to_1() { return {0, 1, 0, limit}; }

TEST(Formulas, TheEagerLimitItselfIsNotBeyondIt) {
  EXPECT_GT(beyond(limit), limit);
  EXPECT_LT(beyond(limit), limit + 1);
  EXPECT_TRUE(std::isinf(beyond(std::numeric_limits<double>::infinity())));
}

TEST(Formulas, HockneyKeepsTheSenderAndTheReceiversPortAllTheTime) {
  const HockneyParameters eager{Matrix(2, 7), Matrix(2, 2), 0, 0};
  const HockneyParameters above{Matrix(2, 30), Matrix(2, 1), 0, 0};
  const auto costs = costs_of(HockneyLines{eager, above}, from_0_to_1());
  EXPECT_EQ(costs.send_overhead(5), costs.one_way(5));
  EXPECT_EQ(costs.receive_overhead(5), (CostLine{0, 0}));
  EXPECT_EQ(costs.port(5), costs.one_way(5));
  EXPECT_EQ(costs.arrival(5), costs.one_way(5));
  EXPECT_EQ(costs.rendezvous_receiver(10), (CostLine{7, 2}));
  EXPECT_EQ(costs.rendezvous_receiver(11), (CostLine{30, 1}));
  EXPECT_TRUE(costs.keeps_receiver);
}

TEST(Formulas, AdditiveModelsHaveARanksOwnTimesAndALinks) {
  const AdditiveParameters lmo{{1, 2}, {3, 4}, Matrix(2, 50), Matrix(2, 6)};
  const AdditiveCosts costs = costs_of(lmo, from_0_to_1());
  EXPECT_EQ(costs.send_overhead(9), (CostLine{1, 3}));
  EXPECT_EQ(costs.receive_overhead(9), (CostLine{2, 4}));
  EXPECT_EQ(costs.one_way(9), (CostLine{1 + 50 + 2, 3 + 6 + 4}));
  EXPECT_EQ(costs.arrival(9), (CostLine{51, 9}));
  EXPECT_EQ(costs.link(9), (CostLine{0, 6}));
  const AdditiveParameters lom{{1, 2}, {3, 4}, {}, Matrix(2, -6)};
  EXPECT_EQ(costs_of(lom, from_0_to_1()).one_way(9), (CostLine{3, 1}));
  EXPECT_EQ(costs_of(lom, from_0_to_1()).link(9), (CostLine{0, 0}))
      << "it says nothing of the link";
}

TEST(Formulas, OfBottleneckTheSlowestCountsAndBoundsCountInPart) {
  const BottleneckParameters p{{1, 2},        {3, 4},       {5, unknown},
                               Matrix(2, 50), Matrix(2, 6), Matrix(2, 6)};
  BottleneckParameters bounds = p;
  bounds.r[1] = 5.5;
  const BottleneckCosts costs = costs_of(BottleneckView{p, bounds, 1}, from_0_to_1());
  EXPECT_EQ(costs.one_way(9), (CostLine{53, 6}));
  EXPECT_EQ(costs.send_overhead(9), (CostLine{1, 3}));
  EXPECT_EQ(costs.port(9), (CostLine{0, 5.5}));
  EXPECT_EQ(costs.rendezvous_receive_port(9), (CostLine{2, 5.5}));
  EXPECT_EQ(costs_of(BottleneckView{p, bounds, 0}, from_0_to_1()).port(9), (CostLine{0, 0}));
}

TEST(Formulas, LogPAndLogGpHaveNoHandshake) {
  const LogPParameters logp{Matrix(2, 10), Matrix(2, 3), Matrix(2, 8), 0, 0, 0};
  const LogPCosts costs = costs_of(logp, from_0_to_1());
  EXPECT_EQ(costs.rendezvous_sender(11), (CostLine{3, 0}));
  EXPECT_EQ(costs.rendezvous_receiver(11), (CostLine{16, 0}));
  EXPECT_EQ(costs.arrival(11), (CostLine{13, 0}));
  EXPECT_EQ(costs.request() + costs.reply(), 0);
  const LogGpParameters loggp{Matrix(2, 10), Matrix(2, 3), Matrix(2, 8), Matrix(2, 2), 0, 0, 0, 0};
  EXPECT_EQ(costs_of(loggp, from_0_to_1()).one_way(11), (CostLine{16, 2}));
  EXPECT_EQ(costs_of(loggp, from_0_to_1()).gap(11), (CostLine{8, 2}));
}

LogGpsParameters loggps() {
  LogGpsParameters p;
  p.L = Matrix(2, 10);
  p.o_prime_s = Matrix(2, 2);
  p.O_s = Matrix(2, 1);
  p.o_prime_r = Matrix(2, 4);
  p.O_r = Matrix(2, 3);
  p.g = Matrix(2, 6);
  p.G_prime = Matrix(2, 2);
  p.G = Matrix(2, 5);
  p.s = 4;
  return p;
}

TEST(Formulas, OfLogGpsAMessageTravelsInPacketsBeyondS) {
  const LogGpsParameters p = loggps();
  const LogGpsCosts costs = costs_of(p, from_0_to_1());
  EXPECT_EQ(costs.gap(3), (CostLine{6, 2}));
  EXPECT_EQ(costs.gap(4), (CostLine{6 - 3 * 4, 5}));
  EXPECT_EQ(costs.request(), 12);
  EXPECT_EQ(costs.reply(), 12);
}

TEST(Formulas, TheWayBackOfLogGpsIsAlikeWhereOnlyThisOneWasMeasured) {
  LogGpsParameters measured = loggps();
  measured.o_prime_s(1, 0) = unknown;
  LogGpsParameters filled = loggps();
  filled.o_prime_s(1, 0) = 30;
  const LogGpsCosts costs(filled, measured, from_0_to_1());
  EXPECT_EQ(costs.reply(), costs.request());
  EXPECT_EQ(costs.reply_overhead(), 2);
  measured.o_prime_s(0, 1) = unknown;
  EXPECT_EQ(costs.reply(), 40) << "neither was";
}

TEST(Formulas, PLogPGoesOnWithTheSlopeOnItsSideOfTheLimit) {
  PLogPParameters p;
  p.sizes = {Bytes{0}, Bytes{4}, Bytes{10}, Bytes{11}, Bytes{20}};
  p.L = Matrix(2, 100);
  for (const double g : {1, 3, 15, 50, 68}) p.g.emplace_back(2, g);
  for (const double o : {1.0, 2.0, unknown, 3.0, unknown}) p.o_s.emplace_back(2, o);
  p.o_r = p.g;
  const PLogPCosts costs = costs_of(p, from_0_to_1());
  EXPECT_EQ(costs.gap(0), (CostLine{1, 0.5}));
  EXPECT_EQ(costs.gap(4), (CostLine{-5, 2}));
  EXPECT_EQ(costs.gap(10), (CostLine{-5, 2})) << "the last size up to the limit";
  EXPECT_EQ(costs.gap(30), (CostLine{28, 2}));
  EXPECT_EQ(costs.one_way(0), (CostLine{101, 0.5}));
  EXPECT_EQ(costs.send_overhead(10), (CostLine{1, 0.25})) << "its size is missing";
  EXPECT_EQ(costs.send_overhead(11), (CostLine{3, 0})) << "the only one";
  EXPECT_TRUE(std::isnan(costs.send_overhead(12).fixed));
  EXPECT_TRUE(costs.covers_send_overhead(4));
  EXPECT_FALSE(costs.covers_send_overhead(5));
  EXPECT_FALSE(costs.covers_send_overhead(12));
}

}  // namespace commgauge::formulas_test
