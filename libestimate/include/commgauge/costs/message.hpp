#pragma once

#include <cmath>
#include <cstddef>
#include <limits>

#include "commgauge/base/places.hpp"
#include "commgauge/model/model.hpp"

namespace commgauge {

/// One message, and what its time depends on.
struct Message {
  int from;
  int to;
  double size;         ///< [bytes]
  double eager_limit;  ///< [bytes]; infinite where unknown
  [[nodiscard]] bool rendezvous() const { return size > eager_limit; }
};

/// [bytes]; infinite where unknown.
[[nodiscard]] inline double eager_limit_of(const Model& model) {
  return model.eager_limit ? static_cast<double>(model.eager_limit->value)
                           : std::numeric_limits<double>::infinity();
}

/// The larger of two, NaN where one of them is: what was not measured stays unknown.
[[nodiscard]] inline double larger(double a, double b) { return std::isnan(a) || a > b ? a : b; }

}  // namespace commgauge
