#pragma once

#include <optional>
#include <string>

#include "commgauge/base/diagnostic.hpp"
#include "commgauge/model/model.hpp"
#include "commgauge/simulate/machine/machine.hpp"

namespace commgauge {

/// Until two ranks that begin at the same time have each other's message.
[[nodiscard]] Seconds exchange_time(const simulate::Machine& machine, int one, int other,
                                    Bytes size);

/// Where a model is taken because nobody named one, and another of the ranking says that exchanges
/// of the largest fitted messages take a quarter longer, or less, between some ranks: which, and by
/// how much. The messages, scatters and gathers that models are ranked by go one way at a time, and
/// don't tell which is right. Nothing: all agree, or there is no ranking or no machine. Of many
/// ranks some are looked at.
/// @param kind  the model that is taken. O(models · ranks²), as machine_of().
[[nodiscard]] std::optional<Diagnostic> differing_exchanges(const Model& model,
                                                            const std::string& kind);

}  // namespace commgauge
