#include "plan/host_cells.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "commgauge/base/index.hpp"
#include "commgauge/base/places.hpp"
#include "commgauge/base/shuffle.hpp"
#include "commgauge/base/statistics.hpp"

namespace commgauge {

namespace {

/// So many observations that a pair is fast make up for one that it was slow.
constexpr int outweighs = 4;
/// So many of the pairs that should be slow must be, to say that links are busy.
constexpr double mostly = 0.8;
/// Where nobody was fast in so many rounds, all messages pass the link.
constexpr int enough_slow = 8;

struct CellMeeting {
  int a{};
  int b{};
  bool keeps_busy{};  ///< the two are known to be on different sides
};

using Meetings = std::vector<CellMeeting>;

/// How two hosts, or two cells, were seen.
struct Sightings {
  int slow{};
  int fast{};  ///< while the link was busy
  [[nodiscard]] bool together() const { return fast >= 2 && fast >= outweighs * slow; }
  [[nodiscard]] bool apart() const { return slow > 0 && !together(); }
};

/// All that was seen, and what follows from it for cells.
class Evidence {
 public:
  explicit Evidence(std::size_t hosts) : cell_(hosts), seen_(hosts * hosts) { conclude(); }

  [[nodiscard]] const std::vector<int>& cells() const { return cell_; }
  [[nodiscard]] int cell(int host) const { return cell_[at(host)]; }
  [[nodiscard]] int size(int host) const { return sizes_[at(cell(host))]; }
  [[nodiscard]] const Sightings& of(int a, int b) const {
    return between_[at(cell(a)) * sizes_.size() + at(cell(b))];
  }
  [[nodiscard]] bool apart(int a, int b) const { return cell(a) != cell(b) && of(a, b).apart(); }
  [[nodiscard]] bool open(int a, int b) const { return cell(a) != cell(b) && !of(a, b).apart(); }

  void slow(int a, int b) { ++seen(a, b).slow; }
  void fast(int a, int b) { ++seen(a, b).fast; }

  /// Joins cells anew, those of the best evidence first: a wrong one doesn't last.
  void conclude() {
    std::iota(cell_.begin(), cell_.end(), 0);
    count();
    while (join_best()) count();
  }

 private:
  [[nodiscard]] Sightings& seen(int a, int b) {
    const auto [low, high] = std::minmax(a, b);
    return seen_[at(low) * cell_.size() + at(high)];
  }

  void count() {
    cell_ = numbered(cell_);
    const std::size_t cells = at(std::ranges::max(cell_)) + 1;
    sizes_.assign(cells, 0);
    for (const int cell : cell_) ++sizes_[at(cell)];
    between_.assign(cells * cells, {});
    for (std::size_t a = 0; a < cell_.size(); ++a) {
      for (std::size_t b = a + 1; b < cell_.size(); ++b) {
        const Sightings& one = seen_[a * cell_.size() + b];
        if (one.slow + one.fast == 0) continue;
        for (const auto& [i, j] : {std::pair{a, b}, std::pair{b, a}}) {
          Sightings& sum = between_[at(cell_[i]) * cells + at(cell_[j])];
          sum.slow += one.slow;
          sum.fast += one.fast;
        }
      }
    }
  }

  /// All disjoint couples of cells that are each other's best.
  bool join_best() {
    const std::size_t cells = sizes_.size();
    std::vector<std::pair<int, std::pair<std::size_t, std::size_t>>> couples;
    for (std::size_t a = 0; a < cells; ++a) {
      for (std::size_t b = a + 1; b < cells; ++b) {
        const Sightings& one = between_[a * cells + b];
        if (one.together()) couples.push_back({outweighs * one.slow - one.fast, {a, b}});
      }
    }
    std::ranges::sort(couples);
    std::vector<int> to(cells, -1);
    for (const auto& [rank, couple] : couples) {
      if (to[couple.first] >= 0 || to[couple.second] >= 0) continue;
      to[couple.first] = to[couple.second] = static_cast<int>(couple.first);
    }
    for (int& cell : cell_) {
      if (to[at(cell)] >= 0) cell = to[at(cell)];
    }
    return !couples.empty();
  }

