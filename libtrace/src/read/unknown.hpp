#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace commgauge::trace {

/// What another program's archive says of a collective operation: the rank's bytes.
struct RoughCollective {
  std::uint32_t list{};  ///< of Rank::collectives
  std::uint32_t context{};
  std::uint64_t sent{};
  std::uint64_t received{};
};

/// What has to be looked for when all ranks have been read.
struct Unknown {
  std::vector<RoughCollective> collectives;
  std::vector<std::size_t> receives;  ///< events of receives whose completion isn't recorded
};

}  // namespace commgauge::trace
