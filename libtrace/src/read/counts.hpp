#pragma once

#include <filesystem>

namespace commgauge::trace {

/// Looks at the counts in an archive's anchor and definitions before OTF2 gets them: it takes
/// memory for as many as they say, and reads on for so long, whatever the file has.
/// @param anchor  its .otf2 file
/// @throws InputError  a file can't be read, is none, or says that it has more than it can have.
void check_counts(const std::filesystem::path& anchor);

}  // namespace commgauge::trace
