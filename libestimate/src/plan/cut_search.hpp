#pragma once

#include <functional>
#include <random>
#include <vector>

#include "commgauge/base/matrix.hpp"
#include "plan/fabric_load.hpp"

namespace commgauge {

/// Measures pairs at once, or tells what is expected of them. @return of each [s/byte]
using RunPairs = std::function<std::vector<double>(const std::vector<HostMessage>&)>;

/// Hosts, and the two sides of a link that all messages from one side to the other pass.
struct HostSplit {
  std::vector<int> hosts;  ///< ascending
  std::vector<int> parts;  ///< places of the two sides among the branches; none: nothing was seen
  bool shared{};           ///< messages both ways pass the same link
  int parent{-1};
};

struct CutTask {
  std::vector<std::vector<int>> scopes;  ///< hosts of the same scope meet
  std::vector<int> cell;  ///< of each host: hosts of the same cell don't look for links
  RunPairs run;
  RunPairs expected;
  std::function<int(std::size_t hosts)>
      patience;  ///< rounds without a slow pair until it's given up
  int most_rounds{};
};

/// Splits each scope where a link holds messages up, and its parts again: the scopes come first.
///
/// Hosts exchange messages in random pairs. Those that are slowest share the tightest link, or
/// several that are equally tight: without a few of them, the others on their link are faster, and
/// those on other links are not. When only messages of one link are left they keep it busy. Another
/// host that sends to a receiver of theirs is slow too if it is on their senders' side; if it
/// isn't, it is fast.
[[nodiscard]] std::vector<HostSplit> find_cuts(const CutTask& task, const Matrix& alone,
                                               std::mt19937_64& random);

}  // namespace commgauge
