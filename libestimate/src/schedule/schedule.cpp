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

using enum Operation;
using enum Algorithm;

constexpr std::array entries{
    Entry{barrier, dissemination, barrier_dissemination},
    Entry{barrier, flat, barrier_flat},
    Entry{bcast, binomial, bcast_binomial},
    Entry{bcast, flat, bcast_flat},
    Entry{bcast, at_once, bcast_at_once},
    Entry{bcast, scatter_recursive_doubling, bcast_scatter_recursive_doubling, Needs::power_of_two},
    Entry{bcast, scatter_ring, bcast_scatter_ring},
    Entry{reduce, binomial, reduce_binomial},
    Entry{reduce, flat, reduce_flat},
    Entry{reduce, Algorithm::reduce_scatter_gather, reduce_scatter_then_gather, Needs::commutative},
    Entry{allreduce, recursive_doubling, allreduce_recursive_doubling},
    Entry{allreduce, Algorithm::reduce_scatter_allgather, allreduce_reduce_scatter_allgather,
          Needs::commutative},
    Entry{allreduce, Algorithm::reduce_bcast, allreduce_reduce_bcast},
    Entry{allreduce, flat, allreduce_flat},
    Entry{gather, binomial, gather_binomial},
    Entry{gather, flat, gather_flat},
    Entry{gather, at_once, gather_at_once},
    Entry{gatherv, flat, gather_flat},
    Entry{gatherv, at_once, gather_at_once},
    Entry{scatter, binomial, scatter_binomial},
    Entry{scatter, flat, scatter_flat},
    Entry{scatter, at_once, scatter_at_once},
    Entry{scatterv, flat, scatter_flat},
    Entry{scatterv, at_once, scatter_at_once},
    Entry{allgather, ring, allgather_ring},
    Entry{allgather, ring_in_chunks, allgather_ring_in_chunks},
    Entry{allgather, recursive_doubling, allgather_recursive_doubling, Needs::power_of_two},
    Entry{allgather, bruck, allgather_bruck},
    Entry{allgather, flat, allgather_flat},
    Entry{allgatherv, ring, allgather_ring},
    Entry{allgatherv, ring_in_chunks, allgather_ring_in_chunks},
    Entry{allgatherv, recursive_doubling, allgather_recursive_doubling, Needs::power_of_two},
    Entry{allgatherv, bruck, allgather_bruck},
    Entry{allgatherv, flat, allgather_flat},
    Entry{alltoall, bruck, alltoall_bruck},
    Entry{alltoall, scattered, alltoall_scattered},
    Entry{alltoall, pairwise, alltoall_pairwise},
    Entry{alltoall, shift, alltoall_shift},
    Entry{alltoall, in_order, alltoall_in_order},
    Entry{alltoall, flat, alltoall_flat},
    Entry{alltoallv, scattered, alltoall_scattered},
    Entry{alltoallv, pairwise, alltoall_pairwise},
    Entry{alltoallv, shift, alltoall_shift},
    Entry{alltoallv, in_order, alltoall_in_order},
    Entry{alltoallv, flat, alltoall_flat},
    Entry{scan, recursive_doubling, scan_recursive_doubling},
    Entry{scan, linear, scan_linear},
    Entry{exscan, recursive_doubling, exscan_recursive_doubling},
    Entry{exscan, linear, exscan_linear},
    Entry{reduce_scatter, recursive_halving, reduce_scatter_recursive_halving, Needs::commutative},
    Entry{reduce_scatter, pairwise, reduce_scatter_pairwise, Needs::commutative},
    Entry{reduce_scatter, recursive_doubling, reduce_scatter_recursive_doubling},
    Entry{reduce_scatter, butterfly, reduce_scatter_butterfly, Needs::power_of_two_and_equal},
    Entry{reduce_scatter, Algorithm::reduce_scatterv, reduce_scatter_reduce_scatterv},
    Entry{reduce_scatter, flat, reduce_scatter_flat},
    Entry{reduce_scatter_block, recursive_halving, reduce_scatter_recursive_halving,
          Needs::commutative},
    Entry{reduce_scatter_block, pairwise, reduce_scatter_pairwise, Needs::commutative},
    Entry{reduce_scatter_block, recursive_doubling, reduce_scatter_recursive_doubling},
    Entry{reduce_scatter_block, butterfly, reduce_scatter_butterfly, Needs::power_of_two_and_equal},
    Entry{reduce_scatter_block, Algorithm::reduce_scatterv, reduce_scatter_reduce_scatterv},
    Entry{reduce_scatter_block, flat, reduce_scatter_flat},
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
  return operation == reduce || operation == allreduce || operation == scan ||
         operation == exscan || operation == reduce_scatter || operation == reduce_scatter_block;
}

}  // namespace commgauge::schedule
