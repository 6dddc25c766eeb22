#pragma once

#include <span>

namespace commgauge::bench {

/// Another rank's clock as seen from this one's: its offset at the latest synchronisation, and its
/// drift, from the first and the latest where they lie far enough apart. All times in seconds.
/// @note Local and pure: no MPI.
class ClockSync {
 public:
  /// A message to the other rank and its answer.
  struct Ping {
    double sent{};   ///< this clock
    double there{};  ///< the other's clock, in between
    double back{};   ///< this clock
    [[nodiscard]] double round_trip() const { return back - sent; }
  };

  /// Believes the quickest ping: the other clock was read half-way, within half its round trip.
  /// @pre !pings.empty()
  /// @return the quickest ping's round trip.
  double synchronise(std::span<const Ping> pings);

  /// What the other clock shows when this one shows `here`, and the reverse.
  /// @pre synchronised once
  [[nodiscard]] double there_at(double here) const;
  [[nodiscard]] double here_at(double there) const;

  /// Seconds that the other clock gains in a second of this one.
  [[nodiscard]] double drift() const { return drift_; }

 private:
  struct Reading {
    double here{};
    double offset{};  ///< the other clock's lead over this one
  };

  bool synchronised_{};
  Reading first_;
  Reading latest_;
  double drift_{};
};

}  // namespace commgauge::bench
