#include "escalations.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <span>
#include <string>

#include "commgauge/error.hpp"
#include "commgauge/statistics.hpp"

namespace commgauge {

namespace {

constexpr double noise_quantile = 0.9;  ///< of a point's excesses
constexpr double quiet_points = 0.25;   ///< quantile over the points: escalations spare so many
constexpr double noise_factor = 3;
constexpr double window = 8;  ///< sizes within this factor of one tell what it takes
constexpr std::size_t most_nearby = 32;
constexpr std::size_t most_points = 1000;  ///< all ranges of them, 200 times over: a second
constexpr double near = 1.5;               ///< times the expected time, at most
constexpr double least_ratio = 1;          ///< an escalation at least doubles the time
constexpr double extra_parameters = 3;     ///< of a range: two ends and a second rate
constexpr int permutations = 199;
constexpr double by_chance = 0.05;  ///< level of the permutation test
constexpr std::uint64_t permutation_seed = 7;
constexpr double round_off = 1e-9;  ///< of a log-likelihood
constexpr double impossible = -std::numeric_limits<double>::infinity();

double as_double(std::size_t count) { return static_cast<double>(count); }

double size_of(const SweepPoint& point) { return static_cast<double>(point.size.value); }

/// A line that goes on through two smaller sizes.
struct Extrapolation {
  double size{};
  double time{};
  double slope{};
  [[nodiscard]] double at(double other) const { return time + slope * (other - size); }
};

/// Points before this one whose sizes are not too far away; of many, some spread evenly.
std::vector<std::size_t> nearby(const Sweep& sweep, std::size_t point) {
  const double size = size_of(sweep.points[point]);
  const auto first = std::ranges::partition_point(
      sweep.points, [&](const SweepPoint& other) { return size_of(other) * window < size; });
  const auto begin = static_cast<std::size_t>(first - sweep.points.begin());
  const std::size_t step = std::max<std::size_t>(1, (point - begin) / most_nearby);
  std::vector<std::size_t> points;
  for (std::size_t p = begin; p < point; p += step) points.push_back(p);
  return points;
}

/// The lowest line through two of those, one at least twice the other.
std::optional<Extrapolation> extrapolate(const Sweep& sweep, const std::vector<double>& least,
                                         std::size_t point) {
  const double size = size_of(sweep.points[point]);
  const std::vector<std::size_t> points = nearby(sweep, point);
  std::optional<Extrapolation> lowest;
  for (const std::size_t b : points) {
    const double larger = size_of(sweep.points[b]);
    for (const std::size_t a : points) {
      const double smaller = size_of(sweep.points[a]);
      if (2 * smaller > larger) break;
      if (least[a] > least[b]) continue;
      const Extrapolation line{larger, least[b], (least[b] - least[a]) / (larger - smaller)};
      if (!lowest || line.at(size) < lowest->at(size)) lowest = line;
    }
  }
  return lowest;
}

/// Whether some larger size is near the line again: a gather that became dearer for good is not.
bool comes_back(const Sweep& sweep, const std::vector<double>& least, std::size_t point,
                const Extrapolation& line) {
  const double farthest = window * size_of(sweep.points[point]);
  for (std::size_t p = point + 1; p < least.size(); ++p) {
    const double size = size_of(sweep.points[p]);
    if (size > farthest) return false;
    if (least[p] <= near * line.at(size)) return true;
  }
  return false;
}

/// What a size takes when nothing escalates. A gather takes no less time for more: not above the
/// smallest repetition of this and all larger sizes. And not above the line through smaller sizes,
/// if larger ones keep to that: so that sizes show at which all repetitions escalate.
std::vector<double> undisturbed_times(const Sweep& sweep) {
  std::vector<double> least;
  for (const SweepPoint& point : sweep.points) least.push_back(std::ranges::min(point.times_s));
  std::vector<double> times = least;
  for (std::size_t p = times.size() - 1; p-- > 0;) times[p] = std::min(times[p], times[p + 1]);
  for (std::size_t p = 0; p < times.size(); ++p) {
    const auto line = extrapolate(sweep, least, p);
    if (!line) continue;
    const double expected = line->at(size_of(sweep.points[p]));
    if (expected < times[p] && comes_back(sweep, least, p, *line)) times[p] = expected;
  }
  return times;
}

/// Noise is what the quiet sizes show, absolute and in proportion: whichever is larger at a size.
void set_limits(const Sweep& sweep, const std::vector<double>& undisturbed, Escalations& result) {
  std::vector<double> absolute;
  std::vector<double> relative;
  for (std::size_t p = 0; p < undisturbed.size(); ++p) {
    const double excess = quantile(sweep.points[p].times_s, noise_quantile) - undisturbed[p];
    absolute.push_back(excess);
    relative.push_back(excess / undisturbed[p]);
  }
  result.limit_s = noise_factor * quantile(absolute, quiet_points);
  result.limit_ratio = std::max(least_ratio, noise_factor * quantile(relative, quiet_points));
}

double limit_of(const Escalations& result, double undisturbed) {
  return std::max(result.limit_s, result.limit_ratio * undisturbed);
}

/// Repetitions of one point and how many of them are escalated.
struct Count {
  std::size_t all{};
  std::size_t escalated{};
};

/// Binomial log-likelihood at the observed rate, by a table of k·ln k: ranges are tried by the
/// thousand.
class RateLikelihood {
 public:
  /// @param most  repetitions that a count may have.
  explicit RateLikelihood(std::size_t most) : k_log_k_(most + 1) {
    for (std::size_t k = 2; k <= most; ++k) k_log_k_[k] = as_double(k) * std::log(as_double(k));
  }
  [[nodiscard]] double operator()(Count count) const {
    return k_log_k_[count.escalated] + k_log_k_[count.all - count.escalated] - k_log_k_[count.all];
  }

