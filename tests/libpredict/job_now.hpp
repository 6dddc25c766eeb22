#pragma once

#include <functional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "commgauge/judge/freshness.hpp"
#include "commgauge/judge/telling_pairs.hpp"

/// Machines as a model has them, and as they are now.
namespace commgauge::job_now {

inline constexpr double us = 1e-6;
inline constexpr Bytes large{65536};

/// Hosts h0, h1, … of pairs that all differ a little; passes scatter by 2 %.
inline Model machine(int hosts, int per_host) {
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
inline Freshness found(const Model& model, const Truth& truth, std::uint64_t seed) {
  Measuring measuring(model, truth, seed);
  measuring.look(pairs_that_tell(model, seed));
  Freshness result = freshness(model, measuring.trips);
  const auto again = pairs_that_confirm(model, result);
  if (again.empty()) return result;
  measuring.look(again);
  return freshness(model, measuring.trips);
}

inline Truth unchanged() {
  return [](const std::string&, const std::string&) { return Now{}; };
}

inline Truth host_is(const std::set<std::string>& hosts, Now now) {
  return [=](const std::string& from, const std::string& to) {
    return from != to && (hosts.contains(from) || hosts.contains(to)) ? now : Now{};
  };
}

inline std::set<std::string> deviating(const Freshness& found) {
  std::set<std::string> hosts;
  for (const Deviation& one : found.deviations) hosts.insert(one.hosts.begin(), one.hosts.end());
  return hosts;
}

}  // namespace commgauge::job_now
