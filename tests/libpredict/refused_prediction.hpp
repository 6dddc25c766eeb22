#pragma once

#include <string>

#include "commgauge/predict/predict.hpp"
#include "refusal.hpp"

namespace commgauge {

/// Why there is no prediction; empty where there is one.
inline std::string refusal(const Model& model, const Query& query) {
  return refusal([&] { (void)predict(model, query); });
}

}  // namespace commgauge