 private:
  std::vector<double> k_log_k_;
};

struct Range {
  std::size_t first{};
  std::size_t last{};
};

/// Likelihood of one rate inside a range of points and a smaller one outside. O(1) for a range.
class RangeLikelihood {
 public:
  RangeLikelihood(const RateLikelihood& rate, const std::vector<Count>& counts)
      : rate_{rate}, sums_(counts.size() + 1) {
    for (std::size_t p = 0; p < counts.size(); ++p) {
      sums_[p + 1] = {sums_[p].all + counts[p].all, sums_[p].escalated + counts[p].escalated};
    }
  }

  [[nodiscard]] std::size_t points() const { return sums_.size() - 1; }
  [[nodiscard]] Count inside(Range range) const {
    return {sums_[range.last + 1].all - sums_[range.first].all,
            sums_[range.last + 1].escalated - sums_[range.first].escalated};
  }
  [[nodiscard]] Count outside(Range range) const {
    const Count in = inside(range);
    return {sums_.back().all - in.all, sums_.back().escalated - in.escalated};
  }
  [[nodiscard]] double operator()(Range range) const {
    const Count in = inside(range);
    const Count out = outside(range);
    if (in.escalated * out.all <= out.escalated * in.all) return impossible;
    return rate_(in) + rate_(out);
  }

  template <class Use>
  void for_each_range(Use&& use) const {
    for (std::size_t first = 0; first < points(); ++first) {
      for (std::size_t last = first; last < points(); ++last) use(Range{first, last});
    }
  }

  /// The most likely range: of equals the first found, which is the shortest from its beginning.
  [[nodiscard]] Range best() const {
    Range best;
    for_each_range([&](Range range) {
      if ((*this)(range) > (*this)(best)) best = range;
    });
    return best;
  }

  /// Whether BIC prefers the range to one rate for all.
  [[nodiscard]] bool prefers(Range range) const {
    const double gain = 2 * ((*this)(range)-rate_(sums_.back()));
    return gain > extra_parameters * std::log(as_double(sums_.back().all));
  }

