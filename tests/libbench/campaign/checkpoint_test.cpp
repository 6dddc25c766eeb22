#include "campaign/checkpoint.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "campaign/rounds.hpp"
#include "commgauge/measurements/quietness.hpp"
#include "commgauge/plan/campaign_plan.hpp"

namespace commgauge::bench::checkpoint_test {

Disturbance disturbance(long blocks, long lost, long remeasured, double stolen) {
  Disturbance result;
  result.blocks = blocks;
  result.lost_blocks = lost;
  result.remeasured_rows = remeasured;
  result.stolen_share = stolen;
  return result;
}

TEST(Checkpoint, APlanHoldsTheRounds) {
  const Matrix times(5, 1e-5);
  const CampaignSizes sizes{{Bytes{1024}, Bytes{65536}}, Bytes{1024}, {Bytes{65536}}, {Bytes{999}}};
  CampaignOptions options;
  options.logp_pairs = logp_pairs(5, LogPPairs::all);
  options.models = {"lmo", "bottleneck", "loggps"};
  options.logp = plan_logp({Bytes{1024}, Bytes{65536}}, Bytes{4096});
  const std::vector<Round> rounds = plan_campaign(5, {times, times, times}, sizes, options);
  const std::vector<Round> back = rounds_of(plan_of(rounds, {}));
  ASSERT_EQ(back.size(), rounds.size());
  for (std::size_t k = 0; k < rounds.size(); ++k) {
    ASSERT_EQ(back[k].size(), rounds[k].size());
    for (std::size_t g = 0; g < rounds[k].size(); ++g) {
      EXPECT_EQ(back[k][g].ranks, rounds[k][g].ranks);
      EXPECT_EQ(back[k][g].experiments, rounds[k][g].experiments);
    }
  }
}

TEST(Checkpoint, GoneOnWithALaunchHasTheTimesOfBoth) {
  Launch checkpoint;
  checkpoint.time_utc = "then";
  checkpoint.elapsed_s = 10;
  checkpoint.timed_s = 4;
  checkpoint.passes = 2;
  checkpoint.complete = false;
  checkpoint.incomplete_reason = "it was still going on";
  checkpoint.clock_resolution_s = 2e-9;
  checkpoint.disturbance = disturbance(100, 3, 1, 0.25);
  Launch now;
  now.time_utc = "now";
  now.elapsed_s = 5;
  now.timed_s = 1;
  now.passes = 8;
  now.rounds = 80;
  now.clock_resolution_s = 1e-9;
  now.disturbance = disturbance(400, 5, 2, 0.125);
  const Launch both = gone_on(checkpoint, now);
  EXPECT_EQ(both.time_utc, "then");
  EXPECT_EQ(both.elapsed_s, 15);
  EXPECT_EQ(both.timed_s, 5);
  EXPECT_EQ(both.passes, 8);
  EXPECT_EQ(both.rounds, 80);
  EXPECT_EQ(both.clock_resolution_s, 2e-9);
  EXPECT_EQ(both.disturbance->blocks, 400) << "all of them were counted now";
  EXPECT_EQ(both.disturbance->remeasured_rows, 3);
  EXPECT_EQ(both.disturbance->stolen_share, 0.25);
  EXPECT_EQ(both.resumed, 1);
  EXPECT_TRUE(both.complete);
  EXPECT_EQ(both.incomplete_reason, "");
}

TEST(Checkpoint, BlocksOfSweepsAreThoseOfNoRow) {
  Measurements checkpoint;
  checkpoint.launches.emplace_back();
  checkpoint.launches.front().disturbance = disturbance(30, 4, 0, 0);
  Observation row;
  row.blocks = 7;
  row.lost_blocks = 3;
  checkpoint.observations = {row, row};
  Disturbance of_rows;
  count_blocks(checkpoint.observations, of_rows);
  const Disturbance sweeps = without_rows(checkpoint);
  EXPECT_EQ(sweeps.blocks, 30 - of_rows.blocks);
  EXPECT_EQ(sweeps.lost_blocks, std::max(0L, 4 - of_rows.lost_blocks));
}

}  // namespace commgauge::bench::checkpoint_test
