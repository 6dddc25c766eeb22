#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "commgauge/base/places.hpp"
#include "commgauge/base/statistics.hpp"
#include "commgauge/base/text.hpp"
#include "commgauge/base/unknown_value.hpp"
#include "commgauge/model/spread.hpp"
#include "fit/additive/solver.hpp"
#include "fit/estimators.hpp"
#include "fit/fitted.hpp"

namespace commgauge {

namespace {

/// A fan's slope must exceed its slowest pair's by this factor, and by more than its uncertainty,
/// to say that the root is the limit.
constexpr double clearly = 1.1;
/// A pair's slope must exceed both its ranks' gaps in the same way to say that the link is.
constexpr double link_clearly = 1.1;

/// Rows of one concurrent experiment at several sizes.
struct Fan {
  int root{};
  std::vector<int> peers;
  bool out{};  ///< one-to-k; else k-to-one
  std::vector<std::size_t> rows;
  std::vector<double> sizes;
};

std::vector<Fan> collect_fans(const TimeTable& table) {
  std::map<std::tuple<bool, int, std::vector<int>>, Fan> fans;
  for (std::size_t row = 0; row < table.experiments().size(); ++row) {
    const Experiment& e = table.experiments()[row];
    const bool out = e.kind == Kind::one_to_k_concurrent;
    if (e.check || (!out && e.kind != Kind::k_to_one_concurrent)) continue;
    Fan& fan = fans[{out, e.root, e.peers}];
    fan.root = e.root;
    fan.peers = e.peers;
    fan.out = out;
    fan.rows.push_back(row);
    fan.sizes.push_back(static_cast<double>((out ? e.out : e.back).value));
  }
  std::vector<Fan> result;
  for (auto& [key, fan] : fans) {
    if (fan.rows.size() >= 2) result.push_back(std::move(fan));
  }
  return result;
}

class BottleneckFit {
 public:
  explicit BottleneckFit(const TimeTable& table)
      : table_{table}, fans_{collect_fans(table)}, empty_{table, Bytes{0}} {
    for (const double time : table.times()) weights_.push_back(1 / (time * time));
    for (const Fan& fan : fans_) {
      for (const double size : fan.sizes) {
        first_ = first_ == 0 ? size : std::min(first_, size);
        last_ = std::max(last_, size);
      }
    }
    sweeps_ = pair_sweeps(table, [&](Bytes size) {
      const auto m = static_cast<double>(size.value);
      return m >= first_ && m <= last_;
    });
    used_ = empty_.used();
    for (const Fan& fan : fans_) used_.insert(used_.end(), fan.rows.begin(), fan.rows.end());
    for (const PairSweep& s : sweeps_) used_.insert(used_.end(), s.rows.begin(), s.rows.end());
    if (undetermined().empty()) choose();
  }

  [[nodiscard]] std::string undetermined() const {
    if (!empty_.undetermined().empty()) return empty_.undetermined();
    if (fans_.empty()) return "there are no concurrent one-to-k and k-to-one experiments";
    for (int i = 0; i < table_.ranks(); ++i) {
      for (int j = 0; j < table_.ranks(); ++j) {
        if (i != j && sweep(i, j).rows.size() < 2) {
          return "ranks " + std::to_string(table_.machine_rank(i)) + " and " +
                 std::to_string(table_.machine_rank(j)) + " lack round trips at two large sizes";
        }
      }
    }
    return {};
  }

  [[nodiscard]] std::span<const std::size_t> used() const { return used_; }
  [[nodiscard]] Bytes first() const { return {static_cast<std::uint64_t>(first_)}; }
  [[nodiscard]] Bytes last() const { return {static_cast<std::uint64_t>(last_)}; }

  [[nodiscard]] Solution<BottleneckParameters> solve(std::span<const double> times) const {
    const int n = table_.ranks();
    const auto fixed = empty_.solve(times);
    BottleneckParameters p{fixed.root_cost, {}, {}, Matrix(n), Matrix(n), Matrix(n)};
    for_each_pair([&](int i, int j) {
      const Line line = fit(sweep(i, j).rows, sweep(i, j).sizes, times);
      p.L(i, j) = line.intercept - fixed.round_trip(i, j) / 2 - p.C[at(i)] - p.C[at(j)];
      p.g(i, j) = line.slope;
    });
    BottleneckParameters bound = p;
    rank_gaps(p.g, times, p, bound);
    for_each_pair([&](int i, int j) {
      p.inverse_beta(i, j) = link_limits_[at(i) * at(n) + at(j)] ? p.g(i, j) : unknown_value;
      bound.inverse_beta(i, j) = p.g(i, j);
    });
    return {std::move(p), std::move(bound)};
  }

