#pragma once

#include <link.h>

#include <cstdint>
#include <filesystem>
#include <string>

namespace commgauge::record {

/// In this program's file, as the file itself counts.
inline std::uint64_t offset_of(const void* address) {
  std::uint64_t loaded_at = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* about, std::size_t, void* found) {
        *static_cast<std::uint64_t*>(found) = about->dlpi_addr;
        return 1;  // the program is the first
      },
      &loaded_at);
  return reinterpret_cast<std::uint64_t>(address) - loaded_at;
}

inline std::string own_file() { return std::filesystem::canonical("/proc/self/exe").string(); }

}  // namespace commgauge::record
