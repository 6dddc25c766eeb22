#include "commgauge/judge/fit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "../testbeds/synthetic.hpp"
#include "closeness.hpp"
#include "clusters.hpp"
#include "commgauge/base/error.hpp"

namespace commgauge::fit_test {

using synthetic::campaign;
using synthetic::Disturbance;
using synthetic::measure;
using synthetic::Noise;
using synthetic::Protocol;

const Noise gaussian{.kind = Disturbance::gaussian};

const std::string not_measured = "logp, loggp, loggps, plogp: not measured; curves: not measured";

bool warns(const std::vector<Diagnostic>& warnings, const std::string& words) {
  return std::ranges::any_of(
      warnings, [&](const Diagnostic& one) { return one.text().find(words) != std::string::npos; });
}

std::vector<Experiment> experiments_of(const synthetic::Machine& machine) {
  return campaign(machine, choose_sizes(std::nullopt, {}, std::nullopt));
}

Measurements calibration(int n, const Noise& noise = gaussian, const Protocol& protocol = {}) {
  const auto machine = synthetic::lmo_machine(synthetic::lmo_parameters(n));
  return measure(machine, experiments_of(machine), noise, protocol);
}

void expect_all_ordered(const Model& model) {
  if (model.hockney) testing::expect_ordered(*model.hockney);
  if (model.lom) testing::expect_ordered(*model.lom);
  if (model.lmo) testing::expect_ordered(*model.lmo);
  if (model.bottleneck) testing::expect_ordered(*model.bottleneck);
}

/// What a file keeps, and takes back.
void expect_readable(const Model& model) {
  const std::string text = to_json(model);
  EXPECT_TRUE(to_json(model_from_json(text, "model")) == text);
}

std::string failure(const Measurements& measurements, const FitOptions& options = {}) {
  try {
    (void)fit(measurements, options);
  } catch (const FitError& error) {
    return error.what();
  }
  return "";
}

TEST(Fit, DeterminesEverythingFromACompleteCampaign) {
  const Model model = fit(calibration(4));
  for (const char* name : {"hockney", "lom", "lmo", "bottleneck"}) {
    EXPECT_TRUE(model.has(name)) << name;
  }
  EXPECT_EQ(model.not_determined, not_measured);
  EXPECT_EQ(model.ranks, 4);
  EXPECT_EQ(model.preferred(), "lmo");
  EXPECT_TRUE(warns(model.warnings, "one launch is one sample"));
  expect_all_ordered(model);
  expect_readable(model);
}

TEST(Fit, MakesOnlyTheModelsAskedFor) {
  const Model model = fit(calibration(4), {.models = {"lmo", "hockney"}});
  EXPECT_TRUE(model.has("hockney"));
  EXPECT_TRUE(model.has("lmo"));
  EXPECT_FALSE(model.has("lom"));
  EXPECT_FALSE(model.has("bottleneck"));
  EXPECT_EQ(model.not_determined, "");
  EXPECT_EQ(model.ranking.size(), 2U);
}

TEST(Fit, RefusesWhatIsNoModelAndNoMeasurement) {
  EXPECT_THROW((void)fit(calibration(2), {.models = {"logn"}}), InputError);
  Measurements nothing = calibration(2);
  nothing.observations.clear();
  EXPECT_THROW((void)fit(nothing), FitError);
  Measurements zero = calibration(2);
  zero.observations[3].time_s = 0;
  EXPECT_THROW((void)fit(zero), FitError);
}

TEST(Fit, AnIntervalIsWiderWithMoreConfidence) {
  const Measurements m = calibration(3);
  const auto width = [&](double confidence) {
    const Model model = fit(m, {.models = {}, .confidence = confidence});
    return model.lmo->high.C[0] - model.lmo->low.C[0];
  };
  // Student's quantiles with seven degrees of freedom
  EXPECT_NEAR(width(0.99) / width(0.95), 3.499483 / 2.364624, 1e-6);
}

TEST(FitChecks, AreKeptAwayFromTheFitAndJudgeIt) {
  const auto machine = synthetic::lmo_machine(synthetic::lmo_parameters(4));
  Measurements m = measure(machine, experiments_of(machine));
  const Model model = fit(m);
  long checks = 0;
  for (const Check& check : model.checks) {
    if (check.model != "lmo") continue;
    ++checks;
    // The formulas for rendezvous messages don't matter without a limit.
    EXPECT_NEAR(check.relative_error(), 0, 1e-9) << to_text(check.operation);
  }
  // Two sizes: 12 ordered pairs, scatter and gather at four roots, six exchanges, a ring.
  EXPECT_EQ(checks, 2 * (12 + 8 + 6 + 1));
  EXPECT_EQ(model.ranking.front().model, "lmo");
  EXPECT_EQ(model.ranking.front().operations.size(), 5U);

  for (Observation& row : m.observations) {
    if (row.experiment.check) row.time_s *= 2;
  }
  const Model with_other_checks = fit(m);
  EXPECT_EQ(testing::entries(with_other_checks.lmo->value).front().value,
            testing::entries(model.lmo->value).front().value);
  EXPECT_GT(with_other_checks.ranking.front().error, 0.3);
}

TEST(FitChecks, WhatCannotBeToldFromZeroIsLeftOutAndSaid) {
  const auto machine = synthetic::lmo_machine(synthetic::lmo_parameters(4));
  Measurements m = measure(machine, experiments_of(machine));
  const std::size_t all = fit(m, {.models = {"lmo"}}).checks.size();
  int gathers = 0;
  for (Observation& row : m.observations) {
    const Experiment& e = row.experiment;
    if (e.kind == Kind::gather && e.root == 2) row.time_s = e.back.value > 100000 ? -4e-3 : 0;
    if (row.pass == 0 && e.kind == Kind::gather && e.root == 2) ++gathers;
  }
  const Model model = fit(m, {.models = {"lmo"}});
  EXPECT_EQ(gathers, 2);
  EXPECT_EQ(model.checks.size(), all - 2);
  EXPECT_TRUE(warns(model.warnings, "checks: 2 of 54 times are not measurable"));
  for (const Check& check : model.checks) EXPECT_GT(check.measured_s, 0);
  expect_readable(model);
}

/// Hockney's model lacks a pair, and with it the collectives that are checked here.
TEST(FitChecks, AModelThatCannotAnswerAllComesLast) {
  const auto machine = synthetic::lmo_machine(synthetic::lmo_parameters(4));
  Measurements m = measure(machine, experiments_of(machine));
  std::erase_if(m.observations, [](const Observation& row) {
    const Experiment& e = row.experiment;
    if (e.kind == Kind::scatter) return e.root != 3;
    if (e.kind == Kind::gather) return e.root != 2;
    return e.kind == Kind::round_trip && !e.check && e.root == 3 && e.peers.front() == 2;
  });
  const Model model = fit(m, {.models = {"hockney", "lom"}});
  ASSERT_EQ(model.ranking.size(), 2U);
  EXPECT_EQ(model.ranking.front().model, "lom");
  EXPECT_GT(model.ranking.front().error, model.ranking.back().error);
}

TEST(FitTwoRanks, GiveHockneyOnly) {
  const Measurements m = calibration(2);
  const Model model = fit(m);
  EXPECT_TRUE(model.has("hockney"));
  for (const std::string name : {"lom", "lmo", "bottleneck"}) {
    EXPECT_FALSE(model.has(name));
    EXPECT_NE(model.not_determined.find(name + ": "), std::string::npos) << model.not_determined;
  }
  EXPECT_NE(failure(m, {.models = {"lmo"}}).find("lmo: "), std::string::npos);
  expect_readable(model);
}

TEST(FitPasses, FewerThanThreeAreReplacedByDraws) {
  for (const int passes : {1, 2}) {
    const Model model = fit(calibration(4, gaussian, {.passes = passes}));
    for (const ReplicateKind kind : {model.hockney->replicate_kind, model.lom->replicate_kind,
                                     model.lmo->replicate_kind, model.bottleneck->replicate_kind}) {
      EXPECT_EQ(kind, ReplicateKind::draws);
    }
    EXPECT_EQ(model.lmo->replicates.size(), 20U);
    EXPECT_TRUE(warns(model.warnings, "fewer than three complete passes"));
    expect_all_ordered(model);
    EXPECT_GT(model.lmo->high.C[0], model.lmo->low.C[0]);
  }
  EXPECT_FALSE(warns(fit(calibration(4)).warnings, "fewer than three"));
}

/// Takes the rows of a pass from the given one on away, as a signal does.
Measurements cut(Measurements m, int pass, double share) {
  const auto rows =
      static_cast<std::size_t>(std::ranges::count(m.observations, pass, &Observation::pass));
  const auto kept = static_cast<std::size_t>(share * static_cast<double>(rows));
  std::size_t seen = 0;
  std::erase_if(m.observations, [&](const Observation& row) {
    return row.pass > pass || (row.pass == pass && seen++ >= kept);
  });
  m.launches[0].complete = false;
  m.launches[0].incomplete_reason = "interrupted";
  return m;
}

TEST(FitCancelled, InALaterPassUsesTheCompletePasses) {
  const Model model = fit(cut(calibration(4), 5, 0.3));
  EXPECT_EQ(model.lmo->replicate_kind, ReplicateKind::passes);
  EXPECT_EQ(model.lmo->replicates.size(), 5U);
  EXPECT_TRUE(warns(model.warnings, "a launch is incomplete (interrupted)"));
  EXPECT_EQ(model.not_determined, not_measured);
  expect_all_ordered(model);
}

/// Three passes have begun, two are complete: too few for Student, so they are drawn.
TEST(FitCancelled, InTheThirdPassDraws) {
  const Model model = fit(cut(calibration(4), 2, 0.3));
  EXPECT_EQ(model.lmo->replicate_kind, ReplicateKind::draws);
  EXPECT_TRUE(warns(model.warnings, "fewer than three complete passes"));
  for (const auto& entry : testing::entries(model.lmo->high)) {
    EXPECT_TRUE(std::isfinite(entry.value)) << entry.name;
  }
  expect_readable(model);
}

TEST(FitCancelled, AfterThePairsGivesHockney) {
  Measurements m = calibration(4);
  std::erase_if(m.observations, [](const Observation& row) {
    return row.pass > 0 || row.experiment.kind != Kind::round_trip;
  });
  const Model model = fit(m);
  EXPECT_TRUE(model.has("hockney"));
  EXPECT_FALSE(model.has("lmo"));
  EXPECT_NE(model.not_determined.find("lom: there are no one-to-two experiments"),
            std::string::npos);
  expect_readable(model);
}

TEST(FitMissingPairs, LeaveHockneyForTheOthers) {
  Measurements m = calibration(4);
  std::erase_if(m.observations, [](const Observation& row) {
    const auto& e = row.experiment;
    return e.kind == Kind::round_trip && e.root + e.peers.front() == 5;
  });
  const Model model = fit(m);
  ASSERT_TRUE(model.has("hockney"));
  EXPECT_FALSE(model.has("lom"));
  EXPECT_FALSE(model.has("lmo"));
  EXPECT_FALSE(model.has("bottleneck"));
  EXPECT_TRUE(warns(model.hockney->warnings, "2 of 12 pairs were not measured"));
  EXPECT_TRUE(std::isnan(model.hockney->value.alpha(2, 3)));
  EXPECT_TRUE(std::isnan(model.hockney->high.alpha(2, 3)));
  EXPECT_TRUE(std::isfinite(model.hockney->value.mean_alpha));
  EXPECT_NE(model.not_determined.find("missing for ranks 2 and 3"), std::string::npos);
  EXPECT_NE(failure(m, {.models = {"lmo"}}).find("missing for 1 pairs"), std::string::npos);
  // Collectives of ranks 2 and 3 can't be judged, those of 0 and 1 can.
  for (const Check& check : model.checks) {
    EXPECT_TRUE(std::isfinite(check.predicted_s));
    EXPECT_TRUE(check.to >= 0 || check.from < 2);
  }
  expect_all_ordered(model);
  expect_readable(model);
}

TEST(FitMissingPairs, AnEmptyRoundTripIsNeededToo) {
  Measurements m = calibration(3);
  std::erase_if(m.observations, [](const Observation& row) {
    const auto& e = row.experiment;
    return e.kind == Kind::round_trip && e.out.value == 0 && e.root + e.peers.front() == 1;
  });
  const Model model = fit(m);
  EXPECT_TRUE(warns(model.hockney->warnings, "2 of 6 pairs were not measured"));
  EXPECT_TRUE(std::isfinite(model.hockney->value.mean_alpha));
  expect_readable(model);
}

TEST(FitMissingTriplets, AreNamed) {
  Measurements m = calibration(4);
  std::erase_if(m.observations, [](const Observation& row) {
    return row.experiment.kind == Kind::one_to_k && row.experiment.root == 2;
  });
  const Model model = fit(m);
  EXPECT_NE(model.not_determined.find("one-to-two experiments are missing for rank 2"),
            std::string::npos);
  EXPECT_NE(model.not_determined.find("lmo: one-to-two experiments of 0 B are missing for rank 2"),
            std::string::npos);
}

/// Four ranks on four of six hosts with three ranks each.
Measurements of_a_sample() {
  Measurements m = calibration(4);
  m.survey = samples::Cluster{.hosts = 6, .per_host = 3}.survey();
  m.survey->sample = {0, 5, 7, 10};
  return m;
}

TEST(FitSample, NamesRanksAsTheMachineDoes) {
  Measurements m = of_a_sample();
  for (Observation& row : m.observations) {
    const Experiment& e = row.experiment;
    const bool is_large = e.kind == Kind::round_trip && e.out.value > 0 && e.back.value == 0;
    if (is_large && e.root == 1 && e.peers.front() == 3) row.time_s *= e.out.value < 10000 ? 9 : 3;
    if (e.kind == Kind::one_to_k && e.root == 2 && e.peers.size() == 2) row.time_s *= 3;
  }
  const Model model = fit(m);
  EXPECT_EQ(model.ranks, 18);
  EXPECT_TRUE(warns(model.hockney->warnings, "from rank 5 to rank 10"));
  EXPECT_TRUE(warns(model.lmo->warnings, "(ranks 5 and 10)"));
  EXPECT_TRUE(warns(model.lmo->warnings, "no peer of rank 7 is slow enough"));
}

TEST(FitSample, NamesWhatIsMissingAsTheMachineDoes) {
  Measurements m = of_a_sample();
  std::erase_if(m.observations, [](const Observation& row) {
    return row.experiment.kind == Kind::one_to_k && row.experiment.root == 2;
  });
  const Model model = fit(m);
  EXPECT_NE(model.not_determined.find("lom: one-to-two experiments are missing for rank 7"),
            std::string::npos);
  EXPECT_NE(model.not_determined.find("lmo: one-to-two experiments of 0 B are missing for rank 7"),
            std::string::npos);
  m = of_a_sample();
  m.observations.front().experiment = round_trip(3, 1, Bytes{64}, Bytes{0});
  m.observations.front().time_s = 0;
  EXPECT_NE(failure(m).find("round_trip of rank 10 with 5, 64 B out"), std::string::npos)
      << failure(m);
  m.observations.front().experiment.kind = Kind::send_overhead;
  EXPECT_TRUE(warns(fit(m).warnings, "send_overhead of rank 10 with 5"));
}

TEST(FitResumed, SaysSo) {
  Measurements m = calibration(3);
  EXPECT_FALSE(warns(fit(m).warnings, "resumed"));
  m.launches.front().resumed = 1;
  EXPECT_TRUE(
      warns(fit(m).warnings, "a launch was resumed once (its passes are of 2 launches of MPI"));
  m.launches.front().resumed = 3;
  EXPECT_TRUE(warns(fit(m).warnings, "resumed 3 times (its passes are of 4 launches of MPI"));
}

TEST(FitNothing, CanBeDetermined) {
  Measurements m = calibration(3);
  std::erase_if(m.observations,
                [](const Observation& row) { return row.experiment.kind == Kind::round_trip; });
  EXPECT_NE(failure(m).find("no model can be determined"), std::string::npos);
}

TEST(FitUnconverged, AreCounted) {
  Measurements m = calibration(3);
  for (Observation& row : m.observations) row.converged = true;
  m.observations[5].converged = false;
  EXPECT_TRUE(warns(fit(m).warnings, "1 of " + std::to_string(m.observations.size()) +
                                         " measurements did not reach the asked precision"));
}

TEST(FitLaunches, AreTheReplicatesOnceMerged) {
  const Noise noise{.kind = Disturbance::gaussian, .launch_common = 0.1};
  const Model model = fit(calibration(3, noise, {.launches = 5, .passes = 2}));
  EXPECT_EQ(model.lmo->replicate_kind, ReplicateKind::launches);
  EXPECT_EQ(model.lmo->replicates.size(), 5U);
  EXPECT_FALSE(warns(model.warnings, "one launch"));
  EXPECT_GT(model.lmo->high.L(0, 1) - model.lmo->low.L(0, 1), 0.05 * model.lmo->value.L(0, 1));
  const Model of_two = fit(calibration(3, noise, {.launches = 2, .passes = 2}));
  EXPECT_EQ(of_two.lmo->replicate_kind, ReplicateKind::launches);
  EXPECT_TRUE(warns(of_two.warnings, "with 2 launches the intervals are honest but wide"));
}

/// Each launch draws its own triplets, so hardly an experiment is in all of them. A launch that is
/// slower as a whole must not leak into differences of experiments: all ranks' C are scaled alike.
TEST(FitLaunches, MayHaveDifferentDesigns) {
  const int n = 9;
  const AdditiveParameters truth = synthetic::lmo_parameters(n);
  const auto machine = synthetic::lmo_machine(truth);
  const Noise noise{.launch_common = 0.1};
  std::vector<Measurements> launches;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    CampaignOptions options;
    options.sparse = true;
    options.seed = seed;
    const auto sizes = choose_sizes(std::nullopt, {}, std::nullopt);
    launches.push_back(measure(machine, campaign(machine, sizes, options), noise, {}, seed));
  }
  const Model model = fit(merge(launches));
  ASSERT_TRUE(model.lmo);
  EXPECT_EQ(model.lmo->replicate_kind, ReplicateKind::launches);
  EXPECT_EQ(model.lmo->replicates.size(), 5U);
  const double scale = model.lmo->value.C[0] / truth.C[0];
  EXPECT_NEAR(scale, 1, 0.2);
  for (std::size_t i = 0; i < truth.C.size(); ++i) {
    EXPECT_NEAR(model.lmo->value.C[i] / truth.C[i], scale, 1e-6);
    EXPECT_NEAR(model.lmo->value.t[i] / truth.t[i], scale, 1e-6);
  }
  EXPECT_EQ(model.lom->replicate_kind, ReplicateKind::launches);
  EXPECT_EQ(model.bottleneck->replicate_kind, ReplicateKind::launches);
  expect_all_ordered(model);
  expect_readable(model);
}

