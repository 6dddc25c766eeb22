#pragma once

#include <string>

#include "commgauge/error.hpp"
#include "commgauge/predict.hpp"

namespace commgauge {

/// Why there is no prediction; empty where there is one.
inline std::string refusal(const Model& model, const Query& query) {
  try {
    (void)predict(model, query);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace commgauge
