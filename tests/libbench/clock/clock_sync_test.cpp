#include "clock/clock_sync.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace commgauge::bench::clock_sync_test {

constexpr double offset = 3.0;    // [s]
constexpr double drift = 50e-6;   // 50 ppm
constexpr double jitter = 20e-6;  // [s] mean, of each way

double true_clock(double here) { return offset + (1 + drift) * here; }

/// Twelve pings from `here` on, each way taking 5 us and a delay of its own.
std::vector<ClockSync::Ping> ping(double here, std::mt19937_64& random) {
  std::exponential_distribution<double> delay(1 / jitter);
  std::vector<ClockSync::Ping> pings;
  for (int i = 0; i < 12; ++i) {
    const double arrived = here + 5e-6 + delay(random);
    const double back = arrived + 5e-6 + delay(random);
    pings.push_back({here, true_clock(arrived), back});
    here = back;
  }
  return pings;
}

TEST(ClockSync, BelievesTheQuickestPing) {
  ClockSync clock;
  const std::vector<ClockSync::Ping> pings{{0, 7, 4}, {10, 21, 12}, {20, 39, 28}};
  EXPECT_DOUBLE_EQ(clock.synchronise(pings), 2);
  EXPECT_DOUBLE_EQ(clock.there_at(11), 21);
  EXPECT_DOUBLE_EQ(clock.there_at(0), 10);
  EXPECT_DOUBLE_EQ(clock.here_at(10), 0);
}

TEST(ClockSync, DriftTakesSynchronisationsFarEnoughApart) {
  ClockSync clock;
  clock.synchronise(std::vector<ClockSync::Ping>{{0, 5, 0}});
  clock.synchronise(std::vector<ClockSync::Ping>{{0.5, 5.6, 0.5}});
  EXPECT_EQ(clock.drift(), 0);
  EXPECT_DOUBLE_EQ(clock.there_at(1), 6.1);
  clock.synchronise(std::vector<ClockSync::Ping>{{2, 7.4, 2}});
  EXPECT_NEAR(clock.drift(), 0.2, 1e-12);
  EXPECT_NEAR(clock.there_at(3), 8.6, 1e-12);
  EXPECT_NEAR(clock.here_at(8.6), 3, 1e-12);
}

TEST(ClockSync, FollowsADriftingClock) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    ClockSync clock;
    for (const double here : {0.0, 5.0}) clock.synchronise(ping(here, random));
    // Without the drift it would be 250 us.
    EXPECT_NEAR(clock.there_at(10), true_clock(10), jitter);
    EXPECT_NEAR(clock.drift(), drift, 4e-6);
    clock.synchronise(ping(10, random));
    EXPECT_NEAR(clock.there_at(10.1), true_clock(10.1), jitter / 2);
    EXPECT_NEAR(clock.here_at(clock.there_at(12.5)), 12.5, 1e-12);
  }
}

}  // namespace commgauge::bench::clock_sync_test
