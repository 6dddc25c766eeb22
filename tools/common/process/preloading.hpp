#pragma once

#include <string>
#include <vector>

#include "program/program_file.hpp"

/// Launchers that become an MPI program, with a library loaded into it.
namespace commgauge::tools {

struct PreloadedLibrary {
  const char* place;  ///< relative to the launcher's directory
  /// Name of its function void (const char* problem), which starts MPI only to end the whole job,
  /// with this line.
  const char* refuse;
  const char* mpi;  ///< mpi_of_launcher() of its MPI library's
};
/// Of one purpose, each for another MPI library; the first for whichever isn't known.
using PreloadedLibraries = std::vector<PreloadedLibrary>;

/// The one for the MPI library that the program is linked with, or, where it doesn't tell, as a
/// script, for the launcher's.
/// @throws InputError  there is no program, or none can be loaded into it
[[nodiscard]] PreloadedLibrary library_for(const std::vector<std::string>& program,
                                           const PreloadedLibraries& libraries,
                                           const preload::Purpose& purpose);
[[nodiscard]] PreloadedLibrary library_of_launcher(const PreloadedLibraries& libraries);

/// This process goes on as the program, with these libraries: calls of MPI go to the first, from
/// there to the next. @throws InputError  it can't be started
[[noreturn]] void become(const std::vector<std::string>& program,
                         const std::vector<PreloadedLibrary>& libraries);

/// The other processes of the job may find nothing wrong: with the library this one can tell them,
/// and all of them end. Where they never start MPI it ends by itself after a minute.
/// @return only where that can't be done
void end_job(const PreloadedLibrary& library, const char* problem);

/// For the library, by environment.
void set_variable(const char* name, const std::string& value);

/// An open file without a name, which the program inherits, with these bytes and one more, a zero,
/// which tells later whether the program has called MPI.
/// @param what  for messages: "the model"
[[nodiscard]] int hand_over(const char* what, const std::string& bytes);

}  // namespace commgauge::tools
