#include <algorithm>
#include <limits>
#include <string>

#include "commgauge/base/error.hpp"
#include "commgauge/thresholds/thresholds.hpp"
#include "thresholds/escalations/escalated_repetitions.hpp"
#include "thresholds/escalations/permutation_tests.hpp"
#include "thresholds/escalations/range_likelihood.hpp"

namespace commgauge {

namespace {

constexpr std::size_t most_points = 1000;  ///< all ranges of them, 400 times over: a second
/// An escalation waits for a timer, TCP's retransmission for 200 ms; below this a crowded machine
/// scatters at some sizes and not at others by scheduling alone [s].
constexpr double least_excess = 1e-3;

std::size_t repetitions_of(const Sweep& sweep) {
  std::size_t sum = 0;
  for (const SweepPoint& point : sweep.points) sum += point.times_s.size();
  return sum;
}

/// Whether a sweep escalates: from the most likely range of sizes through all that must confirm it.
class SweepVerdict {
 public:
  /// @param shortest_s  an escalation takes longer by more than this at least.
  SweepVerdict(const Sweep& sweep, double confidence, double shortest_s)
      : sweep_{sweep},
        confidence_{confidence},
        rate_(repetitions_of(sweep)),
        repetitions_(sweep, shortest_s) {
    result_.limit_s = repetitions_.limit_s();
    result_.limit_ratio = repetitions_.limit_ratio();
  }

  Escalations reach() {
    if (std::string reason = why_not_looked_for(); !reason.empty()) return none(reason);
    const ExcessLimits long_ones = repetitions_.visible(std::numeric_limits<double>::infinity());
    const TypicalEscalation typical =
        repetitions_.typical(RangeLikelihood(rate_, repetitions_.counted(long_ones)).best());
    const std::vector<Count> counts = repetitions_.counted(repetitions_.visible(typical.excess_s));
    const RangeLikelihood likelihood(rate_, counts);
    const PointRange range = likelihood.best();
    // Sizes do not have one limit. Spikes of one length are escalations at small sizes only, where
    // they double the time; noise in proportion is more than the noise of small sizes at larger
    // ones only. So the range has to stand out as well among excesses that count at all sizes.
    const ExcessLimits common = repetitions_.equally_visible(typical.excess_s);
    const ExcessLimits relative = repetitions_.relatively_longer_than(typical.least_ratio / 2);
    if (!likelihood.prefers(range) || !confirms(common, range) || !confirms(relative, range)) {
      return none(alike());
    }
    // All repetitions may escalate at some sizes, but a step of the machine makes all of them
    // longer, too: some have to differ from others of their size as much as an escalation does.
    if (!confirms(repetitions_.above_own_shortest(), range)) return none(step_down(range));
    suspect(range, likelihood);
    if (!lie_together(common) || !lie_together(relative)) return none(scattered(range));
    accept(range, likelihood, counts);
    return result_;
  }

  /// Why what was found is none after all.
  [[nodiscard]] std::string too_short() const {
    const PointRange range{result_.first, result_.last};
    return "no escalations (" + text_of(range) + " repetitions scatter by some " +
           to_text(Seconds{repetitions_.typical(range).excess_s}) +
           " more than at other sizes, as on a crowded machine; an escalation takes at least " +
           to_text(Seconds{least_excess}) + " longer)";
  }

 private:
  [[nodiscard]] std::string why_not_looked_for() const {
    const bool repeated = std::ranges::any_of(
        sweep_.points, [](const SweepPoint& point) { return point.times_s.size() > 1; });
    if (!repeated) {
      return "escalations can't be seen (every size has a single time, and they show as a spread "
             "between repetitions)";
    }
    if (sweep_.points.size() > most_points) {
      return "escalations are not looked for among more than " + std::to_string(most_points) +
             " sizes: leave some out";
    }
    return "";
  }

  /// Whether counted by these limits, too, some range stands out, and in the same place.
  [[nodiscard]] bool confirms(const ExcessLimits& limits, PointRange range) const {
    const RangeLikelihood likelihood(rate_, repetitions_.counted(limits));
    const PointRange best = likelihood.best();
    return likelihood.prefers(best) && best.first <= range.last && range.first <= best.last;
  }

  /// Whether escalations are the sizes', not a passing disturbance's.
  [[nodiscard]] bool lie_together(const ExcessLimits& limits) const {
    const std::vector<Count> counts = repetitions_.counted(limits);
    const std::vector<Count> pools = pooled(sweep_, counts);
    if (!has_passes(sweep_)) return commgauge::lie_together(rate_, pools);
    return neighbours_escalate(pools) && prefer_a_range(rate_, counts, repetitions_.passes(limits));
  }

  void suspect(PointRange range, const RangeLikelihood& likelihood) {
    result_.first = range.first;
    result_.last = range.last;
    result_.rate_inside = likelihood.inside(range).rate();
    result_.rate_outside = likelihood.outside(range).rate();
  }

  void accept(PointRange range, const RangeLikelihood& likelihood,
              const std::vector<Count>& counts) {
    for (std::size_t p = range.last + 1; p < counts.size(); ++p) {
      result_.ends = result_.ends || counts[p].all > 0;
    }
    const RangeEnds ends = likelihood.likely_ends(range, confidence_);
    result_.first_low = ends.first_low;
    result_.first_high = ends.first_high;
    result_.last_low = ends.last_low;
    result_.last_high = ends.last_high;
    result_.found = true;
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

  [[nodiscard]] std::string text_of(PointRange range) const {
    const std::string first = to_text(sweep_.points[range.first].size);
    if (range.first == range.last) return "at " + first;
    return "from " + first + " to " + to_text(sweep_.points[range.last].size);
  }

  [[nodiscard]] std::string step_down(PointRange range) const {
    return "no escalations (" + text_of(range) +
           " all repetitions take longer than those of larger sizes: that is a step down)";
  }

  [[nodiscard]] std::string scattered(PointRange range) const {
    return "no escalations for certain (repetitions scatter " + text_of(range) +
           ", but a few passing disturbances would look the same): measure more sizes there";
  }

  const Sweep& sweep_;
  double confidence_;
  RateLikelihood rate_;
  EscalatedRepetitions repetitions_;
  Escalations result_;
};

bool is_suspicion(const Escalations& result) { return !result.found && result.rate_inside > 0; }

}  // namespace

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
  Escalations result = SweepVerdict(sweep, confidence, least_excess).reach();
  if (result.found || is_suspicion(result)) return result;
  SweepVerdict shorter(sweep, confidence, 0);
  if (shorter.reach().found) result.reason = shorter.too_short();
  return result;
}

}  // namespace commgauge
