#pragma once

namespace commgauge {

/// What a program ends with. Every rank of a job ends with the same one.
enum class ExitCode : int {
  done = 0,
  found = 1,        ///< `--check` only: something stands out, or has drifted
  bad_input = 2,    ///< a file, an option, data that can't determine what was asked for
  not_precise = 3,  ///< the files are written, and say what is missing in them
  mpi_failed = 4,   ///< an MPI call failed, or a rank is gone
  deadlock = 5      ///< `emulate` only: the emulated program is in a deadlock
};

}  // namespace commgauge
