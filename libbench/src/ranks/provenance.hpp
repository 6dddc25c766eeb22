#pragma once

#include <vector>

#include "commgauge/measurements/measurements.hpp"
#include "messages/communicator.hpp"

namespace commgauge::bench {

/// Which ranks share a machine, and with how many cores. The same on every rank.
struct Places {
  std::vector<RankPlace> ranks;

  [[nodiscard]] int ranks_on_host_of(int rank) const;
  /// Some machine has more ranks than cores in their affinity masks.
  [[nodiscard]] bool cores_are_shared() const;
  /// How many cores the machines have that these ranks are on.
  [[nodiscard]] int cores_of(const std::vector<int>& some) const;
};

/// Collective. In simulated time each rank of a machine has a core of its own.
[[nodiscard]] Places find_places(const Communicator& comm);

/// Time, versions and environment of this process; the rest of the launch is left open.
[[nodiscard]] Launch describe_process();

}  // namespace commgauge::bench
