#pragma once

namespace commgauge::emulate {

/// How many windows this rank has. Kept by windows/window.cpp, under the emulation's lock.
struct OwnWindows {
  int all{};
  int shared{};  ///< of these in memory that ranks share
};
inline constinit OwnWindows own_windows;

}  // namespace commgauge::emulate
