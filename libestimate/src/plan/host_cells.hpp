#pragma once

#include <functional>
#include <random>
#include <vector>

#include "commgauge/base/matrix.hpp"
#include "plan/cut_search.hpp"
#include "plan/fabric_load.hpp"

namespace commgauge {

/// Hosts, of which some messages pass a link that both ways share.
struct CellTask {
  std::vector<int> hosts;
  RunPairs run;
  RunPairs expected;  ///< what pairs at once take by what is known [s/byte]
  int most_rounds{};
};

/// Tells hosts apart by that link. Two that exchange messages, and are slower than expected, are on
/// different sides. Two that are as fast as expected, while the link is busy, are on the same side.
/// @return of each host in `alone`, its cell; hosts that aren't in the task are alone in theirs
[[nodiscard]] std::vector<int> find_cells(const CellTask& task, const Matrix& alone,
                                          std::mt19937_64& random);

}  // namespace commgauge
