#include "base/own_memory.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>

#include "system/c_library.hpp"

namespace commgauge::emulate {

simulate::Arena& own_memory() {
  constexpr std::size_t most = std::size_t{1} << 30;  // [bytes], of which what is used is there
  static simulate::Arena arena = [] {
    const long place = preload::system_call(SYS_mmap, nullptr, most, PROT_READ | PROT_WRITE,
                                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return simulate::Arena(reinterpret_cast<std::byte*>(place), most, true);
  }();
  return arena;
}

}  // namespace commgauge::emulate
