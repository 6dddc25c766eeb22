#include "commgauge/base/launcher.hpp"

#include <array>
#include <charconv>
#include <cstdlib>
#include <string_view>

namespace commgauge {

namespace {

struct Variables {
  const char* name;
  const char* processes;
  const char* rank;
};

constexpr const char* slurm = "srun";
constexpr std::array known_launchers{
    Variables{"Open MPI's mpiexec", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
    Variables{"MPICH's mpiexec", "PMI_SIZE", "PMI_RANK"},
    Variables{slurm, "SLURM_STEP_NUM_TASKS", "SLURM_PROCID"},
};

/// Of a variable; nothing where there is none, or no number in it.
std::optional<int> number_of(const char* variable) {
  const char* const text = std::getenv(variable);
  if (text == nullptr) return std::nullopt;
  const std::string_view digits{text};
  int number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc{} || end != digits.data() + digits.size() || number < 0)
    return std::nullopt;
  return number;
}

}  // namespace

std::optional<Launcher> launcher() {
  std::optional<Launcher> found;
  for (const Variables& one : known_launchers) {
    const std::optional<int> processes = number_of(one.processes);
    if (!processes || *processes < 1 || (found && found->processes >= *processes)) continue;
    found = Launcher{one.name, *processes, number_of(one.rank).value_or(0)};
  }
  return found;
}

std::optional<std::string> why_alone(const std::string& mpi) {
  const std::optional<Launcher> by = launcher();
  if (!by || by->processes == 1) return std::nullopt;
  const std::string problem = "each of the " + std::to_string(by->processes) +
                              " processes is an MPI job of its own (it is built for " + mpi + ", ";
  if (by->name == slurm) {
    return problem +
           "and srun gave it no PMI that this library understands): try srun --mpi=pmi2 or " +
           "--mpi=pmix, or start it with the mpiexec of that library";
  }
  return problem + "and was started by " + by->name +
         "): start it with the mpiexec of that library, which may be called mpiexec.mpich or " +
         "mpiexec.openmpi";
}

}  // namespace commgauge
