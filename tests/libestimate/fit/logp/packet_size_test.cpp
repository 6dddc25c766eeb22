#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "by_hand.hpp"
#include "fit/estimators.hpp"

namespace commgauge::packet_size_test {

/// Floods whose gap is 3 us, 1 ns a byte up to 1000 bytes and `above` beyond [s/byte].
TimeTable table_of(double above) {
  std::vector<by_hand::Timed> times;
  for (const auto& [i, j] : {std::pair{0, 1}, std::pair{1, 0}}) {
    for (std::uint64_t k = 0; k <= 2000; k += 125) {
      const auto size = static_cast<double>(k);
      const double gap = 3e-6 + std::min(size, 1000.0) * 1e-9 + std::max(size - 1000, 0.0) * above;
      const double trip = 40e-6 + size * 1e-8;
      times.push_back({round_trip(i, j, Bytes{k}, {}), trip});
      times.push_back({flood(i, j, 11, {}, Bytes{k}), trip + 10 * gap});
    }
  }
  return {by_hand::measurements(2, times), 0.95};
}

TEST(FindPacketSize, WhereTheGapsSlopeChanges) {
  const std::array launches{table_of(5e-9)};
  const PacketSize packet = find_packet_size(launches, {});
  EXPECT_NEAR(packet.size.value, 1000, 1e-3);
  EXPECT_LE(packet.size.low, packet.size.value);
  EXPECT_GE(packet.size.high, packet.size.value);
  EXPECT_FALSE(packet.is_jump());
}

TEST(FindPacketSize, IsNoneOnALine) {
  const std::array launches{table_of(1e-9)};
  EXPECT_TRUE(std::isnan(find_packet_size(launches, {}).size.value));
}

}  // namespace commgauge::packet_size_test
