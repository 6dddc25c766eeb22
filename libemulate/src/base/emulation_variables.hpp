#pragma once

#include <cstdlib>

/// What the launcher tells the library, by environment.
namespace commgauge::emulate::variable {

inline constexpr const char* machine = "COMMGAUGE_EMULATE_MACHINE";  ///< number of an open file
inline constexpr const char* compute = "COMMGAUGE_EMULATE_COMPUTE";  ///< cpu | none
inline constexpr const char* files = "COMMGAUGE_EMULATE_FILES";  ///< measured, or seconds per byte
inline constexpr const char* cores = "COMMGAUGE_EMULATE_CORES";  ///< of a rank, or 0: no limit
inline constexpr const char* collectives = "COMMGAUGE_EMULATE_COLLECTIVES";  ///< --collectives
inline constexpr const char* real_time = "COMMGAUGE_EMULATE_REAL_TIME";      ///< yes, or empty
inline constexpr const char* stall_limit = "COMMGAUGE_EMULATE_STALL_LIMIT";  ///< [s], or empty
inline constexpr const char* process = "COMMGAUGE_EMULATE_PROCESS";  ///< the launcher's number
inline constexpr const char* speaks = "COMMGAUGE_EMULATE_SPEAKS";    ///< yes, or empty
inline constexpr const char* options = "COMMGAUGE_EMULATE_OPTIONS";  ///< all, in lines
inline constexpr const char* report = "COMMGAUGE_EMULATE_REPORT";    ///< file, or empty
inline constexpr const char* trace = "COMMGAUGE_EMULATE_TRACE";      ///< file, or empty

/// Empty where it isn't set.
inline const char* value_of(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace commgauge::emulate::variable
