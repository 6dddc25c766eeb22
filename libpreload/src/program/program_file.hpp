#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace commgauge::preload {

/// What is to be done with a program, for messages: {"emulated", "the emulation"}.
struct Purpose {
  const char* done;
  const char* doing;
};

/// As execvp finds it; the name itself where there is none.
[[nodiscard]] std::filesystem::path find_program(const std::string& program);

/// The MPI library that a program, found as execvp does, or a shared library asks for: its soname,
/// "libmpi.so.40". Empty: none; it is a script, or other libraries of it ask for one.
[[nodiscard]] std::string mpi_library_of(const std::string& program);

/// Why a library can't be loaded into the program of this name; empty if it can, or if that is no
/// binary program.
/// @param mpi_libraries  those that it may be linked with, as mpi_library_of tells
[[nodiscard]] std::string why_not(const Purpose& purpose, const std::string& program,
                                  const std::vector<std::string>& mpi_libraries);

}  // namespace commgauge::preload
