// Blocks of round trips of which each message is late by an exponential draw.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "commgauge/base/statistics.hpp"
#include "fit/estimators.hpp"

namespace commgauge::jitter_test {

constexpr double us = 1e-6;
constexpr int ranks = 4;

/// @param hosts  of each rank. @param late  mean, of messages between hosts; a tenth within one
Measurements measured(const std::vector<std::string>& hosts, double late, int passes,
                      unsigned seed) {
  Measurements all;
  Launch launch;
  for (const std::string& host : hosts) launch.ranks.push_back({host, {0}});
  launch.passes = passes;
  all.launches = {launch};
  std::mt19937_64 random(seed);
  for (int pass = 0; pass < passes; ++pass) {
    for (int from = 0; from < ranks; ++from) {
      for (int to = from + 1; to < ranks; ++to) {
        const bool is_far =
            hosts[static_cast<std::size_t>(from)] != hosts[static_cast<std::size_t>(to)];
        std::exponential_distribution<double> lateness(1 / (is_far ? late : late / 10));
        for (const int length : {1, 4, 50}) {
          std::vector<double> blocks(9);
          for (double& block : blocks) {
            double sum = 0;
            for (int k = 0; k < 2 * length; ++k) sum += lateness(random);
            block = 100 * us + sum / length;
          }
          Observation row;
          row.experiment = {Kind::round_trip, from, {to}, {}, Bytes{8}, Bytes{0}, false};
          row.pass = pass;
          row.time_s = median(blocks);
          row.sd_s = std::sqrt(variance(blocks));
          row.blocks = static_cast<int>(blocks.size());
          row.block_length = length;
          all.observations.push_back(row);
        }
      }
    }
  }
  return all;
}

const std::vector<std::string> four_hosts{"a", "b", "c", "d"};

TEST(EstimatedJitter, IsWhatEachMessageIsLateBy) {
  const auto found = estimate_jitter(measured(four_hosts, 30 * us, 8, 1), four_hosts, 0.95);
  ASSERT_TRUE(found.fitted);
  EXPECT_EQ(found.fitted->replicate_kind, ReplicateKind::passes);
  EXPECT_EQ(found.fitted->replicates.size(), 8U);
  EXPECT_EQ(found.fitted->observations, 8 * 6 * 3);
  // The median of standard deviations of nine blocks is a bit below the deviation itself.
  EXPECT_NEAR(found.fitted->value.mean, 30 * us, 4 * us);
  EXPECT_LT(found.fitted->low.mean, found.fitted->value.mean);
  EXPECT_GT(found.fitted->high.mean, found.fitted->value.mean);
}

/// Round trips of that size with an empty answer: data late by `late` in the mean, empty ones by
/// 20 us. Above the limit of 20 000 bytes a request is late first.
void add_size(Measurements& all, Bytes size, double late, unsigned seed) {
  std::mt19937_64 random(seed);
  std::exponential_distribution<double> of_data(1 / late);
  std::exponential_distribution<double> of_empty(1 / (20 * us));
  for (int pass = 0; pass < all.launches.front().passes; ++pass) {
    for (int from = 0; from < ranks; ++from) {
      std::vector<double> blocks(200);
      for (double& block : blocks) {
        block = 100 * us + of_data(random) + of_empty(random);
        if (size.value > 20'000) block += of_empty(random);
      }
      Observation row;
      row.experiment = {Kind::round_trip, from, {(from + 1) % ranks}, {}, size, Bytes{0}, false};
      row.pass = pass;
      row.time_s = median(blocks);
      row.sd_s = std::sqrt(variance(blocks));
      row.blocks = static_cast<int>(blocks.size());
      row.block_length = 1;
      all.observations.push_back(row);
    }
  }
}

Measurements of_sizes(double per_byte) {
  Measurements all = measured(four_hosts, 30 * us, 8, 1);
  all.observations.clear();
  all.launches.front().eager_limit_bytes = 20'000;
  unsigned seed = 1;
  for (const double size : {0.0, 1000.0, 10'000.0, 40'000.0, 100'000.0}) {
    add_size(all, Bytes{static_cast<std::uint64_t>(size)}, 20 * us + per_byte * size, ++seed);
  }
  return all;
}

TEST(EstimatedJitter, GrowsWithTheSizeAsTheScatterDoes) {
  const auto found = estimate_jitter(of_sizes(1e-9), four_hosts, 0.95);
  EXPECT_NEAR(found.fitted.value().value.mean, 20 * us, 1 * us);
  EXPECT_NEAR(found.fitted->value.per_byte, 1e-9, 0.05e-9);
  EXPECT_LT(found.fitted->low.per_byte, found.fitted->value.per_byte);
  EXPECT_GT(found.fitted->high.per_byte, found.fitted->value.per_byte);
}

TEST(EstimatedJitter, DoesNotFallWithTheSize) {
  const auto found = estimate_jitter(of_sizes(-0.15e-9), four_hosts, 0.95);
  EXPECT_EQ(found.fitted.value().value.per_byte, 0);
  EXPECT_GT(found.fitted->value.mean, 5 * us);
  EXPECT_LT(found.fitted->value.mean, 20 * us);
}

TEST(EstimatedJitter, IsThatBetweenHosts) {
  const std::vector<std::string> hosts{"a", "a", "b", "b"};
  const auto found = estimate_jitter(measured(hosts, 30 * us, 8, 2), hosts, 0.95);
  EXPECT_NEAR(found.fitted.value().value.mean, 30 * us, 5 * us);
  const std::vector<std::string> one(ranks, "a");
  const auto within = estimate_jitter(measured(one, 30 * us, 8, 3), one, 0.95);
  EXPECT_NEAR(within.fitted.value().value.mean, 3 * us, us);
}

TEST(EstimatedJitter, OfFewPassesHasDrawnReplicates) {
  const auto found = estimate_jitter(measured(four_hosts, 30 * us, 2, 4), four_hosts, 0.95);
  EXPECT_EQ(found.fitted.value().replicate_kind, ReplicateKind::draws);
  EXPECT_GT(found.fitted->high.mean, found.fitted->value.mean);
}

TEST(EstimatedJitter, IsThereOnlyIfTimesScatter) {
  Measurements all = measured(four_hosts, 30 * us, 8, 5);
  for (Observation& row : all.observations) row.sd_s = 0;
  EXPECT_FALSE(estimate_jitter(all, four_hosts, 0.95).fitted);
  all.observations.clear();
  EXPECT_FALSE(estimate_jitter(all, four_hosts, 0.95).fitted);
}

/// Launches of one machine are joined: a replicate is one of them.
TEST(EstimatedJitter, OfSeveralLaunchesIsTheirMean) {
  Measurements all = measured(four_hosts, 30 * us, 4, 6);
  for (const unsigned seed : {7U, 8U}) {
    const Measurements more = measured(four_hosts, 30 * us, 4, seed);
    all.launches.push_back(more.launches.front());
    for (Observation row : more.observations) {
      row.launch = static_cast<int>(all.launches.size()) - 1;
      all.observations.push_back(row);
    }
  }
  const auto found = estimate_jitter(all, four_hosts, 0.95);
  EXPECT_EQ(found.fitted.value().replicate_kind, ReplicateKind::launches);
  EXPECT_NEAR(found.fitted->value.mean, 30 * us, 4 * us);
}

}  // namespace commgauge::jitter_test
