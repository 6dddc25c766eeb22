// What desynchronised data take longer than most_times_as_long() tells, by a simulation of packets.

#include "packets.hpp"

#include <gtest/gtest.h>

#include "commgauge/simulate/machine/in_turn.hpp"

namespace commgauge::packets::packets_test {

constexpr int packets = 45;  ///< of 1.5 KB are 64 KiB
constexpr double hardly = 1e-9;

double most_of(int hosts, Order order, bool is_rendezvous, bool grows = false) {
  double most = 0;
  for (const double pause : {0.3, 1.0, 3.0}) {
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
      const double times = times_as_long({.hosts = hosts,
                                          .packets = grows ? packets / 4 : packets,
                                          .order = order,
                                          .grows = grows,
                                          .is_rendezvous = is_rendezvous,
                                          .pause = pause,
                                          .seed = seed});
      most = std::max(most, times);
    }
  }
  return most;
}

double told(int hosts, Order order, bool is_rendezvous) {
  const bool is_row = order == Order::shift || order == Order::pairs;
  return simulate::most_times_as_long({{}, hosts, is_row}, is_rendezvous);
}

TEST(Packets, InStepEachExchangeTakesAMessage) {
  for (const Order order : {Order::pairs, Order::shift, Order::ring}) {
    Exchange what{.hosts = 8, .packets = packets, .order = order, .pause = hardly};
    // Half a packet's time it is on its way.
    EXPECT_NEAR(Exchanging(what).time(), 7 * (packets + 0.5), 1e-6);
    what.has_barriers = true;
    EXPECT_NEAR(Exchanging(what).time(), 7 * (packets + 0.5), 1e-6);
  }
  for (const Order order : {Order::doubling, Order::bruck}) {
    Exchange what{.hosts = 8, .packets = packets, .order = order, .grows = true, .pause = hardly};
    EXPECT_NEAR(Exchanging(what).time(), 7 * packets + 3 * 0.5, 1e-6);
  }
}

TEST(Packets, AnAnswerBehindDataDoublesAnExchange) {
  EXPECT_NEAR(most_of(2, Order::pairs, true), 2, 0.15);
}

TEST(Packets, DesynchronisedNoLongerThanTold) {
  for (const Order order :
       {Order::shift, Order::pairs, Order::ring, Order::doubling, Order::bruck}) {
    for (const int hosts : {2, 3, 4, 6, 8, 16, 32}) {
      const bool needs_power = order == Order::pairs || order == Order::doubling;
      if (needs_power && (hosts & (hosts - 1)) != 0) continue;
      for (const bool is_rendezvous : {false, true}) {
        EXPECT_LE(most_of(hosts, order, is_rendezvous), told(hosts, order, is_rendezvous) + hardly)
            << hosts;
      }
    }
  }
}

TEST(Packets, GrowingMessagesNoLongerThanTold) {
  for (const Order order : {Order::doubling, Order::bruck}) {
    for (const int hosts : {4, 8, 16, 32}) {
      for (const bool is_rendezvous : {false, true}) {
        EXPECT_LE(most_of(hosts, order, is_rendezvous, true), told(hosts, order, is_rendezvous))
            << hosts;
      }
    }
  }
}

TEST(Packets, WhatIsToldComesToPass) {
  EXPECT_GT(most_of(32, Order::shift, false), 0.8 * told(32, Order::shift, false));
  EXPECT_GT(most_of(32, Order::bruck, false), 0.75 * told(32, Order::bruck, false));
  EXPECT_GT(most_of(8, Order::pairs, true), 0.8 * told(8, Order::pairs, true));
  EXPECT_GT(most_of(4, Order::doubling, true), 0.9 * told(4, Order::doubling, true));
}

}  // namespace commgauge::packets::packets_test
