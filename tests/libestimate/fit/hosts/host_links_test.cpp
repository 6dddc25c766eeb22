// Four hosts with two ranks each. By hand: a message takes 20 us and its pair's time per byte.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "../testbeds/synthetic.hpp"
#include "commgauge/judge/fit.hpp"
#include "commgauge/plan/host_plan.hpp"

namespace commgauge::host_links_test {

constexpr int ranks = 8;
constexpr double us = 1e-6;
constexpr double pair = 10e-9;  ///< [s/byte]

int host_of(int rank) { return rank / 2; }

struct Links {
  std::vector<double> out;  ///< by host [s/byte]
  std::vector<double> in;
  std::vector<double> both{0, 0, 0, 0};
};

/// max(one pair's, those of a link together), per byte.
double per_byte(const Links& links, const Experiment& e) {
  std::vector<double> out(4);
  std::vector<double> in(4);
  std::vector<double> both(4);
  for (std::size_t k = 0; k < e.peers.size(); k += 2) {
    const int from = host_of(k == 0 ? e.root : e.peers[k - 1]);
    const int to = host_of(e.peers[k]);
    out[static_cast<std::size_t>(from)] += links.out[static_cast<std::size_t>(from)];
    in[static_cast<std::size_t>(to)] += links.in[static_cast<std::size_t>(to)];
    for (const int host : {from, to}) {
      both[static_cast<std::size_t>(host)] += links.both[static_cast<std::size_t>(host)];
    }
  }
  return std::max({pair, std::ranges::max(out), std::ranges::max(in), std::ranges::max(both)});
}

/// In five passes. @param noise  relative standard deviation of a block
Measurements measured(const Links& links, double noise = 0) {
  std::vector<std::string> hosts;
  for (int rank = 0; rank < ranks; ++rank) hosts.push_back("h" + std::to_string(host_of(rank)));
  const std::vector<Bytes> sizes{{100'000}, {200'000}};
  std::vector<Experiment> experiments;
  for (const auto& group : host_link_experiments(hosts, sizes, Matrix(ranks, 1.0))) {
    experiments.insert(experiments.end(), group.begin(), group.end());
  }
  for (int i = 0; i < ranks; ++i) {
    for (int j = 0; j < ranks; ++j) {
      if (i == j) continue;
      for (const std::uint64_t size : {0, 100'000, 200'000}) {
        experiments.push_back(round_trip(i, j, Bytes{size}, {}));
      }
    }
  }
  const synthetic::Machine machine{ranks, [&links](const Experiment& e) {
                                     const double lambda =
                                         e.kind == Kind::round_trip ? pair : per_byte(links, e);
                                     return 40 * us + lambda * static_cast<double>(e.out.value);
                                   }};
  Measurements all = synthetic::measure(
      machine, experiments, {.kind = synthetic::Disturbance::gaussian, .relative = noise},
      {.passes = 5});
  for (std::size_t rank = 0; rank < hosts.size(); ++rank) {
    all.launches.front().ranks[rank].host = hosts[rank];
  }
  return all;
}

FitOptions hockney_only() {
  FitOptions options;
  options.models = {"hockney"};
  return options;
}

const Links all_shared{{10e-9, 8e-9, 10e-9, 10e-9}, {9e-9, 10e-9, 7e-9, 10e-9}};

TEST(HostLinks, AreRecoveredExactlyWithoutNoise) {
  const Model model = fit(measured(all_shared), hockney_only());
  ASSERT_TRUE(model.host_links);
  for (int rank = 0; rank < ranks; ++rank) {
    const auto r = static_cast<std::size_t>(rank);
    const auto h = static_cast<std::size_t>(host_of(rank));
    EXPECT_NEAR(model.host_links->value.out[r], all_shared.out[h], 1e-15) << rank;
    EXPECT_NEAR(model.host_links->value.in[r], all_shared.in[h], 1e-15) << rank;
    EXPECT_TRUE(std::isnan(model.host_links->value.inside[r])) << "not measured";
    EXPECT_TRUE(std::isnan(model.host_links->value.both[r])) << "no more than each way's own";
    EXPECT_NEAR(model.host_links->high.both[r], pair / 2, 1e-15);
  }
  EXPECT_TRUE(model.host_links->warnings.empty());
}

/// 3 % more than each way takes alone, as acknowledgements do, and half as much again.
TEST(HostLinks, OfBothWaysTogether) {
  Links links = all_shared;
  links.both = {0.515 * pair, 0.75 * pair, 0, 0};
  const Model model = fit(measured(links), hockney_only());
  ASSERT_TRUE(model.host_links);
  EXPECT_NEAR(model.host_links->value.both[0], 0.515 * pair, 1e-15);
  EXPECT_NEAR(model.host_links->value.both[3], 0.75 * pair, 1e-15);
  EXPECT_NEAR(model.host_links->value.out[0], all_shared.out[0], 1e-15);
}

/// Links that hold all pairs one way say by a little more both ways only that they aren't full.
TEST(HostLinks, OfBothWaysOfALinkThatIsNoLimitALittleMoreSaysNothing) {
  Links links{{1e-9, 1e-9, 1e-9, 1e-9}, {1e-9, 1e-9, 1e-9, 1e-9}};
  links.both = {0.515 * pair, 0.75 * pair, 0, 0};
  const Model model = fit(measured(links), hockney_only());
  ASSERT_TRUE(model.host_links);
  EXPECT_TRUE(std::isnan(model.host_links->value.both[0]));
  EXPECT_NEAR(model.host_links->high.both[0], 0.515 * pair, 1e-15);
  EXPECT_NEAR(model.host_links->value.both[2], 0.75 * pair, 1e-15);
}

/// Two pairs at once take as long as one.
TEST(HostLinks, OfALinkThatHoldsAllPairsOnlyABoundIsTold) {
  const Links links{{10e-9, 4e-9, 10e-9, 10e-9}, {10e-9, 10e-9, 10e-9, 10e-9}};
  const Model model = fit(measured(links), hockney_only());
  ASSERT_TRUE(model.host_links);
  for (const std::size_t rank : {2U, 3U}) {
    EXPECT_TRUE(std::isnan(model.host_links->value.out[rank]));
    EXPECT_NEAR(model.host_links->high.out[rank], pair / 2, 1e-15);
    EXPECT_GE(model.host_links->high.out[rank], links.out[1]);
  }
  ASSERT_EQ(model.host_links->warnings.size(), 1U);
  EXPECT_EQ(model.host_links->warnings.front().kind, "bounded_host_links");
  EXPECT_EQ(model.host_links->warnings.front().count, 1);
}

TEST(HostLinks, IntervalsHoldTheTruthUnderNoise) {
  constexpr double block = 0.022;  // the median of seven: 0.01
  const Model model = fit(measured(all_shared, block), hockney_only());
  ASSERT_TRUE(model.host_links);
  int held = 0;
  for (std::size_t host = 0; host < 4; ++host) {
    const auto& [value, low, high, rest, kind, first, last, residual, count, warnings] =
        *model.host_links;
    EXPECT_NEAR(value.out[2 * host] / all_shared.out[host], 1, 0.05);
    held += low.out[2 * host] <= all_shared.out[host] && all_shared.out[host] <= high.out[2 * host];
    held += low.in[2 * host] <= all_shared.in[host] && all_shared.in[host] <= high.in[2 * host];
  }
  EXPECT_GE(held, 7) << "of 8 at 95 %";
}

TEST(HostLinks, NeedThePairsAloneToCompareWith) {
  Measurements some = measured(all_shared);
  std::erase_if(some.observations, [](const Observation& row) {
    return row.experiment.kind == Kind::round_trip && row.experiment.root == 1 &&
           row.experiment.out.value == 100'000;
  });
  const Model model = fit(some, hockney_only());
  ASSERT_TRUE(model.host_links);
  EXPECT_TRUE(std::isnan(model.host_links->value.out[0]));
  EXPECT_TRUE(std::isnan(model.host_links->high.out[0]));
  EXPECT_FALSE(std::isnan(model.host_links->value.out[2]));
}

TEST(HostLinks, StandInTheFileBesideTheModels) {
  const Model model = fit(measured(all_shared), hockney_only());
  const Model again = model_from_json(to_json(model), "again");
  ASSERT_TRUE(again.host_links);
  EXPECT_EQ(again.host_links->value.out, model.host_links->value.out);
  EXPECT_EQ(again.host_links->replicates.size(), model.host_links->replicates.size());
  EXPECT_EQ(to_json(again), to_json(model));
}

/// Files of before the two ways were measured together.
TEST(HostLinks, WithoutBothWaysAreRead) {
  const Model model = fit(measured(all_shared), hockney_only());
  auto json = nlohmann::json::parse(to_json(model));
  auto& links = json["models"]["host_links"];
  ASSERT_EQ(links.erase("both"), 1U);
  ASSERT_EQ(links["replicates"].erase("both"), 1U);
  const Model again = model_from_json(json.dump(), "again");
  ASSERT_TRUE(again.host_links);
  EXPECT_EQ(again.host_links->value.out, model.host_links->value.out);
  ASSERT_EQ(again.host_links->value.both.size(), 8U);
  EXPECT_TRUE(std::isnan(again.host_links->value.both[0]));
  EXPECT_TRUE(std::isnan(again.host_links->high.both[0]));
}

TEST(HostLinks, AreMissingWhereNoPairsWereMeasuredAtOnce) {
  Measurements none = measured(all_shared);
  std::erase_if(none.observations,
                [](const Observation& row) { return row.experiment.kind == Kind::pairs_at_once; });
  EXPECT_FALSE(fit(none, hockney_only()).host_links);
}

}  // namespace commgauge::host_links_test
