#include "commgauge/thresholds/threshold_text.hpp"

#include <cstdint>

namespace commgauge {

std::string interval_text(const Threshold& threshold) {
  const auto& [size, low, high, reason] = threshold;
  if (low && high) return ", between " + to_text(*low) + " and " + to_text(*high);
  const std::string because = reason.empty() ? "" : ": " + reason;
  if (low) return ", from " + to_text(*low) + " up, no upper end" + because;
  if (high) return ", up to " + to_text(*high) + ", no lower end" + because;
  return reason.empty() ? "" : "; no interval" + because;
}

std::string eager_limit_text(const Threshold& limit) {
  if (!limit.size) return "none: " + limit.reason;
  const std::string text = std::to_string(limit.size->value) + " B";
  if (!limit.low || !limit.high) return text + interval_text(limit);
  const std::uint64_t largest = limit.high->value - 1;
  return limit.low == limit.size && limit.size->value == largest
             ? text
             : text + ", in some launches up to " + std::to_string(largest) + " B";
}

}  // namespace commgauge
