#include "commgauge/judge/compare.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "../testbeds/synthetic.hpp"
#include "by_classes.hpp"
#include "commgauge/base/error.hpp"
#include "commgauge/judge/fit.hpp"
#include "samples.hpp"

namespace commgauge::compare_test {

using synthetic::Disturbance;

AdditiveParameters even(int n) {
  return {std::vector<double>(static_cast<std::size_t>(n), 10e-6),
          std::vector<double>(static_cast<std::size_t>(n), 1e-9), Matrix(n, 25e-6),
          Matrix(n, 8e-9)};
}

const synthetic::Noise gaussian{.kind = Disturbance::gaussian};
/// Launches differ, altogether and each experiment by itself.
const synthetic::Noise launches_differ{
    .kind = Disturbance::gaussian, .launch_common = 0.05, .launch_individual = 0.02};

Model calibrated(const AdditiveParameters& parameters, std::uint64_t seed,
                 const FitOptions& options = {}, const synthetic::Noise& noise = gaussian,
                 int launches = 1) {
  const auto machine = synthetic::lmo_machine(parameters);
  const auto experiments =
      synthetic::campaign(machine, choose_sizes(std::nullopt, {}, std::nullopt));
  return fit(synthetic::measure(machine, experiments, noise, {.launches = launches}, seed),
             options);
}

Model of_launches(const AdditiveParameters& parameters, std::uint64_t seed, int launches) {
  return calibrated(parameters, seed, {}, launches_differ, launches);
}

AdditiveParameters slower_by(double factor) {
  AdditiveParameters p = even(4);
  for (double& C : p.C) C *= factor;
  for (double& L : p.L.values()) L *= factor;
  return p;
}

Change change_between(const Model& before, const Model& after) {
  return find_change(before, after, compare(before, after)).change;
}

long significant(const std::vector<Drift>& drifts) {
  return std::ranges::count_if(drifts, &Drift::significant);
}

TEST(Compare, AModelAgreesWithItself) {
  const Model model = samples::model();
  const auto drifts = compare(model, model);
  EXPECT_EQ(significant(drifts), 0);
  for (const Drift& drift : drifts) EXPECT_EQ(drift.old_value, drift.new_value);
}

TEST(Compare, NamesEveryParameterOnceAndLeavesOutBounds) {
  const Model model = samples::model();
  std::set<std::string> names;
  std::set<std::string> families;
  for (const Drift& drift : compare(model, model)) {
    families.insert(drift.model + "." + drift.family);
    EXPECT_TRUE(names.insert(drift.model + "." + drift.parameter).second) << drift.parameter;
  }
  EXPECT_TRUE(names.contains("hockney.mean_alpha"));
  EXPECT_TRUE(names.contains("hockney.rendezvous.beta[2][0]"));
  EXPECT_TRUE(names.contains("lmo.L[0][2]"));
  EXPECT_FALSE(names.contains("lmo.L[2][0]")) << "it is L[0][2]";
  EXPECT_FALSE(names.contains("lom.L[0][1]")) << "LOM has none";
  EXPECT_FALSE(names.contains("lmo.C[3]"));
  EXPECT_FALSE(names.contains("bottleneck.s[0]")) << "a bound";
  EXPECT_TRUE(names.contains("bottleneck.s[1]"));
  EXPECT_TRUE(families.contains("hockney.mean_alpha"));
  EXPECT_TRUE(families.contains("hockney.rendezvous.beta"));
  EXPECT_TRUE(families.contains("lmo.L"));
  EXPECT_TRUE(families.contains("bottleneck.s"));
}

/// The interval of the sample's C is 10 %: 1 us of 10, so 1.41 us of the difference of two.
TEST(Compare, JudgesByBothIntervals) {
  const Model before = samples::model();
  Model after = before;
  const auto move = [&](double by) {
    for (auto* const p : {&after.lmo->low, &after.lmo->value, &after.lmo->high}) p->C[1] += by;
  };
  move(1.40e-6);
  EXPECT_EQ(significant(compare(before, after)), 0);
  move(0.02e-6);
  const auto drifts = compare(before, after);
  const auto found = std::ranges::find_if(drifts, &Drift::significant);
  ASSERT_NE(found, drifts.end());
  EXPECT_EQ(found->model, "lmo");
  EXPECT_EQ(found->parameter, "C[1]");
  EXPECT_NEAR(found->combined_half_width, 1.414214e-6, 1e-12);
}

/// Of an interval that reaches far up and hardly down, the side of the other value counts.
TEST(Compare, JudgesByTheSideOfTheOtherValue) {
  Model before = samples::model();
  before.lmo->high.C[1] = 100e-6;
  const auto agrees_at = [&](double value) {
    Model after = before;
    after.lmo->low.C[1] = after.lmo->value.C[1] = after.lmo->high.C[1] = value;
    return significant(compare(before, after)) == 0;
  };
  EXPECT_TRUE(agrees_at(90e-6));
  EXPECT_FALSE(agrees_at(1e-6));
}

TEST(Compare, LeavesOutWhatHasNoInterval) {
  const Model before = samples::model();
  Model after = before;
  after.lmo->value.C[1] *= 2;
  after.lmo->high.C[1] = std::nan("");
  const auto drifts = compare(before, after);
  EXPECT_EQ(drifts.size(), compare(before, before).size() - 1);
  EXPECT_TRUE(std::ranges::none_of(
      drifts, [](const Drift& d) { return d.model == "lmo" && d.parameter == "C[1]"; }));
}

TEST(Compare, TwoCalibrationsOfOneMachineAgree) {
  const auto drifts = compare(calibrated(even(5), 1), calibrated(even(5), 2));
  EXPECT_LT(significant(drifts), static_cast<long>(drifts.size()) / 10);
}

TEST(FindChange, LaunchesOfOneMachineAreNoChange) {
  long not_certain = 0;
  long certain_of_several = 0;
  constexpr int trials = 20;
  for (std::uint64_t seed = 1; seed <= trials; ++seed) {
    const Model one = of_launches(even(4), seed, 1);
    const Model other = of_launches(even(4), 1000 + seed, 1);
    const Change change = change_between(one, other);
    EXPECT_NE(change, Change::certain) << seed;
    if (change == Change::not_certain) ++not_certain;
    const Model several = of_launches(even(4), 2000 + seed, 5);
    const Model others = of_launches(even(4), 3000 + seed, 5);
    if (change_between(several, others) == Change::certain) ++certain_of_several;
    if (change_between(several, one) == Change::certain) ++certain_of_several;
  }
  // What intervals of one launch say is wrong nearly always: a common factor moves everything.
  EXPECT_GT(not_certain, trials / 2);
  EXPECT_LE(certain_of_several, 2 * trials / 5);
  std::cout << "not certain " << not_certain << " of " << trials << ", certain of several "
            << certain_of_several << " of " << 2 * trials << "\n";
}

TEST(FindChange, FindsTwiceTheLatency) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Model before = of_launches(even(4), seed, 1);
    const Model after = of_launches(slower_by(2), 100 + seed, 1);
    const ChangeFound found = find_change(before, after, compare(before, after));
    EXPECT_EQ(found.change, Change::certain);
    EXPECT_NE(found.reason.find("1.5 times"), std::string::npos);
    EXPECT_EQ(change_between(after, before), Change::certain);
  }
}

