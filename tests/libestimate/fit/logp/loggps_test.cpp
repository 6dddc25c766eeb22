#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "by_hand.hpp"
#include "fit/estimators.hpp"

namespace commgauge::loggps_test {

TEST(EstimateLogGps, ByHand) {
  const TimeTable table(by_hand::measurements(2, by_hand::two_ranks()), 0.95);
  const auto [fitted, undetermined] = estimate_loggps(table, {}, {});
  ASSERT_TRUE(fitted) << undetermined;
  const LogGpsParameters& p = fitted->value;
  EXPECT_NEAR(p.L(0, 1), 14e-6, 1e-15);
  EXPECT_NEAR(p.o_prime_s(0, 1), 2e-6, 1e-15);
  EXPECT_NEAR(p.O_s(0, 1), 1e-9, 1e-18);
  EXPECT_NEAR(p.o_prime_r(1, 0), 4e-6, 1e-15);
  EXPECT_NEAR(p.O_r(1, 0), 2e-9, 1e-18);
  EXPECT_NEAR(p.g(0, 1), 3e-6, 1e-15);
  EXPECT_NEAR(p.G(0, 1), 7e-9, 1e-18);
  EXPECT_EQ(p.G_prime(0, 1), p.G(0, 1)) << "no packet size";
  EXPECT_TRUE(std::isnan(p.s));
}

/// Floods of 2000 and 3000 bytes have gaps of 20 and 25 us: 5 ns a byte, after a leap of 5 us from
/// the 10 us at 1000 bytes.
TEST(EstimateLogGps, BothSidesOfAPacketSize) {
  std::vector<by_hand::Timed> times = by_hand::two_ranks();
  for (const auto& [i, j] : {std::pair{0, 1}, std::pair{1, 0}}) {
    times.insert(times.end(), {{round_trip(i, j, Bytes{2000}, {}), 80e-6},
                               {round_trip(i, j, Bytes{3000}, {}), 100e-6},
                               {flood(i, j, 11, {}, Bytes{2000}), 280e-6},
                               {flood(i, j, 11, {}, Bytes{3000}), 350e-6}});
  }
  const TimeTable table(by_hand::measurements(2, times), 0.95);
  PacketSize packet;
  packet.size = {1000, 1000, 1000};
  ASSERT_TRUE(packet.is_jump());
  auto [fitted, undetermined] = estimate_loggps(table, {}, packet);
  ASSERT_TRUE(fitted) << undetermined;
  EXPECT_NEAR(fitted->value.g(0, 1), 3e-6, 1e-14);
  EXPECT_NEAR(fitted->value.G_prime(0, 1), 7e-9, 1e-17);
  EXPECT_NEAR(fitted->value.G(1, 0), 5e-9, 1e-17);
  packet.size = {1000, 900, 1200};
  set_packet_size(*fitted, packet);
  EXPECT_EQ(fitted->value.s, 1000);
  EXPECT_EQ(fitted->low.s, 900);
  EXPECT_EQ(fitted->high.s, 1200);
}

TEST(EstimateLogGps, NeedsFloods) {
  const TimeTable table(by_hand::measurements(2, by_hand::without_floods(by_hand::two_ranks())),
                        0.95);
  const auto [fitted, undetermined] = estimate_loggps(table, {}, {});
  EXPECT_FALSE(fitted);
  EXPECT_EQ(undetermined.rfind("no pair has", 0), 0U) << undetermined;
}

}  // namespace commgauge::loggps_test
