#pragma once

#include <cstddef>
#include <random>
#include <vector>

#include "commgauge/model/machine_classes.hpp"

namespace commgauge {

/// By what a host's times are multiplied: fixed parts, and what bytes add.
struct Luck {
  double fixed{1};
  double per_byte{1};
};

/// How hosts that are alike differ by chance. A message between two hosts takes the mean of what
/// their factors make of it, so factors differ twice as much as the means of hosts' messages, which
/// RankKind tells. Of more than 32 hosts some share their factors: those alone take the extremes of
/// a sample, groups of several what lies between. Drawn samples hold, too, how well the hosts that
/// were measured tell the mean and the spread.
class Lucks {
 public:
  /// @param kinds           `hosts` of each: by which it is known how they differ
  /// @param kinds_of_hosts  an index of `kinds` for each host
  Lucks(std::vector<RankKind> kinds, const std::vector<int>& kinds_of_hosts);

  /// Whether it is known of some hosts how they differ.
  [[nodiscard]] bool any() const;
  /// Of hosts that share their factors.
  [[nodiscard]] int groups() const { return groups_; }
  [[nodiscard]] int group_of(int host) const {
    return groups_of_hosts_[static_cast<std::size_t>(host)];
  }

  /// By group: a sample such as is most to be expected.
  [[nodiscard]] std::vector<Luck> ordinary() const;
  /// By group: a sample drawn at random, the same for the same replicate.
  /// @param share  of the spread
  [[nodiscard]] std::vector<Luck> drawn(std::size_t replicate, double share) const;

 private:
  /// Hosts of one kind: how many each group has.
  struct Kind {
    int kind;
    std::vector<int> group_sizes;
  };
  [[nodiscard]] std::vector<Luck> all(double share, bool is_drawn, std::mt19937_64& random) const;

  std::vector<RankKind> kinds_;
  std::vector<Kind> of_kinds_;
  std::vector<int> groups_of_hosts_;
  int groups_{};
};

}  // namespace commgauge
