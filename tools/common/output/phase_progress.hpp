#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>

#include "common/output/progress.hpp"

namespace commgauge::tools {

/// Shows how far a command with many runs has come, phase by phase.
class PhaseProgress {
 public:
  explicit PhaseProgress(ProgressMode mode) : display_{mode} {}

  void begin(std::string phase) { phase_ = std::move(phase); }
  void show(std::size_t done, std::size_t all) {
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - began_;
    display_.show({.phase = phase_,
                   .done = static_cast<long>(done),
                   .total = static_cast<long>(all),
                   .elapsed = Seconds{elapsed.count()},
                   .remaining = Seconds{-1}});
  }

 private:
  ProgressDisplay display_;
  std::string phase_;
  std::chrono::steady_clock::time_point began_{std::chrono::steady_clock::now()};
};

}  // namespace commgauge::tools
