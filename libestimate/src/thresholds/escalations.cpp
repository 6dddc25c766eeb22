#include "thresholds/escalations.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <optional>
#include <random>
#include <span>
#include <string>

#include "commgauge/base/error.hpp"
#include "commgauge/base/shuffle.hpp"
#include "commgauge/base/statistics.hpp"

namespace commgauge {

namespace {

constexpr double noise_quantile = 0.9;  ///< of a point's excesses
constexpr double quiet_points = 0.25;   ///< quantile over the points: escalations spare so many
constexpr double noise_factor = 3;
constexpr std::size_t most_points = 1000;  ///< all ranges of them, 400 times over: a second
constexpr double least_ratio = 1;          ///< an escalation at least doubles the time
/// An escalation waits for a timer, TCP's retransmission for 200 ms; below this a crowded machine
/// scatters at some sizes and not at others by scheduling alone [s].
constexpr double least_excess = 1e-3;
constexpr std::size_t enough_repetitions = 5;     ///< to see that a size is steady
constexpr double extra_parameters = 3;            ///< of a range: two ends and a second rate
constexpr double usual_gaps = 0.9;                ///< quantile: a sweep adds sizes in a few places
constexpr double close_gap = 0.55;                ///< of the usual one: an added size halves it
constexpr double widest_gap = std::numbers::ln2;  ///< an octave
constexpr int permutations = 199;
constexpr double by_chance = 0.05;  ///< level of the permutation test
constexpr std::uint64_t permutation_seed = 7;
constexpr double round_off = 1e-9;  ///< of a log-likelihood
constexpr double impossible = -std::numeric_limits<double>::infinity();

double as_double(std::size_t count) { return static_cast<double>(count); }

double size_of(const SweepPoint& point) { return static_cast<double>(point.size.value); }

/// What noise explains: an excess, and one in proportion to the undisturbed time.
struct Noise {
  double absolute_s{};
  double ratio{};
  /// Whichever is larger.
  [[nodiscard]] double at(double undisturbed) const {
    return std::max(absolute_s, ratio * undisturbed);
  }
};

/// Noise is what the quiet sizes show.
Noise noise_of(const Sweep& sweep, const std::vector<double>& undisturbed) {
  std::vector<double> absolute;
  std::vector<double> relative;
  for (std::size_t p = 0; p < undisturbed.size(); ++p) {
    const double excess = quantile(sweep.points[p].times_s, noise_quantile) - undisturbed[p];
    absolute.push_back(excess);
    relative.push_back(excess / undisturbed[p]);
  }
  return {noise_factor * quantile(absolute, quiet_points),
          noise_factor * quantile(relative, quiet_points)};
}

std::vector<double> quickest(const Sweep& sweep) {
  std::vector<double> times;
  for (const SweepPoint& point : sweep.points) times.push_back(std::ranges::min(point.times_s));
  return times;
}

/// Where a size has such a time.
struct Level {
  double size{};
  double time{};
};

/// For every point the quickest median of larger sizes: a gather takes no less time for more.
std::vector<Level> larger_levels(const Sweep& sweep) {
  std::vector<Level> levels(sweep.points.size(), {0, std::numeric_limits<double>::infinity()});
  for (std::size_t p = levels.size() - 1; p-- > 0;) {
    const SweepPoint& next = sweep.points[p + 1];
    levels[p] = levels[p + 1];
    const double time = median(next.times_s);
    if (time < levels[p].time) levels[p] = {size_of(next), time};
  }
  return levels;
}

/// What a size takes when nothing escalates: its quickest repetition. Unless even that is longer
/// than the median of some larger size, by more than noise: then all of its repetitions are
/// disturbed, and what it takes lies between the sizes before and after those like it.
std::vector<double> undisturbed_times(const Sweep& sweep) {
  std::vector<double> times = quickest(sweep);
  const Noise noise = noise_of(sweep, times);
  const std::vector<Level> larger = larger_levels(sweep);
  std::optional<Level> smaller;
  for (std::size_t p = 0; p < times.size(); ++p) {
    const double size = size_of(sweep.points[p]);
    const Level after = larger[p];
    if (times[p] <= after.time + noise.at(after.time)) {
      smaller = {size, times[p]};
      continue;
    }
    const Level before = smaller.value_or(after);
    const double share = before.size < size ? (size - before.size) / (after.size - before.size) : 1;
    times[p] = std::lerp(before.time, after.time, share);
  }
  return times;
}

double limit_of(const Escalations& result, double undisturbed) {
  return std::max(result.limit_s, result.limit_ratio * undisturbed);
}

/// Of each point, the excess [s] above which a repetition counts as escalated; nothing where the
/// point doesn't count.
using Limits = std::vector<std::optional<double>>;

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

/// How far apart sizes lie where none were added between them: the logarithm of their ratio.
double usual_gap(const Sweep& sweep) {
  std::vector<double> gaps;
  for (std::size_t p = 1; p < sweep.points.size(); ++p) {
    gaps.push_back(
        std::log(size_of(sweep.points[p]) / std::max(1.0, size_of(sweep.points[p - 1]))));
  }
  return gaps.empty() ? widest_gap : std::min(widest_gap, quantile(gaps, usual_gaps));
}

/// Sizes much closer than usual as one. A sweep adds such sizes one after the other, where it
/// suspects something, so that one disturbance hits them all.
std::vector<Count> pooled(const Sweep& sweep, const std::vector<Count>& counts) {
  const double gap = close_gap * usual_gap(sweep);
  std::vector<Count> pools;
  double begin = -std::numeric_limits<double>::infinity();
  for (std::size_t p = 0; p < counts.size(); ++p) {
    const double size = std::log(std::max(1.0, size_of(sweep.points[p])));
    if (size - begin >= gap) {
      pools.push_back({});
      begin = size;
    }
    pools.back().all += counts[p].all;
    pools.back().escalated += counts[p].escalated;
  }
  return pools;
}

/// Whether hardly any of the arrangements has as good a range as what was observed. Permutation
/// test, the same on every call. @param rearranged  counts after a random permutation
template <class Rearranged>
bool stands_out(const RateLikelihood& rate, const std::vector<Count>& counts,
                Rearranged&& rearranged) {
  const RangeLikelihood observed(rate, counts);
  const double reached = observed(observed.best()) - round_off;
  std::mt19937_64 random{permutation_seed};
  int as_good = 1;
  for (int i = 0; i < permutations; ++i) {
    const std::vector<Count>& others = rearranged(random);
    const RangeLikelihood shuffled(rate, others);
    as_good += shuffled(shuffled.best()) >= reached ? 1 : 0;
  }
  return as_good <= by_chance * (permutations + 1);
}

/// Whether sizes with escalations lie together more than by chance. Something that disturbs the
/// machine for a while hits all repetitions of a size, but no neighbouring sizes: the same counts
/// in another order would make as good a range.
bool lie_together(const RateLikelihood& rate, std::vector<Count> counts) {
  std::erase_if(counts, [](Count count) { return count.all == 0; });
  std::vector<Count> shuffled = counts;
  return stands_out(rate, counts, [&](std::mt19937_64& random) -> const std::vector<Count>& {
    shuffle(std::span{shuffled}, random);
    return shuffled;
  });
}

/// The repetitions of one pass: which points it has, in the order in which they stand here, and
/// which of them escalated.
struct Pass {
  std::vector<std::size_t> points;
  std::vector<bool> escalated;
};

/// Whether escalations prefer a range of sizes within the passes. A pass takes its sizes in a
/// random order, so what disturbs the machine meanwhile hits any of them: the same escalations at
/// other sizes of their pass would make as good a range.
bool prefer_a_range(const RateLikelihood& rate, const std::vector<Count>& counts,
                    std::vector<Pass> passes) {
  return stands_out(
      rate, counts,
      [&, shuffled = counts](std::mt19937_64& random) mutable -> const std::vector<Count>& {
        for (Count& count : shuffled) count.escalated = 0;
        for (Pass& pass : passes) {
          shuffle(std::span{pass.points}, random);
          for (std::size_t i = 0; i < pass.points.size(); ++i) {
            shuffled[pass.points[i]].escalated += pass.escalated[i] ? 1 : 0;
          }
        }
        return shuffled;
      });
}

/// Whether two neighbours among these sizes escalate; those that don't count are passed over.
bool neighbours_escalate(const std::vector<Count>& counts) {
  bool before = false;
  for (const Count& count : counts) {
    if (count.all == 0) continue;
    if (before && count.escalated > 0) return true;
    before = count.escalated > 0;
  }
  return false;
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
  /// @param shortest  what an escalation takes longer at least [s].
  Finder(const Sweep& sweep, double confidence, double shortest)
      : sweep_{sweep},
        confidence_{confidence},
        rate_(repetitions(sweep)),
        undisturbed_{undisturbed_times(sweep)},
        noise_{noise_of(sweep, undisturbed_)} {
    result_.limit_s = std::max(shortest, noise_.absolute_s);
    result_.limit_ratio = std::max(least_ratio, noise_.ratio);
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
    const Typical typical = typical_escalation(
        RangeLikelihood(rate_, counted(visible(std::numeric_limits<double>::infinity()))).best());
    const std::vector<Count> counts = counted(visible(typical.excess_s));
    const RangeLikelihood likelihood(rate_, counts);
    const Range range = likelihood.best();
    // Sizes do not have one limit. Spikes of one length are escalations at small sizes only, where
    // they double the time; noise in proportion is more than the noise of small sizes at larger
    // ones only. So the range has to stand out as well among excesses that count at all sizes.
    const Limits common = equally_visible(typical.excess_s);
    const Limits relative = relatively_longer_than(typical.least_ratio / 2);
    if (!likelihood.prefers(range) || !confirmed(range, counted(common)) ||
        !confirmed(range, counted(relative))) {
      return none(alike());
    }
    if (!is_spread(range)) return none(step_down(range));
    result_.first = range.first;
    result_.last = range.last;
    result_.rate_inside = share(likelihood.inside(range));
    result_.rate_outside = share(likelihood.outside(range));
    if (!lie_together(common) || !lie_together(relative)) return none(scattered(range));
    for (std::size_t p = range.last + 1; p < counts.size(); ++p) {
      result_.ends = result_.ends || counts[p].all > 0;
    }
    set_intervals(likelihood, confidence_, result_);
    result_.found = true;
    return result_;
  }

  /// Why what was found is none after all.
  [[nodiscard]] std::string too_short() const {
    const Range range{result_.first, result_.last};
    return "no escalations (" + text_of(range) + " repetitions scatter by some " +
           to_text(Seconds{typical_escalation(range).excess_s}) +
           " more than at other sizes, as on a crowded machine; an escalation takes at least " +
           to_text(Seconds{least_excess}) + " longer)";
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
    return "no escalations (repetitions that take at least " + to_text(Seconds{result_.limit_s}) +
           " longer than undisturbed, and twice as long, are no more frequent at some sizes than "
           "at "
           "others)";
  }

  [[nodiscard]] std::string text_of(Range range) const {
    const std::string first = to_text(sweep_.points[range.first].size);
    if (range.first == range.last) return "at " + first;
    return "from " + first + " to " + to_text(sweep_.points[range.last].size);
  }

  /// Whether repetitions of the same size differ as much as an escalation does. All of them may
  /// escalate at some sizes, but a step of the machine makes all of them longer at all.
  [[nodiscard]] bool is_spread(Range range) const {
    const std::vector<double> least = quickest(sweep_);
    std::vector<Count> counts;
    for (std::size_t p = 0; p < least.size(); ++p) {
      const double limit = std::max(limit_of(result_, undisturbed_[p]), noise_.at(least[p]));
      counts.push_back(count_above(p, least[p] - undisturbed_[p] + limit));
    }
    return confirmed(range, counts);
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

  /// Whether such an excess is an escalation at this size. Where it does not even double the time
  /// half of it is one if noise is less, or if all repetitions lie closer together; other sizes say
  /// nothing.
  [[nodiscard]] bool shows(std::size_t point, double typical) const {
    const double undisturbed = undisturbed_[point];
    return limit_of(result_, undisturbed) <= typical || is_steady(point, typical / 2) ||
           std::max(noise_.at(undisturbed), own_noise(point)) <= typical / 2;
  }
  [[nodiscard]] bool is_steady(std::size_t point, double excess_s) const {
    const std::vector<double>& times = sweep_.points[point].times_s;
    return times.size() >= enough_repetitions && excess(point, std::ranges::max(times)) <= excess_s;
  }

  [[nodiscard]] std::vector<Count> counted(const Limits& limits) const {
    std::vector<Count> counts(limits.size());
    for (std::size_t p = 0; p < counts.size(); ++p) {
      if (limits[p]) counts[p] = count_above(p, *limits[p]);
    }
    return counts;
  }

  /// Escalated repetitions, when such an excess is typical of them. Where it would not show, a
  /// repetition that took longer than any noise escalated nevertheless.
  [[nodiscard]] Limits visible(double typical) const {
    Limits limits(undisturbed_.size());
    for (std::size_t p = 0; p < limits.size(); ++p) {
      const double limit = limit_of(result_, undisturbed_[p]);
      if (shows(p, typical)) {
        limits[p] = limit <= typical ? limit : typical / 2;
      } else if (count_above(p, limit).escalated > 0) {
        limits[p] = limit;
      }
    }
    return limits;
  }

  /// What the quicker half of a size's repetitions says of its noise [s].
  [[nodiscard]] double own_noise(std::size_t point) const {
    const std::vector<double>& times = sweep_.points[point].times_s;
    return noise_factor * (median(times) - std::ranges::min(times));
  }

  /// Repetitions with half of such an excess, at all sizes alike.
  [[nodiscard]] Limits equally_visible(double typical) const {
    Limits limits(undisturbed_.size());
    for (std::size_t p = 0; p < limits.size(); ++p) {
      if (shows(p, typical)) limits[p] = typical / 2;
    }
    return limits;
  }

  /// Repetitions with such an excess in proportion to the undisturbed time, at all sizes alike but
  /// small ones that are noisier than that.
  [[nodiscard]] Limits relatively_longer_than(double ratio) const {
    const double limit = std::max(ratio, result_.limit_ratio);
    Limits limits(undisturbed_.size());
    for (std::size_t p = 0; p < limits.size(); ++p) {
      const double least = limit * undisturbed_[p];
      const bool noisy = std::min(noise_.absolute_s, own_noise(p)) > least;
      if (!noisy) limits[p] = least;
    }
    return limits;
  }

  /// Whether escalations are the sizes', not a passing disturbance's.
  [[nodiscard]] bool lie_together(const Limits& limits) const {
    const std::vector<Count> counts = counted(limits);
    const std::vector<Count> pools = pooled(sweep_, counts);
    if (!has_passes(sweep_)) return commgauge::lie_together(rate_, pools);
    return neighbours_escalate(pools) && prefer_a_range(rate_, counts, passes(limits));
  }

  [[nodiscard]] std::vector<Pass> passes(const Limits& limits) const {
    std::map<int, Pass> by_number;
    for (std::size_t p = 0; p < limits.size(); ++p) {
      const SweepPoint& point = sweep_.points[p];
      for (std::size_t r = 0; limits[p] && r < point.times_s.size(); ++r) {
        Pass& pass = by_number[point.passes[r]];
        pass.points.push_back(p);
        pass.escalated.push_back(excess(p, point.times_s[r]) > *limits[p]);
      }
    }
    std::vector<Pass> result;
    for (auto& [number, pass] : by_number) result.push_back(std::move(pass));
    return result;
  }

  /// What escalated repetitions have in common; 0 where there are none.
  struct Typical {
    double excess_s{};     ///< median
    double least_ratio{};  ///< smallest excess in proportion to the undisturbed time
  };
  [[nodiscard]] Typical typical_escalation(Range range) const {
    std::vector<double> excesses;
    std::vector<double> ratios;
    for (std::size_t p = range.first; p <= range.last; ++p) {
      const double limit = limit_of(result_, undisturbed_[p]);
      for (const double time : sweep_.points[p].times_s) {
        if (excess(p, time) <= limit) continue;
        excesses.push_back(excess(p, time));
        ratios.push_back(excess(p, time) / undisturbed_[p]);
      }
    }
    if (excesses.empty()) return {};
    return {median(excesses), std::ranges::min(ratios)};
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
  Noise noise_;
  Escalations result_;
};

bool is_suspicion(const Escalations& result) { return !result.found && result.rate_inside > 0; }

}  // namespace

std::vector<double> escalation_limits(const Sweep& sweep, const Escalations& found) {
  std::vector<double> limits = undisturbed_times(sweep);
  for (double& limit : limits) limit += limit_of(found, limit);
  return limits;
}

bool suspects_escalations(const Sweep& sweep, double confidence) {
  return is_suspicion(find_escalations(sweep, confidence));
}

Escalations find_escalations(const Sweep& sweep, double confidence) {
  if (sweep.points.empty()) {
    throw InputError("no escalations (the sweep has no sizes): measure some");
  }
  if (!(confidence > 0 && confidence < 1)) {
    throw InputError("no confidence level " + std::to_string(confidence) +
                     " (a probability strictly between 0 and 1 is meant): give one such as 0.95");
  }
  Escalations result = Finder(sweep, confidence, least_excess).find();
  if (result.found || is_suspicion(result)) return result;
  Finder shorter(sweep, confidence, 0);
  if (shorter.find().found) result.reason = shorter.too_short();
  return result;
}

}  // namespace commgauge
