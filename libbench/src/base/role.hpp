#pragma once

#include <cstddef>
#include <vector>

#include "commgauge/measurements/experiment.hpp"

namespace commgauge::bench {

/// One message of a rank in a collective.
struct Step {
  bool is_sent{};
  int peer{};
  std::size_t offset{};  ///< in what passes through the rank [bytes]
  Bytes size;
};

/// What one rank does in a collective that isn't just messages between the root and each peer: a
/// broadcast, flat or binomial, a binomial scatter or gather, or a ring.
struct Role {
  /// All that passes through the rank. Of a scatter or gather: a block for each rank of its
  /// subtree, the blocks of a child together; its own block is the first.
  Bytes data;
  std::vector<Step> steps;  ///< in order, at least one
  /// The messages are under way at once, each with data of its own.
  bool is_at_once{};
};

/// Whether role_of() tells how to carry it out.
[[nodiscard]] bool has_roles(Kind kind);

/// @pre has_roles(), and `rank` takes part.
[[nodiscard]] Role role_of(const Experiment& experiment, int rank);

}  // namespace commgauge::bench
