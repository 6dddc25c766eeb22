#pragma once

#include <mpi.h>

#include <string>

namespace commgauge::preload {

/// "libmpi.so.40": what the caller's library was built for, and what the process runs with.
[[nodiscard]] std::string known_mpi();
[[nodiscard]] std::string running_mpi();

/// Address of a function of the MPI library itself. @pre the library has it
[[nodiscard]] void* function_of_mpi(const char* name);
/// The same, but of another preloaded library behind the caller's, if `is_behind` and there is one.
[[nodiscard]] void* function_behind(const char* name, bool is_behind);

}  // namespace commgauge::preload

/// In a namespace `real`: MPI's own function, where one of a preloaded library takes its place. Its
/// PMPI_ name leads there too, because bindings of other languages and programs that measure
/// themselves call those.
#define COMMGAUGE_REAL(NAME)                                                                \
  inline const auto NAME =                                                                  \
      reinterpret_cast<decltype(&PMPI_##NAME)>(::commgauge::preload::function_of_mpi("PMPI" \
                                                                                     "_" #NAME))
