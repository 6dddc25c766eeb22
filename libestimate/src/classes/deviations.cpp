#include "classes/deviations.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "commgauge/base/places.hpp"
#include "commgauge/base/statistics.hpp"
#include "commgauge/base/unknown_value.hpp"

namespace commgauge {

namespace {

constexpr double deviations_confidence = 0.95;

/// Mean of both ways; what each byte adds, or an empty message.
double time_between(const HostTimes& hosts, int i, int j, bool per_byte) {
  const auto mean = [&](std::size_t layer) {
    return (hosts.between[layer](i, j) + hosts.between[layer](j, i)) / 2;
  };
  return per_byte ? mean(1) - mean(0) : mean(0);
}

double time_within(const HostTimes& hosts, int host, bool per_byte) {
  const double empty = hosts.within[0][at(host)];
  return per_byte ? hosts.within[1][at(host)] - empty : empty;
}

Estimate estimate_of(std::vector<double> ratios) {
  std::erase_if(ratios, [](double ratio) { return !(ratio > 0) || !std::isfinite(ratio); });
  if (ratios.empty()) return {unknown_value, unknown_value, unknown_value};
  if (ratios.size() == 1) return {ratios.front(), unknown_value, unknown_value};
  const LocationInterval found = median_interval(ratios, deviations_confidence);
  return {found.value, std::max(0.0, found.low), found.high};
}

class Comparing {
 public:
  Comparing(const HostTimes& hosts, const HostPartition& partition)
      : hosts_{hosts}, partition_{partition}, exceptional_{exceptions(partition)} {}

  [[nodiscard]] bool is_exceptional(int host) const {
    return exceptional_[at(partition_.kind_of[at(host)])];
  }

  /// With each usual host, the exceptional one against those of the usual kind nearest to it.
  [[nodiscard]] Deviation of_host(int host) const {
    const int like = nearest_kind(host);
    return {Deviation::Where::host,
            {hosts_.names[at(host)]},
            estimate_of(ratios(host, like, false)),
            estimate_of(ratios(host, like, true))};
  }

  [[nodiscard]] Deviation of_link(int i, int j) const {
    const auto ratio = [&](bool per_byte) {
      std::vector<double> others;
      for (int a = 0; a < hosts_.hosts(); ++a) {
        for (int b = 0; b < hosts_.hosts(); ++b) {
          const bool is_of_class = a != b && kind(a) == kind(i) && kind(b) == kind(j) &&
                                   std::minmax(a, b) != std::minmax(i, j) && !is_outlier(a, b);
          if (is_of_class) others.push_back(time_between(hosts_, a, b, per_byte));
        }
      }
      return against(time_between(hosts_, i, j, per_byte), others);
    };
    return {Deviation::Where::between_hosts,
            {hosts_.names[at(i)], hosts_.names[at(j)]},
            ratio(false),
            ratio(true)};
  }

  [[nodiscard]] Deviation of_inside(int host) const {
    const auto ratio = [&](bool per_byte) {
      std::vector<double> others;
      for (int other = 0; other < hosts_.hosts(); ++other) {
        if (other == host || kind(other) != kind(host) || is_outlier(other, other)) continue;
        others.push_back(time_within(hosts_, other, per_byte));
      }
      return against(time_within(hosts_, host, per_byte), others);
    };
    return {Deviation::Where::within_host, {hosts_.names[at(host)]}, ratio(false), ratio(true)};
  }

 private:
  [[nodiscard]] int kind(int host) const { return partition_.kind_of[at(host)]; }

  [[nodiscard]] bool is_outlier(int a, int b) const {
    return std::ranges::find(partition_.outliers, HostPair(std::minmax(a, b))) !=
           partition_.outliers.end();
  }

  /// How it does against each of the others.
  static Estimate against(double time, std::vector<double> others) {
    for (double& other : others) other = time / other;
    return estimate_of(std::move(others));
  }

