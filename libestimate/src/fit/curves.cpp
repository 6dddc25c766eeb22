#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "base/sort_unique.hpp"
#include "commgauge/base/index.hpp"
#include "commgauge/base/text.hpp"
#include "commgauge/base/unknown_value.hpp"
#include "commgauge/segmentation/segmentation.hpp"
#include "fit/estimators.hpp"
#include "fit/fitted.hpp"
#include "fit/pair_misfit.hpp"

namespace commgauge {

namespace {

constexpr std::size_t least_curve_sizes = 12;
constexpr int most_curve_breaks = 8;      ///< that segments on one side of the limit may have
constexpr double curve_round_off = 1e-9;  ///< of a time: breeds no bends

/// One-way times of an ordered pair. Its empty round trip stands first, without a row.
struct PairTimes {
  int from{};
  int to{};
  std::vector<double> sizes;      ///< ascending, the first is 0
  std::vector<std::size_t> rows;  ///< of the others

  /// @param empty  round trip of the pair
  [[nodiscard]] std::vector<double> one_way(std::span<const double> times, double empty) const {
    std::vector<double> result{empty / 2};
    for (const std::size_t row : rows) result.push_back(times[row] - empty / 2);
    return result;
  }
};

std::vector<PairTimes> pair_times(const TimeTable& table) {
  const int n = table.ranks();
  const std::vector<PairSweep> sweeps = pair_sweeps(table, [](Bytes) { return true; });
  const Matrix empty = round_trips(table, Bytes{0}, table.times());
  std::vector<PairTimes> pairs;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const PairSweep& sweep = sweeps[at(i) * at(n) + at(j)];
      if (sweep.sizes.empty() || std::isnan(empty(i, j))) continue;
      PairTimes pair{i, j, {0}, sweep.rows};
      pair.sizes.insert(pair.sizes.end(), sweep.sizes.begin(), sweep.sizes.end());
      const auto times = pair.one_way(table.times(), empty(i, j));
      if (std::ranges::all_of(times, [](double time) { return time > 0; })) pairs.push_back(pair);
    }
  }
  return pairs;
}

std::vector<std::size_t> rows_of(const TimeTable& table, const std::vector<PairTimes>& pairs) {
  std::vector<std::size_t> used;
  for (const PairTimes& pair : pairs) {
    used.insert(used.end(), pair.rows.begin(), pair.rows.end());
    for (const auto& empty :
         {round_trip(pair.from, pair.to, {}, {}), round_trip(pair.to, pair.from, {}, {})}) {
      if (const auto row = table.find(empty)) used.push_back(*row);
    }
  }
  sort_unique(used);
  return used;
}

double limit_of(std::optional<Bytes> eager_limit) {
  return eager_limit ? static_cast<double>(eager_limit->value)
                     : std::numeric_limits<double>::infinity();
}

/// Knots are the corners of a continuous curve of straight lines, which goes on beyond its ends.
/// Its least-squares values there: each point counts for the two knots of its segment, so that the
/// normal equations have three diagonals.
class CornerFit {
 public:
  /// @pre knots ascending, not empty; as many weights as sizes
  CornerFit(std::span<const double> knots, std::span<const double> sizes,
            std::span<const double> weights)
      : sizes_{sizes}, weights_{weights}, all_{knots.begin(), knots.end()}, kept_{all_} {
    // Points that leave a corner open: the curve has none there.
    while (!kept_.empty()) {
      const std::size_t open = factorize();
      if (open == kept_.size()) break;
      kept_.erase(kept_.begin() + static_cast<std::ptrdiff_t>(open));
    }
  }

  [[nodiscard]] long corners() const { return std::ssize(kept_); }

  /// At all knots; NaN without points. Where values fall they are levelled.
  [[nodiscard]] std::vector<double> rising(std::span<const double> values) const {
    return at_all(levelled(solve(values)));
  }
  [[nodiscard]] std::vector<double> free(std::span<const double> values) const {
    return at_all(solve(values));
  }

 private:
  struct Place {
    std::size_t left{};
    double share{};  ///< of the way to the next knot
  };

  [[nodiscard]] Place place_of(double size) const {
    if (kept_.size() < 2) return {};
    const auto next = std::upper_bound(kept_.begin() + 1, kept_.end() - 1, size);
    const auto left = static_cast<std::size_t>(next - kept_.begin()) - 1;
    return {left, (size - kept_[left]) / (kept_[left + 1] - kept_[left])};
  }

