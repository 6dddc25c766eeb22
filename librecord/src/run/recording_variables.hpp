#pragma once

#include <cstdlib>

/// What the launcher tells the library, by environment.
namespace commgauge::record::variable {

inline constexpr const char* output = "COMMGAUGE_RECORD_OUTPUT";    ///< the archive's directory
inline constexpr const char* clock = "COMMGAUGE_RECORD_CLOCK";      ///< cpu | wall
inline constexpr const char* program = "COMMGAUGE_RECORD_PROGRAM";  ///< how it was called
inline constexpr const char* file = "COMMGAUGE_RECORD_FILE";        ///< number of an open file
inline constexpr const char* process = "COMMGAUGE_RECORD_PROCESS";  ///< the launcher's number
inline constexpr const char* speaks = "COMMGAUGE_RECORD_SPEAKS";    ///< yes, or empty

/// Empty where it isn't set.
inline const char* value_of(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace commgauge::record::variable
