#pragma once

#include <cstddef>
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

/// So much at least a link carried [byte/s]. Of each message that passed it: the time that it took,
/// and that it takes alone [s/byte]. Until any time t, a message that ends later has sent all but
/// what it could send since t at its own rate. It is the link's rate where the link is busy until
/// some t, and messages that end later are held up by nothing else.
[[nodiscard]] double rate_shown(std::span<const double> times, std::span<const double> alone);

}  // namespace commgauge