  std::vector<int> cell_;
  std::vector<int> sizes_;
  std::vector<Sightings> seen_;     ///< of hosts, a < b
  std::vector<Sightings> between_;  ///< of cells
};

/// Pairs up hosts that may meet, those with the fewest choices first.
template <class May>
Meetings match(std::vector<int>& hosts, bool keeps_busy, const May& may) {
  std::vector<int> choices(hosts.size());
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    for (std::size_t j = 0; j < hosts.size(); ++j) choices[i] += i != j && may(hosts[i], hosts[j]);
  }
  std::vector<bool> gone(hosts.size());
  const auto fewest = [&](std::optional<std::size_t> with) {
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      if (gone[i] || choices[i] == 0 || (with && !may(hosts[*with], hosts[i]))) continue;
      if (!best || choices[i] < choices[*best]) best = i;
    }
    return best;
  };
  const auto leave = [&](std::size_t i) {
    gone[i] = true;
    for (std::size_t j = 0; j < hosts.size(); ++j) choices[j] -= i != j && may(hosts[i], hosts[j]);
  };
  Meetings meetings;
  while (const auto first = fewest({})) {
    gone[*first] = true;
    const auto second = fewest(first);
    leave(*first);
    if (!second) continue;
    leave(*second);
    meetings.push_back({hosts[*first], hosts[*second], keeps_busy});
  }
  std::vector<int> left;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const auto is_in = [&](const CellMeeting& m) { return m.a == hosts[i] || m.b == hosts[i]; };
    if (std::ranges::none_of(meetings, is_in)) left.push_back(hosts[i]);
  }
  hosts = left;
  return meetings;
}

/// What hosts do in the next round, and what is learnt from it.
class CellSearch {
 public:
  CellSearch(std::vector<int> hosts, std::size_t all) : hosts_{std::move(hosts)}, evidence_{all} {}

  [[nodiscard]] const std::vector<int>& cells() const { return evidence_.cells(); }

  /// Pairs that are known to be apart keep the link busy. Some of them are broken up to meet
  /// others.
  /// @return none when all is known
  [[nodiscard]] Meetings next(std::mt19937_64& random) {
    if (++rounds_ > enough_slow && !any_fast_) return {};
    std::vector<int> left = hosts_;
    shuffle(std::span{left}, random);
    const auto apart = [&](int a, int b) { return a != b && evidence_.apart(a, b); };
    Meetings busy = match(left, true, apart);
    Meetings meetings = match_open(left);
    broken_ = 0;
    if (meetings.empty()) {
      std::vector<int> pool = break_up(busy);
      pool.insert(pool.end(), left.begin(), left.end());
      meetings = match_open(pool);
      if (meetings.empty()) return {};
      append(busy, match(pool, true, apart));
      left = pool;
    }
    // What is left is together already, and seen to be so once more.
    append(meetings, match(left, false, [](int a, int b) { return a != b; }));
    append(meetings, busy);
    return meetings;
  }

  /// @param ratios  of each meeting, time over what was expected. @param times  [s/byte]
  void learn(const Meetings& meetings, std::span<const double> ratios,
             std::span<const double> times, const Matrix& alone) {
    double least = std::numeric_limits<double>::infinity();
    long busy = 0;
    long slow = 0;
    for (std::size_t k = 0; k < meetings.size(); ++k) {
      const bool is_slow = ratios[k] > slow_clearly;
      if (is_slow) evidence_.slow(meetings[k].a, meetings[k].b);
      if (!meetings[k].keeps_busy) continue;
      ++busy;
      slow += is_slow;
      if (is_slow) least = std::min(least, times[k]);
    }
    const bool is_busy =
        slow > 0 && static_cast<double>(slow) >= mostly * static_cast<double>(busy);
    for (std::size_t k = 0; is_busy && k < meetings.size(); ++k) {
      const auto& [a, b, keeps_busy] = meetings[k];
      const double own = std::max(alone(a, b), alone(b, a));
      if (keeps_busy || ratios[k] > slow_clearly || own * slow_clearly > least) continue;
      evidence_.fast(a, b);
      any_fast_ = true;
    }
    evidence_.conclude();
    if (broken_ > 0) share_ = is_busy ? std::min(0.5, share_ * 1.2) : share_ / 2;
  }

