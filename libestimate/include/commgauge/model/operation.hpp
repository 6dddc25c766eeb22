#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace commgauge {

/// What a time is of: a message, one of MPI's collective operations, or messages that meet.
/// MPI_Alltoallw is an alltoallv.
enum class Operation {
  p2p,
  scatter,
  gather,
  bcast,
  barrier,
  reduce,
  allreduce,
  gatherv,
  scatterv,
  allgather,
  allgatherv,
  alltoall,
  alltoallv,
  scan,
  exscan,
  reduce_scatter,
  reduce_scatter_block,
  exchange,  ///< two ranks send each other a message at once
  ring,      ///< so do all ranks: each sends to the next one, and gets from the one before
};
inline constexpr auto operation_count = static_cast<std::size_t>(Operation::ring) + 1;
/// reduce_scatter_block
[[nodiscard]] std::string to_text(Operation operation);
/// Those that are measured and ranked.
inline constexpr std::array measured_operations{Operation::p2p,    Operation::exchange,
                                                Operation::ring,   Operation::scatter,
                                                Operation::gather, Operation::bcast};
/// Whether it is carried out by one of several algorithms: a collective operation.
[[nodiscard]] bool is_collective(Operation operation);
/// Whether ranks send and get a message at once: exchange, ring.
[[nodiscard]] bool is_meeting(Operation operation);
/// Of measured_operations.
/// @throws InputError  another word; says which there are.
[[nodiscard]] Operation parse_operation(std::string_view text);

/// How a collective operation is carried out; docs/method.md says what each does.
enum class Algorithm {
  none,      ///< nothing is sent: there are no data
  flat,      ///< the root deals with each of the others itself, one after the other
  at_once,   ///< the same, and starts all messages before it waits for any
  binomial,  ///< MPICH's tree: a message of a scatter or gather holds a whole subtree's blocks
  ring,
  ring_in_chunks,
  dissemination,
  recursive_doubling,
  recursive_halving,
  bruck,
  scatter_recursive_doubling,
  scatter_ring,
  reduce_scatter_allgather,
  reduce_scatter_gather,
  reduce_bcast,
  reduce_scatterv,
  butterfly,
  pairwise,
  shift,
  scattered,
  in_order,
  linear,
};
/// recursive-doubling
[[nodiscard]] std::string to_text(Algorithm algorithm);
/// Of those that are measured: flat, binomial. @throws InputError  another word; says which there
/// are.
[[nodiscard]] Algorithm parse_algorithm(std::string_view text);

}  // namespace commgauge
