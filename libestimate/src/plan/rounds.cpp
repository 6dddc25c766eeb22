#include "commgauge/plan/rounds.hpp"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <functional>
#include <map>
#include <numeric>
#include <random>
#include <span>
#include <string>

#include "commgauge/base/error.hpp"
#include "commgauge/base/shuffle.hpp"

namespace commgauge {
namespace {

constexpr long ceil_div(long a, long b) { return (a + b - 1) / b; }

/// Binomial coefficient; 0 where k is negative.
constexpr long choose(long n, int k) {
  if (k < 0 || n < k) return 0;
  long result = 1;
  for (int i = 0; i < k; ++i) result = result * (n - i) / (i + 1);
  return result;
}

/// Deals the ranks one by one into rounds of growing triples so that in the end every triple is
/// there exactly once and no rank twice in a round: Brouwer and Schrijver's proof (1979) of
/// Baranyai's theorem. Before rank l is dealt, each set S of earlier ranks is there
/// choose(n - l, 3 - |S|) times; rank l then joins choose(n - l - 1, 2 - |S|) of them, and at most
/// one set of each round. A bipartite matching of rounds to sets decides which.
class TripleDealer {
 public:
  /// @pre n >= 3
  explicit TripleDealer(int n)
      : n_{n}, sets_(static_cast<std::size_t>(n + 1) * static_cast<std::size_t>(n + 1)) {
    const long triples = choose(n, 3);
    const long per_round = n / 3;
    const std::vector<Part> full(static_cast<std::size_t>(per_round));
    rounds_.assign(static_cast<std::size_t>(ceil_div(triples, per_round)), full);
    const auto spare = static_cast<long>(rounds_.size()) * per_round - triples;
    rounds_.back().resize(static_cast<std::size_t>(per_round - spare));
  }

  std::vector<std::vector<Triple>> deal() {
    for (int rank = 0; rank < n_; ++rank) add(rank);
    std::vector<std::vector<Triple>> result;
    for (const auto& round : rounds_) {
      auto& triples = result.emplace_back();
      for (const auto& part : round) triples.push_back(part.ranks);
    }
    return result;
  }

 private:
  /// A triple on its way: its first `size` ranks.
  struct Part {
    Triple ranks{-1, -1, -1};
    int size{};
  };

  /// All parts of equal ranks: how many the new rank must join, and in which rounds it does.
  struct Set {
    std::size_t demand{};
    std::vector<std::size_t> rounds;
    long visit{};
  };

  [[nodiscard]] Set& set_of(const Part& part) {
    const int index = (part.ranks[0] + 1) * (n_ + 1) + part.ranks[1] + 1;
    return sets_[static_cast<std::size_t>(index)];
  }

  void add(int rank) {
    state_demands(rank);
    for (const bool must : {true, false})
      for (std::size_t r = 0; r < rounds_.size(); ++r)
        if (must_take(rounds_[r], rank) == must && place(r)) ++visit_;
    for (std::size_t r = 0; r < rounds_.size(); ++r) join(rank, r);
  }

  void state_demands(int rank) {
    for (auto& set : sets_) set = {};
    for (const auto& round : rounds_)
      for (const auto& part : round)
        if (part.size < 3)
          set_of(part).demand = static_cast<std::size_t>(choose(n_ - rank - 1, 2 - part.size));
    visit_ = 1;
  }

  /// Whether every rank from `rank` on is needed to complete the round. Such rounds are matched
  /// first: an augmenting path never takes a round's match away again.
  [[nodiscard]] bool must_take(const std::vector<Part>& round, int rank) const {
    int open = 0;
    for (const auto& part : round) open += 3 - part.size;
    return open == n_ - rank;
  }

  /// Finds a set for round r, moving other rounds to other sets if need be (an augmenting path).
  /// What a failure has visited leads nowhere, so it may stay marked until the next success.
  bool place(std::size_t r) {
    for (const auto& part : rounds_[r]) {
      if (part.size == 3) continue;
      auto& set = set_of(part);
      if (set.visit == visit_) continue;
      set.visit = visit_;
      if (set.rounds.size() < set.demand) {
        set.rounds.push_back(r);
        return true;
      }
      for (auto& other : set.rounds)
        if (place(other)) {
          other = r;
          return true;
        }
    }
    return false;
  }

