#pragma once

#include <cstdint>
#include <vector>

#include "commgauge/simulate/process/process.hpp"

namespace commgauge::replay {

/// What a rank did with its time.
enum class Doing : std::uint8_t { computing, sending, receiving, waiting, sleeping };

/// When each rank did what, and which messages there were. Times are virtual [s].
struct Timeline {
  struct Stretch {
    Doing what{};
    double from{};
    double to{};
  };
  struct Message {
    int from{};
    int to{};
    std::uint64_t bytes{};
    double sent{};      ///< the sender's call began; of what is fetched: it was ready
    double received{};  ///< the receiver had it, or its window
  };
  std::vector<std::vector<Stretch>> ranks;  ///< without gaps, in the order of time
  /// And accesses. In the order in which each rank learns that it has received them, or that they
  /// are over.
  std::vector<Message> messages;
};

/// What one rank sent another, messages of collective operations and accesses included.
struct Traffic {
  int from{};
  int to{};
  std::uint64_t messages{};
  std::uint64_t bytes{};
};

}  // namespace commgauge::replay
