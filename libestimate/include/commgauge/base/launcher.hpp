#pragma once

#include <optional>
#include <string>

namespace commgauge {

/// Who started this process together with others.
struct Launcher {
  std::string name;  ///< "Open MPI's mpiexec", "srun"
  int processes{};   ///< at least one
  int rank{};        ///< of this process among them
};

/// What launchers of MPI programs say in the environment: OMPI_COMM_WORLD_SIZE, PMI_SIZE (MPICH's,
/// Intel's, srun's), and their ranks; if neither is there SLURM_STEP_NUM_TASKS. One process where
/// one of them says so, for a job may start others by themselves. Nothing where none says anything.
[[nodiscard]] std::optional<Launcher> launcher();

/// The MPI library whose launcher started this process: "mpich" or "openmpi"; empty where nothing
/// tells.
[[nodiscard]] std::string mpi_of_launcher();

/// The problem of a process that is alone in MPI_COMM_WORLD though its launcher started several, as
/// the mpiexec of another MPI library does, or srun without PMI. Nothing where it was meant to be
/// alone. One of them is to say it: the launcher's rank 0.
/// @param mpi  the library that the program is built for: "MPICH 4.0.2"
[[nodiscard]] std::optional<std::string> why_alone(const std::string& mpi);

}  // namespace commgauge
