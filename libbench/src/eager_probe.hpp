#pragma once

#include <mpi.h>

#include <functional>
#include <optional>

#include "commgauge/base/units.hpp"

namespace commgauge::bench {

/// The largest message that rank `sender` sends asynchronously to rank `receiver`, to the byte.
///
/// The receiver posts late; a sender that is back before was asynchronous. Bisection over sizes.
/// Collective over the two ranks only.
///
/// @param largest   where to stop looking.
/// @param one_way   about how long a message of a size takes: the delay is well above it.
/// @return nothing when messages of `largest` bytes are still asynchronous; on both ranks.
[[nodiscard]] std::optional<Bytes> probe_eager_limit(MPI_Comm comm, int sender, int receiver,
                                                     Bytes largest,
                                                     const std::function<Seconds(Bytes)>& one_way);

}  // namespace commgauge::bench
