#include "commgauge/replay/longest_paths.hpp"

#include <algorithm>
#include <queue>

namespace commgauge::replay {

using simulate::Cause;
using simulate::Moment;

LongestPaths::LongestPaths(const simulate::Causes& causes) : causes_{causes} {
  walk();
  find_path();
}

void LongestPaths::walk() {
  times_.resize(causes_.size());
  for (Moment to = 1; to < times_.size(); ++to) {
    for (const Cause& cause : causes_.of(to)) {
      times_[to] = std::max(times_[to], times_[cause.after] + cause.delay);
    }
  }
  for (const Moment end : causes_.ends()) {
    if (times_[end] > time_) {
      time_ = times_[end];
      last_ = end;
    }
  }
}

void LongestPaths::find_path() {
  for (Moment to = last_; times_[to] > 0;) {
    const auto causes = causes_.of(to);
    // What differs by rounding is as late.
    const double least = times_[to] * (1 - 4 * std::numeric_limits<double>::epsilon());
    const auto latest = std::ranges::find_if(
        causes, [&](const Cause& cause) { return times_[cause.after] + cause.delay >= least; });
    path_.push_back({to, *latest, static_cast<std::size_t>(latest - causes.begin())});
    to = latest->after;
  }
  std::ranges::reverse(path_);
}

std::vector<double> LongestPaths::times_to_the_end() const {
  std::vector<double> left(causes_.size(), never_delays);
  for (const Moment end : causes_.ends()) left[end] = 0;
  for (Moment to = static_cast<Moment>(left.size()); to-- > 1;) {
    for (const Cause& cause : causes_.of(to)) {
      left[cause.after] = std::max(left[cause.after], left[to] + cause.delay);
    }
  }
  return left;
}

/// Order the moments by their numbers: a path that avoids a step leaves what is not after the
/// step's cause by another one, which spans that gap; the longest way to it, and from it to the
/// end, can't have the step. A critical cause spans no gap but its own.
std::vector<double> LongestPaths::without_each() const {
  struct Bypass {
    double time{};
    Moment from{};
    bool operator<(const Bypass& other) const { return time < other.time; }
  };
  const std::vector<double> left = times_to_the_end();
  std::priority_queue<Bypass> open;
  for (const Moment end : causes_.ends()) open.push({times_[end], end});
  std::vector<double> times(path_.size());
  auto next = static_cast<Moment>(causes_.size());
  for (std::size_t k = path_.size(); k-- > 0;) {
    const Moment gap = path_[k].cause.after;
    while (next > gap + 1) {
      const auto causes = causes_.of(--next);
      open.push({left[next], simulate::beginning});
      for (std::size_t i = 0; i < causes.size(); ++i) {
        if (next == path_[k].to && i == path_[k].which) continue;
        open.push({times_[causes[i].after] + causes[i].delay + left[next], causes[i].after});
      }
    }
    while (open.top().from > gap) open.pop();
    times[k] = std::clamp(open.top().time, 0.0, time_);
  }
  return times;
}

std::vector<double> LongestPaths::times_with(const Delay& delay) const {
  std::vector<double> times(causes_.size());
  for (Moment to = 1; to < times.size(); ++to) {
    for (const Cause& cause : causes_.of(to)) {
      times[to] = std::max(times[to], times[cause.after] + delay(to, cause));
    }
  }
  return times;
}

double LongestPaths::with(const Delay& delay) const {
  const std::vector<double> times = times_with(delay);
  double last = 0;
  for (const Moment end : causes_.ends()) last = std::max(last, times[end]);
  return last;
}

}  // namespace commgauge::replay
