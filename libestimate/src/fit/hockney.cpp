#include <algorithm>
#include <cmath>

#include "base/sort_unique.hpp"
#include "commgauge/base/index.hpp"
#include "commgauge/base/statistics.hpp"
#include "commgauge/base/text.hpp"
#include "fit/estimators.hpp"
#include "fit/fitted.hpp"
#include "fit/pair_misfit.hpp"

namespace commgauge {

namespace {

std::vector<double> pick(std::span<const double> all, const std::vector<std::size_t>& rows) {
  std::vector<double> picked;
  for (const std::size_t row : rows) picked.push_back(all[row]);
  return picked;
}

class HockneyFit {
 public:
  HockneyFit(const TimeTable& table, Regime regime, std::optional<Bytes> limit)
      : table_{table}, sweeps_{pair_sweeps(table, [&](Bytes size) {
          const bool eager = !limit || size <= *limit;
          return eager == (regime == Regime::eager);
        })} {
    for (const double time : table.times()) weights_.push_back(1 / (time * time));
    drop_unusable();
    for_each_pair([&](int i, int j, const PairSweep& sweep) {
      ++pairs_;
      used_.insert(used_.end(), sweep.rows.begin(), sweep.rows.end());
      for (const auto& empty : {round_trip(i, j, {}, {}), round_trip(j, i, {}, {})}) {
        if (const auto row = table.find(empty)) used_.push_back(*row);
      }
      first_ = first_ == 0 ? sweep.sizes.front() : std::min(first_, sweep.sizes.front());
      last_ = std::max(last_, sweep.sizes.back());
    });
    sort_unique(used_);
  }

  [[nodiscard]] long pairs() const { return pairs_; }
  [[nodiscard]] std::span<const std::size_t> used() const { return used_; }
  [[nodiscard]] Bytes first() const { return {static_cast<std::uint64_t>(first_)}; }
  [[nodiscard]] Bytes last() const { return {static_cast<std::uint64_t>(last_)}; }

  [[nodiscard]] Solution<HockneyParameters> solve(std::span<const double> times) const {
    const int n = table_.ranks();
    const Matrix empty = round_trips(table_, Bytes{0}, times);
    HockneyParameters p{Matrix(n), Matrix(n), 0, 0};
    for_each_pair([&](int i, int j, const PairSweep& sweep) {
      const Line line = fit(sweep, times);
      p.alpha(i, j) = line.intercept - empty(i, j) / 2;
      p.beta(i, j) = line.slope;
      p.mean_alpha += p.alpha(i, j) / static_cast<double>(pairs_);
      p.mean_beta += p.beta(i, j) / static_cast<double>(pairs_);
    });
    return {std::move(p), {}};
  }

  [[nodiscard]] PairMisfit misfit() const {
    PairMisfit result;
    result.add_parameters(2 * pairs_);
    for_each_pair([&](int i, int j, const PairSweep& sweep) {
      const Line line = fit(sweep, table_.times());
      for (std::size_t k = 0; k < sweep.rows.size(); ++k) {
        const double time = table_.times()[sweep.rows[k]];
        const double miss = (time - line.intercept - line.slope * sweep.sizes[k]) / time;
        result.add(miss, sweep.sizes[k], table_.machine_rank(i), table_.machine_rank(j));
      }
    });
    return result;
  }

 private:
  /// A line takes two sizes, alpha the empty round trip as well.
  void drop_unusable() {
    const int n = table_.ranks();
    const Matrix empty = round_trips(table_, Bytes{0}, table_.times());
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        PairSweep& sweep = sweeps_[at(i) * at(n) + at(j)];
        if (sweep.sizes.size() < 2 || std::isnan(empty(i, j))) sweep = {};
      }
    }
  }

  template <class Use>
  void for_each_pair(Use&& use) const {
    const int n = table_.ranks();
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        const PairSweep& sweep = sweeps_[at(i) * at(n) + at(j)];
        if (!sweep.sizes.empty()) use(i, j, sweep);
      }
    }
  }

  [[nodiscard]] Line fit(const PairSweep& sweep, std::span<const double> times) const {
    return fit_line(sweep.sizes, pick(times, sweep.rows), pick(weights_, sweep.rows));
  }

  const TimeTable& table_;
  std::vector<PairSweep> sweeps_;
  std::vector<double> weights_;
  std::vector<std::size_t> used_;
  long pairs_{};
  double first_{};
  double last_{};
};

long negative_count(const Matrix& high) {
  return std::ranges::count_if(high.values(), [](double value) { return value < 0; });
}

}  // namespace

Estimation<HockneyParameters> estimate_hockney(const TimeTable& table, Regime regime,
                                               std::optional<Bytes> eager_limit) {
  const HockneyFit fit(table, regime, eager_limit);
  const std::string side = regime == Regime::eager ? "up to" : "above";
  if (fit.pairs() == 0) {
    return {{}, "no pair has an empty round trip and two sizes " + side + " the eager limit"};
  }
  auto fitted = fit_replicates<HockneyParameters>(
      table, fit.used(), [&](std::span<const double> times) { return fit.solve(times); });
  fitted.first = fit.first();
  fitted.last = fit.last();
  fitted.observations = static_cast<long>(fit.used().size());
  const PairMisfit misfit = fit.misfit();
  fitted.residual = misfit.residual();
  if (fitted.residual > poor_fit) {
    fitted.warnings.push_back(misfit.warning("a line fits poorly " + side + " the eager limit"));
  }
  if (const long count = negative_count(fitted.high.alpha)) {
    fitted.warnings.push_back({.kind = "negative_alpha",
                               .count = count,
                               .problem = "alpha is negative for " + std::to_string(count) +
                                          " pairs: the first bytes travel faster than the rest",
                               .reason = "a token bucket, a cache",
                               .advice = "don't extrapolate below " + to_text(fitted.first)});
  }
  const long expected = static_cast<long>(table.ranks()) * (table.ranks() - 1);
  if (fit.pairs() < expected) fitted.warnings.push_back(missing_pairs(fit.pairs(), expected));
  if (std::isnan(fitted.residual)) {
    fitted.warnings.push_back(
        {.kind = "fit_unchecked",
         .problem = "two sizes " + side +
                    " the eager limit make a line, but can't tell how well it fits"});
  }
  return {std::move(fitted), {}};
}

}  // namespace commgauge
