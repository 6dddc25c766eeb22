#pragma once

#include <optional>
#include <span>
#include <vector>

#include "commgauge/model/model.hpp"

namespace commgauge {

/// What pairs within hosts share was measured apart from what hosts' links are, on other ranks.
/// @param links   of the ranks of a sample, or nothing. @param memory  of all ranks of the machine
/// @param sample  which of the machine's ranks those of `links` are
/// @return `links` with `inside` of `memory`. Replicates are as many as those of `links`: those of
///         `memory`, over and over, moved apart until their interval is that of `memory`.
[[nodiscard]] Fitted<HostLinks> with_memory(const std::optional<Fitted<HostLinks>>& links,
                                            const Fitted<HostLinks>& memory,
                                            std::span<const int> sample, double confidence);

}  // namespace commgauge
