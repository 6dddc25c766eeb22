#include "plan/fabric_load.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "commgauge/base/index.hpp"

namespace commgauge {

namespace {

/// Messages under way and the links that each of them passes.
class SharedRates {
 public:
  /// @param same  rates that differ by less are taken for one
  SharedRates(std::span<const HostMessage> pairs, const Matrix& alone,
              std::span<const LoadedLink> links, double same)
      : links_{links}, same_{same}, passing_(links.size()), of_(pairs.size()) {
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
    for (std::size_t k = 0; k < of_.size(); ++k) {
      if (!grows[k] || !of_[k].empty()) continue;
      rates[k] = own_[k];  // nobody else matters to it
      grows[k] = false;
    }
    for (std::size_t link = 0; link < links_.size(); ++link)
      passing_[link] = {links_[link].rate, 0};
    for (std::size_t k = 0; k < of_.size(); ++k) {
      if (!grows[k]) continue;
      for (const std::size_t link : of_[k]) ++passing_[link].growing;
    }
    while (std::ranges::count(grows, true) > 0) {
      const double level = next_level(grows);
      for (std::size_t k = 0; k < of_.size(); ++k) {
        if (grows[k] && limit_of(k) <= level * (1 + same_)) full_.push_back(k);
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
  double same_;
  std::vector<Passed> passing_;
  std::vector<std::vector<std::size_t>> of_;  ///< links of each message
  std::vector<double> own_;
  std::vector<std::size_t> full_;
};

}  // namespace

bool LoadedLink::passes(const HostMessage& pair) const {
  const int from = side[at(pair.from)];
  const int to = side[at(pair.to)];
  if (passing == Passing::between) return from != to;
  return passing == Passing::out ? from == 1 && to != 1 : from != 1 && to == 1;
}

std::vector<double> times_at_once(std::span<const HostMessage> pairs, const Matrix& alone,
                                  std::span<const LoadedLink> links) {
  SharedRates shared(pairs, alone, links, 1e-9);
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

namespace {

/// Ends, and rates, that differ by less are taken for one: of hundreds of hosts few are left.
constexpr double nearly_same = 0.0005;
constexpr int most_sweeps = 20;
constexpr double rate_settled = 5e-4;  ///< a rate changes by less from sweep to sweep

/// Places of a round's messages, the first to end first.
std::vector<std::size_t> by_end(const LoadRound& round) {
  std::vector<std::size_t> order(round.pairs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t k) { return round.times[k]; });
  return order;
}

double mean_rate_shown(const ShownLink& shown, const Matrix& alone,
                       std::span<const LoadedLink> others) {
  double sum = 0;
  for (const LoadRound& round : shown.rounds) {
    sum += 1 / rate_shown(shown.link, round, alone, others);
  }
  return static_cast<double>(shown.rounds.size()) / sum;
}

}  // namespace

double rate_shown(const LoadedLink& link, const LoadRound& round, const Matrix& alone,
                  std::span<const LoadedLink> others) {
  const std::vector<std::size_t> order = by_end(round);
  SharedRates shared(round.pairs, alone, others, nearly_same);
  std::vector<bool> under_way(order.size(), false);
  std::vector<double> to_send(order.size());  // after the time that is looked at; of a message 1
  double most = 0;
  for (std::size_t left = order.size(); left > 0;) {
    const double until = round.times[order[left - 1]];
    double sent = 0;
    for (std::size_t k = 0; k < order.size(); ++k) {
      if (link.passes(round.pairs[k])) sent += std::max(0.0, 1 - to_send[k]);
    }
    most = std::max(most, sent / until);
    while (left > 0 && round.times[order[left - 1]] >= until * (1 - nearly_same)) {
      under_way[order[--left]] = true;
    }
    if (left == 0) break;
    const double before = until - round.times[order[left - 1]];
    const std::vector<double> rates = shared.of(under_way);
    for (std::size_t k = 0; k < order.size(); ++k) to_send[k] += rates[k] * before;
  }
  return most;
}

std::vector<LoadedLink> without(std::span<const LoadedLink> links, std::size_t left_out) {
  std::vector<LoadedLink> others(links.begin(), links.end());
  others.erase(others.begin() + static_cast<std::ptrdiff_t>(left_out));
  return others;
}

std::optional<std::vector<LoadedLink>> with_rates_shown(std::span<const ShownLink> shown,
                                                        const Matrix& alone) {
  std::vector<LoadedLink> links;
  for (const ShownLink& one : shown) {
    links.push_back(one.link);
    links.back().rate = mean_rate_shown(one, alone, {});
  }
  double change = 1;
  for (int sweep = 0; sweep < most_sweeps && change > rate_settled; ++sweep) {
    change = 0;
    for (std::size_t k = 0; k < links.size(); ++k) {
      const double rate = mean_rate_shown(shown[k], alone, without(links, k));
      change = std::max(change, std::abs(rate / links[k].rate - 1));
      links[k].rate = rate;
    }
  }
  if (change > rate_settled) return std::nullopt;
  return links;
}

}  // namespace commgauge