commgauge::Disturbance lost_of_a_hundred(long blocks) {
  commgauge::Disturbance found;
  found.blocks = 100;
  found.lost_blocks = blocks;
  return found;
}

TEST(FindChange, ABusyMachineProvesNone) {
  const Model before = of_launches(even(4), 1, 1);
  Model after = of_launches(slower_by(2), 100, 1);
  after.launches.front().disturbance = lost_of_a_hundred(31);
  const ChangeFound found = find_change(before, after, compare(before, after));
  EXPECT_EQ(found.change, Change::not_certain);
  EXPECT_NE(found.reason.find("the machine was busy: 31 %"), std::string::npos) << found.reason;
  after = of_launches(slower_by(2), 100, 5);
  after.launches.front().disturbance = lost_of_a_hundred(31);
  EXPECT_EQ(change_between(of_launches(even(4), 1, 5), after), Change::certain);
  after.launches.front().disturbance = lost_of_a_hundred(80);
  EXPECT_EQ(change_between(of_launches(even(4), 1, 5), after), Change::not_certain);
}

TEST(FindChange, WhatATooBusyMachineAgreesWithProvesNothing) {
  const Model before = of_launches(even(4), 1, 1);
  Model after = before;
  const auto agreeing_then = [&](long lost) {
    after.launches.front().disturbance = lost_of_a_hundred(lost);
    const ChangeFound found = find_change(before, after, compare(before, after));
    EXPECT_EQ(found.agreeing, 1);
    EXPECT_EQ(found.change == Change::none, found.reason.empty()) << found.reason;
    EXPECT_EQ(change_between(after, before), found.change) << "whichever is the older";
    return found.change;
  };
  EXPECT_EQ(agreeing_then(0), Change::none);
  EXPECT_EQ(agreeing_then(31), Change::none) << "what was lost was measured again";
  EXPECT_EQ(agreeing_then(72), Change::not_certain);
}

