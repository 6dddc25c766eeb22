#include "commgauge/judge/freshness.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "commgauge/base/index.hpp"
#include "commgauge/judge/refreshed.hpp"
#include "job_now.hpp"

namespace commgauge::freshness_test {

using namespace job_now;

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(Freshness, NoneIsAccusedWhereNothingChanged) {
  const Model model = machine(16, 2);
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Freshness result = found(model, unchanged(), seed);
    EXPECT_TRUE(result.holds()) << seed;
    EXPECT_THAT(result.diagnostics(), IsEmpty());
    EXPECT_THAT(result.not_judged, IsEmpty());
    EXPECT_EQ(to_json(refreshed(model, result)), to_json(model));
  }
}

TEST(Freshness, ASlowerHostIsToldWhereverItIs) {
  for (const int hosts : {3, 4, 16}) {
    const Model model = machine(hosts, 1);
    for (int seed = 1; seed <= 20; ++seed) {
      const std::string slow = "h" + std::to_string(seed % hosts);
      const Freshness result =
          found(model, host_is({slow}, {1.3, 2}), static_cast<std::uint64_t>(seed));
      ASSERT_THAT(result.deviations, SizeIs(1)) << hosts << " hosts, seed " << seed;
      const Deviation& one = result.deviations.front();
      EXPECT_EQ(one.where, Deviation::Where::host) << hosts << " hosts, seed " << seed;
      EXPECT_THAT(one.hosts, ElementsAre(slow));
      EXPECT_NEAR(one.fixed.value, 1.3, 0.1);
      EXPECT_NEAR(one.per_byte.value, 2, 0.2);
      for (const ClassFreshness& each : result.classes) {
        EXPECT_EQ(each.state, ClassFreshness::State::holds);
      }
    }
  }
}

TEST(Freshness, AHostBetweenTwoSlowOnesIsNotAccused) {
  const Model model = machine(12, 1);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto rounds = pairs_that_tell(model, seed);
    std::set<std::string> beside;  // the two neighbours of h0
    for (const auto& round : rounds) {
      for (const auto& [a, b] : round) {
        if (a == 0 || b == 0) beside.insert(model.host(a + b));
      }
    }
    EXPECT_EQ(deviating(found(model, host_is(beside, {2, 2}), seed)), beside) << seed;
  }
}

TEST(Freshness, AllThatDriftsTogetherIsTheClassAndNoHost) {
  const Model model = machine(8, 2);
  const auto slower = [](const std::string& from, const std::string& to) {
    return from == to ? Now{} : Now{1.2, 1.6};
  };
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Freshness result = found(model, slower, seed);
    EXPECT_THAT(result.deviations, IsEmpty());
    ASSERT_THAT(result.classes, SizeIs(2));
    for (const ClassFreshness& one : result.classes) {
      EXPECT_EQ(one.state,
                one.of.is_within ? ClassFreshness::State::holds : ClassFreshness::State::drifted);
      if (one.of.is_within) continue;
      EXPECT_NEAR(one.fixed.value, 1.2, 0.05);
      EXPECT_NEAR(one.per_byte.value, 1.6, 0.1);
      EXPECT_LT(one.per_byte.low, 1.6);
      EXPECT_GT(one.per_byte.high, 1.6);
    }
  }
}

TEST(Freshness, ALinkThatIsSlowIsNoHost) {
  const Model model = machine(8, 1);
  const auto rounds = pairs_that_tell(model, 1);
  const auto [a, b] = rounds.front().front();
  const std::set<std::string> link{model.host(a), model.host(b)};
  const auto truth = [&](const std::string& from, const std::string& to) {
    return std::set{from, to} == link ? Now{1, 4} : Now{};
  };
  const Freshness result = found(model, truth, 1);
  ASSERT_THAT(result.deviations, SizeIs(1));
  EXPECT_EQ(result.deviations.front().where, Deviation::Where::between_hosts);
  EXPECT_EQ(deviating(result), link);
  EXPECT_NEAR(result.deviations.front().per_byte.value, 4, 0.3);
}

/// Hosts' links pass a byte in these times [ns], and the slower one counts.
Model behind_links(const std::vector<double>& links) {
  Model model = machine(static_cast<int>(links.size()), 1);
  const auto put = [&](HockneyParameters& p) {
    for (int i = 0; i < model.ranks; ++i) {
      for (int j = 0; j < model.ranks; ++j) {
        if (i != j) p.beta(i, j) = 1e-9 * std::max(links[at(i)], links[at(j)]);
      }
    }
  };
  for (auto* one : {&model.hockney->value, &model.hockney->low, &model.hockney->high}) put(*one);
  for (HockneyParameters& one : model.hockney->replicates) put(one);
  return model;
}

