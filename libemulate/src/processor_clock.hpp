#pragma once

#include <limits>

namespace commgauge::emulate {

/// CPU time of the calling thread, as the program sees it that calls what reads it. The system's
/// own clock takes half a microsecond to read; where the thread last read less than a microsecond
/// ago nothing else can have had its processor meanwhile, so real time has passed.
class ProcessorClock {
 public:
  ProcessorClock() = default;
  /// How long readings take. Not before the C library can be asked.
  void calibrate();
  /// Of another thread, with the same calibration.
  [[nodiscard]] ProcessorClock of_another() const;

  /// When it is called, and when it returns [s].
  [[nodiscard]] double at_enter();
  [[nodiscard]] double at_leave();
  /// Between at_leave() and at_enter(), with nothing between them [s].
  [[nodiscard]] double least_gap() const { return least_gap_; }

 private:
  double system_reading_{};  ///< [s]
  double least_gap_{};
  double real_time_{-std::numeric_limits<double>::infinity()};  ///< of the last reading [s]
  double cpu_{};
};

}  // namespace commgauge::emulate
