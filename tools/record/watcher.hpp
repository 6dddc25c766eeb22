#pragma once

#include <string>

namespace commgauge::tools {

/// Starts a process that waits for the end of this one, whatever program that becomes, and says
/// that the trace is unfinished where nobody else could: the program was killed, or aborted.
/// @param file  open; its last byte is the mark of a preloaded library: 1 while it has work to do
/// @param output  the archive, for the line
void watch_the_end(int file, const std::string& output);

}  // namespace commgauge::tools
