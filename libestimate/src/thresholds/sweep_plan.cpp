#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "base/sort_unique.hpp"
#include "commgauge/base/error.hpp"
#include "commgauge/thresholds/sweep_plan.hpp"
#include "commgauge/thresholds/thresholds.hpp"

namespace commgauge {

namespace {

constexpr std::size_t neighbours = 2;  ///< gaps beside a break that belong to its surroundings
constexpr double most_wider = 2;       ///< than the break's own gap, a neighbour may be

/// The gap between a size of a sweep and the next one.
class Gaps {
 public:
  explicit Gaps(const Sweep& sweep) : sweep_{sweep} {}

  [[nodiscard]] std::size_t count() const { return sweep_.points.size() - 1; }
  /// ln(upper / lower); a size of 0 counts as 1.
  [[nodiscard]] double width(std::size_t gap) const {
    return std::log(at_least_one(gap + 1) / at_least_one(gap));
  }
  /// Further apart than that [ln], with room for another size between them.
  [[nodiscard]] bool is_wide(std::size_t gap, double least) const {
    return gap < count() && width(gap) > least && middle(gap);
  }
  /// Size in the geometric middle, if a whole number lies between the two ends.
  [[nodiscard]] std::optional<Bytes> middle(std::size_t gap) const {
    const std::uint64_t low = sweep_.points[gap].size.value;
    const std::uint64_t high = sweep_.points[gap + 1].size.value;
    if (high - low < 2) return std::nullopt;
    const double mean = std::sqrt(at_least_one(gap) * at_least_one(gap + 1));
    return Bytes{std::clamp(static_cast<std::uint64_t>(std::llround(mean)), low + 1, high - 1)};
  }

 private:
  [[nodiscard]] double at_least_one(std::size_t point) const {
    return std::max(1.0, static_cast<double>(sweep_.points[point].size.value));
  }
  const Sweep& sweep_;
};

/// Gaps to be halved, with what makes one more urgent than another.
class Wishes {
 public:
  Wishes(const Gaps& gaps, double precision) : gaps_{gaps}, least_{std::log1p(precision)} {}

  void add(std::size_t gap, double urgency) {
    if (!gaps_.is_wide(gap, least_)) return;
    double& known = urgencies_[gap];
    known = std::max(known, urgency);
  }
  /// A gap that holds a break, and those beside it that are much wider: a line needs sizes near.
  void add_break(std::size_t gap) {
    if (!gaps_.is_wide(gap, least_)) return;
    const double width = gaps_.width(gap);
    add(gap, first_of_all + width);
    for (std::size_t step = 1; step <= neighbours; ++step) {
      if (gap >= step) add_wide(gap - step, width);
      add_wide(gap + step, width);
    }
  }
  void add_all() {
    for (std::size_t gap = 0; gap < gaps_.count(); ++gap) add(gap, gaps_.width(gap));
  }

  /// Middles of the most urgent gaps, sorted.
  [[nodiscard]] std::vector<Bytes> sizes(std::size_t most) const {
    std::vector<std::pair<double, std::size_t>> order;
    for (const auto& [gap, urgency] : urgencies_) order.emplace_back(-urgency, gap);
    std::ranges::sort(order);
    if (order.size() > most) order.resize(most);
    std::vector<Bytes> sizes;
    for (const auto& [urgency, gap] : order) sizes.push_back(*gaps_.middle(gap));
    std::ranges::sort(sizes);
    return sizes;
  }

 private:
  static constexpr double first_of_all = 1000;  ///< above any width of a gap

  void add_wide(std::size_t gap, double width) {
    if (gap < gaps_.count() && gaps_.width(gap) > most_wider * width) add(gap, gaps_.width(gap));
  }

  const Gaps& gaps_;
  double least_;
  std::map<std::size_t, double> urgencies_;
};

/// Gaps that hold a break or an end of the escalations, found or suspected.
std::vector<std::size_t> gaps_of_interest(const SweepAnalysis& analysis) {
  std::vector<std::size_t> gaps;
  for (const Break& b : analysis.segmentation.breaks) gaps.push_back(b.last);
  const Escalations& escalations = analysis.escalations;
  if (!escalations.found && !(escalations.rate_inside > 0)) return gaps;
  if (escalations.first > 0) gaps.push_back(escalations.first - 1);
  gaps.push_back(escalations.last);
  return gaps;
}

void check(const SweepPlan& plan) {
  if (plan.first.value == 0 || plan.first >= plan.last) {
    throw InputError("no sizes from " + to_text(plan.first) + " to " + to_text(plan.last) +
                     " (the first must be above 0 and below the last): give others");
  }
  if (plan.per_octave < 1) {
    throw InputError("no " + std::to_string(plan.per_octave) +
                     " sizes in an octave (there is at least one): give 1 or more");
  }
  if (plan.most_sizes < 2) {
    throw InputError("no sweep of " + std::to_string(plan.most_sizes) +
                     " sizes (its two ends are two): give 2 or more");
  }
}

}  // namespace

std::vector<Bytes> first_sizes(const SweepPlan& plan) {
  check(plan);
  const auto first = static_cast<double>(plan.first.value);
  const auto last = static_cast<double>(plan.last.value);
  const double octaves = std::log2(last / first);
  const double wanted = std::ceil(octaves * plan.per_octave - 1e-9);
  const int steps = static_cast<int>(std::clamp(wanted, 1.0, plan.most_sizes - 1.0));
  std::vector<Bytes> sizes{plan.first};
  for (int step = 1; step < steps; ++step) {
    const double size = first * std::exp2(octaves * step / steps);
    const Bytes whole{static_cast<std::uint64_t>(std::llround(size))};
    if (whole > sizes.back() && whole < plan.last) sizes.push_back(whole);
  }
  sizes.push_back(plan.last);
  return sizes;
}

std::vector<Bytes> next_sizes(const Sweep& sweep, const SweepPlan& plan) {
  const auto most = static_cast<std::size_t>(std::max(0, plan.most_sizes));
  if (sweep.points.size() < 2 || sweep.points.size() >= most) return {};
  const Gaps gaps(sweep);
  Wishes wishes(gaps, plan.precision);
  try {
    const SweepAnalysis analysis = analyse(sweep, {});
    const bool too_few = analysis.segmentation.candidates.size() < 2;
    if (too_few) wishes.add_all();
    for (const std::size_t gap : gaps_of_interest(analysis)) wishes.add_break(gap);
  } catch (const FitError&) {
    wishes.add_all();
  }
  return wishes.sizes(most - sweep.points.size());
}

std::vector<std::size_t> unresolved(const SweepAnalysis& analysis, const SweepPlan& plan) {
  const Gaps gaps(analysis.sweep);
  const double least = std::log1p(plan.precision);
  std::vector<std::size_t> wide = gaps_of_interest(analysis);
  std::erase_if(wide, [&](std::size_t gap) { return !gaps.is_wide(gap, least); });
  sort_unique(wide);
  return wide;
}

}  // namespace commgauge
