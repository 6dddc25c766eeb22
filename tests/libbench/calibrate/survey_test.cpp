// Many ranks of which a sample is measured: hosts are given, so that one machine does for all.

#include "commgauge/measurements/survey.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "commgauge/base/error.hpp"
#include "commgauge/bench/calibrate/calibrate.hpp"
#include "commgauge/classes/find_classes.hpp"
#include "commgauge/judge/fit.hpp"

namespace commgauge::bench::survey_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int per_host = 4;
constexpr int passes = 2;

int rank() {
  int own = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &own);
  return own;
}

/// Two hosts of one kind, the third of another: two ranks of each are measured, half of them.
std::vector<GivenPlace> places() {
  std::vector<GivenPlace> all;
  for (const auto& [host, kind] : {std::pair{"n0", "big"}, {"n1", "big"}, {"n2", "small"}}) {
    all.insert(all.end(), per_host, {host, kind});
  }
  return all;
}

Options quick() {
  Options options;
  options.models = {"hockney"};
  options.sizes = {Bytes{1024}, Bytes{8192}, Bytes{16384}};
  options.probe_eager_limit = false;
  options.min_reps = 3;
  options.max_reps = 3;
  options.precision = 0.9;
  options.passes = passes;
  options.sweeps.enabled = false;
  options.checks = false;
  options.buffers = Buffers::same;  // no caches to be missed, and large ones take long
  options.places = places();
  return options;
}

/// What was kept last of uninterrupted().
Measurements kept;

/// Measured once; on rank 0. Collective when it is first asked for.
const Measurements& uninterrupted() {
  static const Measurements measured = [] {
    Options options = quick();
    options.keep = [](const Measurements& so_far) {
      kept = so_far;
      return true;
    };
    return measure(MPI_COMM_WORLD, options);
  }();
  return measured;
}

using Rows = std::map<std::pair<int, Experiment>, int>;

Rows rows_of(const Measurements& m) {
  Rows rows;
  for (const Observation& row : m.observations) ++rows[{row.pass, row.experiment}];
  return rows;
}

TEST(Survey, MeetsAllHostsAndChoosesASample) {
  const Measurements& measured = uninterrupted();
  if (rank() != 0) {
    EXPECT_FALSE(measured.survey);
    EXPECT_TRUE(measured.observations.empty());
    return;
  }
  ASSERT_TRUE(measured.survey);
  const Survey& survey = *measured.survey;
  EXPECT_THAT(survey.sample, ElementsAre(0, 2, 4, 6, 8, 10));
  EXPECT_EQ(measured.ranks(), 6);
  EXPECT_TRUE(measured.complete());
  std::set<std::tuple<int, int, std::uint64_t>> trips;
  for (const SurveyedTrip& trip : survey.trips) {
    EXPECT_GT(trip.time_s, 0);
    EXPECT_TRUE(trips.emplace(trip.from, trip.to, trip.size.value).second) << "surveyed twice";
  }
  std::set<std::tuple<int, int, std::uint64_t>> expected;
  for (const std::uint64_t size : {0, 16384}) {
    for (const int first : {0, 4, 8}) {
      for (const int other : {0, 4, 8}) {
        if (other != first) expected.emplace(first, other, size);
      }
      for (int other = first + 1; other < first + per_host; ++other) {
        expected.emplace(first, other, size);
        expected.emplace(other, first, size);
      }
    }
  }
  EXPECT_EQ(trips, expected);
  for (std::size_t one = 0; one < places().size(); ++one) {
    EXPECT_EQ(survey.ranks[one].host, places()[one].host);
    EXPECT_EQ(survey.kinds[one], places()[one].kind);
  }
}

