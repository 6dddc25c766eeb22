#include "commgauge/judge/freshness.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "commgauge/base/error.hpp"
#include "commgauge/base/index.hpp"
#include "commgauge/predict/predict.hpp"

namespace commgauge {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::ThrowsMessage;

constexpr double us = 1e-6;
constexpr Bytes large{65536};

/// Hosts h0, h1, … of pairs that all differ a little; passes scatter by 2 %.
Model machine(int hosts, int per_host) {
  Model model;
  model.ranks = hosts * per_host;
  Launch& launch = model.launches.emplace_back();
  launch.passes = 8;
  for (int rank = 0; rank < model.ranks; ++rank) {
    launch.ranks.push_back({"h" + std::to_string(rank / per_host), {rank % per_host}});
  }
  HockneyParameters p{Matrix(model.ranks), Matrix(model.ranks), 0, 0};
  for (int i = 0; i < model.ranks; ++i) {
    for (int j = 0; j < model.ranks; ++j) {
      if (i == j) continue;
      const bool within = i / per_host == j / per_host;
      p.alpha(i, j) = (within ? 1 : 30 + (i + j) % 3) * us;
      p.beta(i, j) = within ? 1e-10 : 1e-9;
    }
  }
  model.hockney.emplace();
  model.hockney->value = model.hockney->low = model.hockney->high = p;
  model.hockney->last = Bytes{1 << 20};
  for (const double factor : {0.98, 1.02, 0.99, 1.01, 0.97, 1.03, 1.0, 1.0}) {
    HockneyParameters one = p;
    for (double& value : one.alpha.values()) value *= factor;
    for (double& value : one.beta.values()) value *= factor;
    model.hockney->replicates.push_back(one);
  }
  return model;
}

/// By what now an empty message, and what each byte adds, is multiplied.
struct Now {
  double fixed{1};
  double per_byte{1};
};
using Truth = std::function<Now(const std::string& from, const std::string& to)>;

class Measuring {
 public:
  Measuring(const Model& model, Truth truth, std::uint64_t seed)
      : model_{model}, truth_{std::move(truth)}, random_{seed} {}

  void look(const std::vector<std::vector<Pair>>& rounds) {
    for (const auto& round : rounds) {
      for (const auto& [from, to] : round) {
        for (const Bytes size : {Bytes{0}, large}) {
          for (int cycle = 0; cycle < 5; ++cycle) trips.push_back(trip(from, to, size));
        }
      }
    }
  }

  std::vector<SurveyedTrip> trips;

 private:
  SurveyedTrip trip(int from, int to, Bytes size) {
    const HockneyParameters& p = model_.hockney->value;
    const Now now = truth_(model_.host(from), model_.host(to));
    std::normal_distribution<double> noise(1, 0.015);
    const double time = now.fixed * (p.alpha(from, to) + p.alpha(to, from)) +
                        now.per_byte * static_cast<double>(size.value) * p.beta(from, to);
    return {from, to, size, time * noise(random_)};
  }

  const Model& model_;
  Truth truth_;
  std::mt19937_64 random_;
};

/// As bench::refresh() does it.
Freshness found(const Model& model, const Truth& truth, std::uint64_t seed) {
  Measuring measuring(model, truth, seed);
  measuring.look(pairs_that_tell(model, seed));
  Freshness result = freshness(model, measuring.trips);
  const auto again = pairs_that_confirm(model, result);
  if (again.empty()) return result;
  measuring.look(again);
  return freshness(model, measuring.trips);
}

Truth unchanged() {
  return [](const std::string&, const std::string&) { return Now{}; };
}

Truth host_is(const std::set<std::string>& hosts, Now now) {
  return [=](const std::string& from, const std::string& to) {
    return from != to && (hosts.contains(from) || hosts.contains(to)) ? now : Now{};
  };
}

std::set<std::string> deviating(const Freshness& found) {
  std::set<std::string> hosts;
  for (const Deviation& one : found.deviations) hosts.insert(one.hosts.begin(), one.hosts.end());
  return hosts;
}

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
                one.is_within ? ClassFreshness::State::holds : ClassFreshness::State::drifted);
      if (one.is_within) continue;
      EXPECT_NEAR(one.fixed.value, 1.2, 0.05);
      EXPECT_NEAR(one.per_byte.value, 1.6, 0.1);
      EXPECT_LT(one.per_byte.low, 1.6);
      EXPECT_GT(one.per_byte.high, 1.6);
    }
  }
}

