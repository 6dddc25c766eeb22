#pragma once

#include <string>

#include "commgauge/model/model.hpp"

namespace commgauge {

/// A model's eager limit for people: where the file has no thresholds, by what its launches probed.
[[nodiscard]] std::string eager_limit_text(const Model& model);

}  // namespace commgauge
