#include "thresholds/escalations/escalated_repetitions.hpp"

#include <algorithm>
#include <map>

#include "commgauge/base/statistics.hpp"

namespace commgauge {

namespace {

constexpr double least_ratio = 1;              ///< an escalation at least doubles the time
constexpr std::size_t enough_repetitions = 5;  ///< to see that a size is steady

double limit_of(double limit_s, double limit_ratio, double undisturbed_s) {
  return std::max(limit_s, limit_ratio * undisturbed_s);
}

}  // namespace

EscalatedRepetitions::EscalatedRepetitions(const Sweep& sweep, double shortest_s)
    : sweep_{sweep},
      undisturbed_s_{undisturbed_times(sweep)},
      noise_{noise_of(sweep, undisturbed_s_)},
      limit_s_{std::max(shortest_s, noise_.absolute_s)},
      limit_ratio_{std::max(least_ratio, noise_.ratio)} {}

ExcessLimits EscalatedRepetitions::visible(double typical_s) const {
  ExcessLimits limits(undisturbed_s_.size());
  for (std::size_t p = 0; p < limits.size(); ++p) {
    const double limit = limit_at(p);
    if (shows(p, typical_s)) {
      limits[p] = limit <= typical_s ? limit : typical_s / 2;
    } else if (count_above(p, limit).escalated > 0) {
      limits[p] = limit;
    }
  }
  return limits;
}

ExcessLimits EscalatedRepetitions::equally_visible(double typical_s) const {
  ExcessLimits limits(undisturbed_s_.size());
  for (std::size_t p = 0; p < limits.size(); ++p) {
    if (shows(p, typical_s)) limits[p] = typical_s / 2;
  }
  return limits;
}

ExcessLimits EscalatedRepetitions::relatively_longer_than(double ratio) const {
  const double limit = std::max(ratio, limit_ratio_);
  ExcessLimits limits(undisturbed_s_.size());
  for (std::size_t p = 0; p < limits.size(); ++p) {
    const double least = limit * undisturbed_s_[p];
    const bool noisy = std::min(noise_.absolute_s, own_noise(sweep_.points[p])) > least;
    if (!noisy) limits[p] = least;
  }
  return limits;
}

ExcessLimits EscalatedRepetitions::above_own_shortest() const {
  const std::vector<double> shortest = shortest_times(sweep_);
  ExcessLimits limits(undisturbed_s_.size());
  for (std::size_t p = 0; p < limits.size(); ++p) {
    const double limit = std::max(limit_at(p), noise_.at(shortest[p]));
    limits[p] = shortest[p] - undisturbed_s_[p] + limit;
  }
  return limits;
}

std::vector<Count> EscalatedRepetitions::counted(const ExcessLimits& limits) const {
  std::vector<Count> counts(limits.size());
  for (std::size_t p = 0; p < counts.size(); ++p) {
    if (limits[p]) counts[p] = count_above(p, *limits[p]);
  }
  return counts;
}

std::vector<Pass> EscalatedRepetitions::passes(const ExcessLimits& limits) const {
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

TypicalEscalation EscalatedRepetitions::typical(PointRange range) const {
  std::vector<double> excesses;
  std::vector<double> ratios;
  for (std::size_t p = range.first; p <= range.last; ++p) {
    const double limit = limit_at(p);
    for (const double time : sweep_.points[p].times_s) {
      if (excess(p, time) <= limit) continue;
      excesses.push_back(excess(p, time));
      ratios.push_back(excess(p, time) / undisturbed_s_[p]);
    }
  }
  if (excesses.empty()) return {};
  return {median(excesses), std::ranges::min(ratios)};
}

double EscalatedRepetitions::limit_at(std::size_t point) const {
  return limit_of(limit_s_, limit_ratio_, undisturbed_s_[point]);
}

double EscalatedRepetitions::excess(std::size_t point, double time) const {
  return time - undisturbed_s_[point];
}

Count EscalatedRepetitions::count_above(std::size_t point, double limit_s) const {
  const std::vector<double>& times = sweep_.points[point].times_s;
  const auto above =
      std::ranges::count_if(times, [&](double time) { return excess(point, time) > limit_s; });
  return {times.size(), static_cast<std::size_t>(above)};
}

/// Whether such an excess is an escalation at this size. Where it does not even double the time
/// half of it is one if noise is less, or if all repetitions lie closer together.
bool EscalatedRepetitions::shows(std::size_t point, double typical_s) const {
  return limit_at(point) <= typical_s || is_steady(point, typical_s / 2) ||
         std::max(noise_.at(undisturbed_s_[point]), own_noise(sweep_.points[point])) <=
             typical_s / 2;
}

bool EscalatedRepetitions::is_steady(std::size_t point, double excess_s) const {
  const std::vector<double>& times = sweep_.points[point].times_s;
  return times.size() >= enough_repetitions && excess(point, std::ranges::max(times)) <= excess_s;
}

std::vector<double> escalation_limits(const Sweep& sweep, const Escalations& found) {
  std::vector<double> limits = undisturbed_times(sweep);
  for (double& limit : limits) limit += limit_of(found.limit_s, found.limit_ratio, limit);
  return limits;
}

}  // namespace commgauge