  /// @return the first corner that the points don't tell, or how many there are.
  std::size_t factorize() {
    diagonal_.assign(kept_.size(), 0);
    beside_.assign(kept_.size(), 0);
    for (std::size_t k = 0; k < sizes_.size(); ++k) {
      const auto [left, share] = place_of(sizes_[k]);
      diagonal_[left] += weights_[k] * (1 - share) * (1 - share);
      if (kept_.size() < 2) continue;
      diagonal_[left + 1] += weights_[k] * share * share;
      beside_[left] += weights_[k] * share * (1 - share);
    }
    pivots_ = diagonal_;
    for (std::size_t k = 0; k < kept_.size(); ++k) {
      if (k > 0) pivots_[k] -= beside_[k - 1] * beside_[k - 1] / pivots_[k - 1];
      constexpr double nothing = 1e-12;
      if (!(pivots_[k] > nothing * diagonal_[k])) return k;
    }
    return kept_.size();
  }

  [[nodiscard]] std::vector<double> solve(std::span<const double> values) const {
    std::vector<double> x(kept_.size(), 0);
    for (std::size_t k = 0; k < sizes_.size(); ++k) {
      const auto [left, share] = place_of(sizes_[k]);
      if (x.empty()) break;
      x[left] += weights_[k] * (1 - share) * values[k];
      if (kept_.size() > 1) x[left + 1] += weights_[k] * share * values[k];
    }
    for (std::size_t k = 1; k < x.size(); ++k) x[k] -= beside_[k - 1] / pivots_[k - 1] * x[k - 1];
    for (std::size_t k = x.size(); k-- > 0;) {
      x[k] /= pivots_[k];
      if (k + 1 < x.size()) x[k] -= beside_[k] / pivots_[k] * x[k + 1];
    }
    return x;
  }

  /// The nearest values that don't fall: neighbours that do share their mean.
  [[nodiscard]] std::vector<double> levelled(std::vector<double> values) const {
    struct Level {
      double value;
      double weight;
      std::size_t count;
    };
    std::vector<Level> levels;
    for (std::size_t k = 0; k < values.size(); ++k) {
      levels.push_back({values[k], diagonal_[k], 1});
      while (levels.size() > 1 && levels[levels.size() - 2].value > levels.back().value) {
        const Level right = levels.back();
        levels.pop_back();
        Level& left = levels.back();
        const double weight = left.weight + right.weight;
        left = {(left.value * left.weight + right.value * right.weight) / weight, weight,
                left.count + right.count};
      }
    }
    values.clear();
    for (const Level& level : levels) values.insert(values.end(), level.count, level.value);
    return values;
  }

  [[nodiscard]] std::vector<double> at_all(const std::vector<double>& values) const {
    std::vector<double> result(all_.size(), unknown_value);
    for (std::size_t k = 0; k < all_.size() && !values.empty(); ++k) {
      const auto [left, share] = place_of(all_[k]);
      result[k] = values[left];
      if (share != 0) result[k] += share * (values[left + 1] - values[left]);
    }
    return result;
  }

  std::span<const double> sizes_;
  std::span<const double> weights_;
  std::vector<double> all_;
  std::vector<double> kept_;
  std::vector<double> diagonal_;
  std::vector<double> beside_;
  std::vector<double> pivots_;
};

/// Times of all pairs together, ascending in size; each relative to what is typical of its pair in
/// the same pass: a pass that is slower as a whole bends nothing.
struct Pooled {
  std::vector<double> sizes;
  std::vector<double> times;
  std::vector<double> weights;  ///< 1 / variance at the size
};

std::vector<double> sizes_of_all(std::span<const TimeTable> launches) {
  std::vector<double> common;
  bool is_first = true;
  for (const TimeTable& table : launches) {
    for (const PairTimes& pair : pair_times(table)) {
      if (std::exchange(is_first, false)) common = pair.sizes;
      std::vector<double> both;
      std::ranges::set_intersection(common, pair.sizes, std::back_inserter(both));
      common = std::move(both);
    }
  }
  return common;
}

/// Geometric mean of the pair's times at these sizes.
double typical_time(const PairTimes& pair, std::span<const double> times,
                    const std::vector<double>& sizes) {
  double sum = 0;
  for (std::size_t k = 0; k < times.size(); ++k) {
    if (std::ranges::binary_search(sizes, pair.sizes[k])) sum += std::log(times[k]);
  }
  return std::exp(sum / static_cast<double>(sizes.size()));
}

struct Mean {
  double sum{};
  double count{};
};

