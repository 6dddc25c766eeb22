#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace commgauge {

/// Which ordered pairs of ranks are alike. Ranks of a group (a host) are near one another; what a
/// pair's messages cost depends on the kinds of its ranks, and on whether they are of one group.
class PairClasses {
 public:
  struct Rank {
    std::int32_t kind;
    std::int32_t group;
    friend bool operator==(const Rank&, const Rank&) = default;
  };

  PairClasses(std::vector<Rank> ranks, int kinds) : ranks_{std::move(ranks)}, kinds_{kinds} {}

  [[nodiscard]] int ranks() const { return static_cast<int>(ranks_.size()); }
  [[nodiscard]] int kinds() const { return kinds_; }
  [[nodiscard]] const Rank& of(int rank) const { return ranks_[static_cast<std::size_t>(rank)]; }

  /// 2·kinds²; there needn't be a pair of each.
  [[nodiscard]] int classes() const { return 2 * kinds_ * kinds_; }
  /// @pre from != to
  [[nodiscard]] int class_of(int from, int to) const {
    assert(from != to);
    return class_of_kinds(of(from).kind, of(to).kind, of(from).group == of(to).group);
  }
  [[nodiscard]] int class_of_kinds(int from, int to, bool is_within) const {
    return ((is_within ? kinds_ : 0) + from) * kinds_ + to;
  }

  /// Ordered pairs of each class. O(ranks + classes + kinds within groups)
  [[nodiscard]] std::vector<std::int64_t> pair_counts() const;
  struct Pair {
    int from{-1};
    int to{-1};
  };
  /// A pair of each class; −1 where there is none. O(ranks + classes + kinds within groups)
  [[nodiscard]] std::vector<Pair> examples() const;

  friend bool operator==(const PairClasses&, const PairClasses&) = default;

 private:
  std::vector<Rank> ranks_;
  int kinds_;
};

}  // namespace commgauge
