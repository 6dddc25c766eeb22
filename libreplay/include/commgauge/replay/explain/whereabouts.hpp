#pragma once

#include <string>

namespace commgauge::replay {

inline constexpr int every_rank = -1;
/// The region around all others, which each rank enters once.
inline constexpr const char* whole_program = "(program)";

/// Somewhere in the program: what isn't said is meant wherever it is.
struct Whereabouts {
  int rank{every_rank};
  std::string region{};  ///< innermost
  std::string call{};    ///< "MPI_Recv"; empty also outside of calls
  std::string site{};    ///< "solve (solve.c:120)"; empty where the trace doesn't know it
  bool operator==(const Whereabouts&) const = default;
};

}  // namespace commgauge::replay
