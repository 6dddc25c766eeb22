#include "commgauge/judge/judgement.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "../testbeds/synthetic.hpp"
#include "commgauge/base/statistics.hpp"
#include "commgauge/judge/fit.hpp"
#include "samples.hpp"

namespace commgauge::judgement_test {

using synthetic::campaign;
using synthetic::Disturbance;
using synthetic::measure;
using synthetic::Noise;
using synthetic::Protocol;

const Noise gaussian{.kind = Disturbance::gaussian, .relative = 0.02};

synthetic::Machine machine() { return synthetic::lmo_machine(synthetic::lmo_parameters(4)); }

std::vector<Experiment> experiments() {
  return campaign(machine(), choose_sizes(std::nullopt, {}, std::nullopt));
}

/// What counts, by hand.
Judgement judgement(double error, Estimate bias, double noise) {
  Judgement one;
  one.model = "lmo";
  one.operation = Operation::gather;
  one.algorithm = Algorithm::flat;
  one.size = Bytes{23552};
  one.error = error;
  one.bias = bias;
  one.noise = noise;
  return one;
}

Judgement with_verdict(Judgement one, bool launches_may_differ = false) {
  one.verdict = verdict_of(one, 0, launches_may_differ);
  return one;
}

TEST(Verdict, FollowsItsRule) {
  const auto verdict = [](double error, double bias, double half_width, double parameters = 0) {
    return verdict_of(judgement(error, {bias, bias - half_width, bias + half_width}, 0.02),
                      parameters, false);
  };
  // To one side surely, and yet at most one and a half times the noise.
  EXPECT_EQ(verdict(0.03, -0.03, 0.01), Verdict::quiet);
  EXPECT_EQ(verdict(0.031, -0.03, 0.01), Verdict::unclear);
  EXPECT_EQ(verdict(0.04, -0.03, 0.01), Verdict::unclear);
  EXPECT_EQ(verdict(0.041, -0.03, 0.01), Verdict::leaves_out);
  EXPECT_EQ(verdict(0.041, 0.03, 0.01), Verdict::leaves_out);
  EXPECT_EQ(verdict(0.041, -0.03, 0.021), Verdict::unclear);
  // Noise of 2 % and of the parameters 1.5 %: 2.5 % together.
  EXPECT_EQ(verdict(0.037, -0.03, 0.01, 0.015), Verdict::quiet);
  EXPECT_EQ(verdict(0.049, -0.03, 0.01, 0.015), Verdict::unclear);
  EXPECT_EQ(verdict(0.051, -0.03, 0.01, 0.015), Verdict::leaves_out);
  EXPECT_EQ(verdict_of(judgement(0.041, {-0.03, -0.04, -0.02}, 0.02), 0, true), Verdict::differs);
  EXPECT_EQ(verdict_of(judgement(0.041, {-0.03, -0.04, -0.02}, std::nan("")), 0, false),
            Verdict::unknown);
  // Of parameters without an interval nothing is sure.
  EXPECT_EQ(verdict_of(judgement(0.041, {-0.03, std::nan(""), std::nan("")}, 0.02), 0, false),
            Verdict::unclear);
}

TEST(Verdict, IsSaidInWords) {
  EXPECT_EQ(in_words(with_verdict(judgement(0.6, {-0.6, -0.62, -0.58}, 0.01))),
            "gathers of 23 KiB are predicted at 0.4 of what they take: the model leaves something "
            "out");
  EXPECT_EQ(in_words(with_verdict(judgement(0.041, {0.041, 0.03, 0.05}, 0.01), true)),
            "gathers of 23 KiB are predicted at 1.041 of what they take: the model leaves "
            "something out, or launches differ (it knows one)");
  EXPECT_EQ(in_words(with_verdict(judgement(0.01, {0, -0.1, 0.1}, 0.01))),
            "gathers of 23 KiB are predicted as well as this machine is quiet");
  Judgement message = judgement(0.018, {0, -0.1, 0.1}, 0.01);
  message.operation = Operation::p2p;
  EXPECT_EQ(in_words(with_verdict(message)),
            "messages of 23 KiB are off by a little more than the machine's noise");
  Judgement tree = judgement(0.05, {0, -0.1, 0.1}, 0.01);
  tree.operation = Operation::bcast;
  tree.algorithm = Algorithm::binomial;
  EXPECT_EQ(in_words(with_verdict(tree)),
            "binomial broadcasts of 23 KiB are off by more than the machine's noise, but not "
            "surely to one side");
}

TEST(Verdict, QuietOnesShareALine) {
  Judgement quiet = with_verdict(judgement(0.01, {0, -0.1, 0.1}, 0.01));
  Judgement other = with_verdict(judgement(0.6, {-0.6, -0.62, -0.58}, 0.01));
  Judgement beyond = other;
  beyond.extrapolated = true;
  const std::vector<std::string> lines =
      in_words(std::vector<Judgement>{other, quiet, quiet, beyond});
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0],
            "gathers of 23 KiB, gathers of 23 KiB are predicted as well as this machine is quiet");
  EXPECT_EQ(in_words(std::vector<Judgement>(7, quiet)).front(),
            "7 of 7 operations and sizes are predicted as well as this machine is quiet");
}

