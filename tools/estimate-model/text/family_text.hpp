#pragma once

#include <string>

#include "commgauge/model/model.hpp"

namespace commgauge::tools {

/// The LogP family's means over the measured pairs and the growth of overheads, for people. Empty
/// where the model has none of them.
[[nodiscard]] std::string family_text(const Model& model);

}  // namespace commgauge::tools
