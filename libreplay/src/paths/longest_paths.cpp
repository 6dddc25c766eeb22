#include "commgauge/replay/paths/longest_paths.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace commgauge::replay {

using simulate::Cause;
using simulate::Moment;

namespace {

/// Of values that are valid from one place of a row to another, the greatest at each.
class Greatest {
 public:
  explicit Greatest(std::size_t places) : places_{places}, tree_(2 * places, never_delays) {}

  /// Valid at all places from `from`, before `to`.
  void add(std::size_t from, std::size_t to, double value) {
    for (from += places_, to += places_; from < to; from /= 2, to /= 2) {
      if (from % 2 == 1) raise(tree_[from++], value);
      if (to % 2 == 1) raise(tree_[--to], value);
    }
  }
  [[nodiscard]] double at(std::size_t place) const {
    double value = never_delays;
    for (place += places_; place > 0; place /= 2) raise(value, tree_[place]);
    return value;
  }

 private:
  static void raise(double& value, double other) { value = std::max(value, other); }

  std::size_t places_;
  std::vector<double> tree_;
};

}  // namespace

double LongestPaths::delay(Moment to, const Cause& cause) const {
  if (delay_) return delay_of(delay_, to, cause);
  return cause.why == simulate::Why::own_part ? 0 : cause.delay;
}

LongestPaths::LongestPaths(const simulate::Causes& causes, Delay delay)
    : causes_{causes}, delay_{std::move(delay)} {
  walk();
  find_path();
}

void LongestPaths::walk() {
  if (delay_) {
    set_times(times_, delay_);
  } else {
    set_times(times_, [](Moment, const Cause& cause) { return cause.delay; });
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
    const auto latest = std::ranges::find_if(causes, [&](const Cause& cause) {
      return times_[cause.after] + delay(to, cause) >= least;
    });
    path_.push_back({to, *latest, static_cast<std::size_t>(latest - causes.begin())});
    to = latest->after;
  }
  std::ranges::reverse(path_);
}

double LongestPaths::later_by(Moment to, std::size_t which) const {
  const auto causes = causes_.of(to);
  double others = 0;
  for (std::size_t i = 0; i < causes.size(); ++i) {
    if (i != which) others = std::max(others, times_[causes[i].after] + delay(to, causes[i]));
  }
  return std::max(times_[to] - others, 0.0);
}

std::vector<double> LongestPaths::times_to_the_end() const {
  std::vector<double> left(causes_.size(), never_delays);
  for (const Moment end : causes_.ends()) left[end] = 0;
  for (Moment to = static_cast<Moment>(left.size()); to-- > 1;) {
    for (const Cause& cause : causes_.of(to)) {
      left[cause.after] = std::max(left[cause.after], left[to] + delay(to, cause));
    }
  }
  return left;
}

/// Order the moments by their numbers: a path that avoids a step leaves what is not after the
/// step's cause by another one, which spans that gap; the longest way to it, and from it to the
/// end, can't have the step. A critical cause spans no gap but its own.
std::vector<double> LongestPaths::without_each() const {
  if (path_.empty()) return {};
  const std::vector<double> left = times_to_the_end();
  // Which of the gaps is the first that isn't before a moment.
  std::vector<std::uint32_t> gap(times_.size());
  std::uint32_t next = 0;
  for (Moment moment = 0; moment < gap.size(); ++moment) {
    gap[moment] = next;
    if (next < path_.size() && path_[next].cause.after == moment) ++next;
  }
  Greatest bypass(path_.size());
  std::vector<double> from_beginning(path_.size() + 1, never_delays);  // by where they end
  for (Moment to = 1; to < times_.size(); ++to) {
    double& from_nothing = from_beginning[gap[to]];
    from_nothing = std::max(from_nothing, left[to]);
    const auto causes = causes_.of(to);
    for (std::size_t i = 0; i < causes.size(); ++i) {
      const std::uint32_t first = gap[causes[i].after];
      if (first == gap[to]) continue;
      if (path_[first].to == to && path_[first].which == i) continue;
      bypass.add(first, gap[to], times_[causes[i].after] + delay(to, causes[i]) + left[to]);
    }
  }
  for (const Moment end : causes_.ends()) bypass.add(gap[end], path_.size(), times_[end]);
  std::vector<double> times(path_.size());
  double longest = never_delays;
  for (std::size_t k = path_.size(); k-- > 0;) {
    longest = std::max(longest, from_beginning[k + 1]);
    const double own = time_of_own_part(path_[k]) + left[path_[k].to];
    times[k] = std::clamp(std::max({bypass.at(k), longest, own}), 0.0, time_);
  }
  return times;
}

/// When a rank has done its own part of a message that it doesn't wait for.
double LongestPaths::time_of_own_part(const Step& wait) const {
  double time = never_delays;
  if (wait.cause.why == simulate::Why::own_part) return time;
  for (const Cause& cause : causes_.of(wait.to)) {
    if (cause.why != simulate::Why::own_part) continue;
    const double own = delay_ ? delay_(wait.to, cause) : cause.delay;
    time = std::max(time, times_[cause.after] + own);
  }
  return time;
}

double LongestPaths::time_of(const std::vector<double>& times) const {
  double last = 0;
  for (const Moment end : causes_.ends()) last = std::max(last, times[end]);
  return last;
}

}  // namespace commgauge::replay
