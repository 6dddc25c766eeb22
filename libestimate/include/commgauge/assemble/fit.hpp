#pragma once

#include <string>
#include <vector>

#include "commgauge/measurements/measurements.hpp"
#include "commgauge/model/model.hpp"

namespace commgauge {

/// Which models, and how sure.
struct FitOptions {
  std::vector<std::string> models;  ///< empty: all that the measurements can determine
  double confidence{0.95};
};

/// Fits every model asked for, judges them on the experiments kept away from the fits, ranks them.
///
/// Intervals come from replication: every fit is repeated on each pass alone (on each launch
/// alone when several were merged), and the spread of those results, with Student's quantile,
/// gives the interval. So whatever is common to the experiments of one pass is in it.
///
/// @throws FitError  a model asked for by name can't be determined; no model can.
[[nodiscard]] Model fit(const Measurements& measurements, const FitOptions& options = {});

}  // namespace commgauge
