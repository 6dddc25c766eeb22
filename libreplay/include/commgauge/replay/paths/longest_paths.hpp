#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "commgauge/simulate/world/causes.hpp"

namespace commgauge::replay {

/// The causes of a run as a graph with one end, which is when the last rank has come to its own:
/// what its time consists of, and how long it would be without some of them.
///
/// n moments, e causes: O(n + e) time and, besides the causes, 16 n bytes.
class LongestPaths {
 public:
  /// [s], of a cause of a moment; below zero without end: there is no such cause
  using Delay = std::function<double(simulate::Moment to, const simulate::Cause& cause)>;

  /// @param causes  must outlive this
  /// @param delay  other delays than the causes have; empty: theirs
  explicit LongestPaths(const simulate::Causes& causes, Delay delay = {});

  /// What the run's time consists of: moment `to` has its time by this cause.
  struct Step {
    simulate::Moment to{};
    simulate::Cause cause;
    std::size_t which{};  ///< of the moment's causes
  };
  /// How long the run takes [s].
  [[nodiscard]] double time() const { return time_; }
  /// From the beginning to the end: a longest path, whose delays add up to the time. Of several
  /// causes that are as late, the first.
  [[nodiscard]] const std::vector<Step>& critical_path() const { return path_; }

  /// How much later a moment is for one of its causes than without it [s].
  [[nodiscard]] double later_by(simulate::Moment to, std::size_t which) const;

  /// The run's time without one of the steps, for each of the critical path; the others stay
  /// [s]. One sweep for all, O(e log of the path's steps) (Malik, Mittal, Gupta 1989).
  [[nodiscard]] std::vector<double> without_each() const;
  /// The run's time with other delays [s], of anything that can be called as a Delay. One walk,
  /// O(e). Not to be called by several threads at once.
  template <class AnyDelay>
  [[nodiscard]] double with(const AnyDelay& delay) const {
    set_times(walked_, delay);
    return time_of(walked_);
  }
  /// By moment, when it happens then [s].
  template <class AnyDelay>
  [[nodiscard]] std::vector<double> times_with(const AnyDelay& delay) const {
    std::vector<double> times;
    set_times(times, delay);
    return times;
  }

 private:
  template <class AnyDelay>
  double delay_of(const AnyDelay& delay, simulate::Moment to, const simulate::Cause& cause) const;
  template <class AnyDelay>
  void set_times(std::vector<double>& times, const AnyDelay& delay) const;
  [[nodiscard]] double time_of(const std::vector<double>& times) const;
  void walk();
  void find_path();
  [[nodiscard]] std::vector<double> times_to_the_end() const;
  [[nodiscard]] double delay(simulate::Moment to, const simulate::Cause& cause) const;
  [[nodiscard]] double time_of_own_part(const Step& wait) const;

  const simulate::Causes& causes_;
  Delay delay_;
  std::vector<double> times_;
  double time_{};
  simulate::Moment last_{};
  std::vector<Step> path_;
  mutable std::vector<double> walked_;  ///< what with() needs, kept for the next time
};

/// As a delay: there is no such cause.
inline constexpr double never_delays = -std::numeric_limits<double>::infinity();

/// A rank that comes late to a message has so much less to do of it: its own part is nothing,
/// unless it doesn't wait.
template <class AnyDelay>
double LongestPaths::delay_of(const AnyDelay& delay, simulate::Moment to,
                              const simulate::Cause& cause) const {
  const double delayed = delay(to, cause);
  if (cause.why != simulate::Why::own_part || delayed == never_delays) return delayed;
  const auto is_gone = [&](const simulate::Cause& other) {
    return delay(to, other) == never_delays;
  };
  return std::ranges::any_of(causes_.of(to), is_gone) ? delayed : 0;
}

template <class AnyDelay>
void LongestPaths::set_times(std::vector<double>& times, const AnyDelay& delay) const {
  times.resize(causes_.size());
  for (simulate::Moment to = 0; to < times.size(); ++to) {
    double time = 0;
    for (const simulate::Cause& cause : causes_.of(to)) {
      time = std::max(time, times[cause.after] + delay_of(delay, to, cause));
    }
    times[to] = time;
  }
}

}  // namespace commgauge::replay
