#include "commgauge/simulate/world/arena.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <new>
#include <utility>

#include "commgauge/base/error.hpp"

namespace commgauge::simulate {

namespace {

constexpr std::size_t grain = 64;  ///< [bytes] a cache line
// What an arena of its own grows by [bytes]: twice as much each time. Zeroing more than it takes
// would be half the time of an operation of a few ranks.
constexpr std::size_t first_chunk = 1U << 14;
constexpr std::size_t largest_chunk = 1U << 20;

std::uint64_t rounded(std::uint64_t offset) { return (offset + grain - 1) / grain * grain; }

}  // namespace

Arena::Arena() : own_heap_{std::make_unique<Heap>()}, heap_{own_heap_.get()} {}

Arena::Arena(std::byte* base, std::size_t bytes, bool is_new)
    : base_{reinterpret_cast<std::uintptr_t>(base)}, heap_{at<Heap>(0)} {
  if (is_new) *heap_ = {rounded(sizeof(Heap)), bytes, {}};
}

Offset Arena::extend(std::size_t bytes) {
  if (rounded(heap_->end) + bytes > heap_->limit) {
    if (!own_heap_) {
      throw InputError(
          "messages that nobody has received fill half of the machine's memory: let the "
          "program receive them sooner, or use a machine with more memory");
    }
    const std::size_t doubled = first_chunk << std::min<std::size_t>(chunks_.size(), 6);
    const std::size_t size = std::max(std::min(doubled, largest_chunk), bytes + grain);
    auto* const zeroed = static_cast<std::byte*>(std::calloc(size, 1));
    if (zeroed == nullptr) throw std::bad_alloc();
    chunks_.emplace_back(zeroed);
    heap_->end = reinterpret_cast<std::uintptr_t>(zeroed);
    heap_->limit = heap_->end + size;
  }
  const Offset start = rounded(heap_->end);
  heap_->end = start + bytes;
  return start;
}

Offset Arena::reserve(std::size_t bytes) { return extend(bytes); }

Offset Arena::allocate(std::size_t bytes) {
  const auto size = std::max(std::bit_ceil(bytes), grain);
  const auto number = static_cast<std::size_t>(std::countr_zero(size));
  Offset& released = heap_->released[number];
  if (released != 0) return std::exchange(released, *at<Offset>(released));
  const Offset block = extend(size + grain) + grain;
  *at<std::uint64_t>(block - sizeof(std::uint64_t)) = number;
  return block;
}

void Arena::release(Offset block) {
  const std::uint64_t number = *at<std::uint64_t>(block - sizeof(std::uint64_t));
  *at<Offset>(block) = std::exchange(heap_->released[number], block);
}

}  // namespace commgauge::simulate
