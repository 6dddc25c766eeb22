#pragma once

#include <time.h>

#include <string>

#include "commgauge/base/exit_code.hpp"
#include "program/program_file.hpp"

/// How a program's process ends, and which programs it becomes by exec on the way. A program that
/// never calls MPI where a preloaded library can see it: its end has to say so.
namespace commgauge::preload {

/// What the launcher tells its library by environment, and what the library is for.
struct Library {
  Purpose purpose;
  const char* launcher;  ///< its name
  const char*
      file;  ///< variable: number of an open file, whose last byte marks that MPI was called
  const char* process;  ///< variable: the launcher's number
  const char* speaks;   ///< variable: yes, or empty
  void (*say)(const std::string& text);
  /// The process leaves MPI before MPI_Finalize. If the library's work was under way in it, it says
  /// so, and may end the job. @param how  "ended without MPI_Finalize"
  /// @param code  with which the process ends
  /// @return whether it was
  bool (*abandon)(const std::string& how, int code);
};

/// Each library defines it.
[[nodiscard]] const Library& library();

/// The program goes on, and ends with this code where it would have ended with 0.
void end_with(ExitCode code);

/// For processes of which each is about to fail for the same reason: the first one says it. The
/// others give it a moment, for some launchers end the job when one of them has failed.
void say_once(const std::string& text);

/// Before MPI starts: ends the process if it runs with another MPI library than this one was built
/// for. The launcher may not have known, as of a script's program.
void check_own_program();

/// Notes that the program has called MPI where the library sees it: else its end says that it
/// didn't.
void mpi_is_called();

/// Notes that what was to be done is done, or was said not to be: the mark is 2 then, 1 before.
void mpi_is_done();

/// Past sleeping that a library may stand in for.
void pause(const timespec& length);

/// Whether the launcher became this process, through however many programs.
[[nodiscard]] bool is_launched();

/// Waits until the launcher has read what was written to a pipe, 10 s at most: it may be busy, and
/// what it hasn't read when the job is aborted is lost.
/// @param file  any but a pipe isn't waited for
void wait_until_read(int file);

}  // namespace commgauge::preload
