#pragma once

#include <cstdint>
#include <limits>

namespace commgauge::preload {

/// CPU time of the calling thread, as the program sees it that calls what reads it. The system's
/// own clock takes half a microsecond to read; where the thread last read less than a microsecond
/// ago nothing else can have had its processor meanwhile, so real time has passed.
class ProcessorClock {
 public:
  ProcessorClock() = default;
  /// Measures how long readings take.
  void calibrate();
  /// Of another thread, with the same calibration.
  [[nodiscard]] ProcessorClock of_another() const;

  /// When it is called, and when it returns [ns].
  [[nodiscard]] std::int64_t at_enter();
  [[nodiscard]] std::int64_t at_leave();
  /// Between at_leave() and at_enter(), with nothing between them [ns].
  [[nodiscard]] std::int64_t least_gap() const { return least_gap_; }
  /// When it was read last, by the monotonic clock [ns].
  [[nodiscard]] std::int64_t real_time() const { return real_time_; }

 private:
  std::int64_t system_reading_{};
  std::int64_t least_gap_{};
  std::int64_t real_time_{std::numeric_limits<std::int64_t>::min() / 2};
  std::int64_t cpu_{};
};

}  // namespace commgauge::preload
