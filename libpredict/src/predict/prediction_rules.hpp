#pragma once

#include <algorithm>
#include <optional>
#include <string>

#include "commgauge/base/error.hpp"
#include "commgauge/model/model.hpp"

namespace commgauge {

/// That each drawn replicate stands for.
[[nodiscard]] inline int passes_of(const Model& model) {
  return model.launches.empty() ? 1 : std::max(1, model.launches.front().passes);
}

/// @throws InputError  the file has no such model.
template <class Parameters>
[[nodiscard]] const Fitted<Parameters>& need(const std::optional<Fitted<Parameters>>& fitted,
                                             const std::string& name) {
  if (!fitted) {
    throw InputError("the file has no model " + name +
                     " (it could not be determined, or was not asked for): see `estimate-model "
                     "show`, or calibrate with --models " +
                     name);
  }
  return *fitted;
}

}  // namespace commgauge
