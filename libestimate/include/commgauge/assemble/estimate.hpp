#pragma once

#include <string>
#include <vector>

#include "commgauge/assemble/one_way.hpp"
#include "commgauge/measurements/measurements.hpp"
#include "commgauge/model/model.hpp"

namespace commgauge {

/// Which models, and how sure.
struct FitOptions {
  std::vector<std::string> models;  ///< empty: all that the measurements can determine
  double confidence{0.95};
};

struct Estimated {
  Model model;  ///< of the measured ranks, not judged: no checks, ranking and judgements
  std::vector<OneWayTime> checks;  ///< what no fit saw
};

/// Fits every model asked for.
///
/// Intervals come from replication: every fit is repeated on each pass alone (on each launch
/// alone when several were merged), and the spread of those results, with Student's quantile,
/// gives the interval. So whatever is common to the experiments of one pass is in it.
///
/// @throws FitError  a model asked for by name can't be determined; no model can.
[[nodiscard]] Estimated estimate(const Measurements& measurements, const FitOptions& options = {});

}  // namespace commgauge