TEST(Freshness, WhatSlowNeighboursHideIsToldByOthers) {
  const std::vector<double> links{2, 2, 2, 2, 1, 1, 1, 1};
  const Model model = behind_links(links);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    // The fast host h5 is as slow as the others are: only fast ones notice.
    const auto truth = [&](const std::string& from, const std::string& to) {
      const bool concerns = from == "h5" || to == "h5";
      const int other = std::stoi((from == "h5" ? to : from).substr(1));
      return concerns ? Now{1, std::max(1.0, 1.7 / links[at(other)])} : Now{};
    };
    const Freshness result = found(model, truth, seed);
    EXPECT_EQ(deviating(result), std::set<std::string>{"h5"}) << seed;
    const Model now = refreshed(model, result);
    EXPECT_NEAR(now.hockney->value.beta(5, 4), 1.7e-9, 0.1e-9);
    EXPECT_EQ(now.hockney->value.beta(5, 0), 2e-9);
    EXPECT_EQ(now.hockney->value.beta(6, 4), 1e-9);
  }
}

TEST(Freshness, AHostMayBeSlowInside) {
  const Model model = machine(5, 4);
  const auto truth = [](const std::string& from, const std::string& to) {
    return from == "h2" && to == "h2" ? Now{2, 1} : Now{};
  };
  const Freshness result = found(model, truth, 3);
  ASSERT_THAT(result.deviations, SizeIs(1));
  EXPECT_EQ(result.deviations.front().where, Deviation::Where::within_host);
  EXPECT_EQ(deviating(result), std::set<std::string>{"h2"});
  const Model now = refreshed(model, result);
  EXPECT_NEAR(now.hockney->value.alpha(8, 11), 2e-6, 0.1e-6);
  EXPECT_EQ(now.hockney->value.alpha(4, 5), 1e-6);
}

TEST(Freshness, WhatIsSlowInsideAllHostsIsTheClass) {
  const Model model = machine(8, 4);
  const auto truth = [](const std::string& from, const std::string& to) {
    return from == to ? Now{1.4, 1.4} : Now{};
  };
  const Freshness result = found(model, truth, 2);
  EXPECT_THAT(result.deviations, IsEmpty());
  for (const ClassFreshness& one : result.classes) {
    EXPECT_EQ(one.state == ClassFreshness::State::drifted, one.of.is_within) << one.pairs;
  }
}

TEST(Freshness, WithoutTripsOfAClassNothingIsKnownOfIt) {
  const Model model = machine(4, 2);
  Measuring measuring(model, unchanged(), 1);
  measuring.look({{{0, 2}, {4, 6}}, {{2, 4}, {0, 6}}});
  const Freshness result = freshness(model, measuring.trips);
  EXPECT_FALSE(result.differs());
  EXPECT_FALSE(result.holds());
}

TEST(Freshness, ATimeThatTheModelTakesForNegativeTellsNothing) {
  Model model = machine(2, 1);
  for (auto* one : {&model.hockney->value, &model.hockney->low, &model.hockney->high}) {
    one->alpha.set_both(0, 1, -1e-6);
  }
  const Model real = machine(2, 1);
  Measuring measuring(real, unchanged(), 1);
  measuring.look({{{0, 1}}});
  EXPECT_TRUE(std::isnan(freshness(model, measuring.trips).classes.front().fixed.value));
}

TEST(Freshness, TwoHostsCantBeToldApart) {
  const Model model = machine(2, 1);
  const Freshness result = found(model, host_is({"h1"}, {2, 2}), 1);
  EXPECT_THAT(result.deviations, IsEmpty());
  ASSERT_THAT(result.classes, SizeIs(1));
  EXPECT_EQ(result.classes.front().state, ClassFreshness::State::drifted);
}

TEST(Freshness, HostsThatFewAskedAreNotJudged) {
  const Model model = machine(5, 1);
  Measuring measuring(model, unchanged(), 1);
  measuring.look({{{0, 1}, {2, 3}}, {{1, 2}}});
  EXPECT_THAT(freshness(model, measuring.trips).not_judged, ElementsAre("h0", "h3", "h4"));
}

}  // namespace commgauge::freshness_test
