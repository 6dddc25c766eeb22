#pragma once

#include <cstdint>
#include <vector>

#include "commgauge/trace/goal/goal.hpp"

/// Recorded programs on modelled machines.
namespace commgauge::replay {

/// The LogGOPS model as LogGOPSim has it. The defaults are that program's.
struct LogGops {
  std::uint64_t latency_ns{2500};         ///< L
  std::uint64_t overhead_ns{1500};        ///< o
  std::uint64_t gap_ns{1000};             ///< g
  std::uint64_t gap_per_byte_ns{6};       ///< G
  std::uint64_t overhead_per_byte_ns{0};  ///< O
  std::uint64_t eager_bytes{65535};       ///< S: larger messages wait for their receivers
};

struct GoalTimes {
  std::vector<std::uint64_t> ends_ns;  ///< of each rank: its processors are free from then on
  std::uint64_t events{};              ///< operations, and messages that arrived
  [[nodiscard]] std::uint64_t end_ns() const;
};

/// How long the operations take, by the rules of LogGOPSim (docs/goal.md: which they are, and where
/// ours differ). The times are exact for these parameters.
///
/// @throws InputError  operations that never end (with the first of them), messages that nobody
///                     receives, times beyond what 64 bits hold.
[[nodiscard]] GoalTimes replay(const trace::Goal& goal, const LogGops& parameters);

}  // namespace commgauge::replay
