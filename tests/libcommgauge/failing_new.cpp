#include "failing_new.hpp"

#include <cstdlib>
#include <new>

namespace {

constexpr long all_succeed = -1;  ///< what is left after the one that fails, too
thread_local long left = all_succeed;
thread_local std::size_t least = 0;  ///< [bytes]

}  // namespace

// Those of the program replace the shared library's, too.
void* operator new(std::size_t size) {
  if (size >= least && left >= 0 && left-- == 0) throw std::bad_alloc{};
  void* const memory = std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc{};
  return memory;
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  try {
    return operator new(size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace commgauge::test {

FailingNew::FailingNew(long count, std::size_t smallest) {
  least = smallest;
  left = count;
}
FailingNew::~FailingNew() { left = all_succeed; }

}  // namespace commgauge::test
