#pragma once

#include <string>
#include <vector>

#include "common/preloading.hpp"

namespace commgauge::tools {

/// What is to be recorded.
struct Recording {
  std::string output;        ///< directory
  std::string clock{"cpu"};  ///< or wall
};

/// Relative to the launcher's directory.
extern const PreloadedLibrary recording_library;

/// Tells the recorder, which is to be loaded, and lets a process watch the end of this one, if it
/// is the first of its job.
void set_up_recording(const Recording& recording, const std::vector<std::string>& program);

}  // namespace commgauge::tools
