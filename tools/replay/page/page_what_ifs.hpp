#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "commgauge/replay/prediction/what_if.hpp"
#include "replay/outcome/outcome.hpp"
#include "replay/outcome/what_if_outcome.hpp"

namespace commgauge::tools {

/// How the run's time depends on the machine.
struct WhatIfs {
  std::vector<Curve> curves;
  std::vector<replay::Tolerance> tolerances;
  std::size_t replays{};  ///< that it took
  std::string left_out;   ///< what isn't there, and why; empty: all is
};

/// Of latency, bandwidth, overheads and computing: the time from a quarter to four times of what
/// they are, and by how much they may get worse before the run takes 1, 2 and 5 % longer. Of
/// programs that are longer and longer without intervals, without tolerances, nothing at all;
/// nothing on a topology, or where no time passes.
///
/// @param how       how the outcome was predicted
/// @param points    of each curve, at least two
/// @param progress  is told after each replay how many there were, of how many at most
/// @throws what replay::curve() throws
[[nodiscard]] WhatIfs what_ifs(const Outcome& outcome, replay::PredictionOptions how,
                               std::size_t points,
                               const std::function<void(std::size_t, std::size_t)>& progress);

/// `curves` and `tolerances` as in docs/schema/what-if-1.schema.json, `replays`, `left_out`.
[[nodiscard]] nlohmann::ordered_json what_ifs_json(const WhatIfs& what_ifs);

}  // namespace commgauge::tools
