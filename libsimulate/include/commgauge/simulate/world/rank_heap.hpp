#pragma once

#include <cstddef>
#include <limits>

#include "commgauge/simulate/world/arena.hpp"

namespace commgauge::simulate {

/// Ranks, or whatever has numbers, by a time each, the earliest at the top: a binary heap that
/// knows where each is. In an arena; a rank whose time is `never` isn't in it.
class RankHeap {
 public:
  static constexpr double never = std::numeric_limits<double>::infinity();

  /// O(n). @return where it is
  [[nodiscard]] static Offset set_up(Arena& arena, int ranks);
  /// One for more ranks in its place, with the times that it has; 0: there is none yet. O(n)
  [[nodiscard]] static Offset grown(Arena& arena, Offset place, int ranks);
  RankHeap(const Arena& arena, Offset place);

  /// O(log n)
  void set(int rank, double time);
  [[nodiscard]] bool is_empty() const { return state_->size == 0; }
  [[nodiscard]] double least() const { return is_empty() ? never : time_[ranks_[0]]; }

  /// Calls use(rank) for those before that time, in no particular order. O(number of them).
  /// @pre `use` changes nothing here
  template <class Use>
  void for_each_before(double time, Use&& use) const {
    visit(0, time, use);
  }

 private:
  struct State {
    int ranks;
    int size;
  };
  static void make_empty(const Arena& arena, Offset place, int ranks);
  template <class Use>
  void visit(int place, double time, Use& use) const {
    if (place >= state_->size || time_[ranks_[place]] >= time) return;
    use(ranks_[place]);
    visit(2 * place + 1, time, use);
    visit(2 * place + 2, time, use);
  }
  void put(int place, int rank);
  void rise(int place, int rank);
  void sink(int place, int rank);

  State* state_;
  int* ranks_;    ///< by place
  int* place_;    ///< by rank; −1: not in it
  double* time_;  ///< by rank
};

}  // namespace commgauge::simulate