TEST(Survey, TheSampleHasPairsOfEveryClassAndOfHostsAtOnce) {
  const Measurements& measured = uninterrupted();
  if (rank() != 0) return;
  ASSERT_TRUE(measured.survey);
  const std::vector<int>& sample = measured.survey->sample;
  const auto of_machine = [&](int one) { return sample.at(static_cast<std::size_t>(one)); };
  const auto pairs = find_classes(*measured.survey).pairs;
  std::vector<std::int64_t> trips(static_cast<std::size_t>(pairs->classes()));
  std::set<std::pair<std::set<int>, std::set<int>>> at_once;
  for (const Observation& row : measured.observations) {
    const Experiment& e = row.experiment;
    if (e.kind == Kind::round_trip) {
      const int of_pairs = pairs->class_of(of_machine(e.root), of_machine(e.peers.front()));
      ++trips[static_cast<std::size_t>(of_pairs)];
    }
    if (e.kind != Kind::pairs_at_once) continue;
    std::set<int> senders{of_machine(e.root) / per_host};
    std::set<int> receivers;
    for (std::size_t k = 0; k < e.peers.size(); ++k) {
      (k % 2 == 0 ? receivers : senders).insert(of_machine(e.peers[k]) / per_host);
    }
    at_once.emplace(senders, receivers);
  }
  const std::vector<std::int64_t> there = pairs->pair_counts();
  for (std::size_t of_pairs = 0; of_pairs < there.size(); ++of_pairs) {
    EXPECT_EQ(trips[of_pairs] > 0, there[of_pairs] > 0) << of_pairs;
  }
  using Hosts = std::set<int>;
  EXPECT_THAT(at_once, ::testing::IsSupersetOf({std::pair{Hosts{0}, Hosts{1, 2}},
                                                {Hosts{1}, Hosts{0, 2}},
                                                {Hosts{2}, Hosts{0, 1}},
                                                {Hosts{1, 2}, Hosts{0}},
                                                {Hosts{0, 2}, Hosts{1}},
                                                {Hosts{0, 1}, Hosts{2}}}));
}

TEST(Survey, TheModelIsOfAllRanks) {
  const Measurements& measured = uninterrupted();
  if (rank() != 0) return;
  const Model model = fit(measurements_from_json(to_json(measured), "as a file"), {});
  EXPECT_EQ(model.ranks, 3 * per_host);
  ASSERT_TRUE(model.hockney && model.classes && model.host_links);
  const Matrix& alpha = model.hockney->value.alpha;
  EXPECT_EQ(alpha(0, 1), alpha(5, 7)) << "within hosts of a kind";
  EXPECT_EQ(alpha(0, 4), alpha(7, 3)) << "between them";
  EXPECT_NE(alpha(0, 1), alpha(8, 11)) << "of another kind";
  for (int one = 0; one < model.ranks; ++one) {
    const auto at = static_cast<std::size_t>(one);
    EXPECT_GT(model.host_links->high.out[at], 0);
    EXPECT_GT(model.host_links->high.in[at], 0);
  }
}

TEST(Survey, WithoutClassesAllAreMeasured) {
  Options options = quick();
  options.classes = Classes::none;
  options.passes = 1;
  const Measurements measured = measure(MPI_COMM_WORLD, options);
  if (rank() != 0) return;
  EXPECT_FALSE(measured.survey);
  EXPECT_EQ(measured.ranks(), 3 * per_host);
}

TEST(Survey, ASampleIsPlannedAsItIsMeasured) {
  const PlanSummary summary = plan(MPI_COMM_WORLD, quick());
  const Measurements& measured = uninterrupted();
  if (rank() != 0) return;
  EXPECT_EQ(summary.sampled, 6);
  EXPECT_EQ(summary.experiments * passes, std::ssize(measured.observations));
}

TEST(Survey, ASampleIsGoneOnWith) {
  const Measurements& expected = uninterrupted();
  Options options = quick();
  int reported = 0;
  options.progress = [&](const Progress& progress) {
    if (progress.phase == "measuring") ++reported;
  };
  options.cancelled = [&] { return reported >= 7; };
  Measurements cut = measure(MPI_COMM_WORLD, options);
  if (rank() == 0) {
    EXPECT_FALSE(cut.complete());
    EXPECT_LT(cut.observations.size(), expected.observations.size());
    cut = measurements_from_json(to_json(cut), "as a file");
  }
  const Survey surveyed = cut.survey.value_or(Survey{});
  const Measurements whole = resume(MPI_COMM_WORLD, std::move(cut));
  if (rank() != 0) {
    EXPECT_TRUE(whole.launches.empty());
    return;
  }
  EXPECT_TRUE(whole.complete());
  EXPECT_EQ(whole.launches.front().resumed, 1);
  EXPECT_EQ(rows_of(whole), rows_of(expected));
  ASSERT_TRUE(whole.survey);
  EXPECT_EQ(whole.survey->sample, expected.survey->sample);
  EXPECT_EQ(whole.survey->trips, surveyed.trips);
}