/// Against the truth: how far measured times are off, whatever a model says.
TEST(Noise, IsThePerfectModelsError) {
  std::vector<double> true_errors;
  std::vector<double> noises;
  const auto all = experiments();
  std::map<Experiment, double> truth;
  for (const Experiment& e : all) truth[e] = machine().time(e);
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Model model = fit(measure(machine(), all, gaussian, {}, seed), {.models = {"lmo"}});
    for (const Judgement& one : model.judgements) {
      if (!is_collective(one.operation)) continue;
      noises.push_back(one.noise);
      for (const Check& check : model.checks) {
        if (check.operation != one.operation || check.size != one.size) continue;
        Experiment e = check.operation == Operation::gather
                           ? flat_gather(4, check.from, check.size)
                           : flat_scatter(4, check.from, check.size);
        e.check = true;
        true_errors.push_back(std::abs(check.measured_s / truth.at(e) - 1));
      }
    }
  }
  ASSERT_EQ(noises.size(), 40U * 4);
  const double ratio = mean(noises) / median(true_errors);
  RecordProperty("noise_over_error", std::to_string(ratio));
  EXPECT_GT(ratio, 0.8);
  EXPECT_LT(ratio, 1.25);
}

struct Rates {
  long all{};
  std::map<Verdict, long> of;
  [[nodiscard]] double operator()(Verdict verdict) const {
    const auto found = of.find(verdict);
    return found == of.end() ? 0 : static_cast<double>(found->second) / static_cast<double>(all);
  }
  void add(const std::vector<Judgement>& judgements) {
    for (const Judgement& one : judgements) {
      ++all;
      ++of[one.verdict];
    }
  }
};

/// `change` makes of the measurements what the models don't know.
template <class Change>
Rates rates(const Noise& noise, const Protocol& protocol, int campaigns, std::string_view operation,
            Change&& change) {
  Rates rates;
  const auto all = experiments();
  synthetic::TestBed bed(machine(), all, noise, protocol);
  for (int seed = 1; seed <= campaigns; ++seed) {
    Measurements measurements = bed.measure(static_cast<std::uint64_t>(seed));
    for (Observation& row : measurements.observations) change(row);
    const Model model = fit(measurements, {.models = {"lmo"}});
    for (const Judgement& one : model.judgements) {
      if (operation.empty() || to_text(one.operation) == operation) rates.add({one});
    }
  }
  return rates;
}

void keep(Observation&) {}

void print(const char* what, const Rates& rates) {
  std::cout << what << ": quiet " << rates(Verdict::quiet) << ", unclear "
            << rates(Verdict::unclear) << ", leaves out " << rates(Verdict::leaves_out) << " of "
            << rates.all << "\n";
}

/// By hand: 2 of 11, 0 and 2 of 9 apart; one that only the first has.
TEST(Disagreement, IsTheMedianOfWhatBothHave) {
  const auto time = [](Bytes size, int to, double time_s) {
    OneWayTime one;
    one.size = size;
    one.to = to;
    one.time_s = time_s;
    return one;
  };
  const std::vector<Disagreement> found =
      disagreements({time(Bytes{8}, 1, 10e-6), time(Bytes{8}, 2, 5e-6), time(Bytes{8}, 3, 8e-6),
                     time(Bytes{9}, 1, 1e-6), time(Bytes{10}, 1, 1e-6)},
                    {time(Bytes{8}, 3, 10e-6), time(Bytes{8}, 2, 5e-6), time(Bytes{8}, 1, 12e-6),
                     time(Bytes{9}, 1, 1e-6)});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].size, Bytes{8});
  EXPECT_EQ(found[0].times, 3);
  EXPECT_NEAR(found[0].value, 2.0 / 11, 1e-12);
  EXPECT_EQ(found[1].value, 0);
}

TEST(Judge, NoiseIsNotTakenForSomethingLeftOut) {
  const Rates found = rates(gaussian, {}, 100, "", keep);
  print("unbiased", found);
  EXPECT_EQ(found.all, 100 * 10);
  EXPECT_LT(found(Verdict::leaves_out), 0.05);
  EXPECT_GT(found(Verdict::quiet), 0.5);
}

TEST(Judge, NorAreSpikesAndLaunches) {
  const Noise spikes{.kind = Disturbance::spikes, .relative = 0.02, .share = 0.03, .height = 5};
  const Rates spiked = rates(spikes, {}, 50, "", keep);
  print("spikes", spiked);
  EXPECT_LT(spiked(Verdict::leaves_out), 0.06);
  const Noise launches{.kind = Disturbance::gaussian,
                       .relative = 0.01,
                       .launch_common = 0.03,
                       .launch_individual = 0.03};
  const Rates launched = rates(launches, {.launches = 5, .passes = 4}, 50, "", keep);
  print("launches", launched);
  EXPECT_LT(launched(Verdict::leaves_out), 0.03);
}

