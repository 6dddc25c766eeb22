#include "commgauge/plan/host_plan.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

#include "commgauge/base/places.hpp"

namespace commgauge {

namespace {

using Ranks = std::vector<int>;

/// Of hosts that are alike, one rank of each in turn.
void deal(const std::vector<const Ranks*>& hosts, std::size_t most, Ranks& dealt) {
  for (std::size_t turn = 0; dealt.size() < most; ++turn) {
    const std::size_t before = dealt.size();
    for (const Ranks* ranks : hosts) {
      if (turn < ranks->size() && dealt.size() < most) dealt.push_back((*ranks)[turn]);
    }
    if (dealt.size() == before) return;
  }
}

/// Of the other hosts, the fastest first: of slower ones only when all ranks of faster ones are
/// there, for a message that gets the link last, and has a slow way besides, would be taken for it.
Ranks dealt(const std::vector<Ranks>& all, std::size_t host, const Matrix& times) {
  constexpr double alike = 1.1;
  const int own = all[host].front();
  const auto time = [&](const Ranks* ranks) {
    return times(own, ranks->front()) + times(ranks->front(), own);
  };
  std::vector<const Ranks*> others;
  for (const Ranks& ranks : all) {
    if (&ranks != &all[host]) others.push_back(&ranks);
  }
  std::ranges::stable_sort(others, {}, time);
  Ranks dealt;
  for (auto first = others.begin(); first != others.end();) {
    const auto last = std::find_if(first, others.end(),
                                   [&](const Ranks* r) { return time(r) > alike * time(*first); });
    deal({first, last}, all[host].size(), dealt);
    first = last;
  }
  return dealt;
}

/// 2, 4, 8 … and the most.
std::vector<std::size_t> steps_to(std::size_t most) {
  std::vector<std::size_t> steps;
  for (std::size_t k = 2; k < most; k *= 2) steps.push_back(k);
  steps.push_back(most);
  return steps;
}

std::vector<Experiment> at_once(const Ranks& senders, const Ranks& receivers,
                                std::span<const Bytes> sizes) {
  std::vector<Experiment> experiments;
  const std::size_t most = std::min(senders.size(), receivers.size());
  if (most < 2) return experiments;
  const auto first = [](const Ranks& ranks, std::size_t k) {
    return Ranks(ranks.begin(), ranks.begin() + static_cast<std::ptrdiff_t>(k));
  };
  for (const std::size_t k : steps_to(most)) {
    for (const Bytes size : sizes) {
      experiments.push_back(pairs_at_once(first(senders, k), first(receivers, k), size));
    }
  }
  return experiments;
}

/// Half of a host's ranks send to others, which send to its other half.
std::vector<Experiment> both_ways(const Ranks& own, const Ranks& others,
                                  std::span<const Bytes> sizes) {
  std::vector<Experiment> experiments;
  const std::size_t half = std::min(own.size(), others.size()) / 2;
  Ranks senders;
  Ranks receivers;
  for (std::size_t k = 0; k < half; ++k) {
    senders.insert(senders.end(), {own[k], others[half + k]});
    receivers.insert(receivers.end(), {others[k], own[half + k]});
  }
  for (const Bytes size : sizes) {
    if (half > 0) experiments.push_back(pairs_at_once(senders, receivers, size));
  }
  return experiments;
}

}  // namespace

std::vector<std::vector<int>> ranks_of_hosts(std::span<const std::string> hosts) {
  return places_of_numbers(numbered(hosts));
}

std::vector<std::vector<Experiment>> host_link_experiments(std::span<const std::string> hosts,
                                                           std::span<const Bytes> sizes,
                                                           const Matrix& times) {
  const std::vector<Ranks> all = ranks_of_hosts(hosts);
  std::vector<std::vector<Experiment>> groups;
  if (all.size() < 2) return groups;
  // Between two hosts one's way out is the other's way in.
  std::set<Experiment> known;
  const auto add = [&](std::vector<Experiment> group) {
    std::erase_if(group, [&](const Experiment& one) { return !known.insert(one).second; });
    if (!group.empty()) groups.push_back(std::move(group));
  };
  for (std::size_t host = 0; host < all.size(); ++host) {
    const Ranks& own = all[host];
    if (own.size() < 2) continue;
    const Ranks others = dealt(all, host, times);
    add(at_once(own, others, sizes));
    add(at_once(others, own, sizes));
    add(both_ways(own, others, sizes));
  }
  return groups;
}

std::vector<Experiment> memory_experiments(const std::vector<int>& ranks, int cores,
                                           std::span<const Bytes> sizes) {
  const std::size_t reach =
      cores > 0 ? std::min(ranks.size(), static_cast<std::size_t>(cores)) : ranks.size();
  const auto most = static_cast<std::ptrdiff_t>(reach / 2);
  const Ranks senders(ranks.begin(), ranks.begin() + most);
  const Ranks receivers(ranks.begin() + most, ranks.begin() + 2 * most);
  std::vector<Experiment> experiments = at_once(senders, receivers, sizes);
  if (experiments.empty()) return experiments;
  Ranks even;
  Ranks odd;
  for (std::ptrdiff_t k = 0; k < most; ++k) {
    even.push_back(ranks[static_cast<std::size_t>(2 * k)]);
    odd.push_back(ranks[static_cast<std::size_t>(2 * k + 1)]);
  }
  for (const Bytes size : sizes) experiments.push_back(pairs_at_once(even, odd, size));
  return experiments;
}

}  // namespace commgauge
