#include "timing/experiment_runner.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "campaign/rounds.hpp"
#include "made_harness.hpp"

namespace commgauge::bench::experiment_runner_test {

StopRule few(int blocks) {
  return {.precision = 1e9,
          .confidence = 0.9,
          .min_blocks = blocks,
          .max_blocks = 2 * blocks,
          .raw = true};
}

TEST(StopRule, HurriedItHasFewBlocksAndLosesFew) {
  const StopRule hurried = few(7).hurried(4);
  EXPECT_EQ(hurried.min_blocks, 4);
  EXPECT_EQ(hurried.max_blocks, 4);
  EXPECT_EQ(hurried.most_lost, 1);
  EXPECT_EQ(few(2).hurried(4).max_blocks, 2) << "no more than before";
}

/// Of ranks 0 and 1, and, where there is one, the last.
std::vector<Experiment> of_each_kind(int ranks) {
  constexpr Bytes size{1000};
  std::vector<Experiment> all{
      round_trip(1, 0, size, size),        send_overhead(0, 1, size),
      receive_overhead(0, 1, size),        receive_overhead(1, 0, size, true),
      flood(0, 1, 5, Seconds{2e-6}, size), flat_scatter(ranks, 0, size),
      flat_gather(ranks, 1, size),         binomial_bcast(ranks, ranks - 1, size),
      pairs_at_once({0}, {1}, size),       first_of_messages(0, 1, 2, size),
      messages_at_once(1, 0, 3, size)};
  if (ranks >= 3) all.push_back(one_to_two(0, 1, 2, size));
  if (ranks >= 4) all.push_back(pairs_at_once({0, 2}, {1, 3}, size));
  return all;
}

TEST(ExperimentRunner, ItsRootHasARowOfEachKind) {
  Harness harness(MPI_COMM_WORLD, quick_options());
  const int me = harness.comm.rank();
  for (const Experiment& experiment : of_each_kind(harness.comm.size())) {
    SCOPED_TRACE(to_text(experiment.kind));
    const std::vector<Observation> rows = harness.runner.run(group_of(experiment), few(3), 5);
    ASSERT_EQ(rows.size(), me == experiment.root ? 1u : 0u);
    if (rows.empty()) continue;
    const Observation& row = rows.front();
    EXPECT_EQ(row.experiment, experiment);
    EXPECT_EQ(row.pass, 5);
    EXPECT_GE(row.blocks, 1);
    EXPECT_LE(row.blocks, 6);
    EXPECT_GE(row.block_length, 1);
    EXPECT_EQ(row.block_means_s.size(), static_cast<std::size_t>(row.blocks));
    EXPECT_LE(row.low_s, row.time_s);
    EXPECT_LE(row.time_s, row.high_s);
    const auto [least, most] = std::ranges::minmax(row.block_means_s);
    EXPECT_GE(row.time_s, least);
    EXPECT_LE(row.time_s, most);
    EXPECT_GE(row.lost_blocks, row.repeated_blocks);
  }
}

TEST(ExperimentRunner, ARowOfAGroupIsInTheOrderOfItsExperiments) {
  Harness harness(MPI_COMM_WORLD, quick_options());
  const Group group{{0, 1},
                    {round_trip(0, 1, Bytes{1}, {}), round_trip(1, 0, Bytes{2}, {}),
                     round_trip(0, 1, Bytes{3}, {})}};
  std::vector<double> parts;
  const auto note = [&](double part) {
    parts.push_back(part);
    return false;
  };
  const double before = harness.runner.timed().value;
  const std::vector<Observation> rows = harness.runner.run(group, few(3), 0, note);
  if (harness.comm.rank() != 0) return;
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].experiment.out, Bytes{1});
  EXPECT_EQ(rows[1].experiment.out, Bytes{3});
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0], 0);
  EXPECT_DOUBLE_EQ(parts[1], 2.0 / 3);
  double sum = 0;
  for (const Observation& row : rows) {
    for (const double mean : row.block_means_s) sum += mean * row.block_length;
  }
  EXPECT_GE(harness.runner.timed().value - before, 0.999 * sum);
}

TEST(ExperimentRunner, WhoIsBehindTakesFewBlocks) {
  Harness harness(MPI_COMM_WORLD, quick_options());
  const Group group{{0, 1}, {round_trip(0, 1, Bytes{1}, {})}};
  StopRule never_precise = few(20);
  never_precise.precision = 1e-12;
  const auto rows = harness.runner.run(group, never_precise, 0, [](double) { return true; });
  if (harness.comm.rank() != 0) return;
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_LT(rows[0].blocks, 20);
}

TEST(ExperimentRunner, WithoutRawBlocksAreNotKept) {
  Harness harness(MPI_COMM_WORLD, quick_options());
  StopRule rule = few(3);
  rule.raw = false;
  for (const Observation& row : harness.runner.run(group_of(round_trip(0, 1, {}, {})), rule, 0)) {
    EXPECT_TRUE(row.block_means_s.empty());
    EXPECT_GE(row.blocks, 1);
  }
}

}  // namespace commgauge::bench::experiment_runner_test
