#pragma once

#include <string>

namespace commgauge::record {

/// A name that the program gave to MPI_Pcontrol, if it gave one: C doesn't tell. Empty: none. Reads
/// no memory that isn't there. Of a longer name its beginning, 255 bytes.
[[nodiscard]] std::string region_name(const char* text);

}  // namespace commgauge::record
