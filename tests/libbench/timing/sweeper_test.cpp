#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <climits>
#include <cstring>
#include <stdexcept>

#include "commgauge/base/error.hpp"
#include "commgauge/bench/calibrate/calibrate.hpp"
#include "commgauge/thresholds/sweep_plan.hpp"
#include "ranks/rank0.hpp"
#include "timing/collective_timer.hpp"
#include "timing/sweeper.hpp"

namespace commgauge::bench::sweeper_test {

int rank_in(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

int ranks() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

bool is_rank_0() { return rank_in(MPI_COMM_WORLD) == 0; }

/// Few sizes, few repetitions: these tests look at structure, not at speed.
Options quick() {
  Options options;
  options.probe_eager_limit = false;
  options.sweeps.plan.first = Bytes{16};
  options.sweeps.plan.last = Bytes{4096};
  options.sweeps.plan.most_sizes = 12;
  options.sweeps.reps = 3;
  return options;
}

std::vector<std::string> kinds_of(const std::vector<Sweep>& sweeps) {
  std::vector<std::string> kinds;
  for (const Sweep& sweep : sweeps) kinds.push_back(sweep.kind);
  return kinds;
}

void expect_sound(const Sweep& sweep, const SweepOptions& options) {
  SCOPED_TRACE(sweep.kind);
  EXPECT_EQ(sweep.root, options.root);
  EXPECT_EQ(sweep.launch, 0);
  ASSERT_FALSE(sweep.points.empty());
  EXPECT_EQ(sweep.points.front().size, options.plan.first);
  EXPECT_EQ(sweep.points.back().size, options.plan.last);
  EXPECT_LE(static_cast<int>(sweep.points.size()), options.plan.most_sizes);
  EXPECT_EQ(
      std::ranges::adjacent_find(sweep.points, std::ranges::greater_equal{}, &SweepPoint::size),
      sweep.points.end());
  for (const SweepPoint& point : sweep.points) {
    EXPECT_GE(static_cast<int>(point.times_s.size()), 3);
    EXPECT_LE(static_cast<int>(point.times_s.size()), 3 * options.reps);  // repeated twice
    for (const double time : point.times_s) {
      EXPECT_GT(time, 0);
      EXPECT_LT(time, 60);
    }
  }
}

/// measure_thresholds() and what holds of every result.
Measurements measured(const Options& options) {
  Measurements result = measure_thresholds(MPI_COMM_WORLD, options);
  EXPECT_TRUE(result.observations.empty());
  if (!is_rank_0()) {
    EXPECT_TRUE(result.launches.empty());
    EXPECT_TRUE(result.sweeps.empty());
    return result;
  }
  EXPECT_EQ(result.launches.size(), 1u);
  EXPECT_TRUE(result.complete());
  EXPECT_EQ(result.ranks(), ranks());
  if (ranks() < 3) {
    EXPECT_TRUE(result.sweeps.empty());
    return result;
  }
  EXPECT_EQ(kinds_of(result.sweeps), sweep_kinds(options.sweeps.algorithms));
  for (const Sweep& sweep : result.sweeps) expect_sound(sweep, options.sweeps);
  return result;
}

TEST(MeasureThresholds, SweepsScatterAndGather) {
  const Measurements result = measured(quick());
  if (!is_rank_0() || ranks() < 3) return;
  const auto& options = result.launches[0].options;
  EXPECT_EQ(options.at("timing"), "global");
  EXPECT_EQ(options.at("algorithms"), "flat");
  EXPECT_EQ(options.at("sweep_reps"), "3");
  EXPECT_EQ(options.at("sweep_first"), "16");
  EXPECT_EQ(options.at("sweep_last"), "4096");
  EXPECT_EQ(options.at("sweep_root"), "0");
  EXPECT_GT(result.launches[0].timed_s, 0);
  EXPECT_LE(result.launches[0].timed_s, result.launches[0].elapsed_s);
}

TEST(MeasureThresholds, EveryTimingOfEveryAlgorithmFromAnotherRoot) {
  for (const Timing timing : {Timing::global, Timing::root, Timing::longest}) {
    Options options = quick();
    options.sweeps.timing = timing;
    options.sweeps.algorithms = Algorithms::both;
    options.sweeps.root = ranks() - 1;
    options.sweeps.plan.first = Bytes{1024};
    options.sweeps.plan.most_sizes = 4;
    (void)measured(options);
  }
}

TEST(MeasureThresholds, LibraryAlone) {
  Options options = quick();
  options.sweeps.algorithms = Algorithms::library;
  (void)measured(options);
}

TEST(MeasureThresholds, KeepsTheEagerLimitThatItIsGiven) {
  Options options = quick();
  options.eager_limit = Bytes{1234};
  const Measurements result = measured(options);
  if (is_rank_0()) {
    EXPECT_EQ(result.launches[0].eager_limit_bytes, 1234u);
    EXPECT_EQ(result.launches[0].eager_probed_bytes, 0u);
  }
}

TEST(MeasureThresholds, CancelledItKeepsWhatItHas) {
  if (ranks() < 3) GTEST_SKIP() << "takes three ranks";
  Options options = quick();
  options.sweeps.reps = 1000000;
  const int last = ranks() - 1;
  const double start = MPI_Wtime();
  options.cancelled = [&] { return rank_in(MPI_COMM_WORLD) == last && MPI_Wtime() > start + 0.6; };
  const Measurements result = measure_thresholds(MPI_COMM_WORLD, options);
  if (!is_rank_0()) return;
  EXPECT_FALSE(result.complete());
  EXPECT_EQ(result.launches.at(0).incomplete_reason, "cancelled");
  EXPECT_LT(result.sweeps.size(), 2u);
}

TEST(MeasureThresholds, KeepsToItsTimeBudget) {
  if (ranks() < 3) GTEST_SKIP() << "takes three ranks";
  Options options = quick();
  options.sweeps.reps = 1000000;
  options.time_budget = Seconds{1.0};
  const double start = MPI_Wtime();
  const Measurements result = measure_thresholds(MPI_COMM_WORLD, options);
  EXPECT_LT(MPI_Wtime() - start, 30);
  if (!is_rank_0()) return;
  EXPECT_FALSE(result.complete());
  EXPECT_NE(result.launches.at(0).incomplete_reason.find("time budget"), std::string::npos);
}

TEST(MeasureThresholds, BadOptionsAreRefusedOnEveryRank) {
  const auto refused = [](auto&& change) {
    Options options = quick();
    change(options.sweeps);
    EXPECT_THROW((void)measure_thresholds(MPI_COMM_WORLD, options), InputError);
  };
  refused([](SweepOptions& o) { o.reps = 2; });
  refused([](SweepOptions& o) { o.root = -1; });
  refused([](SweepOptions& o) { o.plan.first = Bytes{0}; });
  refused([](SweepOptions& o) { o.plan.first = o.plan.last; });
  refused([](SweepOptions& o) { o.plan.last = Bytes{std::uint64_t{INT_MAX} + 1}; });
  refused([](SweepOptions& o) { o.plan.per_octave = 0; });
  refused([](SweepOptions& o) { o.plan.precision = 0; });
  refused([](SweepOptions& o) { o.plan.most_sizes = 1; });
  if (ranks() >= 3) refused([](SweepOptions& o) { o.root = ranks(); });
}

TEST(Measure, SweepsBeforeTheExperiments) {
  Options options = quick();
  options.sizes = {Bytes{256}, Bytes{1024}, Bytes{4096}, Bytes{16384}};
  options.min_reps = options.max_reps = 3;
  options.passes = 1;
  const Measurements with = measure(MPI_COMM_WORLD, options);
  options.sweeps.enabled = false;
  const Measurements without = measure(MPI_COMM_WORLD, options);
  EXPECT_TRUE(without.sweeps.empty());
  if (!is_rank_0()) return;
  EXPECT_FALSE(with.observations.empty());
  EXPECT_EQ(with.sweeps.size(), ranks() < 3 ? 0u : 2u);
  EXPECT_EQ(with.launches.at(0).options.contains("sweep_last"), ranks() >= 3);
  EXPECT_FALSE(without.launches.at(0).options.contains("sweep_last"));
}

/// What a Campaign has, small.
struct Bench {
  Communicator comm{MPI_COMM_WORLD};
  Transport transport{comm.get(), comm.size() > 2 ? WaitMode::yield : WaitMode::blocking};
  MessageBuffers buffers{Buffers::same, 1 << 16, 0};
  CoreWatch watch;
  CollectiveTimer timer{transport, buffers, watch, comm.size()};
  Clock clock;
};

TEST(Sweeper, WhatRefiningThrowsIsThrownOnEveryRank) {
  Bench bench;
  Sweeper::Settings settings;
  settings.options = quick().sweeps;
  settings.refine = [](const Sweep&, const SweepPlan&) -> std::vector<Bytes> {
    throw std::runtime_error("made up");
  };
  Sweeper sweeper(bench.comm, bench.transport, bench.buffers, bench.timer, bench.clock, settings);
  EXPECT_THROW((void)sweeper.measure(), FitError);
}

TEST(Sweeper, RefinesUntilNothingIsLeftToRefine) {
  Bench bench;
  Sweeper::Settings settings;
  settings.options = quick().sweeps;
  settings.options.plan = {.first = Bytes{64}, .last = Bytes{256}};
  int rounds = 0;
  settings.is_uncertain = [](const Sweep&) { return false; };
  settings.refine = [&](const Sweep& sweep, const SweepPlan&) -> std::vector<Bytes> {
    ++rounds;
    if (sweep.points.size() >= 5) return {};
    return {Bytes{100}, Bytes{200}};
  };
  Sweeper sweeper(bench.comm, bench.transport, bench.buffers, bench.timer, bench.clock, settings);
  const std::vector<Sweep> sweeps = sweeper.measure();
  EXPECT_EQ(rounds, is_rank_0() ? 4 : 0);
  EXPECT_EQ(sweeps.size(), is_rank_0() ? 2u : 0u);
  for (const Sweep& sweep : sweeps) {
    EXPECT_EQ(sweep.points.size(), 5u);
    for (const SweepPoint& point : sweep.points) EXPECT_EQ(point.times_s.size(), 3u);
  }
}

TEST(Sweeper, RepeatsAllSizesWhileUncertainButNotForever) {
  Bench bench;
  Sweeper::Settings settings;
  settings.options = quick().sweeps;
  settings.refine = [](const Sweep&, const SweepPlan&) -> std::vector<Bytes> { return {}; };
  settings.is_uncertain = [](const Sweep&) { return true; };
  Sweeper sweeper(bench.comm, bench.transport, bench.buffers, bench.timer, bench.clock, settings);
  for (const Sweep& sweep : sweeper.measure()) {
    for (const SweepPoint& point : sweep.points) {
      EXPECT_EQ(point.times_s.size(), 9u);
      EXPECT_THAT(point.passes, ::testing::ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8));
    }
  }
}

TEST(Sweeper, PastItsTimeItMakesDo) {
  Bench bench;
  Sweeper::Settings settings;
  settings.options = quick().sweeps;
  settings.options.reps = 1000;
  settings.enough = Seconds{0};
  Sweeper sweeper(bench.comm, bench.transport, bench.buffers, bench.timer, bench.clock, settings);
  for (const Sweep& sweep : sweeper.measure()) {
    EXPECT_EQ(sweep.points.size(), first_sizes(settings.options.plan).size());
    for (const SweepPoint& point : sweep.points) EXPECT_EQ(point.times_s.size(), 5u);
  }
}

TEST(Sweeper, WhatDoesNotFitIntoMemoryIsRefused) {
  Bench bench;
  Sweeper::Settings settings;
  settings.options.plan.last = Bytes{std::uint64_t{1} << 45};
  Sweeper sweeper(bench.comm, bench.transport, bench.buffers, bench.timer, bench.clock, settings);
  EXPECT_THROW((void)sweeper.measure(), InputError);
}

/// What all messages of that size take on one machine: the root has every rank's, each other rank
/// its own, all twice, from a page on.
double memory_for(Bytes size) {
  return 2.0 * (2 * ranks() - 1) * (static_cast<double>(size.value) + 4096);
}

TEST(Sweeper, TheMemoryOfAllRanksOfAMachineCounts) {
  Bench bench;
  Sweeper::Settings settings;
  settings.options = quick().sweeps;
  settings.memory = memory_for(settings.options.plan.last) - 1;
  Sweeper sweeper(bench.comm, bench.transport, bench.buffers, bench.timer, bench.clock, settings);
  EXPECT_THROW((void)sweeper.measure(), InputError);
  settings.memory = memory_for(settings.options.plan.last);
  Sweeper enough(bench.comm, bench.transport, bench.buffers, bench.timer, bench.clock, settings);
  EXPECT_NO_THROW((void)enough.measure());
  EXPECT_FALSE(enough.limited());
}

TEST(Sweeper, WhatDoesNotFitIntoMemoryMayBeLeftOut) {
  Bench bench;
  Sweeper::Settings settings;
  settings.options = quick().sweeps;
  settings.too_large = Sweeper::Settings::TooLarge::leave_out;
  settings.memory = memory_for(Bytes{1024});
  Sweeper shorter(bench.comm, bench.transport, bench.buffers, bench.timer, bench.clock, settings);
  for (const Sweep& sweep : shorter.measure()) {
    EXPECT_EQ(sweep.points.back().size, Bytes{1024});
  }
  EXPECT_EQ(shorter.last(), Bytes{1024});
  ASSERT_TRUE(shorter.limited());
  EXPECT_EQ(shorter.limited()->kind, "sweeps_cut_short");
  EXPECT_EQ(shorter.limited()->problem, "stop at 1 KiB instead of 4 KiB");
  settings.memory = 1;
  Sweeper none(bench.comm, bench.transport, bench.buffers, bench.timer, bench.clock, settings);
  EXPECT_TRUE(none.measure().empty());
  ASSERT_TRUE(none.limited());
  EXPECT_EQ(none.limited()->kind, "sweeps_left_out");
  EXPECT_EQ(none.limited()->problem, "are left out");
}

TEST(OnRankZero, FailuresKeepTheirKind) {
  const Communicator comm(MPI_COMM_WORLD);
  EXPECT_NO_THROW(on_rank_0(comm, [] {}));
  EXPECT_THROW(on_rank_0(comm, [] { throw InputError("made up"); }), InputError);
  EXPECT_THROW(on_rank_0(comm, [] { throw FitError("made up"); }), FitError);
}

/// Byte that rank `rank` is to have, or sends.
std::byte mark(int rank) { return static_cast<std::byte>(17 + rank); }

struct Case {
  Kind kind;
  Timing timing;
  Algorithms algorithms;
};

class Delivery : public ::testing::TestWithParam<Case> {
 protected:
  static constexpr Bytes size_{4096};

