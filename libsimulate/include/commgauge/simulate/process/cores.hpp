#pragma once

#include <functional>
#include <map>
#include <vector>

namespace commgauge::simulate {

/// The cores of a rank, on which its threads compute: each on the one that is free first.
class Cores {
 public:
  /// @param count  above 0
  explicit Cores(int count) : all_(static_cast<std::size_t>(count)) {}

  /// Takes one. O(log n) in what is kept of the past. @param from  not before that [s]
  /// @param needs  so long, without a break [s]. @param least_clock  () → no thread computes before
  ///   this any more [s]
  /// @return when it begins [s]
  [[nodiscard]] double take(double from, double needs, const std::function<double()>& least_clock);

 private:
  using Occupancy = std::map<double, double>;  ///< from, until [s]
  std::vector<Occupancy> all_;
};

}  // namespace commgauge::simulate
