#pragma once

#include <optional>

#include "commgauge/model/model.hpp"
#include "commgauge/simulate/machine/sharing.hpp"

namespace commgauge::simulate {

/// How late messages are by chance, in the mean; nothing: the model file doesn't say.
[[nodiscard]] std::optional<MessageJitter> measured_jitter(const Model& model);

/// How the model file's machine was found to let messages share what they pass; nothing: that was
/// not measured, or what was measured may be either.
[[nodiscard]] std::optional<Sharing> measured_sharing(const Model& model);

}  // namespace commgauge::simulate
