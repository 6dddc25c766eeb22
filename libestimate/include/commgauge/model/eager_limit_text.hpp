#pragma once

#include <optional>
#include <string>

#include "commgauge/model/model.hpp"

namespace commgauge {

/// A model's eager limit with its interval, or why there is none: where the file has no thresholds,
/// by what its launches probed. Nothing where the file doesn't tell.
[[nodiscard]] std::optional<Threshold> known_eager_limit(const Model& model);
/// The same for people.
[[nodiscard]] std::string eager_limit_text(const Model& model);

}  // namespace commgauge