  void join(int rank, std::size_t r) {
    for (auto& part : rounds_[r]) {
      if (part.size == 3 || std::ranges::count(set_of(part).rounds, r) == 0) continue;
      part.ranks[static_cast<std::size_t>(part.size++)] = rank;
      return;
    }
  }

  int n_;
  std::vector<std::vector<Part>> rounds_;
  std::vector<Set> sets_;
  long visit_{};
};

/// Uniform up to a bias below 2^-50. The standard distributions differ between libraries; a design
/// must not.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_{seed} {}

  [[nodiscard]] std::size_t below(std::size_t bound) {
    return static_cast<std::size_t>(engine_() % bound);
  }

  void shuffle(std::span<int> values) { commgauge::shuffle(values, engine_); }

 private:
  std::mt19937_64 engine_;
};

/// One attempt at a sparse design. Each round seats the ranks that need it most, three to a
/// triple; then swaps reduce the number of pairs that have met before.
class SparseDesign {
 public:
  SparseDesign(int n, int r, Dice& dice)
      : needs_(static_cast<std::size_t>(n), r), met_(static_cast<std::size_t>(n)) {
    while (std::ranges::any_of(needs_, [](int need) { return need > 0; })) {
      seat(dice);
      reduce_repeats(dice);
      keep();
    }
  }

  [[nodiscard]] const std::vector<std::vector<Triple>>& rounds() const { return rounds_; }
  /// Meetings of pairs that had met in an earlier round.
  [[nodiscard]] long repeats() const { return repeats_; }

 private:
  [[nodiscard]] int need_at(std::size_t place) const {
    return needs_[static_cast<std::size_t>(order_[place])];
  }

  void seat(Dice& dice) {
    order_.resize(needs_.size());
    std::iota(order_.begin(), order_.end(), 0);
    dice.shuffle(order_);
    std::ranges::stable_sort(order_, std::ranges::greater{},
                             [&](int rank) { return needs_[static_cast<std::size_t>(rank)]; });
    const auto needy = std::ranges::count_if(needs_, [](int need) { return need > 0; });
    const auto triples = std::min(ceil_div(needy, 3), static_cast<long>(order_.size()) / 3);
    seats_ = static_cast<std::size_t>(3 * triples);
    dice.shuffle(std::span{order_}.first(seats_));
  }

  [[nodiscard]] long times_met(std::size_t place, std::size_t other) const {
    return std::ranges::count(met_[static_cast<std::size_t>(order_[place])], order_[other]);
  }

  /// Repeats in the triple that holds this place; 0 for a place without a seat.
  [[nodiscard]] long repeats_at(std::size_t place) const {
    if (place >= seats_) return 0;
    const auto first = place / 3 * 3;
    return times_met(first, first + 1) + times_met(first, first + 2) +
           times_met(first + 1, first + 2);
  }

  void reduce_repeats(Dice& dice) {
    constexpr int sweeps = 100;
    constexpr int tries = 30;
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      bool clean = true;
      for (std::size_t first = 0; first < seats_; first += 3) {
        clean = clean && repeats_at(first) == 0;
        for (int i = 0; i < tries && repeats_at(first) > 0; ++i) try_swap(first, dice);
      }
      if (clean) return;
    }
  }

  /// Swaps a rank of the triple at `first` with another, unless that adds repeats. A rank without
  /// a seat comes in only for one that needs it no more than itself.
  void try_swap(std::size_t first, Dice& dice) {
    const auto a = first + dice.below(3);
    const auto b = dice.below(order_.size());
    if (b / 3 == a / 3 || (b >= seats_ && need_at(a) != need_at(b))) return;
    const auto before = repeats_at(a) + repeats_at(b);
    std::swap(order_[a], order_[b]);
    if (repeats_at(a) + repeats_at(b) > before) std::swap(order_[a], order_[b]);
  }

