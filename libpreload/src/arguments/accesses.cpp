#include "arguments/accesses.hpp"

#include <algorithm>

#include "arguments/places.hpp"

namespace commgauge::preload {

/// The least of the sides counts.
AccessSizes sizes_of(const AccessArguments& what) {
  if (what.target.rank == MPI_PROC_NULL) return {};
  AccessSizes sizes;
  sizes.reached = bytes_of(Place{nullptr, what.target.count, what.target.type});
  const auto shorten = [&](const AccessArguments::Data& data) {
    sizes.reached = std::min(sizes.reached, bytes_of(Place{nullptr, data.count, data.type}));
  };
  if (what.op != MPI_NO_OP) shorten(what.origin);
  if (what.result) shorten(*what.result);
  if (what.op != MPI_NO_OP) sizes.there = sizes.reached * (what.compared != nullptr ? 2 : 1);
  if (what.result) sizes.back = sizes.reached;
  return sizes;
}

}  // namespace commgauge::preload
