#include "commgauge/costs/model_of_job.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../by_classes.hpp"
#include "commgauge/base/error.hpp"
#include "commgauge/base/index.hpp"
#include "commgauge/base/statistics.hpp"
#include "commgauge/model/classed.hpp"

namespace commgauge::model_of_job_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

constexpr double us = 1e-6;

/// Of an ordered pair of the whole machine's ranks; no two are the same.
double alpha_of(int from, int to) { return (100 + 10 * from + to) * us; }

/// Hosts h0, h1, … whose pairs of ranks all differ.
Model all_different(int hosts, int per_host) {
  Model model;
  model.ranks = hosts * per_host;
  model.launches.emplace_back();
  model.launches.front().passes = 3;
  for (int rank = 0; rank < model.ranks; ++rank) {
    model.launches.front().ranks.push_back(
        {"h" + std::to_string(rank / per_host), {rank % per_host}});
  }
  HockneyParameters p{Matrix(model.ranks), Matrix(model.ranks, 1e-9), 0, 0};
  for (int i = 0; i < model.ranks; ++i) {
    for (int j = 0; j < model.ranks; ++j) {
      if (i != j) p.alpha(i, j) = alpha_of(i, j);
    }
  }
  model.hockney.emplace();
  model.hockney->value = model.hockney->low = model.hockney->high = p;
  model.hockney->replicates.assign(40, p);
  model.hockney->last = Bytes{1000};
  return model;
}

/// What each pair of the job costs is what the whole machine's ranks cost that it is like.
void expect_like(const Model& job, const std::vector<int>& ranks) {
  ASSERT_EQ(job.ranks, std::ssize(ranks));
  for (int i = 0; i < job.ranks; ++i) {
    for (int j = 0; j < job.ranks; ++j) {
      if (i == j) continue;
      EXPECT_EQ(job.hockney->value.alpha(i, j), alpha_of(ranks[at(i)], ranks[at(j)]))
          << i << " " << j;
      EXPECT_EQ(job.hockney->replicates.back().alpha(i, j), alpha_of(ranks[at(i)], ranks[at(j)]));
    }
  }
}

TEST(ModelOfJob, SomeHostsInAnotherOrderKeepWhatTheirPairsCost) {
  const auto [job, assumed] = model_of_job(all_different(4, 2), {"h3", "h1", "h3", "h1"});
  EXPECT_THAT(assumed, IsEmpty());
  expect_like(job, {6, 2, 7, 3});
  EXPECT_EQ(job.host(0), "h3");
  EXPECT_EQ(job.host(3), "h1");
}

TEST(ModelOfJob, FewerRanksOfAHostAreItsFirstOnes) {
  expect_like(model_of_job(all_different(4, 2), {"h2", "h0"}).model, {4, 0});
}

TEST(ModelOfJob, TheMachinesOwnRanksAreTheModelAsItIs) {
  const Model model = all_different(2, 2);
  EXPECT_EQ(to_json(model_of_job(model, {"h0", "h0", "h1", "h1"}).model), to_json(model));
}

TEST(ModelOfJob, MoreRanksThanAHostHasAreLikeThemInTurn) {
  const auto [job, assumed] = model_of_job(all_different(2, 2), {"h1", "h1", "h1", "h0"});
  ASSERT_EQ(assumed.size(), 1U);
  EXPECT_THAT(assumed.front().text(), HasSubstr("h1"));
  EXPECT_EQ(job.hockney->value.alpha(2, 3), alpha_of(2, 0));
  EXPECT_EQ(job.hockney->value.alpha(2, 1), alpha_of(2, 3));
  // The third is at the first's place. What they take is the mean of what each takes otherwise.
  EXPECT_NEAR(job.hockney->value.alpha(0, 2), (alpha_of(2, 3) + alpha_of(3, 2)) / 2, 1e-18);
}

TEST(ModelOfJob, DomainsOfNamesMayBeThereOrNot) {
  Model with_domains = all_different(3, 1);
  for (RankPlace& place : with_domains.launches.front().ranks) place.host += ".cluster";
  expect_like(model_of_job(with_domains, {"h2", "h0"}).model, {2, 0});
  expect_like(model_of_job(all_different(3, 1), {"h2.cluster", "h0.cluster"}).model, {2, 0});
  EXPECT_THAT(
      [&] {
        (void)model_of_job(with_domains, {"h2.elsewhere", "h0"});
      },
      ThrowsMessage<InputError>(HasSubstr("h2.elsewhere")));
}

TEST(ModelOfJob, AHostWithAndWithoutItsDomainIsOne) {
  expect_like(model_of_job(all_different(4, 2), {"h3", "h3.cluster", "h1"}).model, {6, 7, 2});
}

TEST(ModelOfJob, WithoutClassesNoHostIsLikeAnother) {
  EXPECT_THAT(
      [] {
        (void)model_of_job(all_different(1, 2), {"h0", "h7"});
      },
      ThrowsMessage<InputError>(HasSubstr("the host h7")));
}

