#pragma once

#include <algorithm>

#include "schedule/draft.hpp"

namespace commgauge::schedule {

/// Recursive halving of a vector in buffer 0 among a power of two of ranks, as MPICH's reductions
/// of long vectors (Rabenseifner 1997, Thakur, Rabenseifner, Gropp 2005): with the rank beside
/// first, with half a vector, then with the rank two beside and a quarter. What is too many for a
/// power of two is folded first: of the first pairs one rank gives its data to the other and takes
/// no part. Uses buffer 1.
class Halving {
 public:
  enum class Folds { to_odd, to_even };  ///< who of a pair goes on

  Halving(Draft& d, std::uint64_t count, Folds folds)
      : d_{d}, count_{count}, folds_{folds}, power_{floor_power(d.ranks())} {}

  [[nodiscard]] int power() const { return power_; }
  /// Too many for a power of two.
  [[nodiscard]] int rest() const { return d_.ranks() - power_; }
  [[nodiscard]] bool is_folded(int rank) const {
    return rank < 2 * rest() && (rank % 2 == 0) == (folds_ == Folds::to_odd);
  }
  /// Among those that take part. @pre !is_folded(rank)
  [[nodiscard]] int position(int rank) const {
    return rank < 2 * rest() ? rank / 2 : rank - rest();
  }
  /// This rank's; −1: takes no part
  [[nodiscard]] int own() const { return is_folded(d_.rank) ? -1 : position(d_.rank); }
  [[nodiscard]] int rank_at(int position) const {
    if (position >= rest()) return position + rest();
    return 2 * position + (folds_ == Folds::to_odd ? 1 : 0);
  }
  /// Which part a position has in the end, and the reverse: its bits in reverse.
  [[nodiscard]] int reversed(int position) const {
    int result = 0;
    for (int bit = 1; bit < power_; bit *= 2) result = 2 * result + ((position & bit) != 0 ? 1 : 0);
    return result;
  }
  /// Of the vector cut into a part for each position: the first ones are longer by an element.
  [[nodiscard]] Block parts(int first, int count, int buffer = 0) const {
    const std::uint64_t start = start_of(first);
    return {buffer, start, start_of(first + count) - start};
  }

  void fold() {
    const Block whole{0, 0, count_};
    if (d_.rank >= 2 * rest()) return;
    if (own() < 0) return d_.send(beside(), whole);
    d_.receive(beside(), {1, 0, count_});
    d_.combine({1, 0, count_}, whole, folds_ == Folds::to_odd);
  }
  /// Of those that take part: each has its part of the result then.
  void scatter() {
    if (own() < 0) return;
    int first = 0;
    for (int mask = 1; mask < power_; mask *= 2) {
      const int half = power_ / mask / 2;
      const bool is_upper = (own() & mask) != 0;
      const int keeps = first + (is_upper ? half : 0);
      const int gives = first + (is_upper ? 0 : half);
      const int peer = rank_at(own() ^ mask);
      d_.exchange(peer, parts(gives, half), peer, parts(keeps, half, 1));
      d_.reduce(parts(keeps, half, 1), parts(keeps, half));
      first = keeps;
    }
  }
  /// The reverse: each of those has all of it.
  void gather() {
    if (own() < 0) return;
    int first = reversed(own());
    int length = 1;
    for (int mask = power_ / 2; mask > 0; mask /= 2) {
      const int peer = rank_at(own() ^ mask);
      d_.exchange(peer, parts(first, length), peer, parts(first ^ length, length));
      first &= ~length;
      length *= 2;
    }
  }
  /// Those that took no part get it, too.
  void unfold() {
    if (d_.rank >= 2 * rest()) return;
    const Block whole{0, 0, count_};
    if (own() < 0) {
      d_.receive(beside(), whole);
    } else {
      d_.send(beside(), whole);
    }
  }

 private:
  /// The other of this rank's pair.
  [[nodiscard]] int beside() const { return d_.rank ^ 1; }
  [[nodiscard]] std::uint64_t start_of(int part) const {
    const auto parts = static_cast<std::uint64_t>(power_);
    const auto i = static_cast<std::uint64_t>(part);
    return i * (count_ / parts) + std::min(i, count_ % parts);
  }

  Draft& d_;
  std::uint64_t count_;
  Folds folds_;
  int power_;
};

}  // namespace commgauge::schedule
