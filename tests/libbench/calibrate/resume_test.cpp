#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <map>
#include <utility>

#include "commgauge/base/error.hpp"
#include "commgauge/bench/calibrate/calibrate.hpp"

namespace commgauge::bench::resume_test {

using ::testing::HasSubstr;

int rank() {
  int own = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &own);
  return own;
}

constexpr int passes = 5;

Options quick() {
  Options options;
  options.sizes = {Bytes{1024}, Bytes{4096}};
  options.probe_eager_limit = false;
  options.min_reps = 3;
  options.max_reps = 3;
  options.precision = 0.9;
  options.passes = passes;
  options.sweeps.reps = 3;
  return options;
}

/// Cancelled when as many rounds were reported.
Measurements cut_after(int rounds) {
  Options options = quick();
  int reported = 0;
  options.progress = [&](const Progress& progress) {
    if (progress.phase == "measuring") ++reported;
  };
  options.cancelled = [&] { return reported >= rounds; };
  return measure(MPI_COMM_WORLD, options);
}

using Places = std::map<std::pair<int, Experiment>, int>;

Places places_of(const Measurements& m) {
  Places places;
  for (const Observation& row : m.observations) ++places[{row.pass, row.experiment}];
  return places;
}

void expect_whole(const Measurements& whole, const LaunchPlan& plan) {
  Places expected;
  for (int pass = 0; pass < passes; ++pass) {
    for (const PlannedExperiment& planned : plan.experiments)
      ++expected[{pass, planned.experiment}];
  }
  EXPECT_EQ(places_of(whole), expected);
  EXPECT_TRUE(whole.complete());
  EXPECT_FALSE(whole.plan);
  ASSERT_EQ(whole.launches.size(), 1u);
}

TEST(Resume, DoesWhatIsMissingOnce) {
  for (const int rounds : {1, 2, 3}) {
    const Measurements cut = cut_after(rounds);
    const Measurements whole = resume(MPI_COMM_WORLD, cut);
    if (rank() != 0) {
      EXPECT_TRUE(whole.launches.empty());
      continue;
    }
    ASSERT_TRUE(cut.plan);
    EXPECT_FALSE(cut.complete());
    EXPECT_LT(cut.observations.size(), whole.observations.size());
    expect_whole(whole, *cut.plan);
    const Launch& before = cut.launches.front();
    const Launch& after = whole.launches.front();
    EXPECT_EQ(after.resumed, 1);
    EXPECT_EQ(after.time_utc, before.time_utc);
    EXPECT_EQ(after.options, before.options);
    EXPECT_EQ(after.sizes, before.sizes);
    EXPECT_EQ(after.schedule, before.schedule);
    EXPECT_GT(after.elapsed_s, before.elapsed_s);
    EXPECT_GE(after.disturbance->blocks, before.disturbance->blocks);
    EXPECT_EQ(after.disturbance->rows, std::ssize(whole.observations));
    ASSERT_EQ(whole.sweeps.size(), cut.sweeps.size());
    EXPECT_EQ(after.passes, passes);
  }
}

TEST(Resume, GoesOnFromWhatWasKept) {
  std::vector<Measurements> kept;
  Options options = quick();
  options.keep = [&](const Measurements& so_far) {
    kept.push_back(so_far);
    return true;
  };
  const Measurements uninterrupted = measure(MPI_COMM_WORLD, options);
  int count = static_cast<int>(kept.size());
  MPI_Bcast(&count, 1, MPI_INT, 0, MPI_COMM_WORLD);
  EXPECT_GE(count, 1) << "once before the passes";
  kept.resize(static_cast<std::size_t>(count));
  for (Measurements& one : kept) {
    if (rank() == 0) {
      EXPECT_FALSE(one.complete());
      EXPECT_EQ(one.launches.front().incomplete_reason, "it was still going on");
      one = measurements_from_json(to_json(one), "kept");  // as a file has it
    }
    const auto plan = one.plan;
    const Measurements whole = resume(MPI_COMM_WORLD, std::move(one));
    if (rank() != 0) continue;
    expect_whole(whole, *plan);
    EXPECT_EQ(places_of(whole), places_of(uninterrupted));
  }
}

TEST(Resume, WhatKeepThrowsIsThrownOnEveryRank) {
  Options options = quick();
  options.keep = [](const Measurements&) -> bool { throw InputError("no place left"); };
  EXPECT_THROW((void)measure(MPI_COMM_WORLD, options), InputError);
}

std::string refusal(const Measurements& checkpoint) {
  try {
    (void)resume(MPI_COMM_WORLD, checkpoint);
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

/// What is said of `good` after rank 0 changed it.
std::string refusal_of(const Measurements& good, const std::function<void(Measurements&)>& change) {
  Measurements changed = good;
  if (rank() == 0) change(changed);
  return refusal(changed);
}

TEST(Resume, IsRefusedOnAnotherMachine) {
  const Measurements cut = cut_after(2);
  EXPECT_THAT(refusal_of(cut, [](auto& m) { m.launches[0].ranks[1].host = "elsewhere"; }),
              HasSubstr("and was elsewhere"));
  EXPECT_THAT(refusal_of(cut, [](auto& m) { m.launches[0].ranks.pop_back(); }),
              HasSubstr("the number of ranks is"));
  EXPECT_THAT(refusal_of(cut, [](auto& m) { m.launches[0].mpi_library = "Other MPI 1"; }),
              HasSubstr("and was Other MPI 1"));
  EXPECT_THAT(refusal_of(cut, [](auto& m) { m.launches[0].commgauge_version = "0.0"; }),
              HasSubstr("and was 0.0"));
  EXPECT_THAT(refusal_of(cut, [](auto& m) { m.launches[0].environment["UCX_TLS"] = "rc"; }),
              HasSubstr("UCX_TLS is nothing here, and was rc"));
  EXPECT_EQ(refusal_of(cut, [](auto& m) { m.launches[0].environment["OMPI_MCA_pid"] = "1"; }),
            "none");
}

TEST(Resume, IsRefusedWhereTheFileIsNoBeginning) {
  const Measurements cut = cut_after(2);
  EXPECT_THAT(refusal_of(cut, [](auto& m) { m.plan.reset(); }), HasSubstr("it has no plan"));
  EXPECT_THAT(refusal_of(cut, [](auto& m) { m.launches[0].complete = true; }),
              HasSubstr("it is complete"));
  EXPECT_THAT(refusal_of(cut, [](auto& m) { m.observations.pop_back(); }),
              HasSubstr("the file was changed"));
  EXPECT_THAT(refusal_of(cut, [](auto& m) { m.observations.push_back(m.observations[0]); }),
              HasSubstr("the file was changed"));
  EXPECT_THAT(refusal_of(cut, [](auto& m) { m.launches[0].rounds += 1; }),
              HasSubstr("the file was changed"));
  EXPECT_THAT(refusal_of(cut, [](auto& m) { m.launches[0].rounds = 1'000'000'000'000; }),
              HasSubstr("the file was changed"));
  EXPECT_THAT(refusal_of(cut, [](auto& m) { m.plan->experiments.clear(); }),
              HasSubstr("the file was changed"));
  EXPECT_THAT(refusal_of(cut, [](auto& m) { m.plan->request["passes"] = "many"; }),
              HasSubstr("plan.request.passes is 'many'"));
}

}  // namespace commgauge::bench::resume_test
