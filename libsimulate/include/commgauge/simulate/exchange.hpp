#pragma once

#include <optional>

#include "commgauge/base/diagnostic.hpp"
#include "commgauge/base/units.hpp"
#include "commgauge/model/model.hpp"
#include "commgauge/simulate/machine.hpp"

namespace commgauge::simulate {

/// Until two ranks that begin at the same time have each other's message.
[[nodiscard]] Seconds exchange_time(const Machine& machine, int one, int other, Bytes size);

/// Whether models of the file that explain it about as well say something else of an exchange than
/// the one that is taken: the messages, scatters and gathers that they are ranked by go one way at
/// a time, and don't tell whether a rank sends and receives at once. Nothing: all agree, or none
/// is as good.
/// @param machine  machine_of() that model. O(models · ranks²), as machine_of().
[[nodiscard]] std::optional<Diagnostic> differing_exchanges(const Model& model,
                                                            const Machine& machine);

}  // namespace commgauge::simulate