/// Of each pass of a launch, by size the mean over its pairs.
void pool(const TimeTable& table, const std::vector<double>& common,
          std::map<double, std::vector<double>>& pooled) {
  const std::vector<PairTimes> pairs = pair_times(table);
  if (pairs.empty()) return;
  const Replicates replicates = table.replicates(rows_of(table, pairs));
  for (const std::span<const double> times : replicates.times) {
    const Matrix empty = round_trips(table, Bytes{0}, times);
    std::map<double, Mean> of_pass;
    for (const PairTimes& pair : pairs) {
      const std::vector<double> one_way = pair.one_way(times, empty(pair.from, pair.to));
      // A pass may have had an empty round trip that took too long: it tells of no bend.
      if (std::ranges::any_of(one_way, [](double time) { return !(time > 0); })) continue;
      const double typical = typical_time(pair, one_way, common);
      for (std::size_t k = 0; k < one_way.size(); ++k) {
        Mean& mean = of_pass[pair.sizes[k]];
        mean.sum += one_way[k] / typical;
        mean.count += 1;
      }
    }
    for (const auto& [size, mean] : of_pass) pooled[size].push_back(mean.sum / mean.count);
  }
}

double sum_of_squares(const std::vector<double>& times) {
  const double typical = mean(times);
  double sum = 0;
  for (const double time : times) sum += (time / typical - 1) * (time / typical - 1);
  return sum;
}

/// Relative, by size: some are steadier than others. So few passes tell less of that than all sizes
/// together, which count for as much as `prior` passes more.
std::map<double, double> variances_of(const std::map<double, std::vector<double>>& pooled) {
  constexpr double prior = 4;
  double squares = 0;
  double freedom = 0;
  for (const auto& [size, times] : pooled) {
    squares += sum_of_squares(times);
    freedom += static_cast<double>(times.size()) - 1;
  }
  const double of_all = freedom > 0 ? squares / freedom : 0;
  std::map<double, double> variances;
  for (const auto& [size, times] : pooled) {
    const double own =
        (sum_of_squares(times) + prior * of_all) / (static_cast<double>(times.size()) - 1 + prior);
    variances[size] = std::max(own, curve_round_off * curve_round_off);
  }
  return variances;
}

/// On one side of the limit, up to the largest size of all pairs.
Pooled side_of(const std::map<double, std::vector<double>>& pooled, double limit, bool above,
               double last) {
  Pooled side;
  const std::map<double, double> variances = variances_of(pooled);
  for (const auto& [size, times] : pooled) {
    if ((size > limit) != above || size > last) continue;
    const double typical = mean(times);
    for (const double time : times) {
      side.sizes.push_back(size);
      side.times.push_back(time);
      side.weights.push_back(1 / (typical * typical * variances.at(size)));
    }
  }
  return side;
}

std::vector<double> distinct(std::vector<double> sizes) {
  sort_unique(sizes);
  return sizes;
}

/// The ends, and where segments part.
std::vector<double> corners_of_segments(const Pooled& side) {
  std::vector<double> corners{side.sizes.front(), side.sizes.back()};
  SegmentationOptions options;
  options.most_breaks = most_curve_breaks;
  options.break_variance = BreakVariance::equal;
  if (distinct(side.sizes).size() < static_cast<std::size_t>(options.min_segment)) {
    return distinct(side.sizes);
  }
  std::vector<Bytes> sizes;
  std::vector<Seconds> times;
  for (std::size_t k = 0; k < side.sizes.size(); ++k) {
    sizes.push_back({static_cast<std::uint64_t>(side.sizes[k])});
    times.push_back({side.times[k]});
  }
  const Segmentation found = segmented_regression(sizes, times, options, side.weights);
  for (std::size_t s = 0; s < found.breaks.size(); ++s) {
    const double left = side.sizes[found.segments[s].last];
    const double right = side.sizes[found.segments[s + 1].first];
    const double meeting =
        std::round((found.segments[s + 1].intercept.value - found.segments[s].intercept.value) /
                   (found.segments[s].slope.value - found.segments[s + 1].slope.value));
    if (left <= meeting && meeting <= right) {
      corners.push_back(meeting);
    } else {
      corners.insert(corners.end(), {left, right});
    }
  }
  return distinct(corners);
}

