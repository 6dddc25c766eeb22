#pragma once

#include <string>
#include <vector>

#include "commgauge/assemble/one_way.hpp"
#include "commgauge/model/model.hpp"
#include "commgauge/predict/predict.hpp"

namespace commgauge {

/// What a model is asked for such a time.
[[nodiscard]] Query query_of(const OneWayTime& time, const std::string& model);

/// One measured operation against one model.
struct Comparison {
  std::string model;
  OneWayTime measured;
  Prediction prediction;
  [[nodiscard]] double relative_error() const {
    return (prediction.time.value - measured.time_s) / measured.time_s;
  }
  /// Whether the interval holds the measured time; never where there is none.
  [[nodiscard]] bool inside() const {
    return prediction.low.value <= measured.time_s && measured.time_s <= prediction.high.value;
  }
};

struct Comparisons {
  std::vector<Comparison>
      all;         ///< as they were measured, each by every model in the order of files
  long skipped{};  ///< of which the model can't say anything: pairs that it has no parameters for
};

/// Every measured operation against every model of the file.
/// @throws InputError  a rank that the model doesn't have. O(models · times · replicates), for
///                     collectives times the number of ranks, and a machine for each replicate of
///                     a model whose collectives are told by one.
[[nodiscard]] Comparisons against_predictions(const Model& model,
                                              const std::vector<OneWayTime>& measured);

/// Every model's place: the median |relative error| at each size, averaged over the sizes of an
/// operation, then over operations. Models that say nothing on some of the times come after those
/// that were asked all of them.
[[nodiscard]] std::vector<Ranking> ranking_of(const std::vector<Comparison>& comparisons);

}  // namespace commgauge
