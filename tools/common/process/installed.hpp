#pragma once

#include <filesystem>
#include <string>

namespace commgauge::tools {

/// A file that is installed with this program. @param place  relative to the program's directory
/// @throws InputError  /proc isn't there, which tells where that is
[[nodiscard]] std::filesystem::path installed(const std::string& place);

}  // namespace commgauge::tools
