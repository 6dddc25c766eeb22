#pragma once

#include <atomic>
#include <cstdint>
#include <limits>

/// Waiting and mutual exclusion by the system itself, past functions that take the place of the C
/// library's. In shared memory they are between processes.
namespace commgauge::preload {

/// Waits until `word` is woken, unless it isn't `expected` any more. May return for no reason.
/// @param longest  [s]
void sleep_on(std::atomic<std::uint32_t>& word, std::uint32_t expected,
              double longest = std::numeric_limits<double>::infinity());
void wake_sleepers(std::atomic<std::uint32_t>& word, int most);

class FutexLock {
 public:
  /// @param longest  to sleep at once [s], before it looks again
  void lock(double longest = std::numeric_limits<double>::infinity());
  void unlock();

 private:
  std::atomic<std::uint32_t> state_{};  ///< 0 free, 1 taken, 2 taken and another may sleep on it
};

}  // namespace commgauge::preload
