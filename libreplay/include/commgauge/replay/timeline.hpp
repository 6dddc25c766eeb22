#pragma once

#include <cstdint>
#include <vector>

#include "commgauge/simulate/process.hpp"

namespace commgauge::replay {

/// What a rank did with its time.
enum class Doing : std::uint8_t { computing, sending, receiving, waiting };

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
    double sent{};      ///< the sender's call began
    double received{};  ///< the receiver had it
  };
  std::vector<std::vector<Stretch>> ranks;  ///< without gaps, in the order of time
  std::vector<Message> messages;            ///< in the order of their being received by each rank
};

/// What one rank sent another, messages of collective operations included.
struct Traffic {
  int from{};
  int to{};
  std::uint64_t messages{};
  std::uint64_t bytes{};
};

}  // namespace commgauge::replay
