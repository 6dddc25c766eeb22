#pragma once

#include <string>

#include "commgauge/model/model.hpp"

namespace commgauge::tools {

/// A line for each rank whose processor is clearly slower than the fastest: by how much, and
/// whether its messages' predictions differ by more than their error. Nothing where all are about
/// as fast.
[[nodiscard]] std::string processors_text(const Model& model);

}  // namespace commgauge::tools