  /// With each usual host k: time with `host` / the usual time of the kind with k.
  [[nodiscard]] std::vector<double> ratios(int host, int like, bool per_byte) const {
    std::vector<double> found;
    for (int k = 0; k < hosts_.hosts(); ++k) {
      if (k == host || is_exceptional(k) || is_outlier(host, k)) continue;
      std::vector<double> usual;
      for (int other = 0; other < hosts_.hosts(); ++other) {
        if (other == k || kind(other) != like || is_outlier(other, k)) continue;
        usual.push_back(time_between(hosts_, other, k, per_byte));
      }
      if (!usual.empty()) found.push_back(time_between(hosts_, host, k, per_byte) / median(usual));
    }
    return found;
  }

  [[nodiscard]] int nearest_kind(int host) const {
    int nearest = 0;
    double least = std::numeric_limits<double>::infinity();
    for (int candidate = 0; candidate < partition_.kinds; ++candidate) {
      if (exceptional_[at(candidate)]) continue;
      // Behind another switch the ratios differ from peer to peer: the nearest is the most even.
      double apart = 0;
      for (const bool per_byte : {false, true}) {
        std::vector<double> all = ratios(host, candidate, per_byte);
        std::erase_if(all, [](double ratio) { return !(ratio > 0); });
        if (all.empty()) continue;
        const auto [low, high] = std::ranges::minmax_element(all);
        apart += std::log(*high / *low) + 1e-3 * std::abs(std::log(median(all)));
      }
      if (apart >= least) continue;
      least = apart;
      nearest = candidate;
    }
    return nearest;
  }

  const HostTimes& hosts_;
  const HostPartition& partition_;
  std::vector<bool> exceptional_;
};

}  // namespace

std::vector<bool> exceptions(const HostPartition& partition) {
  std::vector<int> sizes(at(partition.kinds));
  for (const int kind : partition.kind_of) ++sizes[at(kind)];
  const int largest = sizes.empty() ? 0 : std::ranges::max(sizes);
  const int few = std::max(1, static_cast<int>(partition.kind_of.size()) / 16);
  std::vector<bool> exceptional;
  for (const int size : sizes) exceptional.push_back(size <= few && size < largest);
  return exceptional;
}

std::vector<Deviation> deviations_of(const HostTimes& hosts, const HostPartition& partition) {
  const Comparing comparing(hosts, partition);
  std::vector<Deviation> found;
  for (int host = 0; host < hosts.hosts(); ++host) {
    if (comparing.is_exceptional(host)) found.push_back(comparing.of_host(host));
  }
  for (const auto& [i, j] : partition.outliers) {
    found.push_back(i == j ? comparing.of_inside(i) : comparing.of_link(i, j));
  }
  return found;
}

HostSpread spread_of(const HostTimes& hosts, const HostPartition& partition, int kind) {
  const auto sd = [&](bool per_byte) {
    std::vector<double> effects;
    for (int i = 0; i < hosts.hosts(); ++i) {
      if (partition.kind_of[at(i)] != kind) continue;
      double sum = 0;
      int count = 0;
      for (int k = 0; k < hosts.hosts(); ++k) {
        if (k == i || partition.kind_of[at(k)] != kind) continue;
        if (std::ranges::find(partition.outliers, HostPair(std::minmax(i, k))) !=
            partition.outliers.end()) {
          continue;
        }
        sum += std::log(time_between(hosts, i, k, per_byte));
        ++count;
      }
      if (count > 0) effects.push_back(sum / count);
    }
    // A host's own part shows in the mean over its m partners with (m − 1)/m of it.
    const auto n = static_cast<double>(effects.size());
    if (effects.size() < 3) return unknown_value;
    double mean = 0;
    for (const double effect : effects) mean += effect / n;
    double squares = 0;
    for (const double effect : effects) squares += (effect - mean) * (effect - mean);
    return std::sqrt(squares / (n - 1)) * (n - 1) / (n - 2);
  };
  return {sd(false), sd(true)};
}

}  // namespace commgauge
