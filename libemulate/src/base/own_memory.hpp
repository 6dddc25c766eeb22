#pragma once

#include <cstddef>
#include <cstdint>

#include "commgauge/simulate/world/arena.hpp"

namespace commgauge::emulate {

/// Memory of this library's own: the C library may be in its allocator when it, or a hook there,
/// takes a lock.
[[nodiscard]] simulate::Arena& own_memory();

/// Its allocator.
template <class T>
struct OwnMemory {
  using value_type = T;
  OwnMemory() = default;
  template <class Other>
  OwnMemory(const OwnMemory<Other>&) {}
  T* allocate(std::size_t n) { return own_memory().at<T>(own_memory().allocate(n * sizeof(T))); }
  void deallocate(T* block, std::size_t) {
    const auto start = reinterpret_cast<std::uintptr_t>(own_memory().at<std::byte>(0));
    own_memory().release(reinterpret_cast<std::uintptr_t>(block) - start);
  }
  bool operator==(const OwnMemory&) const = default;
};

}  // namespace commgauge::emulate
