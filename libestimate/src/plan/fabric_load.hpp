#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "commgauge/base/matrix.hpp"
#include "commgauge/measurements/host_message.hpp"

namespace commgauge {

/// So much slower than expected is slow. A single outlier is less.
inline constexpr double slow_clearly = 1.1;

/// Which messages a link carries, by the sides that hosts are on.
enum class Passing {
  out,     ///< from side 1 to another
  in,      ///< to side 1 from another
  between  ///< from each side to each other
};

struct LoadedLink {
  std::vector<int> side;  ///< of each host
  Passing passing{};
  double rate{};  ///< [byte/s]
  [[nodiscard]] bool passes(const HostMessage& pair) const;
};

/// A round that was measured.
struct LoadRound {
  std::vector<HostMessage> pairs;
  std::vector<double> times;  ///< [s/byte]
  int place{-1};              ///< among the rounds of a search
};

/// What each of these pairs takes when all start at once and share links max-min fairly [s/byte].
[[nodiscard]] std::vector<double> times_at_once(std::span<const HostMessage> pairs,
                                                const Matrix& alone,
                                                std::span<const LoadedLink> links);

/// So much at least a link carried in a round [byte/s].
///
/// Until any time t, a message that ends later has sent all but what it could send since t: at its
/// own rate, and at its fair part of the other links, which those messages share that end after t.
/// It is the link's rate where the link is busy until some t. How fairly the link itself was shared
/// doesn't matter.
[[nodiscard]] double rate_shown(const LoadedLink& link, const LoadRound& round, const Matrix& alone,
                                std::span<const LoadedLink> others = {});

/// A link, and the rounds that tell its rate.
struct ShownLink {
  LoadedLink link;
  std::vector<LoadRound> rounds;
};

/// The links with the rates that they carried, where all the others are what else holds messages
/// up: of several rounds the mean of a byte's times. @return nothing: that doesn't settle
[[nodiscard]] std::optional<std::vector<LoadedLink>> with_rates_shown(
    std::span<const ShownLink> shown, const Matrix& alone);

/// All links but one.
[[nodiscard]] std::vector<LoadedLink> without(std::span<const LoadedLink> links,
                                              std::size_t left_out);

}  // namespace commgauge
