#pragma once

#include <string>

#include "commgauge/model/model.hpp"

namespace commgauge::tools {

/// Links that hosts share, with what they carry; empty where none is in the file.
[[nodiscard]] std::string fabric_text(const Model& model);

}  // namespace commgauge::tools