TEST(FindChange, OfAThirdMoreNeedsLaunches) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Model one = of_launches(slower_by(1.33), seed, 1);
    EXPECT_EQ(change_between(of_launches(even(4), 100 + seed, 1), one), Change::not_certain);
    EXPECT_EQ(change_between(of_launches(even(4), 200 + seed, 5),
                             of_launches(slower_by(1.33), 300 + seed, 5)),
              Change::certain);
  }
}

/// Five launches know how one more may differ: of intervals of +-1 that of one more is 2.45.
TEST(FindChange, OneLaunchAgainstSeveralIsOneMoreOfThem) {
  Model before = samples::model();
  before.lmo->replicate_kind = ReplicateKind::launches;
  before.lmo->replicates.resize(5, before.lmo->replicates.front());
  Model after = samples::model();
  const auto half_width = [&] {
    const auto drifts = compare(before, after);
    const auto is_one = [](const Drift& d) { return d.model == "lmo" && d.parameter == "C[1]"; };
    const auto found = std::ranges::find_if(drifts, is_one);
    EXPECT_TRUE(found->holds_launches);
    return found->combined_half_width;
  };
  EXPECT_NEAR(half_width(), 1e-6 * std::hypot(std::sqrt(6), 1), 1e-12);
  after.lmo->replicate_kind = ReplicateKind::launches;
  EXPECT_NEAR(half_width(), 1.414214e-6, 1e-12);
}

TEST(Compare, FindsASeededDrift) {
  AdditiveParameters slower = even(5);
  slower.C[2] *= 1.5;
  slower.inverse_beta.set_both(0, 3, 12e-9);
  std::set<std::string> found;
  for (const Drift& drift : compare(calibrated(even(5), 1), calibrated(slower, 2))) {
    if (drift.significant()) found.insert(drift.model + "." + drift.parameter);
  }
  EXPECT_TRUE(found.contains("lmo.C[2]"));
  EXPECT_TRUE(found.contains("lmo.inverse_beta[0][3]"));
  EXPECT_TRUE(found.contains("hockney.beta[0][3]"));
  EXPECT_FALSE(found.contains("hockney.beta[1][4]"));
}

TEST(Compare, RefusesWhatCannotBeCompared) {
  EXPECT_THROW((void)compare(samples::model(3), samples::model(4)), InputError);
  Model only_lom;
  only_lom.ranks = 3;
  only_lom.lom = samples::model().lom;
  Model only_lmo;
  only_lmo.ranks = 3;
  only_lmo.lmo = samples::model().lmo;
  EXPECT_THROW((void)compare(only_lom, only_lmo), InputError);
  only_lmo.lom = only_lom.lom;
  EXPECT_EQ(significant(compare(only_lom, only_lmo)), 0);
}