  /// The regions of buffers that start each repetition at their beginning.
  std::byte* send_region() {
    bench_.buffers.begin_repetition();
    return bench_.buffers.next_send(1);
  }
  std::byte* receive_region() {
    bench_.buffers.begin_repetition();
    return bench_.buffers.next_receive(1);
  }

  /// Where rank's message lies on the root: flat, the root has none of its own.
  [[nodiscard]] std::size_t place(int rank, int root) const {
    const bool skips_root = GetParam().algorithms == Algorithms::flat && rank > root;
    return static_cast<std::size_t>(skips_root ? rank - 1 : rank) * size_.value;
  }

  [[nodiscard]] static bool all_are(const std::byte* first, std::byte wanted) {
    return std::all_of(first, first + size_.value, [&](std::byte b) { return b == wanted; });
  }

  Bench bench_;
};

TEST_P(Delivery, EveryMessageArrivesWhereItBelongs) {
  const int me = bench_.comm.rank();
  const int root = ranks() - 1;
  std::vector<int> peers;
  for (int rank = 0; rank < root; ++rank) peers.push_back(rank);
  const Collective collective{GetParam().kind,      root, peers, size_, GetParam().timing,
                              GetParam().algorithms};
  const bool is_scatter = collective.kind == Kind::scatter;
  bench_.buffers.reserve(size_.value * static_cast<std::size_t>(ranks() + 1));
  std::memset(receive_region(), 0, size_.value * static_cast<std::size_t>(ranks()));
  if (is_scatter && me == root) {
    for (const int peer : peers) {
      std::memset(send_region() + place(peer, root), static_cast<int>(mark(peer)), size_.value);
    }
  }
  if (!is_scatter && me != root) {
    std::memset(send_region(), static_cast<int>(mark(me)), size_.value);
  }

  double time = 1;
  if (me == root) {
    bench_.timer.synchronise_as_root(peers);
    time = bench_.timer.time_as_root(collective, true);
  } else {
    bench_.timer.synchronise_as_peer(root);
    bench_.timer.join_as_peer(collective);
  }
  EXPECT_GT(time, 0);
  if (is_scatter && me != root) {
    EXPECT_TRUE(all_are(receive_region(), mark(me)));
  }
  if (!is_scatter && me == root) {
    for (const int peer : peers) {
      EXPECT_TRUE(all_are(receive_region() + place(peer, root), mark(peer))) << peer;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Delivery,
                         ::testing::Values(Case{Kind::scatter, Timing::global, Algorithms::flat},
                                           Case{Kind::scatter, Timing::longest, Algorithms::flat},
                                           Case{Kind::scatter, Timing::root, Algorithms::library},
                                           Case{Kind::scatter, Timing::global, Algorithms::library},
                                           Case{Kind::gather, Timing::global, Algorithms::flat},
                                           Case{Kind::gather, Timing::root, Algorithms::flat},
                                           Case{Kind::gather, Timing::global, Algorithms::library},
                                           Case{Kind::gather, Timing::longest,
                                                Algorithms::library}));

}  // namespace commgauge::bench::sweeper_test
