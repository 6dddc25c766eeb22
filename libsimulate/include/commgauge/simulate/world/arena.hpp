#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

namespace commgauge::simulate {

/// A place in an arena, the same for all who see its memory, at whatever address. 0: none.
using Offset = std::uint64_t;

/// Memory by offset, with a heap in it: its own, or memory that processes share. Blocks are aligned
/// to 64 bytes.
class Arena {
 public:
  /// With memory of its own, as much as is needed. Offsets are addresses.
  Arena();
  /// In memory that others may see as well. @param is_new  there is no heap in it yet; zeroed
  Arena(std::byte* base, std::size_t bytes, bool is_new);
  Arena(Arena&&) = default;
  Arena& operator=(Arena&&) = delete;

  template <class T>
  [[nodiscard]] T* at(Offset offset) const {
    return reinterpret_cast<T*>(base_ + offset);
  }

  /// Zeroed, never given back. @pre nobody else is using the heap
  /// @throws InputError  shared memory is full
  [[nodiscard]] Offset reserve(std::size_t bytes);
  /// @pre the caller alone is using the heap. @throws InputError  shared memory is full
  [[nodiscard]] Offset allocate(std::size_t bytes);
  void release(Offset block);
  /// A larger block in place of one of plain data, with the first `count` of these. O(count)
  /// @param old  0: there is none yet
  template <class T>
  [[nodiscard]] Offset grown(Offset old, std::size_t count, std::size_t places) {
    const Offset larger = allocate(places * sizeof(T));
    std::copy_n(at<T>(old), count, at<T>(larger));
    if (old != 0) release(old);
    return larger;
  }

 private:
  /// Blocks come in sizes of powers of two; those released are kept by size, each pointing to the
  /// next. Before a block stands its size's number.
  struct Heap {
    Offset end;
    Offset limit;
    std::array<Offset, 64> released;
  };
  [[nodiscard]] Offset extend(std::size_t bytes);

  std::uintptr_t base_{};
  std::unique_ptr<Heap> own_heap_;
  struct Free {
    void operator()(std::byte* chunk) const { std::free(chunk); }
  };
  std::vector<std::unique_ptr<std::byte, Free>> chunks_;
  Heap* heap_;
};

}  // namespace commgauge::simulate
