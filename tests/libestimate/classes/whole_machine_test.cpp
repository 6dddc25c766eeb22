// A sample's model for the whole machine, whose truth is known.

#include "commgauge/classes/whole_machine.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "clusters.hpp"
#include "commgauge/base/error.hpp"
#include "commgauge/classes/find_classes.hpp"
#include "samples.hpp"

namespace commgauge::whole_machine_test {

using samples::Cluster;

/// Hockney's model of the sample's ranks, exact; the survey's round trips are twice that.
Model model_of_sample(const Cluster& cluster, const Survey& survey) {
  const auto scales = cluster.scales();
  const int n = static_cast<int>(survey.sample.size());
  Fitted<HockneyParameters> fitted;
  fitted.value = {Matrix(n), Matrix(n), 0, 0};
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      if (i == j) continue;
      const auto host = [&](int k) {
        return static_cast<std::size_t>(survey.sample[static_cast<std::size_t>(k)] /
                                        cluster.per_host);
      };
      const double scale = scales[host(i)][host(j)];
      fitted.value.alpha(i, j) = scale * samples::empty_s / 2;
      fitted.value.beta(i, j) = scale * samples::byte_s;
    }
  }
  fitted.low = fitted.high = fitted.value;
  fitted.replicates.assign(3, fitted.value);
  Model model;
  model.ranks = n;
  model.launches = {samples::launch(n)};
  model.hockney = fitted;
  return model;
}

double mean_scale(const Cluster& cluster) {
  const auto scales = cluster.scales();
  double sum = 0;
  for (int i = 0; i < cluster.hosts; ++i) {
    for (int j = 0; j < cluster.hosts; ++j) {
      if (i != j) sum += scales[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
    }
  }
  return sum / (cluster.hosts * (cluster.hosts - 1));
}

TEST(WholeMachine, ClassesHaveTheMeanOfAllHostsNotOfTheSample) {
  const Cluster cluster{.hosts = 16, .per_host = 8, .spread = 0.03, .seed = 7};
  Survey survey = cluster.survey();
  survey.sample = choose_sample(survey, find_classes(survey));
  const Model model = of_whole_machine(model_of_sample(cluster, survey), survey);
  EXPECT_EQ(model.ranks, 128);
  ASSERT_TRUE(model.classes);
  const double scale = mean_scale(cluster);
  EXPECT_NEAR(model.hockney->value.alpha(0, 127) / (scale * samples::empty_s / 2), 1, 1e-9);
  EXPECT_NEAR(model.hockney->value.beta(9, 100) / (scale * samples::byte_s), 1, 1e-9);
  EXPECT_NEAR(model.hockney->replicates[1].beta(9, 100) / (scale * samples::byte_s), 1, 1e-9);
  EXPECT_LT(model.hockney->value.alpha(0, 1), 0.2 * model.hockney->value.alpha(0, 8));
  EXPECT_EQ(model.host(127), "n15");
  EXPECT_EQ(model.classes->sample, survey.sample);
}

TEST(WholeMachine, WhatDeviatesKeepsItsOwn) {
  const Cluster cluster{
      .hosts = 16, .per_host = 2, .slow_host = 4, .slow_link_of = 7, .slow_link_to = 9};
  Survey survey = cluster.survey();
  survey.sample = choose_sample(survey, find_classes(survey));
  const Model model = of_whole_machine(model_of_sample(cluster, survey), survey);
  const Matrix& alpha = model.hockney->value.alpha;
  EXPECT_NEAR(alpha(8, 0) / alpha(2, 0), 1.3, 0.05);    // host 4: half of the pair is 1.6 times
  EXPECT_NEAR(alpha(14, 18) / alpha(2, 0), 1.8, 0.08);  // hosts 7 and 9
  EXPECT_NEAR(alpha(14, 0) / alpha(2, 0), 1, 0.04);
}

TEST(WholeMachine, ASampleOfOtherRanksIsRefused) {
  const Cluster cluster{.hosts = 16, .per_host = 2};
  Survey survey = cluster.survey();
  survey.sample = choose_sample(survey, find_classes(survey));
  Model model = model_of_sample(cluster, survey);
  survey.sample.pop_back();
  EXPECT_THROW((void)of_whole_machine(std::move(model), survey), InputError);
}

}  // namespace commgauge::whole_machine_test
