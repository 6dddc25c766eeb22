#include "common/process/preloading.hpp"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "commgauge/base/error.hpp"
#include "commgauge/base/exit_code.hpp"
#include "commgauge/base/files.hpp"
#include "commgauge/base/launcher.hpp"
#include "common/output/report.hpp"
#include "common/process/installed.hpp"

namespace commgauge::tools {

namespace {

namespace fs = std::filesystem;

fs::path file_of(const PreloadedLibrary& library) {
  const fs::path found = installed(library.place);
  if (!is_there(found)) {
    throw InputError(found.string() + " is missing (it belongs to " + program_name +
                     "): install commgauge again");
  }
  return found;
}

void preload(const fs::path& library) {
  const char* const others = std::getenv("LD_PRELOAD");
  const bool has_others = others != nullptr && *others != '\0';
  // A profiling library comes first, as without this one: its PMPI_ calls lead here.
  set_variable("LD_PRELOAD", (has_others ? others + std::string{":"} : "") + library.string());
}

const char* last_words = "";

void leave_alone(int) {
  for (const char* text : {program_name, ": ", last_words, "\n"}) {
    (void)!write(STDERR_FILENO, text, std::strlen(text));
  }
  _exit(static_cast<int>(ExitCode::bad_input));
}

}  // namespace

PreloadedLibrary library_for(const std::vector<std::string>& program,
                             const PreloadedLibraries& libraries, const preload::Purpose& purpose) {
  if (program.empty()) {
    throw InputError("no program is given (there is nothing to run): name it after the options");
  }
  std::vector<std::string> mpi;
  for (const auto& library : libraries) mpi.push_back(preload::mpi_library_of(file_of(library)));
  if (const std::string why = why_not(purpose, program.front(), mpi); !why.empty()) {
    throw InputError(why);
  }
  const auto same = std::ranges::find(mpi, preload::mpi_library_of(program.front()));
  if (same == mpi.end()) return library_of_launcher(libraries);
  return libraries[static_cast<std::size_t>(same - mpi.begin())];
}

PreloadedLibrary library_of_launcher(const PreloadedLibraries& libraries) {
  const auto same = std::ranges::find(libraries, mpi_of_launcher(), &PreloadedLibrary::mpi);
  return same != libraries.end() ? *same : libraries.front();
}

void become(const std::vector<std::string>& program,
            const std::vector<PreloadedLibrary>& libraries) {
  for (const PreloadedLibrary& library : libraries) preload(file_of(library));
  std::vector<char*> arguments;
  arguments.reserve(program.size() + 1);
  for (const std::string& argument : program) {
    arguments.push_back(const_cast<char*>(argument.c_str()));
  }
  arguments.push_back(nullptr);
  execvp(arguments.front(), arguments.data());
  throw InputError(program.front() + " can't be started (" + std::strerror(errno) +
                   "): give a program that runs by itself");
}

void end_job(const PreloadedLibrary& library, const char* problem) {
  const fs::path file = file_of(library);
  void* const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return;
  constexpr unsigned longest_wait = 60;  // [s]
  last_words = problem;
  std::signal(SIGALRM, leave_alone);
  alarm(longest_wait);
  if (void* const refuse = dlsym(handle, library.refuse)) {
    reinterpret_cast<void (*)(const char*)>(refuse)(problem);
  }
}

void set_variable(const char* name, const std::string& value) { setenv(name, value.c_str(), 1); }

int hand_over(const char* what, const std::string& bytes) {
  const std::string marked = bytes + '\0';
  const int fd = memfd_create("commgauge", 0);
  if (fd < 0 || write(fd, marked.data(), marked.size()) != static_cast<ssize_t>(marked.size())) {
    throw InputError(std::string{what} + " can't be handed to the program (" +
                     std::strerror(errno) + "): free some memory");
  }
  return fd;
}

}  // namespace commgauge::tools