 private:
  const RateLikelihood& rate_;
  std::vector<Count> sums_;
};

/// Whether sizes with escalations lie together more than by chance. Something that disturbs the
/// machine for a while hits all repetitions of a size, but no neighbouring sizes: the same counts
/// in another order would make as good a range. Permutation test, the same on every call.
bool lie_together(const RateLikelihood& rate, std::vector<Count> counts) {
  std::erase_if(counts, [](Count count) { return count.all == 0; });
  const RangeLikelihood observed(rate, counts);
  const double reached = observed(observed.best()) - round_off;
  std::mt19937_64 random{permutation_seed};
  int as_good = 1;
  for (int i = 0; i < permutations; ++i) {
    for (std::size_t left = counts.size(); left > 1; --left) {
      std::swap(counts[left - 1], counts[random() % left]);
    }
    const RangeLikelihood shuffled(rate, counts);
    as_good += shuffled(shuffled.best()) >= reached ? 1 : 0;
  }
  return as_good <= by_chance * (permutations + 1);
}

/// The likelihood ratio of a change point is not chi-squared: P(2·LR <= x) = (1 − exp(−x/2))².
double change_point_quantile(double confidence) { return -2 * std::log(1 - std::sqrt(confidence)); }

/// Ends that are not much less likely than the best ones.
void set_intervals(const RangeLikelihood& likelihood, double confidence, Escalations& result) {
  const Range best{result.first, result.last};
  const double least = likelihood(best) - change_point_quantile(confidence) / 2;
  result.first_low = result.first_high = best.first;
  result.last_low = result.last_high = best.last;
  likelihood.for_each_range([&](Range range) {
    if (likelihood(range) < least) return;
    result.first_low = std::min(result.first_low, range.first);
    result.first_high = std::max(result.first_high, range.first);
    result.last_low = std::min(result.last_low, range.last);
    result.last_high = std::max(result.last_high, range.last);
  });
}

/// Finds the escalations of one sweep, step by step.
class Finder {
 public:
  Finder(const Sweep& sweep, double confidence)
      : sweep_{sweep},
        confidence_{confidence},
        rate_(repetitions(sweep)),
        undisturbed_{undisturbed_times(sweep)} {
    set_limits(sweep, undisturbed_, result_);
  }

  Escalations find() {
    const bool repeated = std::ranges::any_of(
        sweep_.points, [](const SweepPoint& point) { return point.times_s.size() > 1; });
    if (!repeated) {
      return none(
          "escalations can't be seen (every size has a single time, and they show as a spread "
          "between repetitions)");
    }
    if (sweep_.points.size() > most_points) {
      return none("escalations are not looked for among more than " + std::to_string(most_points) +
                  " sizes: leave some out");
    }
    const double typical = typical_excess(RangeLikelihood(rate_, visible(0)).best());
    const std::vector<Count> counts = visible(typical);
    const RangeLikelihood likelihood(rate_, counts);
    const Range range = likelihood.best();
    // Spikes of one length at all sizes are escalations at small ones only, where they double the
    // time: the range has to stand out as well among excesses that every size could show.
    const std::vector<Count> common = longer_than(typical / 2);
    if (!likelihood.prefers(range) || !confirmed(range, common)) return none(alike());
    if (!is_spread(range)) return none(step_down(range));
    result_.first = range.first;
    result_.last = range.last;
    result_.rate_inside = share(likelihood.inside(range));
    result_.rate_outside = share(likelihood.outside(range));
    if (!lie_together(rate_, common)) return none(scattered(range));
    for (std::size_t p = range.last + 1; p < counts.size(); ++p) {
      result_.ends = result_.ends || counts[p].all > 0;
    }
    set_intervals(likelihood, confidence_, result_);
    result_.found = true;
    return result_;
  }

 private:
  static double share(Count count) {
    return count.all > 0 ? as_double(count.escalated) / as_double(count.all) : 0;
  }

  Escalations none(const std::string& reason) {
    result_.reason = reason;
    return result_;
  }

  [[nodiscard]] std::string alike() const {
    return "no escalations (none of the sizes has more repetitions than the others that take " +
           to_text(Seconds{limit_of(result_, undisturbed_.front())}) +
           " longer than undisturbed, or twice as long)";
  }

  [[nodiscard]] std::string text_of(Range range) const {
    const std::string first = to_text(sweep_.points[range.first].size);
    if (range.first == range.last) return "at " + first;
    return "from " + first + " to " + to_text(sweep_.points[range.last].size);
  }

