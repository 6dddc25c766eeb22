#include "explain/domino_path.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "paths/waits.hpp"

namespace commgauge::replay {

using simulate::Cause;
using simulate::Causes;
using simulate::Moment;

namespace {

constexpr std::uint32_t its_end = std::numeric_limits<std::uint32_t>::max();

/// Up to where in a rank's program waits are looked for: in one of its threads up to a place, in
/// others up to a time.
struct Until {
  int rank{};
  std::uint32_t place{its_end};
  Places::Thread thread{0, its_end};
  double time{};
};

using Gone = std::set<Awaited>;

struct Best {
  Awaited what;
  LongestPaths::Step step;  ///< the first by which it is waited for
  double time{};            ///< of the run without it
};

/// How many walks and sweeps there still is time for.
class Budget {
 public:
  explicit Budget(std::size_t most) : left_{most} {}
  /// @return whether there is one, which is taken
  [[nodiscard]] bool takes_one() {
    was_short_ = was_short_ || left_ == 0;
    if (!was_short_) --left_;
    return !was_short_;
  }
  /// Whether there was none left when one was wanted.
  [[nodiscard]] bool was_short() const { return was_short_; }

 private:
  std::size_t left_;
  bool was_short_{};
};

/// What ranks wait for on a run's critical path.
class Choices {
 public:
  /// All must outlive it. @param swept  the run's time without each step of its critical path
  Choices(const Causes& causes, const LongestPaths& paths, const std::vector<double>& swept,
          const Gone& gone)
      : causes_{causes}, paths_{paths}, gone_{gone} {
    std::map<Awaited, Choice> all;
    std::vector<char> is_asked(causes.messages().size());
    const auto& path = paths.critical_path();
    for (std::size_t k = 0; k < path.size(); ++k) {
      if (!is_wait(path[k].cause)) continue;
      const Awaited what = awaited(causes, path[k].to, path[k].cause);
      all.try_emplace(what, Choice{what, k, swept[k], 0, 0});
      if (what.has_message()) is_asked[what.message] = 1;
    }
    for_each_wait(causes, [&](Moment to, const Cause& cause, std::size_t which) {
      const Awaited what = awaited(causes, to, cause);
      if (!what.has_message() || is_asked[what.message] == 0) return;
      const auto found = all.find(what);
      if (found == all.end()) return;
      ++found->second.waits;
      found->second.most_gain += paths.later_by(to, which);
    });
    for (const auto& [what, choice] : all) by_rank_[what.rank].push_back(choice);
    for (auto& [rank, choices] : by_rank_) std::ranges::sort(choices, {}, &Choice::step);
  }

  /// The one without which the run is shortest, if that helps. A message that is waited for more
  /// than once takes a walk, unless it can't be the best.
  [[nodiscard]] std::optional<Best> best(const Until& until, Budget& budget) const {
    const auto found = by_rank_.find(until.rank);
    if (found == by_rank_.end()) return std::nullopt;
    std::optional<Best> best;
    const auto is_late = [&](const Choice& one) {
      const std::uint32_t place = causes_.place(to(one));
      const bool is_of_thread = until.thread.from <= place && place < until.thread.to;
      return is_of_thread ? place > until.place : causes_.time(to(one)) > until.time;
    };
    const auto take = [&](const Choice& one, double time) {
      if (!helps(time, paths_.time()) || (best && best->time <= time)) return;
      best = Best{one.what, paths_.critical_path()[one.step], time};
    };
    std::vector<const Choice*> repeated;
    for (const Choice& one : found->second) {
      if (is_late(one)) continue;
      if (one.waits > 1) {
        repeated.push_back(&one);
      } else {
        take(one, one.time);
      }
    }
    std::ranges::stable_sort(repeated, std::greater{}, &Choice::most_gain);
    for (const Choice* const one : repeated) {
      const double least = paths_.time() - one->most_gain;
      if (!helps(least, paths_.time()) || (best && best->time <= least)) break;
      if (!budget.takes_one()) break;
      Gone gone = gone_;
      gone.insert(one->what);
      take(*one, paths_.with(without(causes_, gone)));
    }
    return best;
  }

 private:
  struct Choice {
    Awaited what;
    std::size_t step{};  ///< of the critical path: the first
    double time{};       ///< of the run without that step
    int waits{};         ///< for its message
    double most_gain{};  ///< of the run without all of them
  };
  [[nodiscard]] Moment to(const Choice& one) const { return paths_.critical_path()[one.step].to; }

  const Causes& causes_;
  const LongestPaths& paths_;
  const Gone& gone_;
  std::map<int, std::vector<Choice>> by_rank_;
};

/// The run without some of its waits.
struct Run {
  Run(const Causes& causes, const Gone& waits)
      : gone{waits},
        paths{causes, without(causes, gone)},
        swept{paths.without_each()},
        choices{causes, paths, swept, gone} {}
  Run(const Run&) = delete;
  Gone gone;
  LongestPaths paths;
  std::vector<double> swept;
  Choices choices;
};

DominoPath::Step step_of(const Causes& causes, const Places& places, const Wait& wait) {
  return {places.whereabouts(wait.rank, wait.place), causes.time(wait.to), wait.to, wait.partner,
          wait.message};
}

}  // namespace

std::set<Awaited> waits_of(const DominoPath& domino) {
  std::set<Awaited> waits;
  for (const DominoPath::Step& step : domino.steps) {
    const bool has_message = step.message != simulate::no_message;
    waits.insert({step.where.rank, step.message, has_message ? simulate::beginning : step.moment});
  }
  return waits;
}

Dominoes domino_paths(const Causes& causes, const Places& places, const LongestPaths& paths,
                      const std::vector<double>& swept, std::size_t most_waits,
                      std::size_t most_sweeps) {
  struct Start {
    int rank{};
    Best best;
  };
  Budget budget(most_sweeps);
  Dominoes all;
  const Gone nothing;
  const Choices choices(causes, paths, swept, nothing);
  std::vector<Start> starts;
  for (int rank = 0; rank < static_cast<int>(causes.ends().size()); ++rank) {
    const auto best = choices.best({.rank = rank}, budget);
    if (best) starts.push_back({rank, *best});
  }
  // Those that gain most at once are followed first.
  std::ranges::stable_sort(starts, {}, [](const Start& start) { return start.best.time; });
  for (const Start& start : starts) {
    DominoPath domino{start.rank, paths.time(), {}};
    Gone gone;
    std::optional<Best> best = start.best;
    while (best) {
      const Wait wait = wait_of(causes, best->step);
      gone.insert(best->what);
      domino.time = best->time;
      domino.steps.push_back(step_of(causes, places, wait));
      if (domino.steps.size() == most_waits || !budget.takes_one()) break;
      const Until until{wait.partner, wait.partner_place,
                        places.thread(wait.partner, wait.partner_place), causes.time(wait.to)};
      best = Run(causes, gone).choices.best(until, budget);
    }
    if (best || budget.was_short()) ++all.cut;
    all.paths.push_back(domino);
  }
  std::ranges::stable_sort(all.paths, {}, &DominoPath::time);
  return all;
}

}  // namespace commgauge::replay
