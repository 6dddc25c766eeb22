#pragma once

#include <string>
#include <vector>

#include "program_file.hpp"

/// Launchers that become an MPI program, with a library loaded into it.
namespace commgauge::tools {

struct PreloadedLibrary {
  const char* place;  ///< relative to the launcher's directory
  /// Name of its function void (const char* problem), which starts MPI only to end the whole job,
  /// with this line.
  const char* refuse;
};

/// @throws InputError  there is no program, or the library can't be loaded into it
void check_program(const std::vector<std::string>& program, const preload::Purpose& purpose);

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
