#pragma once

#include <vector>

#include "classes/partition.hpp"
#include "commgauge/model/machine_classes.hpp"

namespace commgauge {

/// Whether hosts of each kind are the exception among the others.
[[nodiscard]] std::vector<bool> exceptions(const HostPartition& partition);

/// Hosts of exceptional kinds, and what doesn't fit its class.
[[nodiscard]] std::vector<Deviation> deviations_of(const HostTimes& hosts,
                                                   const HostPartition& partition);

/// Of hosts of one kind that aren't alike: standard deviation of each one's times with others,
/// relative to the mean; empty and of the largest size. NaN: one host.
struct HostSpread {
  double fixed{};
  double per_byte{};
};
[[nodiscard]] HostSpread spread_of(const HostTimes& hosts, const HostPartition& partition, int kind);

}  // namespace commgauge
