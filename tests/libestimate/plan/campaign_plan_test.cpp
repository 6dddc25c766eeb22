#include "commgauge/plan/campaign_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>
#include <vector>

#include "commgauge/base/error.hpp"

namespace commgauge::campaign_plan_test {

TEST(ChooseSizes, OneToTwosStayBelowTheScatterBreak) {
  const auto chosen = [](std::optional<Bytes> limit, std::optional<Bytes> scatter_break) {
    return choose_sizes(limit, {}, std::nullopt, {.scatter_break = scatter_break}).one_to_two.value;
  };
  EXPECT_EQ(chosen(std::nullopt, std::nullopt), 65536u);
  EXPECT_EQ(chosen(std::nullopt, Bytes{100000}), 65536u);
  EXPECT_EQ(chosen(std::nullopt, Bytes{20000}), 16384u);
  EXPECT_EQ(chosen(Bytes{8255}, Bytes{20000}), 8192u);
  EXPECT_EQ(chosen(Bytes{8255}, Bytes{5000}), 4096u);
  EXPECT_EQ(chosen(std::nullopt, Bytes{1024}), 1024u);
  EXPECT_EQ(chosen(std::nullopt, Bytes{1023}), 65536u) << "too small to measure below";
}

TEST(ChooseSizes, TheDefaultEndsAtTheLargest) {
  const auto sizes = [](std::optional<Bytes> limit, std::uint64_t largest) {
    std::vector<std::uint64_t> values;
    for (const Bytes size : default_sweep(limit, Bytes{largest})) values.push_back(size.value);
    return values;
  };
  using Values = std::vector<std::uint64_t>;
  EXPECT_EQ(sizes(Bytes{8255}, 1 << 20), (Values{128, 1024, 8192, 16384, 65536, 262144, 1048576}));
  EXPECT_EQ(sizes(Bytes{8255}, 3 << 20),
            (Values{128, 1024, 8192, 16384, 65536, 262144, 1048576, 3145728}));
  EXPECT_EQ(sizes(std::nullopt, 2000), (Values{64, 1024, 2000}));
}

TEST(ChooseSizes, AGivenOneToTwoIsKeptWhateverTheScatterBreak) {
  const SizeAdvice advice{.scatter_break = Bytes{2048}};
  const CampaignSizes sizes = choose_sizes(std::nullopt, {}, Bytes{32768}, advice);
  EXPECT_EQ(sizes.one_to_two.value, 32768u);
  EXPECT_THROW((void)choose_sizes(Bytes{16384}, {}, Bytes{32768}, advice), InputError);
}

TEST(ChooseSizes, FansStayWhereNothingEscalates) {
  const auto bulk = [](const std::vector<Bytes>& sweep, std::optional<Bytes> limit,
                       const SizeAdvice& advice) {
    std::vector<std::uint64_t> values;
    for (const Bytes size : choose_sizes(limit, sweep, std::nullopt, advice).bulk) {
      values.push_back(size.value);
    }
    return values;
  };
  using Values = std::vector<std::uint64_t>;
  const std::vector<Bytes> sweep{{1024}, {8192}, {65536}, {131072}, {262144}};
  EXPECT_EQ(bulk(sweep, {}, {}), (Values{65536, 131072, 262144}));
  EXPECT_EQ(bulk(sweep, {}, {.escalate_above = Bytes{8000}, .regular_from = Bytes{100000}}),
            (Values{131072, 262144}));
  EXPECT_EQ(bulk(sweep, {}, {.escalate_above = Bytes{8000}, .regular_from = Bytes{200000}}),
            (Values{2000, 8000}));
  EXPECT_EQ(bulk(sweep, {}, {.escalate_above = Bytes{8000}}), (Values{2000, 8000}));
  EXPECT_EQ(bulk(sweep, {}, {.escalate_above = Bytes{300000}}), (Values{65536, 131072, 262144}));
  EXPECT_EQ(bulk(sweep, Bytes{4000}, {.escalate_above = Bytes{8000}}), (Values{4001, 8000}));
  EXPECT_EQ(bulk(sweep, {}, {.escalate_above = Bytes{1023}}), (Values{65536, 131072, 262144}))
      << "too small to measure below";
}

TEST(PlanCampaign, SharesRoundTripsAndMeasuresNothingTwice) {
  const int n = 4;
  const Pilot pilot{Matrix(n, 1e-6), Matrix(n, 2e-6), Matrix(n, 1e-4)};
  const CampaignSizes sizes = choose_sizes(Bytes{8255}, {}, std::nullopt);
  CampaignOptions options;
  options.models = {"hockney", "lom", "lmo", "bottleneck", "loggps", "plogp"};
  options.logp = plan_logp(first_round_trips(Bytes{8255}, Bytes{1 << 20}), Bytes{8255});
  options.logp.delay = Seconds{1e-5};
  options.logp_pairs = {{0, 3}};
  std::set<Experiment> seen;
  for (const Round& round : plan_campaign(n, pilot, sizes, options)) {
    for (const Group& group : round) {
      for (const Experiment& e : group.experiments) {
        EXPECT_TRUE(seen.insert(e).second)
            << to_text(e.kind) << " " << e.root << " " << e.peers.front() << " " << e.out.value;
        const bool in_family = e.kind == Kind::flood || e.kind == Kind::send_overhead ||
                               e.kind == Kind::receive_overhead;
        EXPECT_TRUE(!in_family || e.root + e.peers.front() == 3);
      }
    }
  }
  for (const Bytes size : options.logp.round_trips) {
    EXPECT_TRUE(seen.contains(round_trip(0, 3, size, {})));
    EXPECT_TRUE(seen.contains(round_trip(3, 0, size, {})));
  }
  for (const Bytes size : options.logp.overheads) {
    EXPECT_TRUE(seen.contains(send_overhead(0, 3, size)));
    EXPECT_TRUE(seen.contains(receive_overhead(3, 0, size)));
  }
  EXPECT_TRUE(seen.contains(flood(3, 0, 16, Seconds{1e-5}, Bytes{1})));
}

std::vector<Experiment> rings_of(int n, CampaignOptions options) {
  const Pilot pilot{Matrix(n, 1e-6), Matrix(n, 2e-6), Matrix(n, 1e-4)};
  options.models = {"hockney"};
  std::vector<Experiment> found;
  for (const Round& round :
       plan_campaign(n, pilot, choose_sizes(Bytes{8255}, {}, std::nullopt), options)) {
    for (const Group& group : round) {
      std::ranges::copy_if(group.experiments, std::back_inserter(found),
                           [](const Experiment& e) { return e.kind == Kind::ring; });
    }
  }
  return found;
}

TEST(PlanCampaign, ExchangesAndRingsAreChecksOfEachSize) {
  const std::vector<Experiment> found = rings_of(5, {});
  // Ten pairs and two rings, at two sizes.
  EXPECT_EQ(found.size(), 24U);
  EXPECT_TRUE(std::ranges::all_of(found, &Experiment::check));
  EXPECT_EQ(std::ranges::count_if(found, [](const auto& e) { return e.peers.size() == 4; }), 4);
  EXPECT_TRUE(rings_of(5, {.models = {}, .checks = false}).empty());
}

TEST(PlanCampaign, OfManyRanksEnoughPairsExchange) {
  EXPECT_EQ(rings_of(2, {}).size(), 2U);
  EXPECT_EQ(rings_of(6, {}).size(), 2U * (15 + 1));
  EXPECT_EQ(rings_of(8, {}).size(), 2U * (8 + 2));
  EXPECT_EQ(rings_of(33, {}).size(), 2U * (32 + 2));
  EXPECT_EQ(rings_of(64, {}).size(), 2U * (32 + 2));
  int near = 0;
  for (const Experiment& e : rings_of(64, {})) near += e.peers.front() == e.root + 1 ? 1 : 0;
  EXPECT_EQ(near, 2 * (16 + 1)) << "of one host, where ranks are dealt in blocks";
}

TEST(PlanCampaign, RanksThatShareCoresAreInNoRing) {
  EXPECT_EQ(rings_of(5, {.models = {}, .cores_are_shared = true}).size(), 20U);
}

/// Rank 0's peers from the fastest on are 3, 2, 1: each rank's slowest served first.
TEST(PlanCampaign, FansBeginWithTheirSlowestPeer) {
  const int n = 4;
  Pilot pilot{Matrix(n, 1e-6), Matrix(n, 2e-6), Matrix(n, 1e-4)};
  pilot.bulk.set_both(0, 2, 2e-4);
  pilot.bulk.set_both(0, 1, 3e-4);
  std::vector<std::vector<int>> served;
  const CampaignOptions options{.models = {"bottleneck"}, .checks = false};
  const CampaignSizes sizes{{{1}, {1024}}, {64}, {{1024}}, {}};
  for (const Round& round : plan_campaign(n, pilot, sizes, options)) {
    for (const Group& group : round) {
      for (const Experiment& e : group.experiments) {
        if (e.kind == Kind::one_to_k_concurrent && e.root == 0) served.push_back(e.peers);
      }
    }
  }
  EXPECT_EQ(served, (std::vector<std::vector<int>>{{1, 2, 3}, {2, 3}}));
}

TEST(PlanCampaign, OneToTwosTakeTheSlowerPeerLast) {
  Pilot pilot{Matrix(3, 1e-6), Matrix(3, 2e-6), Matrix(3, 1e-4)};
  pilot.empty.set_both(0, 1, 5e-6);
  std::set<Experiment> found;
  const CampaignOptions options{.models = {"lmo"}, .checks = false};
  const CampaignSizes sizes = choose_sizes(Bytes{8255}, {}, std::nullopt);
  for (const Round& round : plan_campaign(3, pilot, sizes, options)) {
    for (const Group& group : round) {
      found.insert(group.experiments.begin(), group.experiments.end());
    }
  }
  EXPECT_TRUE(found.contains(one_to_two(0, 2, 1, Bytes{0})));
  EXPECT_FALSE(found.contains(one_to_two(0, 1, 2, Bytes{0})));
  EXPECT_TRUE(found.contains(one_to_two(1, 2, 0, Bytes{0})));
  EXPECT_TRUE(found.contains(one_to_two(0, 1, 2, Bytes{8192}))) << "equal with 8192 bytes";
}

}  // namespace commgauge::campaign_plan_test
