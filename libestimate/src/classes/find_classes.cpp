#include "commgauge/classes/find_classes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <utility>

#include "classes/deviations.hpp"
#include "classes/host_times.hpp"
#include "classes/partition.hpp"
#include "commgauge/base/error.hpp"
#include "commgauge/base/places.hpp"
#include "commgauge/base/statistics.hpp"

namespace commgauge {

namespace {

/// Ranks of a host that take so much longer with its first are further away, behind its socket.
constexpr double far_away = 1.25;

/// The hosts' kinds as a file has them.
std::vector<int> given_kinds(const Survey& survey, const HostTimes& hosts) {
  std::vector<std::vector<std::string>> of_hosts;
  for (const std::vector<int>& ranks : hosts.ranks) {
    std::vector<std::string>& kinds = of_hosts.emplace_back();
    for (const int rank : ranks) kinds.push_back(survey.kinds[at(rank)]);
  }
  return numbered(of_hosts);
}

/// Hosts of links that deviate are the only ones of their kind: their pair is a class then.
std::vector<int> with_own_kinds(const HostPartition& partition) {
  std::vector<int> kind_of = partition.kind_of;
  std::set<int> hosts;
  for (const auto& [i, j] : partition.outliers) {
    hosts.insert(i);
    hosts.insert(j);
  }
  int kinds = partition.kinds;
  for (const int host : hosts) kind_of[at(host)] = kinds++;
  return kind_of;
}

/// Whether each rank is far from the first of its host: 0 near, 1 far. By place on hosts of a kind,
/// so that one host's noise doesn't count. Nothing is far where hosts of a kind differ in ranks.
std::vector<int> distances(const HostTimes& hosts, const std::vector<int>& like) {
  const auto ranks = like.empty() ? 0 : hosts.ranks[at(like.front())].size();
  std::vector<int> far(ranks);
  if (ranks < 3) return far;
  if (std::ranges::any_of(like, [&](int host) { return hosts.ranks[at(host)].size() != ranks; })) {
    return far;
  }
  std::vector<std::pair<double, std::size_t>> times;
  for (std::size_t place = 1; place < ranks; ++place) {
    std::vector<double> of_hosts;
    for (const int host : like) of_hosts.push_back(hosts.star[0][at(host)][place]);
    times.emplace_back(median(of_hosts), place);
  }
  std::ranges::sort(times);
  double widest = far_away;
  std::size_t first_far = times.size();
  for (std::size_t k = 1; k < times.size(); ++k) {
    const double gap = times[k].first / times[k - 1].first;
    if (gap <= widest) continue;
    widest = gap;
    first_far = k;
  }
  // Two sides are each more alike than the two; noise alone has no sides.
  const double near_differ = times[first_far - 1].first / times.front().first;
  const double far_differ =
      first_far < times.size() ? times.back().first / times[first_far].first : 1;
  if (std::max(near_differ, far_differ) > widest) return far;
  for (std::size_t k = first_far; k < times.size(); ++k) far[times[k].second] = 1;
  return far;
}

/// As a file says of a host's ranks.
std::vector<int> given_sides(const Survey& survey, const std::vector<int>& ranks) {
  std::vector<std::string> kinds;
  for (const int rank : ranks) kinds.push_back(survey.kinds[at(rank)]);
  return numbered(kinds);
}

/// Numbers kinds of ranks in the order of the ranks.
class RankKinds {
 public:
  RankKinds(const Survey& survey, const HostTimes& hosts, const HostPartition& partition)
      : survey_{survey},
        hosts_{hosts},
        partition_{partition},
        own_{is_given() ? partition.kind_of : with_own_kinds(partition)} {
    for (const std::vector<int>& like : places_of_numbers(own_)) {
      if (is_given() && !like.empty()) {
        sides_.push_back(given_sides(survey, hosts.ranks[at(like.front())]));
      } else {
        sides_.push_back(distances(hosts, like));
      }
    }
  }

