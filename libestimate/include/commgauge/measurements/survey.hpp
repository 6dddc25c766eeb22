#pragma once

#include <string>
#include <vector>

#include "commgauge/base/units.hpp"
#include "commgauge/measurements/rank_place.hpp"

namespace commgauge {

/// A quick round trip: `size` bytes to `to`, and an empty answer.
struct SurveyedTrip {
  int from{};
  int to{};
  Bytes size;
  double time_s{};
  friend bool operator==(const SurveyedTrip&, const SurveyedTrip&) = default;
};

/// A look at all hosts, by which is decided which ranks are measured in place of all: round trips
/// between the first ranks of any two hosts, and of the first rank of each with the others there.
struct Survey {
  std::vector<RankPlace> ranks;  ///< of the whole machine
  std::vector<SurveyedTrip> trips;
  /// By rank, what a file says it is like; empty: placement and times tell.
  std::vector<std::string> kinds;
  /// The machine's ranks that were measured, ascending: those of the launches, in their order.
  std::vector<int> sample;
};

}  // namespace commgauge
