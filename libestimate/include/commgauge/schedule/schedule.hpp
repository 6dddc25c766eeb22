#pragma once

#include <vector>

#include "commgauge/schedule/collective.hpp"

/// Collective operations as lists of steps: who sends what to whom, in which order.
namespace commgauge::schedule {

/// Whether the algorithm can carry out such a call: some need a power of two, a commutative
/// operator, or an operation of another kind.
[[nodiscard]] bool is_possible(const Collective& what, Algorithm algorithm);

/// Costs what the rank has to do, not what all do together.
/// @pre is_possible(), 0 ≤ rank < what.ranks
[[nodiscard]] Schedule schedule_of(const Collective& what, Algorithm algorithm, int rank);

/// MPI's collective operations.
[[nodiscard]] const std::vector<Operation>& all_operations();
/// Those that are there for the operation.
[[nodiscard]] std::vector<Algorithm> algorithms_of(Operation operation);

[[nodiscard]] bool is_reduction(Operation operation);

}  // namespace commgauge::schedule
