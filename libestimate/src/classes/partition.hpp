#pragma once

#include <array>
#include <utility>
#include <vector>

#include "classes/host_times.hpp"

namespace commgauge {

/// Two hosts, the lower number first, or one twice: inside it.
using HostPair = std::pair<int, int>;

/// Which hosts are alike.
struct HostPartition {
  std::vector<int> kind_of;  ///< by host; kinds count in the order of their first hosts
  int kinds{};
  /// What doesn't fit its class.
  std::vector<HostPair> outliers;
};

/// How far times of one class may be apart, as logarithms: empty, and of the largest size.
using Tolerances = std::array<double, 2>;
[[nodiscard]] Tolerances tolerances_of(const HostTimes& hosts);

/// The simplest explanation of the times, see find_classes().
[[nodiscard]] HostPartition partition_of(const HostTimes& hosts);

/// With kinds that are given. @param kind_of  by host, without gaps
[[nodiscard]] HostPartition partition_of(const HostTimes& hosts, std::vector<int> kind_of);

}  // namespace commgauge
