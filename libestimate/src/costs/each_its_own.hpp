#pragma once

#include "commgauge/model/model.hpp"

namespace commgauge {

/// Classes in which each rank is of a kind of its own: each pair keeps its values.
[[nodiscard]] MachineClasses each_its_own(const Model& dense);

}  // namespace commgauge
