#include "commgauge/costs/message_times.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace commgauge::message_times_test {

// Seconds and bytes are small whole numbers here, so that sums are exact.

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// From 0 to 1 `there`, from 1 to 0 `back`.
Matrix pair(double there, double back) {
  Matrix m(2);
  m(0, 1) = there;
  m(1, 0) = back;
  return m;
}
Matrix both(double value) { return pair(value, value); }

/// From 0 to 1; the eager limit is 10 bytes.
Message of(double size) { return {0, 1, size, 10}; }

TEST(MessageTimes, TheEagerLimitItselfIsEager) {
  EXPECT_FALSE(of(10).rendezvous());
  EXPECT_TRUE(of(11).rendezvous());
}

TEST(MessageTimes, LargerOfTwoIsUnknownWhereOneIs) {
  EXPECT_EQ(larger(1, 2), 2);
  EXPECT_EQ(larger(2, 1), 2);
  EXPECT_TRUE(std::isnan(larger(unknown, 1)));
  EXPECT_TRUE(std::isnan(larger(1, unknown)));
}

double gap_of(const auto& p, const Message& m) { return costs_of(p, m).gap(m.size).at(m.size); }
double receive_overhead_of(const auto& p, const Message& m) {
  return costs_of(p, m).receive_overhead(m.size).at(m.size);
}

TEST(MessageTimes, OfHockneyAndStartUp) {
  const HockneyParameters eager{pair(10, 11), pair(2, 3), 0, 0};
  const HockneyParameters above{both(100), both(1), 0, 0};
  EXPECT_EQ(one_way(eager, of(5)), 10 + 2 * 5);
  EXPECT_EQ(one_way(eager, Message{1, 0, 5, 10}), 11 + 3 * 5);
  EXPECT_EQ(one_way(HockneyLines{eager, above}, of(10)), 10 + 2 * 10);
  EXPECT_EQ(one_way(HockneyLines{eager, above}, of(11)), 100 + 11);
  EXPECT_EQ(one_way(StartUpParameters{both(7), both(2), 0, 0}, of(5)), 7 + 2 * 5);
}

TEST(MessageTimes, OfLogPAndLogGp) {
  const LogPParameters logp{both(10), both(3), both(8), 0, 0, 0};
  EXPECT_EQ(one_way(logp, of(5)), 3 + 10 + 3);
  EXPECT_EQ(send_time(logp, of(5)), 3);
  EXPECT_EQ(gap_of(logp, of(5)), 8);
  const LogGpParameters loggp{both(10), both(3), both(8), both(2), 0, 0, 0, 0};
  EXPECT_EQ(one_way(loggp, of(5)), 3 + 10 + 2 * 5 + 3);
  EXPECT_EQ(send_time(loggp, of(5)), 3);
  EXPECT_EQ(gap_of(loggp, of(5)), 8 + 2 * 5);
}

/// L of 10, o of 2 + k and 4 + 3 k, g of 6, bytes of 2 below s = 4 and of 5 above.
LogGpsParameters loggps() {
  LogGpsParameters p;
  p.L = both(10);
  p.o_prime_s = both(2);
  p.O_s = both(1);
  p.o_prime_r = both(4);
  p.O_r = both(3);
  p.g = both(6);
  p.G_prime = both(2);
  p.G = both(5);
  p.s = 4;
  return p;
}

TEST(MessageTimes, OfLogGpsOnBothSidesOfItsPacket) {
  EXPECT_EQ(one_way(loggps(), of(3)), (2 + 3) + 10 + 3 * 2 + (4 + 9));
  EXPECT_EQ(one_way(loggps(), of(6)), (2 + 6) + 10 + (4 * 2 + 2 * 5) + (4 + 18));
  EXPECT_EQ(gap_of(loggps(), of(6)), 6 + 4 * 2 + 2 * 5);
  LogGpsParameters no_packets = loggps();
  no_packets.s = unknown;
  EXPECT_EQ(gap_of(no_packets, of(6)), 6 + 6 * 2);
}

/// A request and its reply take 2 + 10 each way.
TEST(MessageTimes, OfLogGpsWaitForTheHandshake) {
  EXPECT_EQ(send_time(loggps(), of(10)), 2 + 10);
  EXPECT_EQ(send_time(loggps(), of(11)), 2 + 11 + 2 * (2 + 10));
  EXPECT_EQ(busy(loggps(), of(11)), 6 + 8 + 7 * 5) << "without the handshake";
  EXPECT_EQ(one_way(loggps(), of(11)), 37 + 10 + (4 * 2 + 7 * 5) + (4 + 33));
  LogGpsParameters p = loggps();
  p.L = pair(10, 20);
  EXPECT_EQ(send_time(p, of(11)), 2 + 11 + (2 + 10) + (2 + 20));
  p.L = pair(10, unknown);
  EXPECT_EQ(send_time(p, of(11)), 2 + 11 + 2 * (2 + 10));
}

/// The gap is 1 + k / 5 up to 10 bytes, 50 + 2 (k - 11) above.
PLogPParameters plogp() {
  PLogPParameters p;
  p.sizes = {Bytes{0}, Bytes{10}, Bytes{11}, Bytes{20}};
  p.L = both(100);
  for (const double g : {1, 3, 50, 68}) p.g.push_back(both(g));
  for (const double o : {1, 2, 3, 4}) p.o_s.push_back(both(o));
  for (const double o : {5.0, 6.0, 7.0, unknown}) p.o_r.push_back(both(o));
  return p;
}

TEST(MessageTimes, OfPLogPLieOnItsCurve) {
  EXPECT_EQ(one_way(plogp(), of(0)), 101);
  EXPECT_EQ(one_way(plogp(), of(5)), 102);
  EXPECT_EQ(one_way(plogp(), of(10)), 103);
  EXPECT_EQ(one_way(plogp(), of(11)), 150);
  EXPECT_EQ(one_way(plogp(), of(15)), 158);
  EXPECT_EQ(one_way(plogp(), of(30)), 188) << "with the last slope";
  EXPECT_EQ(send_time(plogp(), of(5)), 1.5);
  EXPECT_EQ(receive_overhead_of(plogp(), of(5)), 5.5);
}

TEST(MessageTimes, OfPLogPAreKnownWhereItsCurveIs) {
  const auto costs = [](const PLogPParameters& p) { return costs_of(p, of(0)); };
  const PLogPParameters p = plogp();
  EXPECT_TRUE(costs(p).covers_gap(20));
  EXPECT_FALSE(costs(p).covers_gap(21));
  EXPECT_TRUE(costs(p).covers_send_overhead(20));
  EXPECT_FALSE(costs(p).covers_receive_overhead(12));
  EXPECT_EQ(receive_overhead_of(plogp(), of(11)), 7) << "the only size above the limit";
  EXPECT_TRUE(std::isnan(receive_overhead_of(plogp(), of(12))));
}

TEST(MessageTimes, OfAPairThatWasNotMeasuredAreUnknown) {
  EXPECT_TRUE(std::isnan(one_way(HockneyParameters{both(unknown), both(1), 0, 0}, of(5))));
  PLogPParameters p = plogp();
  for (Matrix& g : p.g) g = both(unknown);
  EXPECT_TRUE(std::isnan(one_way(p, of(5))));
}

}  // namespace commgauge::message_times_test
