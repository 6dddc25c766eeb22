#include "thresholds/eager_limit.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "commgauge/thresholds/threshold_text.hpp"

namespace commgauge {

namespace {

/// Launches sorted by what they know.
struct Findings {
  std::vector<std::uint64_t> limits;  ///< found or given
  std::vector<std::uint64_t> eager;   ///< largest sizes probed, where all sizes are eager
  int given{};                        ///< of the limits
  int unsaid{};                       ///< launches of which nobody knows whether they were probed
};

Findings sorted(std::span<const Launch> launches) {
  Findings found;
  for (const Launch& launch : launches) {
    const bool probed = launch.eager_probed_bytes.value_or(0) > 0;
    found.unsaid += !launch.eager_probed_bytes;
    if (launch.eager_limit_bytes) {
      found.limits.push_back(*launch.eager_limit_bytes);
      found.given += launch.eager_probed_bytes && !probed;
    } else if (probed) {
      found.eager.push_back(*launch.eager_probed_bytes);
    }
  }
  return found;
}

std::string all_eager(const Findings& found) {
  return "messages of all probed sizes are eager (up to " +
         to_text(Bytes{std::ranges::min(found.eager)}) + ")";
}

std::string why_none(const Findings& found) {
  if (!found.eager.empty()) return all_eager(found);
  return found.unsaid > 0
             ? "messages of all probed sizes are eager, or it was not probed (a file of an older "
               "version does not say)"
             : "not probed";
}

std::string why_no_interval(const Findings& found) {
  if (found.given == static_cast<int>(found.limits.size())) return "given, not probed";
  if (found.given > 0) return "in some launches given, not probed";
  return "not known to be probed (a file of an older version does not say)";
}

}  // namespace

EagerLimit eager_limit_of(std::span<const Launch> launches) {
  const Findings found = sorted(launches);
  EagerLimit result;
  Threshold& limit = result.threshold;
  if (found.limits.empty()) {
    limit.reason = why_none(found);
    return result;
  }
  const auto [least, most] = std::ranges::minmax(found.limits);
  limit.size = Bytes{least};
  if (least != most || !found.eager.empty()) {
    result.disagreement = {.kind = "eager_limits_differ",
                           .problem = "the launches disagree about the eager limit",
                           .advice = "the smallest is used"};
  }
  if (found.given > 0 || found.unsaid > 0) {
    limit.reason = why_no_interval(found);
    return result;
  }
  if (found.eager.empty()) {
    limit.low = Bytes{least};
    limit.high = Bytes{most + 1};
    return result;
  }
  limit.low = Bytes{std::min(least, std::ranges::min(found.eager))};
  limit.reason = "in " + std::to_string(found.eager.size()) + " of " +
                 std::to_string(found.eager.size() + found.limits.size()) + " launches " +
                 all_eager(found);
  return result;
}

}  // namespace commgauge