/// Schwarz's criterion of the pooled times for a curve of these corners.
double criterion(const Pooled& side, const std::vector<double>& corners) {
  const auto n = static_cast<double>(side.times.size());
  const std::vector<double> values = CornerFit(corners, side.sizes, side.weights).free(side.times);
  double rss = 0;
  double least = 0;
  std::size_t next = 1;
  for (std::size_t k = 0; k < side.sizes.size(); ++k) {
    while (next + 1 < corners.size() && side.sizes[k] > corners[next]) ++next;
    double time = values.front();
    if (corners.size() > 1) {
      const double share =
          (side.sizes[k] - corners[next - 1]) / (corners[next] - corners[next - 1]);
      time = values[next - 1] + share * (values[next] - values[next - 1]);
    }
    rss += side.weights[k] * (side.times[k] - time) * (side.times[k] - time);
    least += side.weights[k] * std::pow(curve_round_off * side.times[k], 2);
  }
  const double parameters = 2 * static_cast<double>(corners.size());  // where it is, and its value
  return n * std::log(std::max(rss, least) / n) + parameters * std::log(n);
}

/// Segments of three sizes can't follow a bend at two: further corners where they help most.
std::vector<double> corners_of(const Pooled& side) {
  if (side.sizes.empty()) return {};
  std::vector<double> corners = corners_of_segments(side);
  const std::vector<double> sizes = distinct(side.sizes);
  double reached = criterion(side, corners);
  for (bool going_on = true; going_on;) {
    going_on = false;
    std::vector<double> best = corners;
    for (const double size : sizes) {
      if (std::ranges::binary_search(corners, size)) continue;
      std::vector<double> more = corners;
      more.insert(std::ranges::upper_bound(more, size), size);
      const double with = criterion(side, more);
      if (with >= reached) continue;
      reached = with;
      best = std::move(more);
      going_on = true;
    }
    corners = std::move(best);
  }
  return corners;
}

/// One side of the eager limit, of one pair.
struct Side {
  std::size_t first_knot{};  ///< among those of both sides
  std::vector<double> knots;
  std::size_t first{};  ///< among the pair's sizes
  std::vector<double> sizes;
  std::vector<double> weights;
};

class CurvesFit {
 public:
  CurvesFit(const TimeTable& table, std::optional<Bytes> eager_limit,
            const std::vector<Bytes>& sizes)
      : table_{table}, pairs_{pair_times(table)}, used_{rows_of(table, pairs_)}, sizes_{sizes} {
    const Matrix empty = round_trips(table, Bytes{0}, table.times());
    for (const PairTimes& pair : pairs_) {
      const std::vector<double> times = pair.one_way(table.times(), empty(pair.from, pair.to));
      for (const bool above : {false, true}) {
        Side side = side_of_pair(pair, times, limit_of(eager_limit), above);
        if (!side.knots.empty() && !side.sizes.empty()) sides_.push_back({pair, std::move(side)});
      }
    }
    // The sides stay where they are from here on: fits look at their numbers.
    for (const auto& [pair, side] : sides_)
      fits_.emplace_back(side.knots, side.sizes, side.weights);
  }

  [[nodiscard]] long pairs() const { return std::ssize(pairs_); }
  [[nodiscard]] std::span<const std::size_t> used() const { return used_; }

  [[nodiscard]] Solution<CurvesParameters> solve(std::span<const double> times) const {
    const Matrix empty = round_trips(table_, Bytes{0}, times);
    CurvesParameters p{sizes_, {}};
    p.time.assign(sizes_.size(), Matrix(table_.ranks()));
    for (std::size_t s = 0; s < sides_.size(); ++s) {
      const auto& [pair, side] = sides_[s];
      const std::vector<double> values =
          fits_[s].rising(part(pair.one_way(times, empty(pair.from, pair.to)), side));
      for (std::size_t k = 0; k < values.size(); ++k) {
        p.time[side.first_knot + k](pair.from, pair.to) = values[k];
      }
    }
    return {std::move(p), {}};
  }

  [[nodiscard]] PairMisfit misfit() const {
    const Matrix empty = round_trips(table_, Bytes{0}, table_.times());
    PairMisfit result;
    for (std::size_t s = 0; s < sides_.size(); ++s) {
      const auto& [pair, side] = sides_[s];
      const std::vector<double> times =
          part(pair.one_way(table_.times(), empty(pair.from, pair.to)), side);
      const std::vector<double> values = fits_[s].rising(times);
      result.add_parameters(fits_[s].corners());
      for (std::size_t k = 0; k < times.size(); ++k) {
        const double miss = (times[k] - read(side.knots, values, side.sizes[k])) / times[k];
        result.add(miss, side.sizes[k], table_.machine_rank(pair.from),
                   table_.machine_rank(pair.to));
      }
    }
    return result;
  }

 private:
  struct OfPair {
    PairTimes pair;
    Side side;
  };

