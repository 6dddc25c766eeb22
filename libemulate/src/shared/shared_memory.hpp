#pragma once

#include <cstddef>

#include "system/futex_lock.hpp"

namespace commgauge::emulate {

/// Mutual exclusion between processes, too.
using SharedLock = preload::FutexLock;
using preload::sleep_on;
using preload::wake_sleepers;

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
