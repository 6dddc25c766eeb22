#include "escalations.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "commgauge/error.hpp"
#include "commgauge/statistics.hpp"

namespace commgauge {

namespace {

constexpr double noise_quantile = 0.9;  ///< of a point's excesses
constexpr double quiet_points = 0.25;   ///< quantile over the points: escalations spare so many
constexpr double noise_factor = 3;
constexpr double least_ratio = 1;       ///< an escalation at least doubles the time
constexpr double extra_parameters = 3;  ///< of a range: two ends and a second rate
constexpr double impossible = -std::numeric_limits<double>::infinity();

/// Smallest repetition of this and all larger sizes: a gather takes no less time for more.
std::vector<double> undisturbed_times(const Sweep& sweep) {
  std::vector<double> times(sweep.points.size());
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t p = times.size(); p-- > 0;) {
    least = std::min(least, std::ranges::min(sweep.points[p].times_s));
    times[p] = least;
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
  double all{};
  double escalated{};
};

double log_likelihood(Count count) {
  const double others = count.all - count.escalated;
  if (count.escalated <= 0 || others <= 0) return 0;
  return count.escalated * std::log(count.escalated / count.all) +
         others * std::log(others / count.all);
}

struct Range {
  std::size_t first{};
  std::size_t last{};
};

/// Likelihood of one rate inside a range of points and a smaller one outside. O(1) for a range.
class RangeLikelihood {
 public:
  explicit RangeLikelihood(const std::vector<Count>& counts) : sums_(counts.size() + 1) {
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
    if (!(in.escalated * out.all > out.escalated * in.all)) return impossible;
    return log_likelihood(in) + log_likelihood(out);
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
    const double gain = 2 * ((*this)(range)-log_likelihood(sums_.back()));
    return gain > extra_parameters * std::log(sums_.back().all);
  }

 private:
  std::vector<Count> sums_;
};

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
      : sweep_{sweep}, confidence_{confidence}, undisturbed_{undisturbed_times(sweep)} {
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
    Range range = RangeLikelihood(visible(0)).best();
    const double typical = typical_excess(range);
    const std::vector<Count> counts = visible(typical);
    const RangeLikelihood likelihood(counts);
    range = likelihood.best();
    if (!likelihood.prefers(range) || !confirmed(range, typical)) return none(alike());
    result_.first = range.first;
    result_.last = range.last;
    result_.rate_inside = rate(likelihood.inside(range));
    result_.rate_outside = rate(likelihood.outside(range));
    if (const std::string doubt = doubt_of(range, counts); !doubt.empty()) return none(doubt);
    for (std::size_t p = range.last + 1; p < counts.size(); ++p) {
      result_.ends = result_.ends || counts[p].all > 0;
    }
    set_intervals(likelihood, confidence_, result_);
    result_.found = true;
    return result_;
  }

 private:
  static double rate(Count count) { return count.all > 0 ? count.escalated / count.all : 0; }

  Escalations none(const std::string& reason) {
    result_.reason = reason;
    return result_;
  }

  [[nodiscard]] std::string alike() const {
    return "no escalations (none of the sizes has more repetitions than the others that take " +
           to_text(Seconds{limit_of(result_, undisturbed_.front())}) +
           " longer than undisturbed, or twice as long)";
  }

  /// A deterministic step down, or a disturbance that hit one size, is no escalation.
  [[nodiscard]] std::string doubt_of(Range range, const std::vector<Count>& counts) const {
    std::size_t sizes = 0;
    bool spread = false;
    for (std::size_t p = range.first; p <= range.last; ++p) {
      sizes += counts[p].escalated > 0 ? 1 : 0;
      spread = spread || counts[p].escalated < counts[p].all;
    }
    const std::string where = to_text(sweep_.points[range.first].size);
    if (sizes < 2) {
      return "no escalations for certain (repetitions scatter at " + where +
             " alone, as a passing disturbance does): measure sizes around it";
    }
    if (!spread) {
      return "no escalations (from " + where + " to " + to_text(sweep_.points[range.last].size) +
             " all repetitions take longer than those of larger sizes: that is a step down)";
    }
    return {};
  }

  [[nodiscard]] double excess(std::size_t point, double time) const {
    return time - undisturbed_[point];
  }

  /// Escalated repetitions, at sizes where this excess would be one; other sizes say nothing.
  /// `least`: an excess must also be larger than this [s].
  [[nodiscard]] std::vector<Count> visible(double typical, double least = 0) const {
    std::vector<Count> counts(undisturbed_.size());
    for (std::size_t p = 0; p < counts.size(); ++p) {
      const double limit = limit_of(result_, undisturbed_[p]);
      if (typical > 0 && limit > typical) continue;
      counts[p].all = static_cast<double>(sweep_.points[p].times_s.size());
      counts[p].escalated =
          static_cast<double>(std::ranges::count_if(sweep_.points[p].times_s, [&](double time) {
            return excess(p, time) > std::max(limit, least);
          }));
    }
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

  /// Spikes of the same length at all sizes are escalations at small ones only, where they double
  /// the time. So the range has to stand out among excesses that every size could show as well.
  [[nodiscard]] bool confirmed(Range range, double typical) const {
    const RangeLikelihood common(visible(typical / 2, typical / 2));
    const Range best = common.best();
    return common.prefers(best) && best.first <= range.last && range.first <= best.last;
  }

  const Sweep& sweep_;
  double confidence_;
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
