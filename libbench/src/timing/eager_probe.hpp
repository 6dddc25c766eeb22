#pragma once

#include <mpi.h>

#include <functional>
#include <optional>

#include "commgauge/base/units.hpp"

namespace commgauge::bench {

/// The eager limit from rank `sender` to rank `receiver`, to the byte: the largest message whose
/// send returns before its receive is posted. Larger ones take the rendezvous protocol.
///
/// The receiver, in other calls of MPI, posts late; a send that has returned before was eager.
/// Bisection over sizes.
/// Collective over the two ranks only.
///
/// @param largest   where to stop looking.
/// @param one_way   about how long a message of a size takes: the delay is well above it.
/// @return nothing when messages of `largest` bytes are still eager; on both ranks.
[[nodiscard]] std::optional<Bytes> probe_eager_limit(MPI_Comm comm, int sender, int receiver,
                                                     Bytes largest,
                                                     const std::function<Seconds(Bytes)>& one_way);

}  // namespace commgauge::bench
