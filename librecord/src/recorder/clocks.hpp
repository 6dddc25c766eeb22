#pragma once

#include <time.h>

#include <cstdint>

#include "mpi/emulation.hpp"
#include "system/processor_clock.hpp"

namespace commgauge::record {

/// Of the host, since some moment in its past [ns].
inline std::int64_t read_clock(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return std::int64_t{1'000'000'000} * now.tv_sec + now.tv_nsec;
}

/// Both clocks, as they were read.
struct Moment {
  std::int64_t time{};  ///< real time [ns]
  std::int64_t cpu{};   ///< of this thread [ns]; always 0 where it isn't wanted
};

/// One thread's.
class Clocks {
 public:
  explicit Clocks(bool reads_cpu) : reads_cpu_{reads_cpu} {
    if (reads_cpu && !emulation()) processor_.calibrate();
  }
  [[nodiscard]] Clocks of_another_thread() const {
    Clocks other = *this;
    other.processor_ = processor_.of_another();
    return other;
  }

  [[nodiscard]] bool reads_cpu() const { return reads_cpu_; }
  /// A call begins: what comes after the CPU clock's reading is no computing.
  [[nodiscard]] Moment at_enter() {
    if (Moment now; emulation()) {
      emulation().pause(now.time, now.cpu);
      return now;
    }
    if (!reads_cpu_) return {read_clock(CLOCK_MONOTONIC), 0};
    const std::int64_t cpu = processor_.at_enter();
    return {processor_.real_time(), cpu};
  }
  /// MPI has done what the call asked for.
  [[nodiscard]] std::int64_t at_return() const {
    if (Moment now; emulation()) {
      emulation().pause(now.time, now.cpu);
      return now.time;
    }
    return read_clock(CLOCK_MONOTONIC);
  }
  /// The call ends, with the recorder's work in it: what comes before the last reading is no
  /// computing.
  /// @param returned  when MPI had done its work: the end, where the CPU clock tells computing
  [[nodiscard]] Moment at_leave(std::int64_t returned) {
    if (Moment now; emulation()) {
      emulation().go_on(now.time, now.cpu);
      return now;
    }
    if (reads_cpu_) return {returned, processor_.at_leave()};
    return {read_clock(CLOCK_MONOTONIC), 0};
  }
  /// What the readings themselves add to the computing between two calls: the least that they
  /// tell when there is none.
  [[nodiscard]] Moment least_gap();

 private:
  bool reads_cpu_;
  preload::ProcessorClock processor_;
};

}  // namespace commgauge::record