TEST(ModelOfJob, AHostThatOnlyItsNameTellsHasWiderIntervals) {
  const auto width = [](const Model& model, int from, int to) {
    const Fitted<HockneyParameters>& fit = *model.hockney;
    return (fit.high.alpha(from, to) - fit.low.alpha(from, to)) / fit.value.alpha(from, to);
  };
  // Two hosts of each kind; how those of the first differ is known.
  const Model machine = samples::by_classes(4, 1);
  const double known = width(machine, 0, 2);
  Model named = machine;
  for (int rank = 0; rank < 4; ++rank) {
    named.launches.front().ranks[at(rank)].host =
        (rank % 2 == 0 ? "a" : "b") + std::to_string(rank);
  }
  named.classes->deviations.clear();
  const auto [job, assumed] = model_of_job(named, {"a0", "a2", "a7", "b1", "b9"});
  ASSERT_EQ(assumed.size(), 1U);
  EXPECT_NEAR(width(job, 0, 1), known, 1e-12);
  const double d = 0.03 * student_quantile(job.confidence, 1) / normal_quantile(job.confidence);
  const double sd = d * std::sqrt(1.5);
  const double half = std::exp(sd * normal_quantile(job.confidence)) - 1;
  EXPECT_NEAR(width(job, 0, 2), std::hypot(known, 2 * half), 1e-9);
  EXPECT_GT(width(job, 2, 4), width(job, 0, 2));
  EXPECT_EQ(job.hockney->value.alpha(0, 2), job.hockney->value.alpha(0, 1));
  // Not known of the second kind.
  const double of_other = std::exp(0.05 * normal_quantile(job.confidence)) - 1;
  EXPECT_NEAR(width(job, 0, 4), std::hypot(width(job, 0, 3), 2 * of_other), 1e-9);
}

TEST(ModelOfJob, HostsThatNothingTellsAreRefusedByName) {
  EXPECT_THAT(
      [] {
        (void)model_of_job(all_different(3, 1), {"h0", "x1", "h7"});
      },
      ThrowsMessage<InputError>(HasSubstr("2 hosts, x1, h7")));
}

/// big0, big1, small0, small1: a kind of each name.
Model big_and_small() {
  Model dense = all_different(4, 1);
  const std::vector<std::string> names{"big0", "big1", "small0", "small1"};
  for (std::size_t rank = 0; rank < names.size(); ++rank) {
    dense.launches.front().ranks[rank].host = names[rank];
  }
  std::vector<PairClasses::Rank> ranks{{0, 0}, {0, 1}, {1, 2}, {1, 3}};
  MachineClasses classes{std::make_shared<const PairClasses>(std::move(ranks), 2),
                         {{"big0", 2, 0, 0}, {"small0", 2, 0, 0}},
                         {},
                         {},
                         "a file"};
  return pooled(std::move(dense), classes);
}

TEST(ModelOfJob, ByClassesAnUnknownHostIsLikeThoseThatAreCalledSo) {
  const Model model = big_and_small();
  const auto [job, assumed] = model_of_job(model, {"small1", "big77"});
  ASSERT_EQ(assumed.size(), 1U);
  EXPECT_THAT(assumed.front().text(), HasSubstr("big77"));
  EXPECT_EQ(job.warnings.back().kind, "assumed_hosts");
  EXPECT_EQ(job.hockney->value.alpha(0, 1), model.hockney->value.alpha(3, 0));
  EXPECT_EQ(job.hockney->value.alpha(1, 0), model.hockney->value.alpha(0, 3));
  EXPECT_EQ(job.classes->kinds[0].hosts, 1);
}

TEST(ModelOfJob, DomainsAndAddressesDontTell) {
  Model model = big_and_small();
  for (RankPlace& place : model.launches.front().ranks) place.host += ".cluster";
  EXPECT_EQ(model_of_job(model, {"big0", "big7"}).assumed.size(), 1U);
  EXPECT_THAT(
      [&] {
        (void)model_of_job(model, {"big0", "big7.elsewhere"});
      },
      ThrowsMessage<InputError>(HasSubstr("big7.elsewhere")));
  for (std::size_t rank = 0; rank < 4; ++rank) {
    model.launches.front().ranks[rank].host = "10.0.0." + std::to_string(rank);
  }
  EXPECT_THAT(
      [&] {
        (void)model_of_job(model, {"10.0.0.1", "10.0.0.9"});
      },
      ThrowsMessage<InputError>(HasSubstr("10.0.0.9")));
}

TEST(ModelOfJob, NamesDontTellWhereHostsOfOneNameAreOfSeveralKinds) {
  const Model model = samples::by_classes(4, 2);  // n0 to n3, two kinds in turn
  EXPECT_EQ(model_of_job(model, {"n2", "n3"}).model.ranks, 2);
  EXPECT_THAT(
      [&] {
        (void)model_of_job(model, {"n2", "n77"});
      },
      ThrowsMessage<InputError>(HasSubstr("the host n77")));
  EXPECT_THAT(
      [] {
        (void)model_of_job(big_and_small(), {"big0", "huge0"});
      },
      ThrowsMessage<InputError>(HasSubstr("the host huge0")));
}

