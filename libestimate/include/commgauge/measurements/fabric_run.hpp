#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "commgauge/base/diagnostic.hpp"
#include "commgauge/base/units.hpp"
#include "commgauge/measurements/host_message.hpp"

namespace commgauge {

/// Messages between hosts that all started at once, several times.
struct FabricRound {
  std::vector<HostMessage> pairs;  ///< each host sends at most one, and receives at most one
  /// Of each repetition, each pair's time from the common start to its own end.
  std::vector<std::vector<double>> times_s;
  bool operator==(const FabricRound&) const = default;
};

/// How a launch looked for links that its hosts share.
struct FabricRun {
  int launch{};                      ///< index into Measurements::launches
  std::vector<std::string> hosts{};  ///< one rank of each took part
  Bytes size{};                      ///< of each message
  Bytes piece{};                     ///< in which it was sent, one after the other; or its size
  double start_s{};                  ///< of an empty message alone, timed likewise: the least
  std::uint64_t seed{};              ///< of the search
  long repetitions{};                ///< that were timed
  long lost{};                       ///< of these, while a rank's core was not its own
  long repeated{};                   ///< of these, that don't count, for others were timed instead
  std::vector<FabricRound> rounds{};
  /// Why the rounds aren't all that the search asks for, if they aren't.
  std::optional<Diagnostic> left_out{};
  bool operator==(const FabricRun&) const = default;
};

/// What each pair of a round takes for a byte: the median over its repetitions, without the start.
[[nodiscard]] std::vector<SecondsPerByte> byte_times(const FabricRun& run,
                                                     const FabricRound& round);
/// The same of one repetition. @pre there is such a one
[[nodiscard]] std::vector<SecondsPerByte> byte_times(const FabricRun& run, const FabricRound& round,
                                                     std::size_t repetition);

}  // namespace commgauge
