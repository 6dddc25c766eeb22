#pragma once

#include <string>

#include "commgauge/model/model.hpp"

namespace commgauge::tools {

/// What the links and the memory of hosts carry, a line for those that are alike; empty where
/// nothing of it is in the file.
[[nodiscard]] std::string host_links_text(const Model& model);

/// Links that hosts share, with what they carry; empty where none is in the file.
[[nodiscard]] std::string fabric_text(const Model& model);

}  // namespace commgauge::tools
