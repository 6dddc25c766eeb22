#include "commgauge/plan/sharing_plan.hpp"

#include <cstddef>
#include <numeric>

#include "commgauge/plan/host_plan.hpp"

namespace commgauge {

namespace {

using Ranks = std::vector<int>;

constexpr std::size_t most_pairs = 3;

/// One of each host, or all where there is one host only.
Ranks apart(int ranks, std::span<const std::string> hosts) {
  Ranks firsts;
  for (const Ranks& host : ranks_of_hosts(hosts)) firsts.push_back(host.front());
  if (firsts.size() > 1) return firsts;
  firsts.resize(static_cast<std::size_t>(ranks));
  std::iota(firsts.begin(), firsts.end(), 0);
  return firsts;
}

std::vector<Experiment> of_a_pair(int from, int to, std::span<const Bytes> sizes) {
  std::vector<Experiment> experiments;
  for (const Bytes size : sizes) {
    experiments.push_back(first_of_messages(from, to, 2, size));
    experiments.push_back(messages_at_once(from, to, 2, size));
  }
  return experiments;
}

}  // namespace

std::vector<std::vector<Experiment>> sharing_experiments(int ranks,
                                                         std::span<const std::string> hosts,
                                                         std::span<const Bytes> sizes) {
  std::vector<std::vector<Experiment>> groups;
  const Ranks all = apart(ranks, hosts);
  for (std::size_t k = 0; k + 1 < all.size() && groups.size() < most_pairs; k += 2) {
    groups.push_back(of_a_pair(all[k], all[k + 1], sizes));
  }
  return groups;
}

}  // namespace commgauge
