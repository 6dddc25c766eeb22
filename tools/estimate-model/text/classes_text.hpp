#pragma once

#include <string>

#include "commgauge/model/model.hpp"
#include "estimate-model/text/extent.hpp"

namespace commgauge::tools {

/// What isn't like its kind, a sentence each; of many the first, unless everything is asked for.
[[nodiscard]] std::string deviations_text(const MachineClasses& classes, Extent extent);

/// Tables of a model by classes: the kinds of ranks, and every model's parameters with a row for
/// each kind, or each class of pairs. @pre model.classes
[[nodiscard]] std::string classes_text(const Model& model, Extent extent);

}  // namespace commgauge::tools
