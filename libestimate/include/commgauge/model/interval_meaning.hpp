#pragma once

#include <string>
#include <string_view>

#include "commgauge/model/model.hpp"

namespace commgauge {

/// What intervals hold, in words for people that follow "intervals: ". The spread of passes knows
/// nothing of the next launch: "95 % of what this launch would find again". That of launches does:
/// "95 %, launches included".
[[nodiscard]] std::string interval_meaning(double confidence, ReplicateKind kind);

/// Of a model's parameters and predictions. @param name  of a model that is there, or
/// `overhead_growth`; none: of all models, by the one whose intervals hold least.
[[nodiscard]] std::string interval_meaning(const Model& model, std::string_view name = {});

/// Of thresholds: of what one sweep varies by, or several that were joined.
[[nodiscard]] std::string interval_meaning(const MachineThresholds& thresholds);

/// Whether the intervals hold what differs between launches, too. @param name  as above
[[nodiscard]] bool holds_next_launch(const Model& model, std::string_view name = {});

}  // namespace commgauge
