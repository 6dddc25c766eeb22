#pragma once

#include <cstddef>
#include <random>
#include <vector>

#include "commgauge/model/machine_classes.hpp"

namespace commgauge {

/// By what a host's times are multiplied: fixed parts, and what bytes add.
struct HostEffect {
  double fixed{1};
  double per_byte{1};
};

/// Normal quantiles in random order, their standard deviation 1. @pre count > 1
[[nodiscard]] std::vector<double> standard_sample(std::size_t count, std::mt19937_64& random);

/// How hosts that are alike differ by chance. A message between two hosts takes the mean of what
/// their factors make of it, so factors differ twice as much as the means of hosts' messages, which
/// RankKind tells. A host that is slow is slow in both parts. Of more than 32 hosts some share
/// their factors: those alone take the extremes of a sample, groups of several what lies between.
class HostEffects {
 public:
  /// @param kinds           `hosts` of each: by which it is known how they differ
  /// @param kinds_of_hosts  an index of `kinds` for each host
  HostEffects(std::vector<RankKind> kinds, const std::vector<int>& kinds_of_hosts);

  /// Whether it is known of some hosts how they differ.
  [[nodiscard]] bool any() const;
  /// Of hosts that share their factors.
  [[nodiscard]] int groups() const { return groups_; }
  [[nodiscard]] int group_of(int host) const {
    return groups_of_hosts_[static_cast<std::size_t>(host)];
  }

  /// By group: a sample such as is most to be expected.
  [[nodiscard]] std::vector<HostEffect> ordinary() const;
  /// By group, of each of `replicates`: samples drawn at random, always the same for as
  /// many. They hold, too, how well the hosts that were measured tell the mean and the spread: what
  /// Student's interval of so many replicates covers is that of so many measured hosts. Means of
  /// all hosts don't depend on chance: the replicates take a normal sample's quantiles in random
  /// order. A single replicate, of which no interval can be made, is ordinary.
  /// @param share  of the spread
  [[nodiscard]] std::vector<std::vector<HostEffect>> drawn(std::size_t replicates,
                                                           double confidence, double share) const;

 private:
  /// Hosts of one kind: how many each group has.
  struct Kind {
    int kind;
    std::vector<int> group_sizes;
  };
  std::vector<RankKind> kinds_;
  std::vector<Kind> of_kinds_;
  std::vector<int> groups_of_hosts_;
  int groups_{};
};

}  // namespace commgauge
