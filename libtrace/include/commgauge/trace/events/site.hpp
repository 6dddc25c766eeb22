#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace commgauge::trace {

/// As a call's site: it isn't known.
inline constexpr std::uint32_t no_site = 0;

/// A place of the program that calls MPI, from where it returns to.
struct Site {
  /// "solve", "Grid::exchange(int)": the innermost, if one was built into another; empty: not
  /// known.
  std::string function{};
  /// Of the source, as debug information has it; without that the program's file or library and the
  /// offset in it, "/home/me/solver+0x11a9", and line 0.
  std::string file{};
  std::uint32_t line{};

  auto operator<=>(const Site&) const = default;
};

/// "solve (solve.c:120)", "solve (solver+0x11a9)": without the file's folder; empty: not known.
[[nodiscard]] std::string to_text(const Site& site);

}  // namespace commgauge::trace
