#include "domino.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <unordered_set>

#include "waits.hpp"

namespace commgauge::replay {

using simulate::Cause;
using simulate::Causes;
using simulate::Moment;

namespace {

constexpr std::uint32_t its_end = std::numeric_limits<std::uint32_t>::max();

/// Up to where in a rank's program waits are looked for.
struct Until {
  int rank{};
  std::uint32_t place{its_end};
};

struct Best {
  LongestPaths::Step step;
  double time{};  ///< of the run without it
};

/// Of the rank's waits on the critical path the one without which the run is shortest, if that
/// helps.
std::optional<Best> best_wait(const Causes& causes, const LongestPaths& paths,
                              const std::vector<double>& swept, const Until& until) {
  std::optional<Best> best;
  const auto& path = paths.critical_path();
  for (std::size_t k = 0; k < path.size(); ++k) {
    const Moment to = path[k].to;
    if (!is_wait(path[k].cause) || causes.rank(to) != until.rank) continue;
    if (causes.place(to) > until.place || !helps(swept[k], paths.time())) continue;
    if (!best || swept[k] < best->time) best = Best{path[k], swept[k]};
  }
  return best;
}

/// The run without some of its waits.
class Run {
 public:
  Run(const Causes& causes, const std::unordered_set<Moment>& gone)
      : paths{causes, without([&gone](Moment to, const Cause&) { return gone.contains(to); })},
        swept{paths.without_each()} {}
  LongestPaths paths;
  std::vector<double> swept;
};

}  // namespace

Dominoes domino_paths(const Causes& causes, const Places& places, const LongestPaths& paths,
                      const std::vector<double>& swept, std::size_t most_waits,
                      std::size_t most_sweeps) {
  struct Start {
    int rank{};
    Best best;
  };
  std::vector<Start> starts;
  for (int rank = 0; rank < static_cast<int>(causes.ends().size()); ++rank) {
    const auto best = best_wait(causes, paths, swept, {rank, its_end});
    if (best) starts.push_back({rank, *best});
  }
  // Those that gain most at once are followed first.
  std::ranges::stable_sort(starts, {}, [](const Start& start) { return start.best.time; });
  Dominoes all;
  std::size_t sweeps = 0;
  for (const Start& start : starts) {
    DominoPath domino{start.rank, paths.time(), {}};
    std::unordered_set<Moment> gone;
    std::optional<Best> best = start.best;
    while (best) {
      const Wait wait = wait_of(causes, best->step);
      gone.insert(wait.to);
      domino.time = best->time;
      domino.steps.push_back(
          {places.whereabouts(wait.rank, wait.place), causes.time(wait.to), wait.to, wait.partner});
      if (domino.steps.size() == most_waits || sweeps == most_sweeps) {
        ++all.cut;
        break;
      }
      ++sweeps;
      const Run run(causes, gone);
      best = best_wait(causes, run.paths, run.swept, {wait.partner, wait.partner_place});
    }
    all.paths.push_back(domino);
  }
  std::ranges::stable_sort(all.paths, {}, &DominoPath::time);
  return all;
}

}  // namespace commgauge::replay
