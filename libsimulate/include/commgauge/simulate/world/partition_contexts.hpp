#pragma once

#include "commgauge/simulate/world/message.hpp"

/// How messages of partitioned communication are told from others.
namespace commgauge::simulate {

/// In place of a partition's number, as a tag of partitioned communication:
inline constexpr int tells_division = -1;   ///< an empty or small message to the receiver, once
inline constexpr int tells_all_ready = -2;  ///< an empty one to the sender itself, each time
/// @param number  of the sender, another one for each of its operations
[[nodiscard]] inline int partition_context(int number) {
  return first_partition_context + 2 * number;
}
/// Of the message that tells the division, whose tag is the program's.
[[nodiscard]] inline int division_context(int communicator) {
  return first_partition_context + 2 * communicator + 1;
}

[[nodiscard]] inline bool is_of_partitions(int context) {
  return context >= first_partition_context && context < first_window_context;
}
/// Whether it only tells the sender itself that all are ready.
[[nodiscard]] inline bool tells_oneself(const Envelope& message) {
  return is_of_partitions(message.context) && message.context % 2 == 0 &&
         message.tag == tells_all_ready;
}

}  // namespace commgauge::simulate
