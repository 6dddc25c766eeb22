#include "thresholds/breaks/break_agreement.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <vector>

#include "commgauge/base/statistics.hpp"

namespace commgauge {

namespace {

constexpr double chance = 0.05;             ///< of agreeing on a break that isn't there
constexpr std::size_t least_agreeing_passes = 5;     ///< all of five agree by chance in 3 %, of four in 6 %
constexpr double least_information = 0.25;  ///< of the best pass's: what sees less says little
constexpr double most_off = 3;              ///< standard deviations: beyond, a time is a spike
constexpr double collinear = 1e-9;          ///< what is left of a pattern that a line explains

/// One size in one pass.
struct Seen {
  double x{};
  double weight{};
  double pattern{};  ///< by how much the two lines differ from one
  double time{};
  bool is_left{};
};

/// What one pass says of the break, per standard deviation of the noise of a weight of 1.
struct Vote {
  double shift{};
  double information{};
};

/// A weighted line's residuals, of whatever `value` is.
template <class Value>
std::vector<double> beside_a_line(const std::vector<Seen>& seen, Value&& value) {
  double weight = 0, mean_x = 0, mean_y = 0;
  for (const Seen& one : seen) {
    weight += one.weight;
    mean_x += one.weight * one.x;
    mean_y += one.weight * value(one);
  }
  mean_x /= weight;
  mean_y /= weight;
  double sxx = 0, sxy = 0;
  for (const Seen& one : seen) {
    const double dx = one.x - mean_x;
    sxx += one.weight * dx * dx;
    sxy += one.weight * dx * (value(one) - mean_y);
  }
  const double slope = sxx > 0 ? sxy / sxx : 0;
  std::vector<double> residuals;
  residuals.reserve(seen.size());
  for (const Seen& one : seen) {
    residuals.push_back(value(one) - mean_y - slope * (one.x - mean_x));
  }
  return residuals;
}

/// No information where the pass doesn't see both sides, or a line explains all that it sees.
Vote vote_of(const std::vector<Seen>& seen) {
  const auto left = std::ranges::count(seen, true, &Seen::is_left);
  if (seen.size() < 3 || left == 0 || left == std::ssize(seen)) return {};
  const std::vector<double> pattern = beside_a_line(seen, [](const Seen& s) { return s.pattern; });
  const std::vector<double> time = beside_a_line(seen, [](const Seen& s) { return s.time; });
  Vote vote;
  double whole = 0;
  for (std::size_t k = 0; k < seen.size(); ++k) {
    vote.shift += seen[k].weight * pattern[k] * time[k];
    vote.information += seen[k].weight * pattern[k] * pattern[k];
    whole += seen[k].weight * seen[k].pattern * seen[k].pattern;
  }
  if (!(vote.information > collinear * whole)) return {};
  vote.shift /= std::sqrt(vote.information);
  return vote;
}

/// A size's times, spikes cut to what its repetitions usually scatter.
std::vector<double> without_spikes(const SweepPoint& point) {
  const double middle = median(point.times_s);
  const double reach = most_off * robust_deviation(point.times_s);
  std::vector<double> times = point.times_s;
  for (double& time : times) time = std::clamp(time, middle - reach, middle + reach);
  return times;
}

/// What each pass saw on both sides of the break.
std::map<int, std::vector<Seen>> seen_by_pass(const Sweep& sweep, const Observations& observations,
                                              const Segment& left, const Segment& right) {
  const Segment together = line_through(
      observations.between(observations.points[left.first], observations.points[right.last]), 0.95);
  std::map<int, std::vector<Seen>> passes;
  for (std::size_t i = left.first; i <= right.last; ++i) {
    const SweepPoint& point = sweep.points[observations.points[i]];
    const bool is_left = i <= left.last;
    const auto x = static_cast<double>(point.size.value);
    const auto at = [x](const Segment& line) {
      return line.intercept.value + line.slope.value * x;
    };
    Seen one{x, observations.weights.empty() ? 1 : observations.weights[i],
             at(is_left ? left : right) - at(together), 0, is_left};
    const std::vector<double> times = without_spikes(point);
    for (std::size_t r = 0; r < times.size(); ++r) {
      one.time = times[r];
      passes[point.passes[r]].push_back(one);
    }
  }
  return passes;
}

/// P(the sum of the ranks of positive ones is at least this), where each sign is as likely: by all
/// sums of 1 ... n. O(n³).
double chance_of(double sum, std::size_t n) {
  std::vector<double> share(n * (n + 1) / 2 + 1, 0.0);
  share[0] = 1;
  std::size_t reached = 0;
  for (std::size_t rank = 1; rank <= n; ++rank) {
    reached += rank;
    for (std::size_t s = reached + 1; s-- > 0;) {
      share[s] = (share[s] + (s >= rank ? share[s - rank] : 0)) / 2;
    }
  }
  double tail = 0;
  for (std::size_t s = 0; s < share.size(); ++s) {
    if (static_cast<double>(s) >= sum) tail += share[s];
  }
  return tail;
}

/// Of the values' distances from 0; equal ones share their ranks.
double sum_of_positive_ranks(std::vector<double> values) {
  std::ranges::sort(values, {}, [](double v) { return std::abs(v); });
  double sum = 0;
  for (std::size_t first = 0; first < values.size();) {
    std::size_t end = first;
    while (end < values.size() && std::abs(values[end]) == std::abs(values[first])) ++end;
    const double rank = static_cast<double>(first + end + 1) / 2;
    for (; first < end; ++first) sum += values[first] > 0 ? rank : 0;
  }
  return sum;
}

constexpr std::size_t most_exact = 100;  ///< votes, beyond which sums of ranks are normal

bool more_than_chance(const std::vector<double>& shifts) {
  const double sum = sum_of_positive_ranks(shifts);
  if (shifts.size() <= most_exact) return chance_of(sum, shifts.size()) <= chance;
  const auto n = static_cast<double>(shifts.size());
  const double deviation = std::sqrt(n * (n + 1) * (2 * n + 1) / 24);
  return sum - n * (n + 1) / 4 >= normal_quantile(1 - 2 * chance) * deviation;
}

/// Of the passes of one launch.
BreakAgreement agreement_of(const std::vector<Vote>& votes) {
  double best = 0;
  for (const Vote& vote : votes) best = std::max(best, vote.information);
  std::vector<double> shifts;
  for (const Vote& vote : votes) {
    if (vote.information > 0 && vote.information >= least_information * best) {
      shifts.push_back(vote.shift);
    }
  }
  BreakAgreement result;
  result.asked = std::ssize(shifts);
  result.show = std::ranges::count_if(shifts, [](double shift) { return shift > 0; });
  result.agrees = shifts.size() < least_agreeing_passes || more_than_chance(shifts);
  return result;
}

}  // namespace

BreakAgreement agreement_on_break(const Sweep& sweep, const Observations& observations,
                                  const Segment& left, const Segment& right,
                                  std::span<const int> launch_ends) {
  BreakAgreement all;
  if (!has_passes(sweep)) return all;
  std::map<std::ptrdiff_t, std::vector<Vote>> votes;  // by launch
  for (const auto& [pass, seen] : seen_by_pass(sweep, observations, left, right)) {
    votes[std::ranges::upper_bound(launch_ends, pass) - launch_ends.begin()].push_back(
        vote_of(seen));
  }
  long launches = 0;
  long agreeing = 0;
  for (const auto& [launch, of_launch] : votes) {
    const BreakAgreement one = agreement_of(of_launch);
    all.show += one.show;
    all.asked += one.asked;
    if (one.asked < static_cast<long>(least_agreeing_passes)) continue;
    ++launches;
    agreeing += one.agrees ? 1 : 0;
  }
  all.agrees = launches == 0 || 2 * agreeing > launches;
  return all;
}

std::string text_of(const DisputedBreak& disputed) {
  return to_text(disputed.after) + " (" + std::to_string(disputed.show) + " of " +
         std::to_string(disputed.asked) + " show it)";
}

}  // namespace commgauge