 private:
  /// Pairs whose hosts are to meet: couples of pairs, the most promising first.
  std::vector<int> break_up(Meetings& busy) {
    std::vector<int> hosts;
    std::vector<std::size_t> pair_of(evidence_.cells().size());
    for (std::size_t k = 0; k < busy.size(); ++k) {
      for (const int host : {busy[k].a, busy[k].b}) {
        pair_of[at(host)] = k;
        hosts.push_back(host);
      }
    }
    const auto most = std::max<std::size_t>(
        2, static_cast<std::size_t>(share_ * static_cast<double>(busy.size())));
    std::vector<bool> broken(busy.size());
    for (const CellMeeting& m : match_open(hosts)) {
      const std::size_t more = !broken[pair_of[at(m.a)]] + !broken[pair_of[at(m.b)]];
      if (broken_ + more > most) continue;
      broken_ += more;
      broken[pair_of[at(m.a)]] = broken[pair_of[at(m.b)]] = true;
    }
    std::vector<int> pool;
    Meetings kept;
    for (std::size_t k = 0; k < busy.size(); ++k) {
      if (broken[k])
        pool.insert(pool.end(), {busy[k].a, busy[k].b});
      else
        kept.push_back(busy[k]);
    }
    busy = kept;
    return pool;
  }

  /// Couples that were fast once first, then each host with the largest cell that it is open to.
  [[nodiscard]] Meetings match_open(std::vector<int>& hosts) const {
    std::vector<std::pair<int, std::pair<std::size_t, std::size_t>>> couples;
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      for (std::size_t j = i + 1; j < hosts.size(); ++j) {
        if (!evidence_.open(hosts[i], hosts[j])) continue;
        const int promise = evidence_.of(hosts[i], hosts[j]).fast * static_cast<int>(hosts.size());
        const int large = std::max(evidence_.size(hosts[i]), evidence_.size(hosts[j]));
        couples.push_back({-(promise + large), {i, j}});
      }
    }
    std::ranges::stable_sort(couples, {}, [](const auto& one) { return one.first; });
    std::vector<bool> gone(hosts.size());
    Meetings meetings;
    for (const auto& [rank, couple] : couples) {
      const auto& [i, j] = couple;
      if (gone[i] || gone[j]) continue;
      gone[i] = gone[j] = true;
      meetings.push_back({hosts[i], hosts[j], false});
    }
    std::vector<int> left;
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      if (!gone[i]) left.push_back(hosts[i]);
    }
    hosts = left;
    return meetings;
  }

  static void append(Meetings& to, const Meetings& more) {
    to.insert(to.end(), more.begin(), more.end());
  }

  std::vector<int> hosts_;
  Evidence evidence_;
  int rounds_{};
  bool any_fast_{};
  std::size_t broken_{};
  double share_{0.5};
};

}  // namespace

std::vector<int> find_cells(const CellTask& task, const Matrix& alone, std::mt19937_64& random) {
  CellSearch search(task.hosts, at(alone.size()));
  for (int round = 0; round < task.most_rounds; ++round) {
    const Meetings meetings = search.next(random);
    if (meetings.empty()) break;
    std::vector<HostMessage> pairs;
    for (const auto& [a, b, busy] : meetings) pairs.insert(pairs.end(), {{a, b}, {b, a}});
    const auto times = task.run(pairs);
    const auto expected = task.expected(pairs);
    std::vector<double> ratios;
    std::vector<double> slower;
    for (std::size_t k = 0; k < pairs.size(); k += 2) {
      ratios.push_back(std::max(times[k] / expected[k], times[k + 1] / expected[k + 1]));
      slower.push_back(std::max(times[k], times[k + 1]));
    }
    search.learn(meetings, ratios, slower, alone);
  }
  return search.cells();
}

}  // namespace commgauge
