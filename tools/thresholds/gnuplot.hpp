#pragma once

#include <string>

namespace commgauge::tools {

/// Draws something small. @throws InputError  there is no gnuplot, or it doesn't work.
void check_gnuplot();

/// What gnuplot writes on its standard output for this script.
/// @throws InputError  gnuplot fails: with its own first words.
[[nodiscard]] std::string draw(const std::string& script);

}  // namespace commgauge::tools