TEST(Survey, WhatIsKeptHasTheSurveyAndIsGoneOnWith) {
  (void)uninterrupted();
  if (rank() == 0) {
    EXPECT_EQ(kept.ranks(), 6);
    EXPECT_FALSE(kept.complete());
    ASSERT_TRUE(kept.survey);
    EXPECT_EQ(kept.survey->trips, uninterrupted().survey->trips);
  }
  const Measurements whole = resume(MPI_COMM_WORLD, kept);
  if (rank() != 0) return;
  EXPECT_EQ(rows_of(whole), rows_of(uninterrupted()));
}

TEST(Survey, ARankThatSleepsCanCancel) {
  Options options = quick();
  options.passes = 1000;
  MPI_Comm world = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &world);
  int word = 0;
  MPI_Request heard = MPI_REQUEST_NULL;
  if (rank() == 1) MPI_Irecv(&word, 1, MPI_INT, 0, 0, world, &heard);
  int reported = 0;
  options.progress = [&](const Progress& progress) {
    if (progress.phase != "measuring" || ++reported != 3) return;
    MPI_Send(&word, 1, MPI_INT, 1, 0, world);  // from now on the sleeping rank wants an end
  };
  int is_over = 0;
  options.cancelled = [&] {
    if (rank() == 1 && is_over == 0) MPI_Test(&heard, &is_over, MPI_STATUS_IGNORE);
    return is_over != 0;
  };
  const Measurements measured = measure(MPI_COMM_WORLD, options);
  MPI_Comm_free(&world);
  if (rank() != 0) return;
  EXPECT_FALSE(measured.complete());
  EXPECT_FALSE(measured.observations.empty());
  EXPECT_LT(measured.launches.front().passes, 1000);
}

TEST(Survey, WhatASampledRankThrowsIsThrownOnEveryRank) {
  Options options = quick();
  options.keep = [](const Measurements&) -> bool { throw InputError("no place left"); };
  EXPECT_THROW((void)measure(MPI_COMM_WORLD, options), InputError);
  options = quick();
  options.cancelled = [] { return rank() == 1; };  // before anything is measured
  EXPECT_THROW((void)measure(MPI_COMM_WORLD, options), FitError);
}

std::string refusal(const std::function<void()>& work) {
  try {
    work();
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

TEST(Survey, PlacesOfOtherRanksAreRefusedOnEveryRank) {
  for (const std::size_t count : {1u, 11u, 13u}) {
    for (const Classes classes : {Classes::automatic, Classes::none}) {
      Options options = quick();
      options.classes = classes;
      options.places.resize(count, {"n3", "small"});
      const std::string text = refusal([&] { (void)measure(MPI_COMM_WORLD, options); });
      EXPECT_EQ(text, "the classes are given of " + std::to_string(count) +
                          " ranks, there are 12: give a line for each");
      EXPECT_EQ(refusal([&] { (void)plan(MPI_COMM_WORLD, options); }), text);
    }
  }
}

TEST(Survey, ASampleIsNotGoneOnWithByOtherRanks) {
  (void)uninterrupted();
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank() < 11 ? 0 : MPI_UNDEFINED, 0, &part);
  if (part == MPI_COMM_NULL) return;
  EXPECT_THAT(refusal([&] { (void)resume(part, kept); }),
              HasSubstr("it was begun with 12 ranks, there are 11"));
  MPI_Comm_free(&part);
}

}  // namespace commgauge::bench::survey_test
