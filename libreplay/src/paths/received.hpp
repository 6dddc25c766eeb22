#pragma once

#include <cstdint>
#include <optional>

#include "commgauge/replay/run/options.hpp"
#include "commgauge/simulate/world/causes.hpp"
#include "commgauge/trace/events/trace.hpp"
#include "paths/waits.hpp"

namespace commgauge::replay {

/// The program's own receive that got the message which a rank waits for; nothing: the message is
/// one of a collective operation, or it isn't certain which receive it was.
[[nodiscard]] std::optional<Unawaited> receive_of(const trace::Trace& trace,
                                                  const simulate::Causes& causes, const Wait& wait);

}  // namespace commgauge::replay
