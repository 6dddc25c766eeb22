// How threads wait for each other where a static variable of this library's is made: past functions
// that take the place of the C library's, which would count it as the program's. The C++ library's
// own, by whose names these go within the library, call such a one. As its ABI (Itanium) has it,
// the variable is there when the first byte isn't 0.

#include <atomic>
#include <cstdint>
#include <limits>

#include "system/futex_lock.hpp"

namespace {

constexpr std::uint32_t is_there = 1;
constexpr std::uint32_t is_being_made = 1U << 8U;
constexpr std::uint32_t is_awaited = 1U << 9U;

std::atomic<std::uint32_t>& word_of(std::uint64_t* guard) {
  return *reinterpret_cast<std::atomic<std::uint32_t>*>(guard);
}

void leave(std::uint64_t* guard, std::uint32_t state) {
  std::atomic<std::uint32_t>& word = word_of(guard);
  if ((word.exchange(state, std::memory_order_acq_rel) & is_awaited) == 0) return;
  commgauge::preload::wake_sleepers(word, std::numeric_limits<int>::max());
}

}  // namespace

extern "C" {

/// @return 1: the caller makes it, 0: it is there
[[gnu::visibility("hidden")]] int __cxa_guard_acquire(std::uint64_t* guard) {
  std::atomic<std::uint32_t>& word = word_of(guard);
  for (;;) {
    std::uint32_t state = 0;
    if (word.compare_exchange_strong(state, is_being_made, std::memory_order_acq_rel)) return 1;
    if ((state & is_there) != 0) return 0;
    const std::uint32_t awaited = is_being_made | is_awaited;
    if (state == awaited || word.compare_exchange_strong(state, awaited)) {
      commgauge::preload::sleep_on(word, awaited);
    }
  }
}
[[gnu::visibility("hidden")]] void __cxa_guard_release(std::uint64_t* guard) {
  leave(guard, is_there);
}
/// Making it has failed.
[[gnu::visibility("hidden")]] void __cxa_guard_abort(std::uint64_t* guard) { leave(guard, 0); }

}  // extern "C"