TEST(Compare, NamesASizeOfParameterisedLogP) {
  Model after = samples::model();
  after.plogp->value.g[1](2, 0) *= 2;
  after.plogp->low.g[1](2, 0) *= 2;
  after.plogp->value.sizes[2] = after.plogp->low.sizes[2] = Bytes{32768};
  std::set<std::string> names;
  for (const Drift& drift : compare(samples::model(), after)) {
    if (drift.model == "plogp") names.insert(drift.parameter);
    EXPECT_EQ(drift.significant(), drift.parameter == "g(1 KiB)[2][0]") << drift.parameter;
  }
  EXPECT_TRUE(names.contains("o_r(1 KiB)[0][2]"));
  EXPECT_FALSE(names.contains("o_r(64 KiB)[0][2]"));
}

std::vector<std::string> descriptions(const std::vector<Outlier>& outliers) {
  std::vector<std::string> all;
  for (const Outlier& outlier : outliers) all.push_back(outlier.what + ": " + outlier.parameter);
  return all;
}

const FitOptions hockney_only{.models = {"hockney"}};

TEST(Outliers, AnEvenMachineHasNone) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    EXPECT_TRUE(outliers(calibrated(even(6), seed, hockney_only)).empty());
  }
}

TEST(Outliers, FindASlowHostAndABadCable) {
  AdditiveParameters parameters = even(6);
  parameters.t[3] = 8e-9;
  parameters.inverse_beta.set_both(1, 4, 30e-9);
  const auto found = outliers(calibrated(parameters, 1, hockney_only));
  EXPECT_EQ(descriptions(found),
            (std::vector<std::string>{"host h3 (rank 3): time per byte",
                                      "link h1 (rank 1) to h4 (rank 4) and back: time per byte"}));
  // 8 + 8 + 1 against 1 + 8 + 1, 30 + 2 against the same
  EXPECT_NEAR(found[0].ratio(), 1.7, 0.05);
  EXPECT_NEAR(found[1].ratio(), 3.2, 0.1);
  EXPECT_EQ(std::pair(found[0].rank, found[0].peer), std::pair(3, -1));
  EXPECT_EQ(std::set({found[1].rank, found[1].peer}), std::set({1, 4}));
  EXPECT_TRUE(found[1].both_ways);
  for (const Outlier& outlier : found) {
    EXPECT_EQ(outlier.fit, "hockney") << outlier.what;
    EXPECT_EQ(outlier.field, "beta") << outlier.what;
    EXPECT_EQ(outlier.unit, Unit::seconds_per_byte) << outlier.what;
  }
  for (const Outlier& outlier : found) {
    EXPECT_GT(outlier.low, outlier.typical) << outlier.what;
    EXPECT_LE(outlier.low, outlier.value) << outlier.what;
  }
}

TEST(Outliers, FindALongWay) {
  AdditiveParameters parameters = even(6);
  parameters.L.set_both(0, 5, 100e-6);
  parameters.C[2] = 40e-6;
  EXPECT_EQ(descriptions(outliers(calibrated(parameters, 1, hockney_only))),
            (std::vector<std::string>{"host h2 (rank 2): latency",
                                      "link h0 (rank 0) to h5 (rank 5) and back: latency"}));
}

/// A slow host's links are slow because of it; one that is slower still is a link's fault.
TEST(Outliers, ABadCableAtASlowHost) {
  AdditiveParameters parameters = even(6);
  parameters.t[3] = 8e-9;
  parameters.inverse_beta.set_both(3, 4, 30e-9);
  EXPECT_EQ(descriptions(outliers(calibrated(parameters, 1, hockney_only))),
            (std::vector<std::string>{"host h3 (rank 3): time per byte",
                                      "link h3 (rank 3) to h4 (rank 4) and back: time per byte"}));
}

