#include "commgauge/judge/telling_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "commgauge/base/shuffle.hpp"
#include "commgauge/costs/message.hpp"
#include "commgauge/plan/host_plan.hpp"
#include "commgauge/predict/predict.hpp"
#include "judge/job_pairs.hpp"

namespace commgauge {

namespace {

constexpr std::size_t most_pairs_of_host = 4;
constexpr std::size_t most_hosts_by_pairs = 128;  ///< whose speed is asked of each pair

/// What the model says of the largest message that it was fitted for, between two ranks [s].
std::vector<double> largest_times(const Model& job, const std::vector<Pair>& pairs) {
  const std::string name = model_that_tells(job);
  std::vector<PairMessage> messages;
  for (const auto& [from, to] : pairs) messages.push_back({from, to, fitted_sizes(job, name).last});
  std::vector<double> times;
  for (const MessageTime& one : predict_message_times(job, name, Side::receiver, messages)) {
    times.push_back(one.time.value);
  }
  return times;
}

/// Pairs between hosts, each host in those with all others that may be the fastest.
std::vector<Pair> pairs_for_speed(const Model& job, const std::vector<std::vector<int>>& hosts) {
  std::vector<Pair> pairs;
  if (has_kinds(job)) {
    for (const auto& [from, to] : job.classes->pairs->examples()) {
      if (from >= 0 && job.host(from) != job.host(to)) pairs.push_back({from, to});
    }
  } else if (hosts.size() <= most_hosts_by_pairs) {
    for (const auto& a : hosts) {
      for (const auto& b : hosts) {
        if (a.front() != b.front()) pairs.push_back({a.front(), b.front()});
      }
    }
  }
  return pairs;
}

/// How long messages of each host's fastest pair take, in steps of a tenth: a slow neighbour hides
/// what changes on a fast host.
std::vector<int> speeds(const Model& job, const std::vector<std::vector<int>>& hosts) {
  const std::vector<Pair> pairs = pairs_for_speed(job, hosts);
  const std::vector<double> times = largest_times(job, pairs);
  const auto key = [&](int rank) {
    return has_kinds(job) ? static_cast<int>(job.classes->pairs->of(rank).kind) : rank;
  };
  std::map<int, double> fastest;
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    for (const int rank : pairs[k]) {
      const auto [known, is_new] = fastest.try_emplace(key(rank), times[k]);
      if (!is_new) known->second = std::min(known->second, times[k]);
    }
  }
  std::vector<int> steps;
  for (const std::vector<int>& ranks : hosts) {
    const auto known = fastest.find(key(ranks.front()));
    const double time = known == fastest.end() ? 1 : known->second;
    steps.push_back(static_cast<int>(std::lround(std::log(time) / std::log1p(alike_within))));
  }
  return steps;
}

/// In a random order in which hosts of similar speed are neighbours, the last and the first, too.
std::vector<std::vector<int>> ring_of(const Model& job, std::mt19937_64& random) {
  std::vector<std::vector<int>> hosts = ranks_of_hosts(job.hosts());
  shuffle(std::span{hosts}, random);
  const std::vector<int> speed = speeds(job, hosts);
  std::vector<std::size_t> order(hosts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t host) { return speed[host]; });
  std::vector<std::vector<int>> ring;
  for (std::size_t k = 0; k < order.size(); k += 2) ring.push_back(hosts[order[k]]);
  for (std::size_t k = order.size(); k-- > 0;) {
    if (k % 2 == 1) ring.push_back(hosts[order[k]]);
  }
  return ring;
}

/// Disjoint pairs together, as few rounds as come of taking them in their order.
std::vector<std::vector<Pair>> in_rounds(const std::vector<Pair>& pairs) {
  std::vector<std::vector<Pair>> rounds;
  std::vector<std::set<int>> busy;
  std::set<Pair> known;
  for (const Pair& pair : pairs) {
    const auto [low, high] = std::minmax(pair[0], pair[1]);
    if (!known.insert({low, high}).second) continue;
    std::size_t round = 0;
    while (round < rounds.size() && (busy[round].contains(low) || busy[round].contains(high))) {
      ++round;
    }
    if (round == rounds.size()) {
      rounds.emplace_back();
      busy.emplace_back();
    }
    rounds[round].push_back(pair);
    busy[round].insert({low, high});
  }
  return rounds;
}

