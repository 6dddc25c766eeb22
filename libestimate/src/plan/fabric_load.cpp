#include "plan/fabric_load.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "commgauge/base/index.hpp"
#include "commgauge/base/statistics.hpp"

namespace commgauge {

namespace {

/// Messages under way and the links that each of them passes.
class SharedRates {
 public:
  SharedRates(std::span<const HostMessage> pairs, const Matrix& alone,
              std::span<const LoadedLink> links)
      : links_{links}, passing_(links.size()), of_(pairs.size()) {
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      own_.push_back(1 / alone(pairs[k].from, pairs[k].to));
      for (std::size_t link = 0; link < links.size(); ++link) {
        if (links[link].passes(pairs[k])) of_[k].push_back(link);
      }
    }
  }

  /// Grows all rates alike; those that meet a limit stay as they are.
  /// @return of each message; 0 of those that are not under way
  [[nodiscard]] std::vector<double> of(const std::vector<bool>& under_way) {
    std::vector<double> rates(own_.size());
    std::vector<bool> grows = under_way;
    for (std::size_t link = 0; link < links_.size(); ++link)
      passing_[link] = {links_[link].rate, 0};
    for (std::size_t k = 0; k < of_.size(); ++k) {
      if (!grows[k]) continue;
      for (const std::size_t link : of_[k]) ++passing_[link].growing;
    }
    while (std::ranges::count(grows, true) > 0) {
      const double level = next_level(grows);
      for (std::size_t k = 0; k < of_.size(); ++k) {
        if (grows[k] && limit_of(k) <= level * (1 + 1e-9)) full_.push_back(k);
      }
      for (const std::size_t k : full_) {
        rates[k] = level;
        grows[k] = false;
        for (const std::size_t link : of_[k]) {
          --passing_[link].growing;
          passing_[link].left -= level;
        }
      }
      full_.clear();
    }
    return rates;
  }

 private:
  struct Passed {
    double left{};
    int growing{};
  };

  [[nodiscard]] double limit_of(std::size_t k) const {
    double limit = own_[k];
    for (const std::size_t link : of_[k]) {
      limit = std::min(limit, passing_[link].left / passing_[link].growing);
    }
    return limit;
  }

  [[nodiscard]] double next_level(const std::vector<bool>& grows) const {
    double level = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < of_.size(); ++k) {
      if (grows[k]) level = std::min(level, limit_of(k));
    }
    return level;
  }

  std::span<const LoadedLink> links_;
  std::vector<Passed> passing_;
  std::vector<std::vector<std::size_t>> of_;  ///< links of each message
  std::vector<double> own_;
  std::vector<std::size_t> full_;
};

/// Messages that share a link until they end do so together: of those that end nearly last, one
/// that is off the others by more than noise takes their median.
std::vector<double> without_outliers(std::span<const double> measured) {
  constexpr double nearly = 1.1;
  constexpr double noise = 0.02;
  std::vector<double> times(measured.begin(), measured.end());
  std::vector<double> last;
  const double end = times.empty() ? 0 : std::ranges::max(times);
  std::ranges::copy_if(times, std::back_inserter(last), [&](double t) { return t * nearly > end; });
  if (last.size() < 3) return times;
  const double middle = median(last);
  for (double& time : times) {
    if (time * nearly > end && std::abs(time / middle - 1) > noise) time = middle;
  }
  return times;
}

}  // namespace

bool LoadedLink::passes(const HostMessage& pair) const {
  const int from = side[at(pair.from)];
  const int to = side[at(pair.to)];
  if (passing == Passing::between) return from != to;
  return passing == Passing::out ? from == 1 && to != 1 : from != 1 && to == 1;
}

std::vector<double> times_at_once(std::span<const HostMessage> pairs, const Matrix& alone,
                                  std::span<const LoadedLink> links) {
  SharedRates shared(pairs, alone, links);
  std::vector<double> left(pairs.size(), 1);
  std::vector<double> times(pairs.size());
  std::vector<bool> under_way(pairs.size(), true);
  double now = 0;
  while (std::ranges::count(under_way, true) > 0) {
    const auto rates = shared.of(under_way);
    double step = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      if (under_way[k]) step = std::min(step, left[k] / rates[k]);
    }
    now += step;
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      if (!under_way[k]) continue;
      left[k] -= rates[k] * step;
      if (left[k] > 1e-9) continue;
      times[k] = now;
      under_way[k] = false;
    }
  }
  return times;
}

double rate_shown(std::span<const double> measured, std::span<const double> alone) {
  const auto times = without_outliers(measured);
  double most = 0;
  for (const double until : times) {
    double bytes = 0;
    for (std::size_t k = 0; k < times.size(); ++k) {
      bytes += 1 - std::min(1.0, std::max(0.0, times[k] - until) / alone[k]);
    }
    most = std::max(most, bytes / until);
  }
  return most;
}

}  // namespace commgauge