  /// Pairs against their lines, fans against k·s and the slowest pair.
  [[nodiscard]] double residual(const BottleneckParameters& p) const {
    double squares = 0;
    long count = 0;
    const auto add = [&](double observed, double fitted) {
      squares += (observed - fitted) * (observed - fitted) / (observed * observed);
      ++count;
    };
    const Matrix empty = round_trips(table_, Bytes{0}, table_.times());
    for_each_pair([&](int i, int j) {
      const double alpha = p.C[at(i)] + p.L(i, j) + p.C[at(j)];
      for (std::size_t k = 0; k < sweep(i, j).rows.size(); ++k) {
        add(table_.times()[sweep(i, j).rows[k]],
            alpha + empty(i, j) / 2 + p.g(i, j) * sweep(i, j).sizes[k]);
      }
    });
    for (const Fan& fan : fans_) {
      const double own = (fan.out ? p.s : p.r)[at(fan.root)];
      const double k = static_cast<double>(fan.peers.size());
      const double slowest = slowest_pair(fan, p.g);
      add(fit(fan.rows, fan.sizes, table_.times()).slope,
          std::isnan(own) ? slowest : std::max(k * own, slowest));
    }
    const long n = table_.ranks();
    return residual_of(squares, count, 2 * n * (n - 1) + 2 * n);
  }

 private:
  [[nodiscard]] const PairSweep& sweep(int i, int j) const {
    return sweeps_[at(i) * at(table_.ranks()) + at(j)];
  }

  template <class Use>
  void for_each_pair(Use&& use) const {
    for (int i = 0; i < table_.ranks(); ++i) {
      for (int j = 0; j < table_.ranks(); ++j) {
        if (i != j) use(i, j);
      }
    }
  }

  [[nodiscard]] Line fit(const std::vector<std::size_t>& rows, const std::vector<double>& sizes,
                         std::span<const double> times) const {
    std::vector<double> y;
    std::vector<double> w;
    for (const std::size_t row : rows) {
      y.push_back(times[row]);
      w.push_back(weights_[row]);
    }
    return fit_line(sizes, y, w);
  }

  [[nodiscard]] static double slowest_pair(const Fan& fan, const Matrix& g) {
    double slowest = 0;
    for (const int peer : fan.peers) {
      slowest = std::max(slowest, fan.out ? g(fan.root, peer) : g(peer, fan.root));
    }
    return slowest;
  }

  /// s and r: slope/k of the fan kept among those that the root limits; else NaN and a bound.
  void rank_gaps(const Matrix& g, std::span<const double> times, BottleneckParameters& p,
                 BottleneckParameters& bound) const {
    const int n = table_.ranks();
    for (const bool out : {true, false}) {
      std::vector<double> value(at(n), unknown_value);
      std::vector<double> least(at(n), std::numeric_limits<double>::infinity());
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
          if (i != j) least[at(i)] = std::min(least[at(i)], out ? g(i, j) : g(j, i));
        }
      }
      for (std::size_t f = 0; f < fans_.size(); ++f) {
        if (fans_[f].out != out) continue;
        const double share = fit(fans_[f].rows, fans_[f].sizes, times).slope /
                             static_cast<double>(fans_[f].peers.size());
        const std::size_t root = at(fans_[f].root);
        least[root] = std::min(least[root], share);
        if (!root_limits_.empty() && root_limits_[f]) value[root] = share;
      }
      (out ? p.s : p.r) = value;
      (out ? bound.s : bound.r) = least;
    }
  }

  [[nodiscard]] Matrix pair_slopes(std::span<const double> times) const {
    Matrix g(table_.ranks());
    for_each_pair(
        [&](int i, int j) { g(i, j) = fit(sweep(i, j).rows, sweep(i, j).sizes, times).slope; });
    return g;
  }

  /// By how much each fan's slope exceeds what its slowest pair explains [s/byte].
  [[nodiscard]] std::vector<double> fan_margins(std::span<const double> times) const {
    const Matrix g = pair_slopes(times);
    std::vector<double> margins;
    for (const Fan& fan : fans_) {
      margins.push_back(fit(fan.rows, fan.sizes, times).slope - clearly * slowest_pair(fan, g));
    }
    return margins;
  }

