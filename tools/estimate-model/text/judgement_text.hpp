#pragma once

#include <string>

#include "commgauge/model/model.hpp"

namespace commgauge::tools {

/// The bias with its interval: `-60 ± 1.2 %`.
[[nodiscard]] std::string bias_text(const Judgement& judgement);

}  // namespace commgauge::tools
