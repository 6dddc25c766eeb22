#include "classes/partition.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "commgauge/base/places.hpp"
#include "commgauge/base/statistics.hpp"
#include "commgauge/model/machine_classes.hpp"

namespace commgauge {

namespace {

constexpr double noises = 4;
constexpr int all_ways_up_to = 8;  ///< hosts: 4 140 ways
// What an explanation costs. A kind more explains what two links do; links that are too fast are
// less likely than slow ones.
constexpr double kind_cost = 1.5;
constexpr double slow_cost = 1;
constexpr double fast_cost = 2;

/// What half of the values are up to.
double lower_median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// Logarithms of times that are to be alike, and of which hosts they are.
struct Class {
  std::size_t layer;
  std::vector<std::pair<HostPair, double>> times;
};

class Judge {
 public:
  explicit Judge(const HostTimes& hosts) : hosts_{hosts}, tolerances_{tolerances_of(hosts)} {}

  /// What doesn't fit, and the cost of the explanation.
  [[nodiscard]] double cost(const std::vector<int>& kind_of, int kinds,
                            std::vector<HostPair>* outliers = nullptr) const {
    std::map<HostPair, double> accused;
    for (const auto& [key, one] : classes_of(kind_of)) accuse(one, accused);
    double sum = kind_cost * (kinds - 1);
    for (const auto& [pair, cost] : accused) {
      sum += cost;
      if (outliers) outliers->push_back(pair);
    }
    return sum;
  }

  /// How unlike two hosts are to the others and inside, in tolerances.
  [[nodiscard]] double distance(int i, int j) const {
    double largest = 0;
    for (std::size_t layer = 0; layer < 2; ++layer) {
      std::vector<double> apart;
      const Matrix& times = hosts_.between[layer];
      for (int k = 0; k < hosts_.hosts(); ++k) {
        if (k == i || k == j) continue;
        apart.push_back(std::abs(std::log(times(i, k) / times(j, k))));
        apart.push_back(std::abs(std::log(times(k, i) / times(k, j))));
      }
      if (!apart.empty()) largest = std::max(largest, median(apart) / tolerances_[layer]);
      const auto& within = hosts_.within[layer];
      const double inside = std::abs(std::log(within[at(i)] / within[at(j)]));
      if (inside > largest * tolerances_[layer]) largest = inside / tolerances_[layer];
    }
    return largest;
  }

 private:
  using Key = std::array<int, 4>;  ///< layer, kinds, whether it is inside hosts

  [[nodiscard]] std::map<Key, Class> classes_of(const std::vector<int>& kind_of) const {
    std::map<Key, Class> all;
    for (std::size_t layer = 0; layer < 2; ++layer) {
      const auto add = [&](int from, int to, double time, bool inside) {
        const Key key{static_cast<int>(layer), kind_of[at(from)], kind_of[at(to)], inside};
        Class& one = all[key];
        one.layer = layer;
        one.times.emplace_back(std::minmax(from, to), std::log(time));
      };
      for (int i = 0; i < hosts_.hosts(); ++i) {
        if (!std::isnan(hosts_.within[layer][at(i)])) add(i, i, hosts_.within[layer][at(i)], true);
        for (int j = 0; j < hosts_.hosts(); ++j) {
          if (i != j) add(i, j, hosts_.between[layer](i, j), false);
        }
      }
    }
    return all;
  }

  void accuse(const Class& one, std::map<HostPair, double>& accused) const {
    std::vector<double> times;
    for (const auto& [pair, time] : one.times) times.push_back(time);
    const double usual = lower_median(std::move(times));
    for (const auto& [pair, time] : one.times) {
      if (std::abs(time - usual) <= tolerances_[one.layer]) continue;
      double& cost = accused[pair];
      cost = std::max(cost, time > usual ? slow_cost : fast_cost);
    }
  }

  const HostTimes& hosts_;
  Tolerances tolerances_;
};

/// Calls visit(kind_of, kinds) for every way to put hosts into kinds.
template <class Visit>
void for_each_way(std::vector<int>& kind_of, std::size_t host, int kinds, Visit&& visit) {
  if (host == kind_of.size()) {
    visit(kind_of, kinds);
    return;
  }
  for (int kind = 0; kind <= kinds; ++kind) {
    kind_of[host] = kind;
    for_each_way(kind_of, host + 1, std::max(kinds, kind + 1), visit);
  }
}

HostPartition cheapest(const Judge& judge, int hosts) {
  HostPartition best;
  double least = std::numeric_limits<double>::infinity();
  std::vector<int> kind_of(at(hosts));
  for_each_way(kind_of, 0, 0, [&](const std::vector<int>& way, int kinds) {
    if (kind_cost * (kinds - 1) >= least) return;
    const double cost = judge.cost(way, kinds);
    if (cost >= least) return;
    least = cost;
    best = {way, kinds, {}};
  });
  return best;
}

/// Each host to the first that it is like.
HostPartition by_likeness(const Judge& judge, int hosts) {
  HostPartition found;
  std::vector<int> first_of;
  for (int host = 0; host < hosts; ++host) {
    const auto like =
        std::ranges::find_if(first_of, [&](int first) { return judge.distance(first, host) <= 1; });
    found.kind_of.push_back(static_cast<int>(like - first_of.begin()));
    if (like == first_of.end()) first_of.push_back(host);
  }
  found.kinds = static_cast<int>(first_of.size());
  return found;
}

}  // namespace

Tolerances tolerances_of(const HostTimes& hosts) {
  Tolerances tolerances{};
  for (std::size_t layer = 0; layer < 2; ++layer) {
    std::vector<double> there_and_back;
    for (int i = 0; i < hosts.hosts(); ++i) {
      for (int j = i + 1; j < hosts.hosts(); ++j) {
        there_and_back.push_back(
            std::abs(std::log(hosts.between[layer](i, j) / hosts.between[layer](j, i))));
      }
    }
    // The median of |x − y| of two normal values is 0.954 of their standard deviation.
    const double noise = there_and_back.empty() ? 0 : median(there_and_back) / 0.954;
    tolerances[layer] = std::log1p(alike_within) + noises * noise;
  }
  return tolerances;
}

HostPartition partition_of(const HostTimes& hosts) {
  const Judge judge(hosts);
  HostPartition found = hosts.hosts() <= all_ways_up_to ? cheapest(judge, hosts.hosts())
                                                        : by_likeness(judge, hosts.hosts());
  return partition_of(hosts, std::move(found.kind_of));
}

HostPartition partition_of(const HostTimes& hosts, std::vector<int> kind_of) {
  HostPartition found{std::move(kind_of), 0, {}};
  for (const int kind : found.kind_of) found.kinds = std::max(found.kinds, kind + 1);
  (void)Judge(hosts).cost(found.kind_of, found.kinds, &found.outliers);
  return found;
}

}  // namespace commgauge
