#pragma once

#include <cstdint>

namespace commgauge::simulate {

/// Which messages share what they pass fairly, byte by byte, while they are under way together. All
/// others pass it one after the other.
enum class Sharing : std::uint8_t {
  none,
  /// The data of rendezvous messages; of eager ones those of different pairs. The eager messages of
  /// a pair follow one another, as on a TCP connection.
  rendezvous,
  all
};

}  // namespace commgauge::simulate