TEST(Outliers, HostsComeFirstAndTheWorstOfEachKind) {
  AdditiveParameters parameters = even(8);
  parameters.C[6] = 30e-6;
  parameters.t[3] = 8e-9;
  parameters.t[5] = 40e-9;
  parameters.inverse_beta.set_both(0, 1, 20e-9);
  parameters.inverse_beta.set_both(2, 4, 40e-9);
  EXPECT_EQ(
      descriptions(outliers(calibrated(parameters, 1, hockney_only))),
      (std::vector<std::string>{"host h5 (rank 5): time per byte",
                                "host h3 (rank 3): time per byte", "host h6 (rank 6): latency",
                                "link h2 (rank 2) to h4 (rank 4) and back: time per byte",
                                "link h0 (rank 0) to h1 (rank 1) and back: time per byte"}));
}

TEST(Outliers, ALinkThatIsSlowInOneDirectionSaysWhich) {
  Model model = calibrated(even(4), 1, hockney_only);
  for (Matrix* const beta : {&model.hockney->value.beta, &model.hockney->low.beta}) {
    (*beta)(2, 1) *= 3;
  }
  const auto found = outliers(model);
  EXPECT_EQ(descriptions(found),
            std::vector<std::string>{"link h2 (rank 2) to h1 (rank 1): time per byte"});
  EXPECT_FALSE(found.at(0).both_ways);
}

/// On both sides of the eager limit, and of either parameter.
TEST(Outliers, SayWhoseParameterTheyAre) {
  Model model = calibrated(even(4), 1, hockney_only);
  model.hockney_rendezvous = model.hockney;
  for (Matrix* const beta :
       {&model.hockney_rendezvous->value.beta, &model.hockney_rendezvous->low.beta}) {
    (*beta)(2, 1) *= 4;
  }
  for (Matrix* const alpha : {&model.hockney->value.alpha, &model.hockney->low.alpha}) {
    (*alpha)(0, 3) *= 3;
  }
  const auto found = outliers(model);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].parameter, "time per byte of large messages");
  EXPECT_EQ(found[0].fit + "." + found[0].field, "hockney_rendezvous.beta");
  EXPECT_EQ(found[0].unit, Unit::seconds_per_byte);
  EXPECT_EQ(found[1].parameter, "latency of small messages");
  EXPECT_EQ(found[1].fit + "." + found[1].field, "hockney.alpha");
  EXPECT_EQ(found[1].unit, Unit::seconds);
}

TEST(Outliers, TwoRanksHaveNoLikes) {
  AdditiveParameters parameters = even(2);
  parameters.t[1] = 30e-9;
  EXPECT_TRUE(outliers(calibrated(parameters, 1, hockney_only)).empty());
}

TEST(Outliers, OfClassesDeviationsStandOut) {
  const Model model = samples::by_classes(64, 16);
  EXPECT_TRUE(outliers(model).empty());
  const auto found = slow_deviations(model);
  ASSERT_EQ(found.size(), 2U) << "one by its interval, one has none";
  EXPECT_EQ(found[0].hosts, std::vector<std::string>{"n1"});
  EXPECT_EQ(slow_deviations(model, 2.5).size(), 1U);
  EXPECT_TRUE(slow_deviations(samples::model()).empty());
}

TEST(Compare, ClassesAreComparedByName) {
  Model before = samples::by_classes(64, 16);
  before.hockney->low = before.hockney->high = before.hockney->value;
  Model after = before;
  after.hockney->value.alpha(0, 16) *= 3;
  after.hockney->low = after.hockney->high = after.hockney->value;
  const auto drifts = compare(before, after);
  EXPECT_LT(drifts.size(), 500U);
  std::set<std::string> drifted;
  for (const Drift& drift : drifts) {
    if (drift.significant()) drifted.insert(drift.parameter);
  }
  EXPECT_EQ(drifted, std::set<std::string>{"alpha[between hosts, kind a to kind b]"});
  EXPECT_EQ(find_change(before, after, drifts).change, Change::none);
}

}  // namespace commgauge::compare_test
