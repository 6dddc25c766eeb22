#include "commgauge/fit/start_up.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "commgauge/base/error.hpp"
#include "commgauge/base/index.hpp"
#include "commgauge/base/statistics.hpp"
#include "commgauge/base/text.hpp"
#include "fit/estimators.hpp"
#include "fit/fitted.hpp"

namespace commgauge {

namespace {

constexpr double biweight_cutoff = 4.685;  ///< 95 % efficiency for normal residuals
constexpr double least_deviation = 1e-9;   ///< relative: below it is round-off
constexpr int most_iterations = 50;
constexpr double settled = 1e-12;  ///< relative

struct WeightedTime {
  double value{};
  double weight{};
};

/// Half of the weight lies on each side. @pre some weight > 0
double weighted_median(std::vector<WeightedTime> values) {
  std::ranges::sort(values, {}, &WeightedTime::value);
  double total = 0;
  for (const WeightedTime& v : values) total += v.weight;
  double passed = 0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    passed += values[k].weight;
    if (2 * passed > total) return values[k].value;
    if (2 * passed == total) return (values[k].value + values[k + 1].value) / 2;
  }
  return values.back().value;
}

class RobustLine {
 public:
  RobustLine(std::vector<double> sizes, std::vector<double> times)
      : sizes_{std::move(sizes)}, times_{std::move(times)}, weights_(sizes_.size(), 1.0) {
    start();
    refine();
  }

  [[nodiscard]] const Line& line() const { return line_; }
  /// Of each time, 0 to 1.
  [[nodiscard]] const std::vector<double>& weights() const { return weights_; }

 private:
  [[nodiscard]] double at(std::size_t k) const { return line_.intercept + line_.slope * sizes_[k]; }

  /// Below the usual times, whatever a few of them are.
  [[nodiscard]] double small_time() const {
    std::vector<double> magnitudes;
    for (const double time : times_) magnitudes.push_back(std::abs(time));
    return quantile(magnitudes, 0.25) / 10;
  }

  void start() {
    scales_.assign(sizes_.size(), 1.0);
    line_ = theil_sen([](std::size_t, std::size_t) { return 1.0; });
    // Relative noise: a slope is as exact as its sizes are apart in proportion to the time. What
    // the times are is known roughly by now, without trusting any of them.
    rescale();
    line_ = theil_sen([&](std::size_t a, std::size_t b) {
      return std::abs(sizes_[a] - sizes_[b]) / std::max(scales_[a], scales_[b]);
    });
    rescale();
  }

  void rescale() {
    const double least = small_time();
    for (std::size_t k = 0; k < sizes_.size(); ++k) scales_[k] = std::max(at(k), least);
  }

  /// @param exactness  of the slope between two times
  template <class Exactness>
  [[nodiscard]] Line theil_sen(Exactness&& exactness) const {
    std::vector<WeightedTime> slopes;
    for (std::size_t a = 0; a < sizes_.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        slopes.push_back({(times_[a] - times_[b]) / (sizes_[a] - sizes_[b]), exactness(a, b)});
      }
    }
    const double slope = weighted_median(std::move(slopes));
    std::vector<WeightedTime> intercepts;
    for (std::size_t k = 0; k < sizes_.size(); ++k) {
      intercepts.push_back({times_[k] - slope * sizes_[k], 1 / scales_[k]});
    }
    return {weighted_median(std::move(intercepts)), slope};
  }

  [[nodiscard]] double miss(std::size_t k) const {
    return std::abs(times_[k] - at(k)) / scales_[k];
  }

  void refine() {
    std::vector<double> misses;
    for (std::size_t k = 0; k < sizes_.size(); ++k) misses.push_back(miss(k));
    const double deviation = std::max(deviation_per_mad * median(misses), least_deviation);
    for (int i = 0; i < most_iterations; ++i) {
      const Line before = line_;
      weigh(biweight_cutoff * deviation);
      fit();
      const bool same_start =
          std::abs(line_.intercept - before.intercept) <= settled * std::abs(before.intercept);
      if (same_start && std::abs(line_.slope - before.slope) <= settled * std::abs(before.slope)) {
        return;
      }
    }
  }

