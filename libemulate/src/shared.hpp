#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace commgauge::emulate {

/// Waits until `word` is woken, unless it isn't `expected` any more. May return for no reason.
/// @param longest  [s]
void sleep_on(std::atomic<std::uint32_t>& word, std::uint32_t expected,
              double longest = std::numeric_limits<double>::infinity());
void wake_sleepers(std::atomic<std::uint32_t>& word, int most);

/// Mutual exclusion between processes.
class SharedLock {
 public:
  void lock();
  void unlock();

 private:
  std::atomic<std::uint32_t> state_{};  ///< 0 free, 1 taken, 2 taken and another may sleep on it
};

/// Memory shared by the ranks. It has no name: it is gone with its last process.
class SharedMemory {
 public:
  /// Makes one. @throws InputError  with the reason
  static SharedMemory create();
  /// Opens that of another process of this machine. @throws InputError  with the reason
  static SharedMemory open(int pid, int fd);
  SharedMemory(SharedMemory&&) noexcept;
  SharedMemory& operator=(SharedMemory&&) = delete;
  ~SharedMemory();

  [[nodiscard]] int fd() const { return fd_; }
  [[nodiscard]] std::byte* base() const { return base_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  SharedMemory(int fd, std::byte* base, std::size_t bytes);
  static SharedMemory map(int fd);

  int fd_;
  std::byte* base_;
  std::size_t bytes_;
};

}  // namespace commgauge::emulate