TEST(FitLaunches, ThatDisagreeAboutTheEagerLimitUseTheSmallest) {
  Measurements m = calibration(3, gaussian, {.launches = 2, .passes = 1});
  m.launches[0].eager_limit_bytes = 65536;
  m.launches[1].eager_limit_bytes = 65535;
  for (Launch& launch : m.launches) launch.eager_probed_bytes = 1 << 20;
  const Model model = fit(m);
  EXPECT_EQ(model.eager_limit, Bytes{65535});
  EXPECT_TRUE(warns(model.warnings, "the launches disagree about the eager limit"));
}

Sweep line_sweep(const std::string& kind, std::uint64_t sizes, double scale = 1) {
  Sweep sweep;
  sweep.kind = kind;
  for (std::uint64_t k = 1; k <= sizes; ++k) {
    const double time = scale * (1e-4 + 1e-5 * static_cast<double>(k));
    sweep.points.push_back({Bytes{1024 * k}, {time, 1.01 * time, 1.02 * time, time, time}});
  }
  return sweep;
}

/// Neither a sweep cut short nor one in strange units ends the fit, or takes the others along.
TEST(FitSweeps, ThatTellNothingKeepTheirReason) {
  Measurements m = calibration(3);
  m.sweeps = {line_sweep("scatter", 12), line_sweep("gather", 2)};
  Model model = fit(m);
  ASSERT_TRUE(model.thresholds);
  EXPECT_EQ(model.thresholds->scatter_break.reason, "one line explains all sizes");
  EXPECT_EQ(model.thresholds->gather_m1.reason,
            "gather was swept at 2 sizes only (a line takes 3): measure more");
  ASSERT_EQ(model.kappas.size(), 2U);
  EXPECT_EQ(model.kappas[0].second.kappa1.reason, model.thresholds->gather_m1.reason);
  expect_readable(model);

  m.sweeps[1] = line_sweep("gather", 200, 1e-200);
  model = fit(m);
  EXPECT_EQ(model.thresholds->scatter_break.reason, "one line explains all sizes");
  EXPECT_NE(model.kappas[0].second.kappa1.reason.find("so short"), std::string::npos);
}

/// Two modes, and a median that stays in the usual one.
TEST(FitBimodalBlocks, FollowTheUsualMode) {
  const AdditiveParameters truth = synthetic::lmo_parameters(4);
  const Noise noise{.kind = Disturbance::bimodal, .relative = 0.001, .share = 0.1, .height = 0.3};
  const Model model = fit(calibration(4, noise, {.least_blocks = 15, .most_blocks = 15}));
  testing::expect_close(model.lmo->value, truth, 0.05);
}

}  // namespace commgauge::fit_test
