#pragma once

#include <string>

namespace commgauge::bench {

/// How this MPI library calls itself, in one line: "MPICH Version: 4.0.2", "Open MPI v4.1.4". What
/// it says of how it was built is left out. May be called before MPI is started.
[[nodiscard]] std::string mpi_library_line();
/// Its name and version: "MPICH 4.0.2", "Open MPI v4.1.4".
[[nodiscard]] std::string name_of_mpi();

}  // namespace commgauge::bench
