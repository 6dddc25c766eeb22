#include "commgauge/base/launcher.hpp"

#include <array>
#include <cstdlib>

#include "commgauge/base/whole_number.hpp"

namespace commgauge {

namespace {

struct Variables {
  const char* name;
  const char* processes;
  const char* rank;
};

constexpr Variables slurm{"srun", "SLURM_STEP_NUM_TASKS", "SLURM_PROCID"};
constexpr std::array launchers_of_mpi{
    Variables{"Open MPI's mpiexec", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
    Variables{"MPICH's mpiexec", "PMI_SIZE", "PMI_RANK"},
};

/// Of a variable; nothing where there is none, or no number in it.
std::optional<int> number_of(const char* variable) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? std::nullopt : whole_number(text);
}

}  // namespace

std::optional<Launcher> launcher() {
  const std::optional<int> tasks = number_of(slurm.processes);
  std::optional<Launcher> found;
  for (const Variables& one : launchers_of_mpi) {
    const std::optional<int> processes = number_of(one.processes);
    if (!processes) continue;
    // Somebody started this one by itself, maybe from within a job of others.
    if (*processes <= 1) return Launcher{one.name, 1, 0};
    // With a PMI of its own srun sets the variables of MPICH's.
    const char* const name = processes == tasks ? slurm.name : one.name;
    if (!found) found = Launcher{name, *processes, number_of(one.rank).value_or(0)};
  }
  if (found || !tasks || *tasks < 1) return found;
  return Launcher{slurm.name, *tasks, number_of(slurm.rank).value_or(0)};
}

std::string mpi_of_launcher() {
  const auto is_set = [](const char* name) { return std::getenv(name) != nullptr; };
  if (is_set("OMPI_COMM_WORLD_SIZE")) return "openmpi";
  if (is_set("PMI_SIZE") || is_set("PMI_RANK")) return "mpich";
  return is_set("PMIX_RANK") ? "openmpi" : "";
}

std::optional<std::string> why_alone(const std::string& mpi) {
  const std::optional<Launcher> by = launcher();
  if (!by || by->processes == 1) return std::nullopt;
  const std::string problem = "each of the " + std::to_string(by->processes) +
                              " processes is an MPI job of its own (it is built for " + mpi + ", ";
  if (by->name == slurm.name) {
    return problem +
           "and srun gave it no PMI that this library understands): try srun --mpi=pmi2 or " +
           "--mpi=pmix, or start it with the mpiexec of that library";
  }
  return problem + "and was started by " + by->name +
         "): start it with the mpiexec of that library, which may be called mpiexec.mpich or " +
         "mpiexec.openmpi";
}

}  // namespace commgauge
