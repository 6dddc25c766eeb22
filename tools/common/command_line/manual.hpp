#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace commgauge::tools {

/// The names by which an option is given, `-o,--output`; of a positional one its name.
[[nodiscard]] std::string option_names(const CLI::Option& option);

/// The manual page of a program, from what its `--help` says, for man(1).
/// @param date  of the page, as 2024-05-06.
[[nodiscard]] std::string manual(const CLI::App& app, const std::string& version,
                                 const std::string& date);

}  // namespace commgauge::tools
