#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "commgauge/base/error.hpp"
#include "commgauge/base/files.hpp"
#include "commgauge/base/launcher.hpp"
#include "common/output/report.hpp"
#include "common/process/installed.hpp"
#include "common/process/session.hpp"

namespace commgauge::tools {

namespace {

constexpr const char* choice_variable = "COMMGAUGE_MPI";

/// Of this program, for an MPI library: `../libexec/commgauge/mpich/estimate-model`
std::filesystem::path program_for(const std::string& mpi) {
  return installed(COMMGAUGE_MEASURING_PROGRAMS "/" + mpi + "/" + program_name);
}

/// Those that are installed, the preferred one first.
std::vector<std::string> built_for() {
  std::vector<std::string> found;
  for (const char* mpi : {"mpich", "openmpi"}) {
    if (is_there(program_for(mpi))) found.emplace_back(mpi);
  }
  return found;
}

std::string name_of(const std::string& mpi) { return mpi == "openmpi" ? "Open MPI" : "MPICH"; }

std::string chosen() {
  const char* const choice = std::getenv(choice_variable);
  if (choice == nullptr || *choice == '\0') return mpi_of_launcher();
  const std::string mpi = choice;
  if (mpi == "mpich" || mpi == "openmpi") return mpi;
  throw InputError(std::string{choice_variable} + " is " + mpi +
                   " (it names the MPI library to measure with): give mpich or openmpi");
}

/// The library to measure with. @throws InputError
std::string mpi_to_measure_with() {
  const std::vector<std::string> built = built_for();
  if (built.empty()) {
    throw InputError("no program that measures is beside this one (" +
                     program_for("mpich").string() + "): install commgauge again");
  }
  const std::string wanted = chosen();
  if (wanted.empty()) return built.front();
  if (std::ranges::find(built, wanted) != built.end()) return wanted;
  throw InputError("the job is one of " + name_of(wanted) + ", and this commgauge measures with " +
                   name_of(built.front()) + " alone: start it with mpiexec." + built.front() +
                   ", or build commgauge with -DCOMMGAUGE_MPI=both");
}

}  // namespace

std::unique_ptr<Session> start_session(int&, char**& argv) {
  const std::string program = program_for(mpi_to_measure_with()).string();
  execv(program.c_str(), argv);
  throw InputError(program + " can't be started (" + std::strerror(errno) +
                   "): install commgauge again");
}

}  // namespace commgauge::tools