  /// By how much each pair's slope exceeds what its two ranks explain [s/byte].
  [[nodiscard]] std::vector<double> link_margins(std::span<const double> times) const {
    const Matrix g = pair_slopes(times);
    BottleneckParameters p;
    BottleneckParameters bound;
    rank_gaps(g, times, p, bound);
    std::vector<double> margins(at(table_.ranks()) * at(table_.ranks()), 0.0);
    for_each_pair([&](int i, int j) {
      const double s = std::isnan(p.s[at(i)]) ? bound.s[at(i)] : p.s[at(i)];
      const double r = std::isnan(p.r[at(j)]) ? bound.r[at(j)] : p.r[at(j)];
      margins[at(i * table_.ranks() + j)] = g(i, j) - link_clearly * std::max(s, r);
    });
    return margins;
  }

  /// Which of the numbers are above zero beyond doubt. @param compute  times → numbers.
  template <class Compute>
  [[nodiscard]] std::vector<bool> surely_positive(const Replicates& replicates,
                                                  Compute&& compute) const {
    std::vector<std::vector<double>> replicated;
    for (const std::span<const double> times : replicates.times) {
      replicated.push_back(compute(times));
    }
    const SpreadRule spread_of(replicates.kind, replicated.size(), table_.confidence());
    std::vector<bool> sure;
    std::vector<double> column(replicated.size());
    const std::vector<double> central = compute(table_.times());
    for (std::size_t i = 0; i < central.size(); ++i) {
      for (std::size_t r = 0; r < replicated.size(); ++r) column[r] = replicated[r][i];
      sure.push_back(central[i] > spread_of(column).mean_half_width);
    }
    return sure;
  }

  /// Of the fans that their root limits keeps the narrowest for each root and direction: the more
  /// streams share a queue, the worse they share it, and the further is slope/k above s (or r).
  void keep_narrowest_fans() {
    std::map<std::pair<bool, int>, std::size_t> narrowest;
    for (std::size_t f = 0; f < fans_.size(); ++f) {
      if (!root_limits_[f]) continue;
      const auto [place, is_new] = narrowest.try_emplace({fans_[f].out, fans_[f].root}, f);
      if (fans_[f].peers.size() < fans_[place->second].peers.size()) place->second = f;
    }
    for (std::size_t f = 0; f < fans_.size(); ++f) {
      root_limits_[f] = root_limits_[f] && narrowest.at({fans_[f].out, fans_[f].root}) == f;
    }
  }

  /// Decides once, for all replicates, which fans their root limits and which pairs their link.
  void choose() {
    const Replicates replicates = table_.replicates(used_);
    root_limits_ = surely_positive(
        replicates, [&](std::span<const double> times) { return fan_margins(times); });
    keep_narrowest_fans();
    link_limits_ = surely_positive(
        replicates, [&](std::span<const double> times) { return link_margins(times); });
  }

  const TimeTable& table_;
  std::vector<Fan> fans_;
  AdditiveSolver empty_;
  std::vector<PairSweep> sweeps_;
  std::vector<double> weights_;
  std::vector<std::size_t> used_;
  std::vector<bool> root_limits_;  ///< of each fan
  std::vector<bool> link_limits_;  ///< of each ordered pair
  double first_{};
  double last_{};
};

}  // namespace

Estimation<BottleneckParameters> estimate_bottleneck(const TimeTable& table) {
  const BottleneckFit fit(table);
  if (const std::string reason = fit.undetermined(); !reason.empty()) return {{}, reason};
  auto fitted = fit_replicates<BottleneckParameters>(
      table, fit.used(), [&](std::span<const double> times) { return fit.solve(times); });
  fitted.first = fit.first();
  fitted.last = fit.last();
  fitted.observations = static_cast<long>(fit.used().size());
  fitted.residual = fit.residual(fitted.value);
  const auto bounded = [](const std::vector<double>& values) {
    return std::ranges::count_if(values, [](double value) { return std::isnan(value); });
  };
  if (const auto count = bounded(fitted.value.s) + bounded(fitted.value.r)) {
    fitted.warnings.push_back({.kind = "bounded_gaps",
                               .count = count,
                               .problem = std::to_string(count) + " of " +
                                          std::to_string(2 * fitted.value.s.size()) +
                                          " send and receive gaps are bounds only",
                               .advice = "no set of peers keeps those ranks busy"});
  }
  if (fitted.residual > poor_fit) {
    fitted.warnings.push_back(
        {.kind = "poor_fit",
         .problem = "the bottleneck model doesn't explain its own experiments well: residual " +
                    percent(fitted.residual)});
  }
  return {std::move(fitted), {}};
}

}  // namespace commgauge
