#include "commgauge/schedule/schedule.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <numeric>

#include "schedule/draft.hpp"

namespace commgauge::schedule {

namespace {

enum class Needs { nothing, power_of_two, commutative, power_of_two_and_equal };

/// One algorithm of one operation.
struct Entry {
  Operation operation;
  Algorithm algorithm;
  void (*make)(Draft&);
  Needs needs{Needs::nothing};
};

using enum Algorithm;

constexpr std::array entries{
    Entry{Operation::barrier, dissemination, barrier_dissemination},
    Entry{Operation::barrier, flat, barrier_flat},
    Entry{Operation::exchange, flat, ring_round},
    Entry{Operation::ring, flat, ring_round},
    Entry{Operation::bcast, binomial, bcast_binomial},
    Entry{Operation::bcast, flat, bcast_flat},
    Entry{Operation::bcast, at_once, bcast_at_once},
    Entry{Operation::bcast, scatter_recursive_doubling, bcast_scatter_recursive_doubling,
          Needs::power_of_two},
    Entry{Operation::bcast, scatter_ring, bcast_scatter_ring},
    Entry{Operation::reduce, binomial, reduce_binomial},
    Entry{Operation::reduce, flat, reduce_flat},
    Entry{Operation::reduce, Algorithm::reduce_scatter_gather, reduce_scatter_then_gather,
          Needs::commutative},
    Entry{Operation::allreduce, recursive_doubling, allreduce_recursive_doubling},
    Entry{Operation::allreduce, Algorithm::reduce_scatter_allgather,
          allreduce_reduce_scatter_allgather, Needs::commutative},
    Entry{Operation::allreduce, Algorithm::reduce_bcast, allreduce_reduce_bcast},
    Entry{Operation::allreduce, flat, allreduce_flat},
    Entry{Operation::gather, binomial, gather_binomial},
    Entry{Operation::gather, flat, gather_flat},
    Entry{Operation::gather, at_once, gather_at_once},
    Entry{Operation::gatherv, flat, gather_flat},
    Entry{Operation::gatherv, at_once, gather_at_once},
    Entry{Operation::scatter, binomial, scatter_binomial},
    Entry{Operation::scatter, flat, scatter_flat},
    Entry{Operation::scatter, at_once, scatter_at_once},
    Entry{Operation::scatterv, flat, scatter_flat},
    Entry{Operation::scatterv, at_once, scatter_at_once},
    Entry{Operation::allgather, ring, allgather_ring},
    Entry{Operation::allgather, ring_in_chunks, allgather_ring_in_chunks},
    Entry{Operation::allgather, recursive_doubling, allgather_recursive_doubling,
          Needs::power_of_two},
    Entry{Operation::allgather, bruck, allgather_bruck},
    Entry{Operation::allgather, flat, allgather_flat},
    Entry{Operation::allgatherv, ring, allgather_ring},
    Entry{Operation::allgatherv, ring_in_chunks, allgather_ring_in_chunks},
    Entry{Operation::allgatherv, recursive_doubling, allgather_recursive_doubling,
          Needs::power_of_two},
    Entry{Operation::allgatherv, bruck, allgather_bruck},
    Entry{Operation::allgatherv, flat, allgather_flat},
    Entry{Operation::alltoall, bruck, alltoall_bruck},
    Entry{Operation::alltoall, scattered, alltoall_scattered},
    Entry{Operation::alltoall, pairwise, alltoall_pairwise},
    Entry{Operation::alltoall, shift, alltoall_shift},
    Entry{Operation::alltoall, in_order, alltoall_in_order},
    Entry{Operation::alltoall, flat, alltoall_flat},
    Entry{Operation::alltoallv, scattered, alltoall_scattered},
    Entry{Operation::alltoallv, pairwise, alltoall_pairwise},
    Entry{Operation::alltoallv, shift, alltoall_shift},
    Entry{Operation::alltoallv, in_order, alltoall_in_order},
    Entry{Operation::alltoallv, flat, alltoall_flat},
    Entry{Operation::scan, recursive_doubling, scan_recursive_doubling},
    Entry{Operation::scan, linear, scan_linear},
    Entry{Operation::exscan, recursive_doubling, exscan_recursive_doubling},
    Entry{Operation::exscan, linear, exscan_linear},
    Entry{Operation::reduce_scatter, recursive_halving, reduce_scatter_recursive_halving,
          Needs::commutative},
    Entry{Operation::reduce_scatter, pairwise, reduce_scatter_pairwise, Needs::commutative},
    Entry{Operation::reduce_scatter, recursive_doubling, reduce_scatter_recursive_doubling},
    Entry{Operation::reduce_scatter, butterfly, reduce_scatter_butterfly,
          Needs::power_of_two_and_equal},
    Entry{Operation::reduce_scatter, Algorithm::reduce_scatterv, reduce_scatter_reduce_scatterv},
    Entry{Operation::reduce_scatter, flat, reduce_scatter_flat},
    Entry{Operation::reduce_scatter_block, recursive_halving, reduce_scatter_recursive_halving,
          Needs::commutative},
    Entry{Operation::reduce_scatter_block, pairwise, reduce_scatter_pairwise, Needs::commutative},
    Entry{Operation::reduce_scatter_block, recursive_doubling, reduce_scatter_recursive_doubling},
    Entry{Operation::reduce_scatter_block, butterfly, reduce_scatter_butterfly,
          Needs::power_of_two_and_equal},
    Entry{Operation::reduce_scatter_block, Algorithm::reduce_scatterv,
          reduce_scatter_reduce_scatterv},
    Entry{Operation::reduce_scatter_block, flat, reduce_scatter_flat},
};

const Entry* find(Operation operation, Algorithm algorithm) {
  const auto* const found = std::ranges::find_if(entries, [&](const Entry& entry) {
    return entry.operation == operation && entry.algorithm == algorithm;
  });
  return found == entries.end() ? nullptr : found;
}

bool are_equal(const std::vector<std::uint64_t>& counts) {
  return std::ranges::adjacent_find(counts, std::ranges::not_equal_to{}) == counts.end();
}

bool fits(const Collective& what, Needs needs) {
  if (needs == Needs::commutative) return what.is_commutative;
  if (needs == Needs::power_of_two) return is_power_of_two(what.ranks);
  if (needs == Needs::power_of_two_and_equal) {
    return is_power_of_two(what.ranks) && are_equal(what.counts);
  }
  return true;
}

}  // namespace

bool is_possible(const Collective& what, Algorithm algorithm) {
  if (algorithm == none) return true;
  const Entry* const entry = find(what.operation, algorithm);
  return entry != nullptr && fits(what, entry->needs);
}

Schedule schedule_of(const Collective& what, Algorithm algorithm, int rank) {
  assert(is_possible(what, algorithm) && rank >= 0 && rank < what.ranks);
  Draft draft{what, rank, {}};
  if (algorithm != none) find(what.operation, algorithm)->make(draft);
  return std::move(draft.made);
}

const std::vector<Operation>& all_operations() {
  using enum Operation;
  static const std::vector<Operation> all{
      barrier, bcast,    reduce,         allreduce,           gather,   gatherv,
      scatter, scatterv, allgather,      allgatherv,          alltoall, alltoallv,
      scan,    exscan,   reduce_scatter, reduce_scatter_block};
  return all;
}

std::vector<Algorithm> algorithms_of(Operation operation) {
  std::vector<Algorithm> result;
  for (const Entry& entry : entries) {
    if (entry.operation == operation) result.push_back(entry.algorithm);
  }
  return result;
}

bool is_reduction(Operation operation) {
  using enum Operation;
  return operation == reduce || operation == allreduce || operation == scan ||
         operation == exscan || operation == reduce_scatter || operation == reduce_scatter_block;
}

}  // namespace commgauge::schedule