void append(std::vector<std::vector<Pair>>& rounds, const std::vector<Pair>& pairs) {
  for (std::vector<Pair>& round : in_rounds(pairs)) rounds.push_back(std::move(round));
}

std::vector<Pair> one_of_each_class(const Model& job) {
  std::vector<Pair> pairs;
  if (!has_kinds(job)) return pairs;
  const JobPairs of(job);
  std::set<PairClass> known;
  for (const auto& [from, to] : job.classes->pairs->examples()) {
    if (from >= 0 && known.insert(of.class_of(from, to)).second) pairs.push_back({from, to});
  }
  return pairs;
}

}  // namespace

std::vector<std::vector<Pair>> pairs_that_tell(const Model& job, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const std::vector<std::vector<int>> hosts = ring_of(job, random);
  std::vector<Pair> ring;
  for (std::size_t k = 0; hosts.size() > 1 && k < hosts.size(); ++k) {
    ring.push_back({hosts[k].front(), hosts[(k + 1) % hosts.size()].front()});
  }
  std::vector<Pair> within;
  for (std::vector<int> ranks : hosts) {
    shuffle(std::span{ranks}, random);
    const std::size_t most = std::min(ranks.size() / 2, most_pairs_of_host);
    for (std::size_t k = 0; k < most; ++k) within.push_back({ranks[2 * k], ranks[2 * k + 1]});
  }
  std::vector<std::vector<Pair>> rounds;
  append(rounds, one_of_each_class(job));
  append(rounds, ring);
  append(rounds, within);
  return rounds;
}

Bytes size_that_tells(const Model& job, const std::vector<std::vector<Pair>>& rounds,
                      Seconds longest) {
  const std::string name = model_that_tells(job);
  const SizeSpan span = fitted_sizes(job, name);
  const auto limit = static_cast<std::uint64_t>(
      std::min(static_cast<double>(span.last.value), eager_limit_of(job)));
  std::vector<PairMessage> messages;
  for (const std::vector<Pair>& round : rounds) {
    for (const auto& [from, to] : round) messages.push_back({from, to, Bytes{0}});
  }
  std::uint64_t size = std::max<std::uint64_t>(1, limit);
  for (; size > 1; size /= 2) {
    for (PairMessage& message : messages) message.size = Bytes{size};
    double most = 0;
    for (const MessageTime& one : predict_message_times(job, name, Side::receiver, messages)) {
      most = std::max(most, one.time.value);
    }
    if (most <= longest.value) break;
  }
  return Bytes{size};
}

std::vector<std::vector<Pair>> pairs_that_confirm(const Model& job, const Freshness& found) {
  std::set<std::string> suspected;
  for (const Deviation& one : found.deviations) {
    suspected.insert(one.hosts.begin(), one.hosts.end());
  }
  std::mt19937_64 random(suspected.size());
  const std::vector<std::vector<int>> ring = ring_of(job, random);
  const auto is_suspected = [&](std::size_t place) {
    return suspected.contains(job.host(ring[place].front()));
  };
  std::vector<Pair> pairs;
  // By those beside it in the ring, both ways: hosts of its speed.
  const auto ask_two_trusted = [&](std::size_t place) {
    for (const std::size_t step : {std::size_t{1}, ring.size() - 1}) {
      std::size_t other = (place + step) % ring.size();
      while (other != place && is_suspected(other)) other = (other + step) % ring.size();
      if (other != place) pairs.push_back({ring[other].front(), ring[place].front()});
    }
  };
  std::map<std::string, std::vector<int>> of_suspects;
  for (std::size_t place = 0; place < ring.size(); ++place) {
    if (!is_suspected(place)) continue;
    of_suspects[job.host(ring[place].front())] = ring[place];
    ask_two_trusted(place);
  }
  for (const Deviation& one : found.deviations) {
    const std::vector<int>& ranks = of_suspects[one.hosts.front()];
    if (one.where == Deviation::Where::within_host) pairs.push_back({ranks[0], ranks[1]});
    if (one.where == Deviation::Where::between_hosts) {
      pairs.push_back({ranks.front(), of_suspects[one.hosts.back()].front()});
    }
  }
  return in_rounds(pairs);
}

}  // namespace commgauge
