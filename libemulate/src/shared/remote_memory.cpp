#include "shared/remote_memory.hpp"

#include <sys/prctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include "commgauge/base/error.hpp"

namespace commgauge::emulate {

namespace {

// What one call of the system takes.
constexpr std::size_t most_blocks = 1024;
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30;

using Transfer = decltype(&process_vm_readv);

/// Moves the bytes in parts that the system takes. @param move  process_vm_readv or its like
void transfer(Transfer move, const RemoteMemory& memory, std::span<const Block> blocks,
              std::byte* packed) {
  std::vector<iovec> there;
  std::uint64_t bytes = 0;
  const auto flush = [&] {
    const iovec here{packed, bytes};
    const ssize_t moved = move(memory.pid, &here, 1, there.data(), there.size(), 0);
    if (moved != static_cast<ssize_t>(bytes)) {
      throw InputError("a window's memory can't be reached in process " +
                       std::to_string(memory.pid) + " (" +
                       (moved < 0 ? std::strerror(errno) : "a part of it is not there") +
                       "): access what is in the window, and let ranks trace each other");
    }
    packed += bytes;
    bytes = 0;
    there.clear();
  };
  for (Block block : blocks) {
    while (block.bytes > 0) {
      const std::uint64_t part = std::min(block.bytes, most_bytes - bytes);
      const std::uint64_t address = memory.start + static_cast<std::uint64_t>(block.offset);
      there.push_back({reinterpret_cast<void*>(address), part});
      bytes += part;
      block.offset += static_cast<std::int64_t>(part);
      block.bytes -= part;
      if (there.size() == most_blocks || bytes == most_bytes) flush();
    }
  }
  if (!there.empty()) flush();
}

}  // namespace

void open_memory() { prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0); }

void read_memory(const RemoteMemory& from, std::span<const Block> blocks, std::byte* packed) {
  if (from.pid != getpid()) {
    transfer(process_vm_readv, from, blocks, packed);
    return;
  }
  for (const Block& block : blocks) {
    const std::uint64_t address = from.start + static_cast<std::uint64_t>(block.offset);
    std::memcpy(packed, reinterpret_cast<const void*>(address), block.bytes);
    packed += block.bytes;
  }
}

void write_memory(const RemoteMemory& to, std::span<const Block> blocks, const std::byte* packed) {
  if (to.pid != getpid()) {
    transfer(process_vm_writev, to, blocks, const_cast<std::byte*>(packed));
    return;
  }
  for (const Block& block : blocks) {
    const std::uint64_t address = to.start + static_cast<std::uint64_t>(block.offset);
    std::memcpy(reinterpret_cast<void*>(address), packed, block.bytes);
    packed += block.bytes;
  }
}

}  // namespace commgauge::emulate