TEST(Judge, WhatTakesLongerThanAModelKnowsIsFound) {
  const Rates found = rates(gaussian, {}, 20, "gather", [](Observation& row) {
    if (row.experiment.kind == Kind::gather) row.time_s *= 2.5;
  });
  print("gathers 2.5 times as long", found);
  EXPECT_EQ(found(Verdict::leaves_out), 1);
  const Rates slightly = rates(gaussian, {}, 20, "gather", [](Observation& row) {
    if (row.experiment.kind == Kind::gather) row.time_s *= 1.1;
  });
  print("gathers 10 % longer", slightly);
  EXPECT_GT(slightly(Verdict::leaves_out), 0.9);
}

TEST(Judge, TellsTheSideAndTheShare) {
  Measurements m = measure(machine(), experiments(), gaussian);
  for (Observation& row : m.observations) {
    if (row.experiment.kind == Kind::gather) row.time_s *= 2.5;
  }
  const Model model = fit(m, {.models = {"lmo"}});
  ASSERT_EQ(model.judgements.size(), 10U);
  for (const Judgement& one : model.judgements) {
    if (one.operation != Operation::gather) continue;
    EXPECT_NEAR(one.bias.value, -0.6, 0.02);
    EXPECT_NEAR(one.error, 0.6, 0.02);
    EXPECT_EQ(one.checks, 4);
    EXPECT_LE(one.bias.low, one.bias.value);
    EXPECT_NE(in_words(one).find("predicted at 0.4 of what they take"), std::string::npos);
  }
}

/// A model of one launch can't know how launches differ; one of five does.
TEST(Judge, AFreshLaunchIsNotBlamedOnTheModel) {
  const Noise launches{.kind = Disturbance::gaussian, .relative = 0.01, .launch_common = 0.05};
  const auto all = experiments();
  Rates of_one;
  Rates of_five;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const std::vector<OneWayTime> fresh =
        one_way_times(measure(machine(), all, launches, {.passes = 3}, 1000 + seed), Which::checks)
            .all;
    const auto judged = [&](int count) {
      const Protocol protocol{.launches = count, .passes = 4};
      return judge(fit(measure(machine(), all, launches, protocol, seed), {.models = {"lmo"}}),
                   fresh, Occasion::fresh_launch);
    };
    of_one.add(judged(1));
    of_five.add(judged(5));
  }
  print("fresh, model of five launches", of_five);
  EXPECT_EQ(of_one(Verdict::leaves_out), 0);
  EXPECT_GT(of_one(Verdict::differs), 0.2);
  EXPECT_EQ(of_five(Verdict::differs), 0);
  EXPECT_LT(of_five(Verdict::leaves_out), 0.08);
}

/// Of a single pass the intervals within it tell the noise.
TEST(Judge, ASinglePassHasANoiseToo) {
  const Model model =
      fit(measure(machine(), experiments(), gaussian, {.passes = 1}), {.models = {"lmo"}});
  ASSERT_FALSE(model.judgements.empty());
  for (const Judgement& one : model.judgements) {
    EXPECT_GT(one.noise, 0.001) << to_text(one.operation);
    EXPECT_LT(one.noise, 0.03) << to_text(one.operation);
    EXPECT_NE(one.verdict, Verdict::leaves_out) << to_text(one.operation);
  }
}

TEST(BeyondIntervals, AreThoseOfTheOperationThatAreSurelyOff) {
  Model model = samples::model();
  model.judgements.assign(4, judgement(0.6, {-0.6, -0.61, -0.59}, 0.02));
  model.judgements[0].verdict = Verdict::leaves_out;
  model.judgements[1].verdict = Verdict::differs;
  model.judgements[2].verdict = Verdict::unclear;
  model.judgements[3].verdict = Verdict::leaves_out;
  model.judgements[3].extrapolated = true;
  EXPECT_EQ(beyond_intervals(model, "lmo", Operation::gather, Algorithm::flat).size(), 2U);
  EXPECT_TRUE(beyond_intervals(model, "lmo", Operation::gather, Algorithm::binomial).empty());
  EXPECT_TRUE(beyond_intervals(model, "lmo", Operation::scatter, Algorithm::flat).empty());
  EXPECT_TRUE(beyond_intervals(model, "lom", Operation::gather, Algorithm::flat).empty());
}

TEST(NoiseOf, AveragesOverSizes) {
  Model model = samples::model();
  model.judgements = {judgement(0.1, {}, 0.02), judgement(0.1, {}, 0.04)};
  model.judgements.back().size = Bytes{1};
  EXPECT_DOUBLE_EQ(noise_of(model, Operation::gather), 0.03);
  EXPECT_TRUE(std::isnan(noise_of(model, Operation::scatter)));
}

}  // namespace commgauge::judgement_test