  void weigh(double cutoff) {
    for (std::size_t k = 0; k < sizes_.size(); ++k) {
      const double share = std::min(miss(k) / cutoff, 1.0);
      weights_[k] = std::pow(1 - share * share, 2);
    }
  }

  /// Half of the times miss by less than the median, so they keep a weight.
  void fit() {
    std::vector<double> x;
    std::vector<double> y;
    std::vector<double> w;
    for (std::size_t k = 0; k < sizes_.size(); ++k) {
      if (weights_[k] == 0) continue;
      x.push_back(sizes_[k]);
      y.push_back(times_[k]);
      w.push_back(weights_[k] / (scales_[k] * scales_[k]));
    }
    if (x.size() >= 2) line_ = fit_line(x, y, w);
  }

  std::vector<double> sizes_;
  std::vector<double> times_;
  std::vector<double> scales_;  ///< what a relative miss is relative to [s]
  std::vector<double> weights_;
  Line line_;
};

/// One ordered pair's one-way times: the first belongs to the empty message.
struct MeasuredPair {
  int from{};
  int to{};
  PairSweep sweep;
};

class StartUpFit {
 public:
  explicit StartUpFit(const TimeTable& table) : table_{table} {
    const int n = table.ranks();
    const std::vector<PairSweep> sweeps = pair_sweeps(table, [](Bytes) { return true; });
    const Matrix empty = round_trips(table, Bytes{0}, table.times());
    std::set<std::size_t> used;
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        const PairSweep& sweep = sweeps[at(i) * at(n) + at(j)];
        if (sweep.sizes.size() + 1 < least_start_up_sizes || std::isnan(empty(i, j))) continue;
        pairs_.push_back({i, j, sweep});
        used.insert(sweep.rows.begin(), sweep.rows.end());
        for (const auto& e : {round_trip(i, j, {}, {}), round_trip(j, i, {}, {})}) {
          if (const auto row = table.find(e)) used.insert(*row);
        }
        last_ = std::max(last_, sweep.sizes.back());
      }
    }
    used_.assign(used.begin(), used.end());
  }

  [[nodiscard]] long pairs() const { return std::ssize(pairs_); }

  [[nodiscard]] Fitted<StartUpParameters> fit() const {
    auto fitted = fit_replicates<StartUpParameters>(
        table_, used_, [&](std::span<const double> times) { return solve(times); });
    fitted.last = Bytes{static_cast<std::uint64_t>(last_)};
    fitted.observations = static_cast<long>(used_.size());
    judge(fitted);
    return fitted;
  }

 private:
  [[nodiscard]] Solution<StartUpParameters> solve(std::span<const double> times) const {
    const Matrix empty = round_trips(table_, Bytes{0}, times);
    StartUpParameters p{Matrix(table_.ranks()), Matrix(table_.ranks()), 0, 0};
    for (const MeasuredPair& pair : pairs_) {
      const Line line = line_of(pair, empty, times).line();
      p.i(pair.from, pair.to) = line.intercept;
      p.t(pair.from, pair.to) = line.slope;
      p.mean_i += line.intercept / static_cast<double>(pairs_.size());
      p.mean_t += line.slope / static_cast<double>(pairs_.size());
    }
    return {std::move(p), {}};
  }

  [[nodiscard]] static std::vector<double> one_way(const MeasuredPair& pair, const Matrix& empty,
                                                   std::span<const double> times) {
    const double half = empty(pair.from, pair.to) / 2;
    std::vector<double> result{half};
    for (const std::size_t row : pair.sweep.rows) result.push_back(times[row] - half);
    return result;
  }

  [[nodiscard]] static std::vector<double> sizes_of(const MeasuredPair& pair) {
    std::vector<double> sizes{0};
    sizes.insert(sizes.end(), pair.sweep.sizes.begin(), pair.sweep.sizes.end());
    return sizes;
  }

  [[nodiscard]] static RobustLine line_of(const MeasuredPair& pair, const Matrix& empty,
                                          std::span<const double> times) {
    return {sizes_of(pair), one_way(pair, empty, times)};
  }

  /// The residual counts outliers, too.
  void judge(Fitted<StartUpParameters>& fitted) const {
    const Matrix empty = round_trips(table_, Bytes{0}, table_.times());
    std::map<double, long> left_out;
    double squares = 0;
    long count = 0;
    long outliers = 0;
    for (const MeasuredPair& pair : pairs_) {
      const RobustLine robust = line_of(pair, empty, table_.times());
      const std::vector<double> sizes = sizes_of(pair);
      const std::vector<double> times = one_way(pair, empty, table_.times());
      for (std::size_t k = 0; k < sizes.size(); ++k) {
        const double fit = robust.line().intercept + robust.line().slope * sizes[k];
        squares += std::pow((times[k] - fit) / times[k], 2);
        ++count;
        if (robust.weights()[k] > 0) continue;
        ++outliers;
        ++left_out[sizes[k]];
      }
    }
    fitted.residual = residual_of(squares, count, 2 * pairs());
    if (outliers > 0) warn_of_outliers(left_out, outliers, count, fitted.warnings);
    if (fitted.residual > poor_fit) {
      fitted.warnings.push_back({.kind = "poor_fit",
                                 .problem = "one line fits poorly through all sizes: residual " +
                                            percent(fitted.residual)});
    }
    const long expected = static_cast<long>(table_.ranks()) * (table_.ranks() - 1);
    if (pairs() < expected) fitted.warnings.push_back(missing_pairs(pairs(), expected));
  }

  static void warn_of_outliers(const std::map<double, long>& left_out, long outliers, long count,
                               std::vector<Diagnostic>& warnings) {
    const auto worst =
        std::ranges::max_element(left_out, {}, [](const auto& e) { return e.second; });
    warnings.push_back({.kind = "outliers_left_out",
                        .count = outliers,
                        .problem = std::to_string(outliers) + " of " + std::to_string(count) +
                                   " times are left out as outliers, most at " +
                                   to_text(Bytes{static_cast<std::uint64_t>(worst->first)}),
                        .advice = "disturbed, or sizes where the line doesn't hold"});
  }

  const TimeTable& table_;
  std::vector<MeasuredPair> pairs_;
  std::vector<std::size_t> used_;
  double last_{};
};

