#include "groups.hpp"

#include <cstddef>
#include <numeric>

namespace commgauge::preload {

std::vector<int> ranks_of_job(MPI_Group group) {
  MPI_Group world = MPI_GROUP_NULL;
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  int size = 0;
  PMPI_Group_size(group, &size);
  std::vector<int> own(static_cast<std::size_t>(size));
  std::iota(own.begin(), own.end(), 0);
  std::vector<int> ranks(own.size());
  PMPI_Group_translate_ranks(group, size, own.data(), world, ranks.data());
  PMPI_Group_free(&world);
  return ranks;
}

}  // namespace commgauge::preload
