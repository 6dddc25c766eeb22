#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "commgauge/base/exit_code.hpp"

namespace commgauge::tools {

/// What a program calls itself in its messages. Each program defines it.
extern const char* const program_name;

inline constexpr std::string_view out_of_memory =
    "out of memory (the input or the job is too large for this machine): use fewer ranks, smaller "
    "sizes or a machine with more memory";

/// Writes one line, `program: text`, on standard error.
void say(std::string_view text);

/// Writes a program's result, for people, on standard output: as printable() has it.
/// @throws InputError  when it can't be written.
void print_result(std::string_view text);

/// Writes lines on standard error, likewise.
void tell(std::string_view text);

/// Does `work`. An error becomes its exit code, and one line on standard error if `speaks`.
[[nodiscard]] ExitCode guarded(bool speaks, const std::function<ExitCode()>& work);

/// @return `code`, with which this process ends that doesn't speak of it: after a second, where
/// that isn't ExitCode::done. Some launchers end a job as soon as one of its processes has failed,
/// and the one that speaks comes first.
[[nodiscard]] ExitCode after_who_speaks(ExitCode code, bool speaks);

/// Whether a launcher of MPI jobs started this process. For programs that do without MPI.
[[nodiscard]] bool has_launcher();

/// Whether this process is the one that reports: rank 0 of its launcher, or launched by none.
/// For programs that do without MPI.
[[nodiscard]] bool is_first_of_launcher();

}  // namespace commgauge::tools
