#pragma once

#include <optional>
#include <string>

#include "commgauge/base/error.hpp"
#include "commgauge/model/model.hpp"
#include "commgauge/model/spread.hpp"

namespace commgauge {

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
