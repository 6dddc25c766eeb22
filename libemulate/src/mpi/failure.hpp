#pragma once

#include <mpi.h>

namespace commgauge::emulate {

/// An error that the program's error handler is told of.
struct MpiFailure {
  MPI_Comm comm;
  int code;
  bool is_told{};                ///< MPI itself has called the handler
  MPI_Win window{MPI_WIN_NULL};  ///< whose error handler it is, rather than a communicator's
};

/// @throws MpiFailure  unless it holds
inline void require(bool holds, MPI_Comm comm, int code) {
  if (!holds) throw MpiFailure{comm, code};
}

/// @throws MpiFailure  what MPI itself has said against a call, if it has
inline void require_success(int code, MPI_Comm comm) {
  if (code != MPI_SUCCESS) throw MpiFailure{comm, code, true};
}

}  // namespace commgauge::emulate
