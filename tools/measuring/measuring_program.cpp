#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
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

/// Those that are installed, the one for whichever launcher first.
std::vector<std::string> built_for() {
  std::vector<std::string> found;
  for (const char* mpi : {"mpich", "openmpi"}) {
    if (is_there(program_for(mpi))) found.emplace_back(mpi);
  }
  return found;
}

/// By the environment, which must be obeyed. @throws InputError
std::string chosen(const std::string& choice) {
  if (choice != "mpich" && choice != "openmpi") {
    throw InputError(std::string{choice_variable} + " is " + choice +
                     " (it names the MPI library to measure with): give mpich or openmpi");
  }
  if (is_there(program_for(choice))) return choice;
  throw InputError(std::string{choice_variable} + " is " + choice + ", and " +
                   program_for(choice).string() +
                   " is missing: build all of commgauge for it (-DCOMMGAUGE_MPI=both)");
}

/// The library to measure with. Where the launcher's isn't there it is another one, whose start
/// says what is wrong if that doesn't understand the launcher. @throws InputError
std::string mpi_to_measure_with() {
  const char* const choice = std::getenv(choice_variable);
  if (choice != nullptr && *choice != '\0') return chosen(choice);
  const std::vector<std::string> built = built_for();
  if (built.empty()) {
    throw InputError("no program that measures is beside this one (" +
                     program_for("mpich").string() + "): install commgauge again");
  }
  const auto launchers = std::ranges::find(built, mpi_of_launcher());
  return launchers != built.end() ? *launchers : built.front();
}

}  // namespace

std::unique_ptr<Session> start_session(int&, char**& argv) {
  const std::string program = program_for(mpi_to_measure_with()).string();
  execv(program.c_str(), argv);
  throw InputError(program + " can't be started (" + std::strerror(errno) +
                   "): install commgauge again");
}

}  // namespace commgauge::tools
