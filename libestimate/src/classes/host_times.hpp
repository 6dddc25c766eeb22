#pragma once

#include <array>
#include <string>
#include <vector>

#include "commgauge/base/matrix.hpp"
#include "commgauge/measurements/survey.hpp"

namespace commgauge {

/// A survey by hosts.
struct HostTimes {
  std::vector<std::string> names;
  std::vector<std::vector<int>> ranks;  ///< by host, ascending
  std::vector<int> host_of;             ///< by rank
  /// Round trips, empty and of the largest size: of the two hosts' first ranks [s].
  std::array<Matrix, 2> between;
  /// Of a host's first rank with its others: the median, and each by its place on the host (the
  /// first's own is NaN) [s]. NaN where a host has one rank.
  std::array<std::vector<double>, 2> within;
  std::array<std::vector<std::vector<double>>, 2> star;
  double largest{};  ///< that size [bytes]

  [[nodiscard]] int hosts() const { return static_cast<int>(names.size()); }
};

/// @throws InputError  a trip names no rank; a pair of hosts has none; a time isn't above zero.
[[nodiscard]] HostTimes by_hosts(const Survey& survey);

}  // namespace commgauge
