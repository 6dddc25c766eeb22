#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <map>
#include <set>

#include "commgauge/bench/calibrate/calibrate.hpp"
#include "commgauge/plan/logp_plan.hpp"

namespace commgauge::bench::logp_test {

bool is_rank_0() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank == 0;
}

int ranks() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

Options quick() {
  Options options;
  options.probe_eager_limit = false;
  options.min_reps = 5;
  options.max_reps = 10;
  options.passes = 3;
  options.sweeps.enabled = false;
  options.checks = false;
  return options;
}

/// The quickest pass: whatever disturbs takes time.
std::map<Experiment, double> measure_times(const std::vector<Experiment>& experiments) {
  std::map<Experiment, double> times;
  for (const Observation& row :
       measure_experiments(MPI_COMM_WORLD, experiments, quick()).observations) {
    const auto [place, is_new] = times.emplace(row.experiment, row.time_s);
    if (!is_new) place->second = std::min(place->second, row.time_s);
  }
  return times;
}

TEST(Overheads, AreAPartOfARoundTrip) {
  const int last = ranks() - 1;
  const Bytes size{64};
  const Experiment trip = round_trip(0, last, size, {});
  const std::vector<Experiment> overheads{send_overhead(0, last, size),
                                          receive_overhead(last, 0, size),
                                          receive_overhead(last, 0, size, true)};
  std::vector<Experiment> all = overheads;
  all.push_back(trip);
  const auto times = measure_times(all);
  if (!is_rank_0()) return;
  for (const Experiment& overhead : overheads) {
    EXPECT_GT(times.at(overhead), 0) << to_text(overhead.kind);
    EXPECT_LT(times.at(overhead), times.at(trip)) << to_text(overhead.kind);
  }
}

/// A rendezvous message can't be received before it is asked for: the wait is outside.
TEST(Overheads, OfRendezvousMessagesAreMeasuredToo) {
  const Bytes size{1 << 20};
  const auto times = measure_times({send_overhead(0, 1, size), receive_overhead(1, 0, size),
                                    receive_overhead(1, 0, size, true)});
  if (!is_rank_0()) return;
  EXPECT_EQ(times.size(), 3U);
}

TEST(Floods, AddAGapForEachMessageAndHoldTheirDelays) {
  const Experiment one = flood(0, 1, 1, {}, Bytes{64});
  const Experiment many = flood(0, 1, 64, {}, Bytes{64});
  const Experiment slow = flood(0, 1, 5, Seconds{1e-3}, Bytes{64});
  const auto times = measure_times({one, many, slow});
  if (!is_rank_0()) return;
  EXPECT_GT(times.at(many), times.at(one));
  EXPECT_LT(times.at(many), 64 * times.at(one));
  EXPECT_GE(times.at(slow), 4e-3);
}

TEST(Measure, TheFamilyOfOnePairOnceInEachPass) {
  Options options = quick();
  options.models = {"loggps"};
  options.logp_pairs = LogPPairs::one;
  options.sizes = {Bytes{1}, Bytes{64}, Bytes{4096}, Bytes{32768}};
  const Measurements measured = measure(MPI_COMM_WORLD, options);
  if (!is_rank_0()) return;
  std::set<std::pair<int, Experiment>> seen;
  std::map<Kind, int> kinds;
  std::set<int> steps;
  for (const Observation& row : measured.observations) {
    EXPECT_TRUE(seen.emplace(row.pass, row.experiment).second) << to_text(row.experiment.kind);
    ++kinds[row.experiment.kind];
    if (row.experiment.processes != 0) steps.insert(row.experiment.processes);
  }
  EXPECT_GT(kinds[Kind::send_overhead], 0);
  EXPECT_EQ(kinds[Kind::send_overhead], kinds[Kind::receive_overhead]);
  EXPECT_EQ(kinds[Kind::receive_overhead_progress], 0);
  EXPECT_EQ(kinds[Kind::flood], 3 * 2 * 6) << "empty, four sizes, and with a delay";
  const std::vector<int> expected = ranks() > 2 ? growth_steps(ranks()) : std::vector<int>{};
  EXPECT_EQ(std::vector(steps.begin(), steps.end()), expected);
}

TEST(Measure, ChoosesSizesByItself) {
  Options options = quick();
  options.models = {"plogp"};
  options.logp_pairs = LogPPairs::one;
  options.receive_progress = true;
  const Measurements measured = measure(MPI_COMM_WORLD, options);
  if (!is_rank_0()) return;
  std::set<Bytes> sizes;
  int with_progress = 0;
  for (const Observation& row : measured.observations) {
    if (row.experiment.kind == Kind::round_trip) sizes.insert(row.experiment.out);
    with_progress += row.experiment.kind == Kind::receive_overhead_progress ? 1 : 0;
  }
  EXPECT_GE(sizes.size(), 11U) << "steps of four from 1 B to 1 MiB";
  EXPECT_LE(sizes.size(), 34U);
  EXPECT_GT(with_progress, 0);
}

}  // namespace commgauge::bench::logp_test
