// What data take longer out of step than most_times_as_long() tells, by a simulation of packets.

#include "packets.hpp"

#include <gtest/gtest.h>

#include "commgauge/simulate/in_turn.hpp"

namespace commgauge::packets {
namespace {

using simulate::most_times_as_long;

constexpr int packets = 45;  ///< of 1.5 KB are 64 KiB
constexpr double hardly = 1e-9;

double most_of(int hosts, bool in_pairs, bool is_rendezvous) {
  double most = 0;
  for (const double pause : {0.3, 1.0, 3.0}) {
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
      const double times = times_as_long({.hosts = hosts,
                                          .packets = packets,
                                          .in_pairs = in_pairs,
                                          .is_rendezvous = is_rendezvous,
                                          .pause = pause,
                                          .seed = seed});
      most = std::max(most, times);
    }
  }
  return most;
}

TEST(Packets, InStepEachExchangeTakesAMessage) {
  for (const bool in_pairs : {true, false}) {
    Exchange what{.hosts = 8, .packets = packets, .in_pairs = in_pairs, .pause = hardly};
    // Half a packet's time it is on its way.
    EXPECT_NEAR(Exchanging(what).time(), 7 * (packets + 0.5), 1e-6);
    what.has_barriers = true;
    EXPECT_NEAR(Exchanging(what).time(), 7 * (packets + 0.5), 1e-6);
  }
}

TEST(Packets, AnAnswerBehindDataDoublesAnExchange) { EXPECT_NEAR(most_of(2, true, true), 2, 0.15); }

TEST(Packets, OutOfStepNoLongerThanTold) {
  for (const int hosts : {3, 4, 6, 8, 16, 32}) {
    for (const bool is_rendezvous : {false, true}) {
      const double told = most_times_as_long(hosts, is_rendezvous);
      EXPECT_LE(most_of(hosts, false, is_rendezvous), told) << hosts;
      if ((hosts & (hosts - 1)) == 0) {
        EXPECT_LE(most_of(hosts, true, is_rendezvous), told) << hosts;
      }
    }
  }
}

TEST(Packets, WhatIsToldComesToPass) {
  EXPECT_GT(most_of(32, false, false), 0.8 * most_times_as_long(32, false));
  EXPECT_GT(most_of(8, true, true), 0.8 * most_times_as_long(8, true));
}

}  // namespace
}  // namespace commgauge::packets
