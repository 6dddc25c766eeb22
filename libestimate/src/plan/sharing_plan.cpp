#include "commgauge/plan/sharing_plan.hpp"

#include <cstddef>
#include <numeric>

#include "commgauge/plan/host_plan.hpp"

namespace commgauge {

namespace {

using Ranks = std::vector<int>;

/// Of pairs, and of three ranks each.
constexpr std::size_t most_meetings = 3;

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

/// Two senders to the root, and from the root to both.
std::vector<Experiment> of_three(const Ranks& peers, int root, std::span<const Bytes> sizes) {
  std::vector<Experiment> experiments;
  for (const Bytes size : sizes) {
    for (const Kind kind : {Kind::first_of_messages, Kind::messages_at_once}) {
      experiments.push_back(meeting_of_senders(kind, peers, root, size));
      experiments.push_back(meeting_of_receivers(kind, root, peers, size));
    }
  }
  return experiments;
}

}  // namespace

std::vector<std::vector<Experiment>> sharing_experiments(int ranks,
                                                         std::span<const std::string> hosts,
                                                         std::span<const Bytes> sizes) {
  std::vector<std::vector<Experiment>> groups;
  const Ranks all = apart(ranks, hosts);
  for (std::size_t k = 0; k + 1 < all.size() && groups.size() < most_meetings; k += 2) {
    groups.push_back(of_a_pair(all[k], all[k + 1], sizes));
  }
  for (std::size_t k = 0; k + 2 < all.size() && k / 3 < most_meetings; k += 3) {
    groups.push_back(of_three({all[k], all[k + 1]}, all[k + 2], sizes));
  }
  return groups;
}

}  // namespace commgauge