  void keep() {
    auto& round = rounds_.emplace_back();
    for (std::size_t first = 0; first < seats_; first += 3) {
      repeats_ += repeats_at(first);
      Triple triple{order_[first], order_[first + 1], order_[first + 2]};
      std::ranges::sort(triple);
      round.push_back(triple);
    }
    for (const auto& triple : round)
      for (const int rank : triple) {
        const auto index = static_cast<std::size_t>(rank);
        needs_[index] = std::max(0, needs_[index] - 1);
        for (const int other : triple)
          if (other != rank) met_[index].push_back(other);
      }
  }

  std::vector<int> needs_;             ///< triples that each rank must still be in
  std::vector<std::vector<int>> met_;  ///< with whom each rank was, once for each time
  std::vector<int> order_;             ///< this round: places 3i, 3i + 1, 3i + 2 are a triple
  std::size_t seats_{};                ///< how many places are in a triple
  std::vector<std::vector<Triple>> rounds_;
  long repeats_{};
};

/// Most groups that hold one rank: they exclude one another.
long most_of_one_rank(const std::vector<Round>& rounds) {
  std::map<int, long> groups_of;
  long most = 0;
  for (const auto& round : rounds)
    for (const auto& group : round)
      for (const int rank : group.ranks) most = std::max(most, ++groups_of[rank]);
  return most;
}

/// For every s: of groups of s ranks or more at most n / s, rounded down, fit into a round.
long packing_bound(const std::vector<Round>& rounds, int n) {
  std::map<long, long, std::greater<>> groups_of_size;
  for (const auto& round : rounds)
    for (const auto& group : round) ++groups_of_size[static_cast<long>(group.ranks.size())];
  long bound = 0;
  long groups = 0;
  long ranks = 0;
  for (const auto& [size, count] : groups_of_size) {
    if (size == 0) continue;
    groups += count;
    ranks += count * size;
    assert(size <= n);
    bound = std::max({bound, ceil_div(groups, std::max(1L, n / size)), ceil_div(ranks, n)});
  }
  return bound;
}

}  // namespace

std::vector<std::vector<Pair>> pair_rounds(int n) {
  if (n < 2) return {};
  const int seats = n + n % 2;
  const int circle = seats - 1;
  std::vector<std::vector<Pair>> rounds;
  for (int turn = 0; turn < circle; ++turn) {
    auto& round = rounds.emplace_back();
    if (seats == n) round.push_back({turn, n - 1});
    for (int step = 1; step < seats / 2; ++step) {
      const auto [low, high] =
          std::minmax({(turn + step) % circle, (turn + circle - step) % circle});
      round.push_back({low, high});
    }
  }
  return rounds;
}

std::vector<std::vector<Triple>> triple_rounds(int n) {
  if (n < 3) return {};
  return TripleDealer{n}.deal();
}

std::vector<std::vector<Triple>> sparse_triple_rounds(int n, int r, std::uint64_t seed) {
  if (n < 3 || r < 1)
    throw InputError("no design of triples (" + std::to_string(n) + " ranks, each in " +
                     std::to_string(r) + " triples): take at least 3 ranks and 1 triple of each");
  constexpr int attempts = 20;
  Dice dice{seed};
  SparseDesign best{n, r, dice};
  const bool avoidable = n > 2 * r;
  for (int i = 1; i < attempts && avoidable && best.repeats() > 0; ++i) {
    SparseDesign next{n, r, dice};
    if (next.repeats() < best.repeats()) best = std::move(next);
  }
  return best.rounds();
}

std::vector<int> ring_steps(int n) {
  int far = n / 2;
  while (std::gcd(far, n) > 1) --far;
  return far > 1 ? std::vector{1, far} : std::vector{1};
}

std::vector<Round> serialised(const std::vector<Round>& rounds) {
  std::vector<Round> result;
  for (const auto& round : rounds)
    for (const auto& group : round) result.push_back({group});
  return result;
}

long lower_bound_rounds(const std::vector<Round>& rounds, int n) {
  return std::max(most_of_one_rank(rounds), packing_bound(rounds, n));
}

}  // namespace commgauge
