#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "commgauge/tasks/measured_tasks.hpp"

namespace commgauge::tools {

/// What came of a program that was to run tasks.
struct Round {
  std::optional<tasks::MeasuredTasks> measured;  ///< those it told the times of; nothing: of none
  std::string failure;                           ///< one line; empty: it did what it was to do
  bool was_stopped{};                            ///< by a signal to this process, as Ctrl-C
};

/// Has `PROGRAM ARGUMENTS --tasks FILE --times FILE` run these tasks: it reads `i1,...,iN` and
/// writes `i1,...,iN,time_s[,result_bytes]`, a line for each. What it wrote before it failed
/// counts, but for a last line without an end.
/// @throws InputError  it can't be started; no room for the files.
[[nodiscard]] Round run_program_on(const std::vector<std::string>& program,
                                   const tasks::Shape& shape,
                                   const std::vector<std::uint64_t>& numbers);

}  // namespace commgauge::tools
