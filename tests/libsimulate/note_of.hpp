#pragma once

#include <algorithm>
#include <optional>
#include <string>

#include "commgauge/simulate/machine/machine.hpp"

namespace commgauge::simulate {

/// The machine's note of that kind, if it has one.
inline std::optional<Diagnostic> note_of(const Machine& machine, const std::string& kind) {
  const auto found = std::ranges::find(machine.notes, kind, &Diagnostic::kind);
  if (found == machine.notes.end()) return std::nullopt;
  return *found;
}

}  // namespace commgauge::simulate