  /// Whether repetitions of one size differ as much as an escalation does. All of them may escalate
  /// at some sizes, but a step of the machine makes all of them longer at all.
  [[nodiscard]] bool is_spread(Range range) const {
    for (std::size_t p = range.first; p <= range.last; ++p) {
      const auto [least, most] = std::ranges::minmax(sweep_.points[p].times_s);
      if (most - least > limit_of(result_, undisturbed_[p]) / 2) return true;
    }
    return false;
  }
  [[nodiscard]] std::string step_down(Range range) const {
    return "no escalations (" + text_of(range) +
           " all repetitions take longer than those of larger sizes: that is a step down)";
  }
  [[nodiscard]] std::string scattered(Range range) const {
    return "no escalations for certain (repetitions scatter " + text_of(range) +
           ", but a few passing disturbances would look the same): measure more sizes there";
  }

  [[nodiscard]] double excess(std::size_t point, double time) const {
    return time - undisturbed_[point];
  }

  [[nodiscard]] Count count_above(std::size_t point, double limit) const {
    const std::vector<double>& times = sweep_.points[point].times_s;
    const auto above =
        std::ranges::count_if(times, [&](double time) { return excess(point, time) > limit; });
    return {times.size(), static_cast<std::size_t>(above)};
  }

  /// Escalated repetitions. Where even the typical excess would not double the time it counts as
  /// one at sizes that are quiet by themselves; the others say nothing.
  [[nodiscard]] std::vector<Count> visible(double typical) const {
    std::vector<Count> counts(undisturbed_.size());
    for (std::size_t p = 0; p < counts.size(); ++p) {
      const double limit = limit_of(result_, undisturbed_[p]);
      const double own = own_noise(p);
      if (typical == 0 || limit <= typical) {
        counts[p] = count_above(p, limit);
      } else if (own <= typical / 2) {
        const double least = std::ranges::min(sweep_.points[p].times_s);
        counts[p] = count_above(p, least - undisturbed_[p] + typical / 2);
      }
    }
    return counts;
  }

  /// What the quicker half of a size's repetitions says of its noise [s].
  [[nodiscard]] double own_noise(std::size_t point) const {
    const std::vector<double>& times = sweep_.points[point].times_s;
    return noise_factor * (median(times) - std::ranges::min(times));
  }

  /// Repetitions with such an excess, at all sizes alike.
  [[nodiscard]] std::vector<Count> longer_than(double excess) const {
    std::vector<Count> counts;
    for (std::size_t p = 0; p < undisturbed_.size(); ++p) counts.push_back(count_above(p, excess));
    return counts;
  }

  /// Median excess of the escalated repetitions [s]; 0 where there are none.
  [[nodiscard]] double typical_excess(Range range) const {
    std::vector<double> excesses;
    for (std::size_t p = range.first; p <= range.last; ++p) {
      const double limit = limit_of(result_, undisturbed_[p]);
      for (const double time : sweep_.points[p].times_s) {
        if (excess(p, time) > limit) excesses.push_back(excess(p, time));
      }
    }
    return excesses.empty() ? 0 : median(excesses);
  }

  [[nodiscard]] bool confirmed(Range range, const std::vector<Count>& common) const {
    const RangeLikelihood likelihood(rate_, common);
    const Range best = likelihood.best();
    return likelihood.prefers(best) && best.first <= range.last && range.first <= best.last;
  }

  static std::size_t repetitions(const Sweep& sweep) {
    std::size_t sum = 0;
    for (const SweepPoint& point : sweep.points) sum += point.times_s.size();
    return sum;
  }

  const Sweep& sweep_;
  double confidence_;
  RateLikelihood rate_;
  std::vector<double> undisturbed_;
  Escalations result_;
};

}  // namespace

std::vector<double> escalation_limits(const Sweep& sweep, const Escalations& found) {
  std::vector<double> limits = undisturbed_times(sweep);
  for (double& limit : limits) limit += limit_of(found, limit);
  return limits;
}

Escalations find_escalations(const Sweep& sweep, double confidence) {
  if (sweep.points.empty()) {
    throw InputError("no escalations (the sweep has no sizes): measure some");
  }
  if (!(confidence > 0 && confidence < 1)) {
    throw InputError("no confidence level " + std::to_string(confidence) +
                     " (a probability strictly between 0 and 1 is meant): give one such as 0.95");
  }
  return Finder(sweep, confidence).find();
}

}  // namespace commgauge
