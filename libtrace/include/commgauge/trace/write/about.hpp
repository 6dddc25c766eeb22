#pragma once

#include <string>

namespace commgauge::trace {

/// What an archive says of the program's run as a whole. The same at every process.
struct About {
  int ranks{1};               ///< of the job
  bool has_processor_time{};  ///< CPU times are written
  bool is_virtual{};
  std::string program{};
};

/// A rank that this process writes.
struct Place {
  int rank{};
  std::string host{};
};

}  // namespace commgauge::trace
