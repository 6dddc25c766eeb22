#include "commgauge/bench/calibrate/calibrate.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <climits>
#include <set>

#include "commgauge/base/error.hpp"
#include "commgauge/bench/base/error.hpp"
#include "commgauge/predict/predict.hpp"

namespace commgauge::bench::calibrate_test {

int rank_in(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

int size_of(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return size;
}

/// Small and short: these tests look at structure, not at speed.
Options quick() {
  Options options;
  options.sizes = {Bytes{256}, Bytes{1024}, Bytes{4096}, Bytes{16384}};
  options.probe_eager_limit = false;
  options.min_reps = 3;
  options.max_reps = 3;
  options.passes = 3;
  return options;
}

TEST(Measure, ObservesEveryPlannedExperimentInEveryPass) {
  const Measurements measured = measure(MPI_COMM_WORLD, quick());
  if (rank_in(MPI_COMM_WORLD) != 0) {
    EXPECT_TRUE(measured.observations.empty());
    return;
  }
  const int n = size_of(MPI_COMM_WORLD);
  std::set<std::pair<int, Experiment>> seen;
  for (const Observation& row : measured.observations) {
    EXPECT_TRUE(seen.emplace(row.pass, row.experiment).second) << "observed twice in a pass";
    EXPECT_GT(row.time_s, 0);
    EXPECT_LE(row.low_s, row.time_s);
    EXPECT_GE(row.high_s, row.time_s);
    EXPECT_EQ(row.blocks, 3);
    EXPECT_GE(row.block_length, 1);
  }
  EXPECT_EQ(measured.observations.size() % 3, 0u) << "passes differ";
  const auto round_trips = std::ranges::count_if(measured.observations, [](const auto& row) {
    return row.experiment.kind == Kind::round_trip && row.experiment.out.value == 0;
  });
  EXPECT_EQ(round_trips, 3 * n * (n - 1));
  const Launch& launch = measured.launches.at(0);
  EXPECT_TRUE(launch.complete);
  EXPECT_EQ(launch.passes, 3);
  EXPECT_EQ(static_cast<int>(launch.ranks.size()), n);
  EXPECT_FALSE(launch.ranks[0].cores.empty());
  EXPECT_GT(launch.timed_s, 0);
  EXPECT_LE(launch.timed_s, launch.elapsed_s);
}

TEST(Measure, TheSlowerPeerIsServedLast) {
  const Measurements measured = measure(MPI_COMM_WORLD, quick());
  for (const Observation& row : measured.observations) {
    const Experiment& e = row.experiment;
    if (e.kind != Kind::one_to_k) continue;
    EXPECT_EQ(e.peers.size(), 2u);
    EXPECT_EQ(e.reply_order, e.peers);
    EXPECT_EQ(e.back.value, 0u);
  }
}

TEST(Measure, TheSameSeedPlansTheSameExperiments) {
  Options options = quick();
  options.models = {"hockney"};
  options.passes = 1;
  options.size = Bytes{4096};  // else what the sweeps show decides
  const Measurements one = measure(MPI_COMM_WORLD, options);
  const Measurements two = measure(MPI_COMM_WORLD, options);
  ASSERT_EQ(one.observations.size(), two.observations.size());
  for (std::size_t i = 0; i < one.observations.size(); ++i) {
    EXPECT_EQ(one.observations[i].experiment, two.observations[i].experiment);
  }
}

TEST(Measure, RawKeepsEveryBlock) {
  Options options = quick();
  options.raw = true;
  options.passes = 1;
  options.models = {"hockney"};
  for (const Observation& row : measure(MPI_COMM_WORLD, options).observations) {
    EXPECT_EQ(static_cast<int>(row.block_means_s.size()), row.blocks);
    const auto [least, most] = std::ranges::minmax(row.block_means_s);
    EXPECT_LE(least, row.time_s);
    EXPECT_GE(most, row.time_s);
  }
}

TEST(Measure, EitherWayOfWaitingEitherScheduleEitherBuffers) {
  for (const Wait wait : {Wait::blocking, Wait::yield}) {
    // Blocking calls spin: with more active ranks than cores that takes minutes.
    if (wait == Wait::blocking && size_of(MPI_COMM_WORLD) > 2) continue;
    for (const Schedule schedule : {Schedule::serial, Schedule::parallel}) {
      for (const Buffers buffers : {Buffers::same, Buffers::rotating}) {
        Options options = quick();
        options.passes = 1;
        options.wait = wait;
        options.schedule = schedule;
        options.buffers = buffers;
        const Measurements measured = measure(MPI_COMM_WORLD, options);
        if (rank_in(MPI_COMM_WORLD) != 0) continue;
        EXPECT_EQ(measured.launches[0].wait, wait == Wait::yield ? "yield" : "blocking");
        EXPECT_EQ(measured.launches[0].schedule,
                  schedule == Schedule::serial ? "serial" : "parallel");
        EXPECT_EQ(measured.launches[0].buffers, buffers == Buffers::same ? "same" : "rotating");
      }
    }
  }
}

TEST(Measure, CanBeCancelledByAnyRank) {
  Options options = quick();
  const int last = size_of(MPI_COMM_WORLD) - 1;
  options.passes = 1000;
  options.sweeps.enabled = false;
  int asked = 0;  // warm-up and pilot ask some fifty times
  options.cancelled = [&] { return rank_in(MPI_COMM_WORLD) == last && ++asked > 100; };
  const Measurements measured = measure(MPI_COMM_WORLD, options);
  if (rank_in(MPI_COMM_WORLD) != 0) return;
  EXPECT_FALSE(measured.complete());
  EXPECT_FALSE(measured.launches[0].incomplete_reason.empty());
  EXPECT_FALSE(measured.observations.empty());
}

TEST(Measure, CancelledBeforeTheFirstMeasurementThereIsNothing) {
  Options options = quick();
  options.cancelled = [] { return true; };
  EXPECT_THROW((void)measure(MPI_COMM_WORLD, options), FitError);
}

TEST(Measure, KeepsToItsTimeBudget) {
  Options options = quick();
  options.passes = 100000;
  options.time_budget = Seconds{4.0};
  const double start = MPI_Wtime();
  const Measurements measured = measure(MPI_COMM_WORLD, options);
  EXPECT_LT(MPI_Wtime() - start, 30);
  if (rank_in(MPI_COMM_WORLD) != 0) return;
  EXPECT_LT(measured.launches[0].passes, 100000);
}

TEST(Measure, BadOptionsAreRefusedOnEveryRank) {
  const auto refused = [](auto&& change) {
    Options options = quick();
    change(options);
    EXPECT_THROW((void)measure(MPI_COMM_WORLD, options), InputError);
  };
  refused([](Options& o) { o.precision = 0; });
  refused([](Options& o) { o.confidence = 1; });
  refused([](Options& o) { o.min_reps = 1; });
  refused([](Options& o) { o.max_reps = 2; });
  refused([](Options& o) { o.passes = 0; });
  refused([](Options& o) { o.time_budget = Seconds{-1}; });
  refused([](Options& o) { o.sizes = {Bytes{1}, Bytes{std::uint64_t{INT_MAX} + 1}}; });
  refused([](Options& o) { o.sizes = {Bytes{1024}}; });
  refused([](Options& o) { o.size = Bytes{0}; });
  refused([](Options& o) { o.models = {"logq"}; });
  refused([](Options& o) {
    o.eager_limit = Bytes{1000};
    o.size = Bytes{2000};
  });
}

TEST(Measure, OneRankIsTooFew) { EXPECT_THROW((void)measure(MPI_COMM_SELF, quick()), InputError); }

TEST(Calibrate, ReturnsTheSameModelOnEveryRank) {
  const Model model = calibrate(MPI_COMM_WORLD, quick());
  EXPECT_EQ(model.ranks, size_of(MPI_COMM_WORLD));
  ASSERT_TRUE(model.hockney);
  double alpha = model.hockney->value.alpha(0, 1);
  const double mine = alpha;
  MPI_Bcast(&alpha, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  EXPECT_EQ(mine, alpha);
  EXPECT_EQ(model.has("lmo"), model.ranks >= 3);
  EXPECT_EQ(model.has("bottleneck"), model.ranks >= 3);
  if (model.ranks < 3) {
    EXPECT_NE(model.not_determined.find("three ranks"), std::string::npos);
  }
}

TEST(Calibrate, RootOnlySparesTheOthers) {
  Options options = quick();
  options.passes = 1;
  options.result = Result::root_only;
  const Model model = calibrate(MPI_COMM_WORLD, options);
  EXPECT_EQ(model.hockney.has_value(), rank_in(MPI_COMM_WORLD) == 0);
}

TEST(Calibrate, AModelThatCantBeDeterminedIsAnErrorEverywhere) {
  if (size_of(MPI_COMM_WORLD) > 2) GTEST_SKIP() << "with two ranks only";
  Options options = quick();
  options.passes = 1;
  options.models = {"lmo"};
  EXPECT_THROW((void)calibrate(MPI_COMM_WORLD, options), FitError);
}

TEST(Calibrate, WorksOnAPartOfTheWorldInAnyOrder) {
  const int n = size_of(MPI_COMM_WORLD);
  if (n < 3) GTEST_SKIP() << "takes three ranks";
  MPI_Comm part = MPI_COMM_NULL;
  const int me = rank_in(MPI_COMM_WORLD);
  MPI_Comm_split(MPI_COMM_WORLD, me == 0 ? MPI_UNDEFINED : 0, -me, &part);
  if (part != MPI_COMM_NULL) {
    Options options = quick();
    options.passes = 1;
    EXPECT_EQ(calibrate(part, options).ranks, n - 1);
    MPI_Comm_free(&part);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

TEST(Plan, SaysWhatWouldBeDone) {
  const PlanSummary summary = plan(MPI_COMM_WORLD, quick());
  const int n = size_of(MPI_COMM_WORLD);
  EXPECT_EQ(summary.passes, 3);
  EXPECT_GE(summary.rounds, summary.lower_bound_rounds);
  EXPECT_GE(summary.experiments, n * (n - 1) * 5);
  EXPECT_GT(summary.expected.value, 0);
}

TEST(MeasureExperiments, UnsoundOnesAreRefused) {
  const auto refused = [](const Experiment& experiment) {
    EXPECT_THROW((void)measure_experiments(MPI_COMM_WORLD, {experiment}, quick()), InputError);
  };
  refused(round_trip(0, 0, Bytes{1}, Bytes{1}));
  refused(round_trip(0, size_of(MPI_COMM_WORLD), Bytes{1}, Bytes{1}));
  refused(round_trip(0, 1, Bytes{std::uint64_t{INT_MAX} + 1}, Bytes{1}));
  refused({Kind::gather, 0, {1}, {}, Bytes{0}, Bytes{1}, false});
}

TEST(MeasureExperiments, MayExceedTheSizesOfTheOptions) {
  Options options = quick();
  options.passes = 1;
  const Measurements measured =
      measure_experiments(MPI_COMM_WORLD, {round_trip(0, 1, Bytes{200000000}, Bytes{0})}, options);
  EXPECT_EQ(measured.observations.size(), rank_in(MPI_COMM_WORLD) == 0 ? 1u : 0u);
}

TEST(MeasureExperiments, MeasuresJustThose) {
  Options options = quick();
  options.passes = 2;
  const int n = size_of(MPI_COMM_WORLD);
  const std::vector<Experiment> wanted{flat_scatter(n, 1, Bytes{4096}),
                                       flat_gather(n, 0, Bytes{4096}),
                                       round_trip(1, 0, Bytes{100}, Bytes{200})};
  const Measurements measured = measure_experiments(MPI_COMM_WORLD, wanted, options);
  EXPECT_EQ(measured.observations.size(), rank_in(MPI_COMM_WORLD) == 0 ? 6u : 0u);
}

}  // namespace commgauge::bench::calibrate_test