  [[nodiscard]] MachineClasses classes() {
    std::vector<PairClasses::Rank> ranks(hosts_.host_of.size());
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      const int host = hosts_.host_of[rank];
      const auto& there = hosts_.ranks[at(host)];
      const auto place = static_cast<std::size_t>(std::ranges::find(there, static_cast<int>(rank)) -
                                                  there.begin());
      ranks[rank] = {kind_of(rank, host, place), host};
    }
    const int kinds = static_cast<int>(found_.kinds.size());
    found_.pairs = std::make_shared<const PairClasses>(std::move(ranks), kinds);
    return std::move(found_);
  }

 private:
  [[nodiscard]] bool is_given() const { return !survey_.kinds.empty(); }

  [[nodiscard]] std::string name_of(std::size_t rank, int host, int side) const {
    if (is_given()) return survey_.kinds[rank];
    const std::vector<int>& sides = sides_[at(own_[at(host)])];
    const bool is_split = std::ranges::find(sides, 1) != sides.end();
    return hosts_.names[at(host)] + (!is_split ? "" : side == 0 ? ", near" : ", far");
  }

  int kind_of(std::size_t rank, int host, std::size_t place) {
    const int own = own_[at(host)];
    const std::vector<int>& sides = sides_[at(own)];
    const int side = place < sides.size() ? sides[place] : 0;
    const auto [known, is_new] =
        numbers_.emplace(std::pair(own, side), static_cast<int>(found_.kinds.size()));
    if (is_new) {
      const HostSpread spread = spread_of(hosts_, partition_, partition_.kind_of[at(host)]);
      found_.kinds.push_back({name_of(rank, host, side),
                              static_cast<int>(std::ranges::count(own_, own)), spread.fixed,
                              spread.per_byte});
    }
    return known->second;
  }

  const Survey& survey_;
  const HostTimes& hosts_;
  const HostPartition& partition_;
  std::vector<int> own_;                 ///< by host
  std::vector<std::vector<int>> sides_;  ///< by kind of host, by place
  std::map<std::pair<int, int>, int> numbers_;
  MachineClasses found_;
};

std::set<int> kinds_there(const HostTimes& hosts, const PairClasses& pairs, int host) {
  std::set<int> kinds;
  for (const int rank : hosts.ranks[at(host)]) kinds.insert(pairs.of(rank).kind);
  return kinds;
}

/// Kinds of a host's ranks, in order: hosts that have the same are alike.
std::map<std::vector<int>, std::vector<int>> hosts_by_kinds(const HostTimes& hosts,
                                                            const PairClasses& pairs) {
  std::map<std::vector<int>, std::vector<int>> found;
  for (int host = 0; host < hosts.hosts(); ++host) {
    const std::set<int> kinds = kinds_there(hosts, pairs, host);
    found[{kinds.begin(), kinds.end()}].push_back(host);
  }
  return found;
}

/// As many, spread evenly, the first among them.
std::vector<int> spread_out(const std::vector<int>& all, int count) {
  std::vector<int> chosen;
  const auto n = static_cast<int>(all.size());
  count = std::min(count, n);
  for (int k = 0; k < count; ++k) chosen.push_back(all[at(k * n / count)]);
  return chosen;
}

/// Of each kind so many ranks there, the first among them.
std::vector<int> ranks_of_sample(const std::vector<int>& ranks, const PairClasses& pairs,
                                 int each) {
  std::map<int, std::vector<int>> by_kind;
  for (const int rank : ranks) by_kind[pairs.of(rank).kind].push_back(rank);
  std::vector<int> chosen;
  for (const auto& [kind, there] : by_kind)
    std::ranges::copy(spread_out(there, each), std::back_inserter(chosen));
  return chosen;
}

/// Hosts of a kind: more where there are few kinds, so that a class has several pairs and three
/// ranks make a triple.
int hosts_of_sample(int kinds, bool has_one_rank) {
  const int hosts = kinds == 1 ? 4 : kinds == 2 ? 3 : 2;
  return has_one_rank ? 2 * hosts : hosts;
}

}  // namespace

