#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace commgauge::tools {

/// Tells completions which words there are, for an option whose type's name doesn't.
CLI::Option* with_words(CLI::Option* option, const std::vector<std::string>& words);

/// A shell's question about an unfinished command line.
/// @param words  of the command line, without the program, up to the one that is being typed; as
///               bash divides them, so that `=` is a word.
/// @return lines: `files`, where a name of a file belongs; `programs`, where a program to run
///         does; or `words`, or `list` where they may be followed by a comma and more of them, and
///         then each that fits.
[[nodiscard]] std::string completions(CLI::App& app, const std::vector<std::string>& words);

}  // namespace commgauge::tools
