#include "commgauge/plan/fabric_look.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <utility>

#include "commgauge/base/error.hpp"
#include "commgauge/base/index.hpp"
#include "commgauge/base/shuffle.hpp"
#include "commgauge/base/statistics.hpp"

namespace commgauge {

namespace {

constexpr int partners = 4;           ///< of each of many hosts, one of them to check the others by
constexpr double near_enough = 0.05;  ///< nine in ten pairs are foretold to within this
constexpr int most_loads = 32;        ///< rounds of a search beside one a host

/// Counts rounds, and keeps the pairs of those at the end.
class Rounds {
 public:
  explicit Rounds(const MeasureAtOnce& measure) : measure_{measure} {}

  std::vector<SecondsPerByte> time(std::span<const HostMessage> pairs) {
    std::vector<SecondsPerByte> times = measure_(pairs);
    if (times.size() != pairs.size()) {
      throw InputError("times of " + std::to_string(times.size()) + " of " +
                       std::to_string(pairs.size()) +
                       " pairs (each has one): return them in the pairs' order");
    }
    pairs_.emplace_back(pairs.begin(), pairs.end());
    return times;
  }
  [[nodiscard]] int count() const { return static_cast<int>(pairs_.size()); }
  [[nodiscard]] const std::vector<HostMessage>& pairs(int round) const { return pairs_[at(round)]; }

 private:
  const MeasureAtOnce& measure_;
  std::vector<std::vector<HostMessage>> pairs_;
};

void time_exchange(Rounds& rounds, int one, int other, Matrix& times) {
  const std::vector<HostMessage> pairs{{one, other}, {other, one}};
  const std::vector<SecondsPerByte> taken = rounds.time(pairs);
  times(one, other) = taken[0].value;
  times(other, one) = taken[1].value;
}

Matrix time_all_exchanges(Rounds& rounds, int hosts) {
  Matrix times(hosts);
  for (int one = 0; one < hosts; ++one) {
    for (int other = one + 1; other < hosts; ++other) time_exchange(rounds, one, other, times);
  }
  return times;
}

using Pairs = std::vector<std::pair<int, int>>;

/// Each host with another one; of an odd number one is left over.
Pairs random_pairs(int hosts, std::mt19937_64& random) {
  std::vector<int> order(at(hosts));
  std::iota(order.begin(), order.end(), 0);
  shuffle(std::span{order}, random);
  Pairs pairs;
  for (std::size_t k = 0; k + 1 < order.size(); k += 2) pairs.emplace_back(order[k], order[k + 1]);
  if (order.size() % 2 != 0) pairs.emplace_back(order.back(), order.front());
  return pairs;
}

/// What each host takes with the quickest of its partners.
std::vector<double> quickest(const Pairs& pairs, const Matrix& times, int hosts) {
  std::vector<double> own(at(hosts), std::numeric_limits<double>::infinity());
  for (const auto& [one, other] : pairs) {
    const double time = std::max(times(one, other), times(other, one));
    own[at(one)] = std::min(own[at(one)], time);
    own[at(other)] = std::min(own[at(other)], time);
  }
  return own;
}

/// @return nothing: pairs take otherwise than their hosts foretell
std::optional<Matrix> time_some_exchanges(Rounds& rounds, int hosts, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Matrix times(hosts);
  Pairs known;
  Pairs last;
  for (int k = 0; k < partners; ++k) {
    known.insert(known.end(), last.begin(), last.end());
    last = random_pairs(hosts, random);
    for (const auto& [one, other] : last) time_exchange(rounds, one, other, times);
  }
  const std::vector<double> own = quickest(known, times, hosts);
  Matrix told(hosts);
  for (int i = 0; i < hosts; ++i) {
    for (int j = 0; j < hosts; ++j) {
      if (i != j) told(i, j) = std::max(own[at(i)], own[at(j)]);
    }
  }
  std::vector<double> misfits;
  known.insert(known.end(), last.begin(), last.end());
  for (const auto& [one, other] : known) {
    misfits.push_back(std::abs(times(one, other) / told(one, other) - 1));
    misfits.push_back(std::abs(times(other, one) / told(other, one) - 1));
  }
  return quantile(misfits, 0.9) > near_enough ? std::nullopt : std::optional{told};
}

/// Groups, or ways through their uplinks, that only one of both saw; and backbones.
int differences(const FoundFabric& one, const FoundFabric& other) {
  int count = have_same_backbone(one, other) ? 0 : 1;
  for (const FoundGroup& group : other.groups) {
    if (group_of(one, group.hosts) == nullptr) ++count;
  }
  for (const FoundGroup& group : one.groups) {
    const FoundGroup* const same = group_of(other, group.hosts);
    if (same == nullptr) {
      ++count;
      continue;
    }
    if (same->out.value.has_value() != group.out.value.has_value()) ++count;
    if (same->in.value.has_value() != group.in.value.has_value()) ++count;
  }
  return count;
}

/// Of three searches the two that differ least.
void keep_two(FabricLook& look, FabricSearched third) {
  auto& searches = look.searches;
  const int both = differences(searches[0].fabric, searches[1].fabric);
  const int first = differences(searches[0].fabric, third.fabric);
  const int second = differences(searches[1].fabric, third.fabric);
  if (std::min(first, second) < both) std::swap(searches[first <= second ? 1 : 0], third);
  look.differing = std::move(third.fabric);
}

void time_matchings(Rounds& rounds, FabricLook& look) {
  const FabricSearched& first = look.searches.front();
  const int end = first.first_round + first.fabric.rounds;
  look.first_matching = end - first.fabric.bisection_rounds;
  for (int round = look.first_matching; round < end; ++round) {
    std::vector<SecondsPerByte>& alone = look.alone.emplace_back();
    const std::vector<HostMessage> pairs = rounds.pairs(round);
    for (const HostMessage& pair : pairs) {
      alone.push_back(rounds.time(std::vector{pair}).front());
    }
  }
}

}  // namespace

std::optional<FabricLook> look_for_fabric(int hosts, const MeasureAtOnce& measure,
                                          std::uint64_t seed) {
  Rounds rounds(measure);
  FabricLook look;
  if (hosts <= all_pairs_up_to) {
    look.exchanged = time_all_exchanges(rounds, hosts);
  } else {
    auto exchanged = time_some_exchanges(rounds, hosts, seed);
    if (!exchanged) return std::nullopt;
    look.exchanged = std::move(*exchanged);
  }
  const MeasureAtOnce counted = [&](std::span<const HostMessage> pairs) {
    return rounds.time(pairs);
  };
  const auto search = [&] {
    const int first_round = rounds.count();
    return FabricSearched{find_fabric(look.exchanged, counted, {.seed = seed++}), first_round};
  };
  for (FabricSearched& one : look.searches) one = search();
  if (differences(look.searches[0].fabric, look.searches[1].fabric) > 0) {
    keep_two(look, search());
  }
  time_matchings(rounds, look);
  look.rounds = rounds.count();
  return look;
}

int guess_rounds(int hosts) {
  const int exchanges =
      hosts <= all_pairs_up_to ? hosts * (hosts - 1) / 2 : partners * (hosts + 1) / 2;
  return exchanges + 2 * (std::min(hosts, 64) + std::min(hosts, most_loads)) + 3 * hosts / 2;
}

}  // namespace commgauge