TEST(Freshness, TheModelIsCorrectedWhereItDrifted) {
  const Model model = machine(8, 2);
  const Truth truth = host_is({"h3"}, {1.5, 2});
  const Model now = refreshed(model, found(model, truth, 5));
  const auto time = [&](const Model& of, int from, int to, Bytes size) {
    return predict_time(of, {"hockney", Operation::p2p, from, to, size}).value;
  };
  EXPECT_NEAR(time(now, 6, 0, Bytes{0}) / time(model, 6, 0, Bytes{0}), 1.5, 0.08);
  EXPECT_NEAR(time(now, 2, 7, large) / time(model, 2, 7, large),
              (1.5 * 31 + 2 * 65.536) / (31 + 65.536), 0.1);
  EXPECT_EQ(time(now, 0, 2, large), time(model, 0, 2, large));
  EXPECT_EQ(time(now, 6, 7, large), time(model, 6, 7, large));
  ASSERT_THAT(now.classes->deviations, SizeIs(1));
  EXPECT_THAT(now.warnings.back().text(), HasSubstr("host h3"));
  const Prediction before = predict(model, {model.preferred(), Operation::p2p, 6, 0, large});
  const Prediction after = predict(now, {now.preferred(), Operation::p2p, 6, 0, large});
  EXPECT_GT((after.high - after.low) / after.time, (before.high - before.low) / before.time);
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

TEST(Freshness, TripsOfNobodyAreRefused) {
  const Model model = machine(2, 1);
  EXPECT_THAT(
      [&] {
        (void)freshness(model, {{0, 2, Bytes{0}, 1e-6}});
      },
      ThrowsMessage<InputError>(HasSubstr("ranks 0 and 2")));
  EXPECT_THAT(
      [&] {
        (void)freshness(model, {{0, 1, Bytes{0}, 0}});
      },
      ThrowsMessage<InputError>(HasSubstr("take time")));
}

TEST(PairsThatTell, EachHostMeetsTwoOthersInThreeRounds) {
  for (const int hosts : {3, 4, 7, 64}) {
    const Model model = machine(hosts, 2);
    const auto rounds = pairs_that_tell(model, 3);
    EXPECT_LE(rounds.size(), 4U);
    std::vector<std::set<int>> met(at(hosts));
    for (const auto& round : rounds) {
      std::set<int> busy;
      for (const auto& [a, b] : round) {
        EXPECT_TRUE(busy.insert(a).second);
        EXPECT_TRUE(busy.insert(b).second);
        met[at(a / 2)].insert(b / 2);
        met[at(b / 2)].insert(a / 2);
      }
    }
    // Two others, and itself.
    for (const std::set<int>& one : met) EXPECT_EQ(one.size(), 3U);
  }
}

TEST(SizeThatTells, IsTheLargestThatTheTimeAllows) {
  const Model model = machine(4, 1);
  EXPECT_EQ(size_that_tells(model, Seconds{1}), Bytes{1 << 20});
  EXPECT_EQ(size_that_tells(model, Seconds{100e-6}), Bytes{65536});
  Model limited = model;
  limited.eager_limit = Bytes{5000};
  EXPECT_EQ(size_that_tells(limited, Seconds{1}), Bytes{5000});
}

}  // namespace
}  // namespace commgauge