TEST(ModelOfJob, DeviatingHostsStayDeviating) {
  const Model model = samples::by_classes(4, 2);  // n1 deviates, and its link with n0
  EXPECT_EQ(model_of_job(model, {"n1", "n3"}).model.classes->deviations.size(), 1U);
  EXPECT_EQ(model_of_job(model, {"n1", "n0"}).model.classes->deviations.size(), 2U);
  EXPECT_THAT(model_of_job(model, {"n2", "n3"}).model.classes->deviations, IsEmpty());
  const Model renamed = model_of_job(model, {"n3.cluster", "n1.cluster"}).model;
  ASSERT_EQ(renamed.classes->deviations.size(), 1U);
  EXPECT_THAT(renamed.classes->deviations.front().hosts, ElementsAre("n1.cluster"));
}

TEST(ModelOfJob, PairsOfWhichTheModelHasNoneCantBeTold) {
  EXPECT_THAT(
      [] {
        (void)model_of_job(all_different(3, 1), {"h0", "h0"});
      },
      ThrowsMessage<InputError>(HasSubstr("one rank on each host")));
  EXPECT_THAT([] { (void)model_of_job(all_different(1, 3), {}); },
              ThrowsMessage<InputError>(HasSubstr("a job without ranks")));
}

TEST(ModelOfJob, ChecksOfRanksThatAreNotThereGo) {
  Model model = all_different(3, 1);
  model.checks.resize(2);
  model.checks[0].from = 0;
  model.checks[0].to = 1;
  model.checks[1].from = 2;
  model.checks[1].to = 1;
  const Model job = model_of_job(model, {"h1", "h2"}).model;
  ASSERT_EQ(job.checks.size(), 1U);
  EXPECT_EQ(job.checks.front().from, 1);
  EXPECT_EQ(job.checks.front().to, 0);
}

/// Two groups of two hosts.
Model behind_uplinks(const std::string& domain) {
  Model model = all_different(4, 1);
  for (RankPlace& place : model.launches.front().ranks) place.host += domain;
  model.fabric.emplace();
  model.fabric->groups = {{{"h0" + domain, "h1" + domain}, {}},
                          {{"h2" + domain, "h3" + domain}, {}}};
  for (FabricLinks* const links : {&model.fabric->value, &model.fabric->low, &model.fabric->high}) {
    *links = {{1e-9, 2e-9}, {3e-9, 4e-9}, std::nan("")};
  }
  return model;
}

TEST(ModelOfJob, HostsKeepTheGroupsThatTheyAreIn) {
  const Model model = behind_uplinks(".cluster");
  const LargerModel job = model_of_job(model, {"h3", "h2", "h0"});
  ASSERT_TRUE(job.model.fabric);
  ASSERT_EQ(job.model.fabric->groups.size(), 2U);
  EXPECT_THAT(job.model.fabric->groups[0].hosts, ElementsAre("h0"));
  EXPECT_THAT(job.model.fabric->groups[1].hosts, ElementsAre("h3", "h2"));
  EXPECT_THAT(job.model.fabric->value.in, ElementsAre(3e-9, 4e-9));
  EXPECT_THAT(job.assumed, IsEmpty());
  const Model within = model_of_job(model, {"h3.cluster", "h2.cluster"}).model;
  EXPECT_FALSE(within.fabric) << "none passes an uplink";
}

TEST(ModelOfJob, OfAHostThatOnlyItsNameTellsNobodyKnowsTheGroup) {
  const Model machine = behind_uplinks("");
  const Model model = pooled(machine, placed_on_hosts(machine));
  const LargerModel job = model_of_job(model, {"h0", "h1", "h2", "h9"});
  ASSERT_EQ(job.model.fabric.value().groups.size(), 2U);
  EXPECT_THAT(job.model.fabric->groups[1].hosts, ElementsAre("h2"));
  ASSERT_EQ(job.assumed.size(), 2U);
  EXPECT_EQ(job.assumed.back().kind, "no_uplinks");
  EXPECT_EQ(job.assumed.back().reason, "h9");
}

TEST(HostsFromText, EachLineHasAHostAndMaybeItsRanks) {
  EXPECT_THAT(hosts_from_text("# the job\nn1\n\nn2:2  # big\nn3 slots=1\nn1\n", 2, "hosts"),
              ElementsAre("n1", "n1", "n2", "n2", "n3", "n1", "n1"));
}

TEST(HostsFromText, WhatIsNoHostIsRefusedWithItsLine) {
  for (const char* const text :
       {"n1\nn2:x\n", "n1\nn2:0\n", "n1\nn2 4 5\n", "n1\n:4\n", "n1\nn2 slots=\n"}) {
    EXPECT_THAT([&] { (void)hosts_from_text(text, 1, "hosts"); },
                ThrowsMessage<InputError>(HasSubstr("hosts, line 2")));
  }
  EXPECT_THAT([] { (void)hosts_from_text("# nothing\n", 1, "hosts"); },
              ThrowsMessage<InputError>(HasSubstr("hosts has no line")));
}

}  // namespace commgauge::model_of_job_test
