// Of emulated ranks, which need no core each: what pairs of a host share is found out for all that
// the host has, though a sample of two is measured.

#include "calibrate/memory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "commgauge/plan/host_plan.hpp"

namespace commgauge::bench::memory_test {

using ::testing::IsEmpty;
using ::testing::UnorderedElementsAreArray;

constexpr int passes = 2;

Options quick() {
  Options options;
  options.sizes = {Bytes{4096}, Bytes{16384}};
  options.min_reps = 3;
  options.max_reps = 3;
  options.precision = 0.9;
  options.passes = passes;
  options.buffers = Buffers::same;
  for (int rank = 0; rank < 8; ++rank) {
    options.places.push_back({rank < 5 ? "big" : "small", ""});
  }
  return options;
}

TEST(MeasureMemory, HasAllPairsOfTheSampledHosts) {
  const Communicator all(MPI_COMM_WORLD);
  const std::vector<Observation> rows = measure_memory(all, {0, 2, 5, 6}, quick()).rows;
  if (all.rank() != 0) {
    EXPECT_THAT(rows, IsEmpty());
    return;
  }
  std::set<Experiment> at_once;
  std::set<std::set<int>> alone;
  for (const Observation& row : rows) {
    EXPECT_GT(row.time_s, 0);
    EXPECT_LT(row.pass, passes);
    const Experiment& e = row.experiment;
    if (e.kind == Kind::pairs_at_once) at_once.insert(e);
    if (e.kind == Kind::round_trip) alone.insert({e.root, e.peers.front()});
  }
  const std::vector<Bytes> sizes{{4096}, {16384}};
  EXPECT_THAT(at_once, UnorderedElementsAreArray(memory_experiments({0, 1, 2, 3, 4}, 0, sizes)))
      << "three ranks make no two pairs";
  EXPECT_EQ(alone, (std::set<std::set<int>>{{0, 2}, {1, 3}, {0, 1}, {2, 3}}));
}

TEST(MeasureMemory, LeavesHostsWithoutASampledRankAlone) {
  const Communicator all(MPI_COMM_WORLD);
  EXPECT_FALSE(has_memory_to_measure(all, {5, 6}, quick()));
  EXPECT_THAT(measure_memory(all, {5, 6}, quick()).rows, IsEmpty());
}

TEST(MeasureMemory, HostsTakeTurnsWhereThatIsAskedFor) {
  const Communicator all(MPI_COMM_WORLD);
  Options options = quick();
  options.places[4].host = "small";
  options.schedule = Schedule::serial;
  EXPECT_TRUE(has_memory_to_measure(all, {0, 5}, options));
  const MemoryRun run = measure_memory(all, {0, 5}, options);
  EXPECT_FALSE(run.left_out);
  if (all.rank() != 0) return;
  std::set<int> roots;
  for (const Observation& row : run.rows) roots.insert(row.experiment.root);
  EXPECT_EQ(roots, (std::set<int>{0, 1, 2, 4, 5, 6}));
}

TEST(MeasureMemory, WithoutTimeForAPassIsLeftOutAndSaid) {
  const Communicator all(MPI_COMM_WORLD);
  Options options = quick();
  options.time_budget = Seconds{1e-9};
  const MemoryRun run = measure_memory(all, {0, 5}, options);
  EXPECT_THAT(run.rows, IsEmpty());
  ASSERT_EQ(run.left_out.has_value(), all.rank() == 0);
  if (all.rank() != 0) return;
  EXPECT_EQ(run.left_out->kind, "memory_left_out");
}

}  // namespace commgauge::bench::memory_test
