#include "write/sizes.hpp"

#include <numeric>

namespace commgauge::trace {
namespace {

using schedule::Operation;

std::uint64_t sum(const std::vector<std::uint64_t>& counts, int ranks) {
  const auto total = std::accumulate(counts.begin(), counts.end(), std::uint64_t{});
  return counts.size() == 1 ? total * static_cast<std::uint64_t>(ranks) : total;
}

/// The rank's own; a list that is there at the root only says 0 elsewhere.
std::uint64_t own(const std::vector<std::uint64_t>& counts, int rank) {
  if (counts.size() == 1) return counts.front();
  const auto at = static_cast<std::size_t>(rank);
  return at < counts.size() ? counts[at] : 0;
}

Sizes units_of(const schedule::Collective& what, int rank) {
  const bool is_root = rank == what.root;
  const auto ranks = static_cast<std::uint64_t>(what.ranks);
  const auto at = static_cast<std::uint64_t>(rank);
  const auto all = sum(what.counts, what.ranks);
  const auto mine = own(what.counts, rank);
  switch (what.operation) {
    case Operation::barrier:
      return {};
    case Operation::bcast:
      return {is_root ? all : 0, mine};
    case Operation::reduce:
    case Operation::gather:
    case Operation::gatherv:
      return {mine, is_root ? all : 0};
    case Operation::scatter:
    case Operation::scatterv:
      return {is_root ? all : 0, mine};
    case Operation::allgather:
    case Operation::allgatherv:
      return {ranks * mine, all};
    case Operation::alltoall:
    case Operation::allreduce:
      return {all, all};
    case Operation::alltoallv:
      return {all, what.counts_in.empty() ? all : sum(what.counts_in, what.ranks)};
    case Operation::reduce_scatter:
    case Operation::reduce_scatter_block:
      return {all, ranks * mine};
    case Operation::scan:
      return {(ranks - at) * mine, (at + 1) * mine};
    case Operation::exscan:
      return {(ranks - at - 1) * mine, at * mine};
    case Operation::p2p:  // no collective
    case Operation::exchange:
    case Operation::ring:
      break;
  }
  return {};
}

std::uint64_t bytes_of(const std::vector<Collective::Neighbour>& list) {
  std::uint64_t sum = 0;
  for (const auto& one : list) sum += one.bytes;
  return sum;
}

}  // namespace

Sizes sizes_of(const Collective& collective, int rank) {
  if (collective.is_neighbourhood) return {bytes_of(collective.to), bytes_of(collective.from)};
  const auto units = units_of(collective.what, rank);
  const auto unit = collective.what.unit.value;
  return {units.sent * unit, units.received * unit};
}

}  // namespace commgauge::trace