void expect_times(std::span<const Bytes> sizes, std::span<const Seconds> times) {
  if (sizes.size() != times.size()) {
    throw InputError("there are " + std::to_string(sizes.size()) + " sizes and " +
                     std::to_string(times.size()) + " times (one belongs to each): give as many");
  }
  if (sizes.size() < least_start_up_sizes) {
    throw FitError("there are " + std::to_string(sizes.size()) +
                   " sizes (no outlier shows among so few): measure " +
                   std::to_string(least_start_up_sizes) + " or more");
  }
  if (std::set<Bytes>(sizes.begin(), sizes.end()).size() < sizes.size()) {
    throw InputError("a size is there twice (which time counts?): give the median of its times");
  }
  if (!std::ranges::all_of(times,
                           [](Seconds t) { return t.value > 0 && std::isfinite(t.value); })) {
    throw InputError(
        "a time is not a finite time above zero (relative errors have no meaning "
        "there): leave it out");
  }
}

}  // namespace

Seconds StartUpLine::at(Bytes size) const { return i + t * size; }

StartUpLine fit_start_up(std::span<const Bytes> sizes, std::span<const Seconds> times) {
  expect_times(sizes, times);
  std::vector<double> x;
  std::vector<double> y;
  for (const Bytes size : sizes) x.push_back(static_cast<double>(size.value));
  for (const Seconds time : times) y.push_back(time.value);
  const RobustLine robust(std::move(x), std::move(y));
  return {Seconds{robust.line().intercept}, SecondsPerByte{robust.line().slope}, robust.weights()};
}

Estimation<StartUpParameters> estimate_start_up(const TimeTable& table) {
  const StartUpFit fit(table);
  if (fit.pairs() == 0) {
    return {{},
            "no pair has an empty round trip and " + std::to_string(least_start_up_sizes - 1) +
                " more sizes"};
  }
  return {fit.fit(), {}};
}

}  // namespace commgauge
