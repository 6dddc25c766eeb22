#pragma once

/// What the launcher tells the library, by environment.
namespace commgauge::emulate::variable {

inline constexpr const char* machine = "COMMGAUGE_EMULATE_MACHINE";      ///< number of an open file
inline constexpr const char* compute = "COMMGAUGE_EMULATE_COMPUTE";      ///< cpu | none
inline constexpr const char* real_time = "COMMGAUGE_EMULATE_REAL_TIME";  ///< yes, or empty
inline constexpr const char* report = "COMMGAUGE_EMULATE_REPORT";        ///< file, or empty
inline constexpr const char* trace = "COMMGAUGE_EMULATE_TRACE";          ///< file, or empty

}  // namespace commgauge::emulate::variable
