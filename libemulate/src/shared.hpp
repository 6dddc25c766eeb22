#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace commgauge::emulate {

/// A place in the memory that all ranks share, which each may have at another address. 0: none.
using Offset = std::uint64_t;

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

/// Memory shared by the ranks, with a heap in it. It has no name: it is gone with its last process.
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

  template <class T>
  [[nodiscard]] T* at(Offset offset) const {
    return reinterpret_cast<T*>(base_ + offset);
  }

  /// Zeroed, aligned to 64 bytes, never given back. @pre nobody else is using the heap
  [[nodiscard]] Offset reserve(std::size_t bytes);
  /// Aligned to 64 bytes. @pre the caller alone is using the heap. @throws InputError  it is full
  [[nodiscard]] Offset allocate(std::size_t bytes);
  void release(Offset block);

 private:
  struct Heap;
  SharedMemory(int fd, std::byte* base, std::size_t bytes);
  static SharedMemory map(int fd);
  [[nodiscard]] Heap& heap() const { return *at<Heap>(0); }
  [[nodiscard]] Offset extend(std::size_t bytes);

  int fd_;
  std::byte* base_;
  std::size_t bytes_;
};

}  // namespace commgauge::emulate