MachineClasses find_classes(const Survey& survey) {
  const HostTimes hosts = by_hosts(survey);
  const HostPartition partition =
      survey.kinds.empty() ? partition_of(hosts) : partition_of(hosts, given_kinds(survey, hosts));
  MachineClasses classes = RankKinds(survey, hosts, partition).classes();
  classes.deviations = deviations_of(hosts, partition);
  classes.sample = survey.sample;
  classes.found = survey.kinds.empty() ? "placement and measurements" : "a file";
  return classes;
}

std::vector<int> choose_sample(const Survey& survey, const MachineClasses& classes) {
  const HostTimes hosts = by_hosts(survey);
  const auto kinds = hosts_by_kinds(hosts, *classes.pairs);
  const auto usual =
      std::ranges::count_if(kinds, [](const auto& kind) { return kind.second.size() > 1; });
  const int each = hosts.hosts() == 1 ? 4 : 2;
  std::vector<int> sample;
  for (const auto& [key, like] : kinds) {
    const bool has_one_rank = hosts.ranks[at(like.front())].size() == 1;
    for (const int host :
         spread_out(like, hosts_of_sample(static_cast<int>(usual), has_one_rank))) {
      std::ranges::copy(ranks_of_sample(hosts.ranks[at(host)], *classes.pairs, each),
                        std::back_inserter(sample));
    }
  }
  std::ranges::sort(sample);
  if (2 * sample.size() > survey.ranks.size() || sample.size() < 3) {
    sample.resize(survey.ranks.size());
    std::iota(sample.begin(), sample.end(), 0);
  }
  return sample;
}

ClassFactors class_factors(const Survey& survey, const MachineClasses& classes) {
  const HostTimes hosts = by_hosts(survey);
  const PairClasses& pairs = *classes.pairs;
  std::set<int> sampled;
  for (const int rank : survey.sample) sampled.insert(hosts.host_of[at(rank)]);
  struct Sums {
    double all{};
    double sampled{};
    int count{};
    int sampled_count{};
    void add(double value, bool is_sampled) {
      all += value;
      ++count;
      if (!is_sampled) return;
      sampled += value;
      ++sampled_count;
    }
    [[nodiscard]] double factor() const {
      if (sampled_count == 0 || !(sampled > 0) || !(all > 0)) return 1;
      return (all / count) / (sampled / sampled_count);
    }
  };
  std::vector<Sums> fixed(at(pairs.classes()));
  std::vector<Sums> per_byte(at(pairs.classes()));
  // By the hosts' first ranks, which speak for all of them.
  const auto add = [&](int i, int j, double empty, double large) {
    if (std::isnan(empty) || std::isnan(large)) return;
    const bool is_sampled = sampled.contains(i) && sampled.contains(j);
    for (const int from : kinds_there(hosts, pairs, i)) {
      for (const int to : kinds_there(hosts, pairs, j)) {
        const std::size_t one = at(pairs.class_of_kinds(from, to, i == j));
        fixed[one].add(empty, is_sampled);
        per_byte[one].add(large - empty, is_sampled);
      }
    }
  };
  for (int i = 0; i < hosts.hosts(); ++i) {
    add(i, i, hosts.within[0][at(i)], hosts.within[1][at(i)]);
    for (int j = 0; j < hosts.hosts(); ++j) {
      if (i != j) add(i, j, hosts.between[0](i, j), hosts.between[1](i, j));
    }
  }
  ClassFactors factors;
  for (const Sums& sums : fixed) factors.fixed.push_back(sums.factor());
  for (const Sums& sums : per_byte) factors.per_byte.push_back(sums.factor());
  return factors;
}

}  // namespace commgauge
