#include "clock/clock_sync.hpp"

#include <algorithm>

namespace commgauge::bench {

namespace {

/// Nearer ones tell more of their own errors than of the drift.
constexpr double shortest_baseline = 1.0;  // [s]

}  // namespace

double ClockSync::synchronise(std::span<const Ping> pings) {
  const Ping quickest = *std::ranges::min_element(pings, {}, &Ping::round_trip);
  const double middle = quickest.sent + quickest.round_trip() / 2;
  latest_ = {middle, quickest.there - middle};
  if (!synchronised_) first_ = latest_;
  synchronised_ = true;
  const double baseline = latest_.here - first_.here;
  drift_ = baseline < shortest_baseline ? 0 : (latest_.offset - first_.offset) / baseline;
  return quickest.round_trip();
}

double ClockSync::there_at(double here) const {
  return here + latest_.offset + drift_ * (here - latest_.here);
}

double ClockSync::here_at(double there) const {
  return latest_.here + (there - latest_.here - latest_.offset) / (1 + drift_);
}

}  // namespace commgauge::bench
