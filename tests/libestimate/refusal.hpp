#pragma once

#include <string>

#include "commgauge/base/error.hpp"
#include "commgauge/predict/predict.hpp"

namespace commgauge {

/// Why `work()` refuses its input; empty where it does not.
template <class Work>
std::string refusal(Work&& work) {
  try {
    work();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

/// Why there is no prediction; empty where there is one.
inline std::string refusal(const Model& model, const Query& query) {
  return refusal([&] { (void)predict(model, query); });
}

}  // namespace commgauge
