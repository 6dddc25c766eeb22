#pragma once

#include <string>
#include <vector>

#include "common/process/preloading.hpp"

namespace commgauge::tools {

/// What is to be recorded.
struct Recording {
  std::string output;        ///< directory
  std::string clock{"cpu"};  ///< or wall
};

/// MPICH's first.
extern const PreloadedLibraries recording_libraries;

/// Tells the recorder of the program's threads; under emulation that does.
extern const PreloadedLibrary thread_following_library;

/// Tells the recorder, which is to be loaded, and lets a process watch the end of this one, if it
/// is the first of its job.
void set_up_recording(const Recording& recording, const std::vector<std::string>& program);

}  // namespace commgauge::tools