  [[nodiscard]] Side side_of_pair(const PairTimes& pair, const std::vector<double>& times,
                                  double limit, bool above) const {
    Side side;
    for (std::size_t k = 0; k < sizes_.size(); ++k) {
      const auto knot = static_cast<double>(sizes_[k].value);
      if ((knot > limit) != above) continue;
      if (side.knots.empty()) side.first_knot = k;
      side.knots.push_back(knot);
    }
    for (std::size_t k = 0; k < pair.sizes.size() && !side.knots.empty(); ++k) {
      const double size = pair.sizes[k];
      if ((size > limit) != above || size > side.knots.back()) continue;
      if (side.sizes.empty()) side.first = k;
      side.sizes.push_back(size);
      side.weights.push_back(1 / (times[k] * times[k]));
    }
    return side;
  }

  static std::vector<double> part(const std::vector<double>& times, const Side& side) {
    const auto first = times.begin() + static_cast<std::ptrdiff_t>(side.first);
    return {first, first + std::ssize(side.sizes)};
  }

  static double read(const std::vector<double>& knots, const std::vector<double>& values,
                     double size) {
    if (knots.size() == 1) return values.front();
    const auto next = std::upper_bound(knots.begin() + 1, knots.end() - 1, size) - knots.begin();
    const auto right = static_cast<std::size_t>(next);
    const double share = (size - knots[right - 1]) / (knots[right] - knots[right - 1]);
    return values[right - 1] + share * (values[right] - values[right - 1]);
  }

  const TimeTable& table_;
  std::vector<PairTimes> pairs_;
  std::vector<std::size_t> used_;
  std::vector<Bytes> sizes_;
  std::vector<OfPair> sides_;
  std::vector<CornerFit> fits_;
};

void warn(const CurvesFit& fit, const PairMisfit& misfit, int ranks,
          Fitted<CurvesParameters>& fitted) {
  if (fitted.residual > poor_fit) fitted.warnings.push_back(misfit.warning("curves fit poorly"));
  const long expected = static_cast<long>(ranks) * (ranks - 1);
  if (fit.pairs() < expected) fitted.warnings.push_back(missing_pairs(fit.pairs(), expected));
  if (std::isnan(fitted.residual)) {
    fitted.warnings.push_back(
        {.kind = "fit_unchecked",
         .problem =
             "curves bend at every size that was measured: nothing tells how well they fit"});
  }
}

}  // namespace

bool have_curve_sizes(std::span<const TimeTable> launches) {
  return std::ranges::any_of(launches, [](const TimeTable& table) {
    const std::vector<PairTimes> pairs = pair_times(table);
    const auto all = static_cast<std::size_t>(table.ranks()) *
                     static_cast<std::size_t>(std::max(0, table.ranks() - 1));
    return pairs.size() == all && std::ranges::all_of(pairs, [](const PairTimes& pair) {
             return pair.sizes.size() >= least_curve_sizes;
           });
  });
}

std::vector<Bytes> curve_sizes(std::span<const TimeTable> launches,
                               std::optional<Bytes> eager_limit) {
  const std::vector<double> common = sizes_of_all(launches);
  std::map<double, std::vector<double>> pooled;
  double last = std::numeric_limits<double>::infinity();
  for (const TimeTable& table : launches) {
    pool(table, common, pooled);
    for (const PairTimes& pair : pair_times(table)) last = std::min(last, pair.sizes.back());
  }
  std::vector<Bytes> sizes;
  for (const bool above : {false, true}) {
    for (const double size : corners_of(side_of(pooled, limit_of(eager_limit), above, last))) {
      sizes.push_back({static_cast<std::uint64_t>(size)});
    }
  }
  return sizes;
}

Estimation<CurvesParameters> estimate_curves(const TimeTable& table,
                                             std::optional<Bytes> eager_limit,
                                             const std::vector<Bytes>& sizes) {
  const CurvesFit fit(table, eager_limit, sizes);
  if (fit.pairs() == 0 || sizes.size() < 2) {
    return {{}, "no pair has an empty round trip and another size"};
  }
  auto fitted = fit_replicates<CurvesParameters>(
      table, fit.used(), [&](std::span<const double> times) { return fit.solve(times); });
  fitted.first = sizes.front();
  fitted.last = sizes.back();
  fitted.observations = static_cast<long>(fit.used().size());
  const PairMisfit misfit = fit.misfit();
  fitted.residual = misfit.residual();
  warn(fit, misfit, table.ranks(), fitted);
  return {std::move(fitted), {}};
}

}  // namespace commgauge
