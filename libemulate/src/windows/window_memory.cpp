// Which memory of a rank is a window's.

#include "windows/window_memory.hpp"

#include <algorithm>
#include <mutex>
#include <new>
#include <vector>

#include "job/call.hpp"
#include "mpi/failure.hpp"
#include "mpi/real_calls.hpp"

namespace commgauge::emulate {

namespace {

/// Memory of a rank.
struct Region {
  std::uint64_t start;
  std::uint64_t bytes;
  [[nodiscard]] bool has(std::uint64_t address) const { return address - start < bytes; }
};

/// One that is attached, in shared memory.
struct Attached {
  Offset next;
  Region region;
};

std::vector<Region> regions_of(LiveWorld& live, const Window::Part& part) {
  if (part.attached == 0) return {{part.base, part.bytes}};
  const std::lock_guard lock(live.world());
  const Arena& arena = live.world().arena();
  std::vector<Region> regions;
  for (Offset next = *arena.at<Offset>(part.attached); next != 0;) {
    const auto& one = *arena.at<Attached>(next);
    regions.push_back(one.region);
    next = one.next;
  }
  return regions;
}

/// Some of it may be in one of them and the rest in another.
bool are_in(std::span<const Region> regions, std::uint64_t start, std::uint64_t bytes) {
  while (bytes > 0) {
    const auto found =
        std::ranges::find_if(regions, [&](const Region& region) { return region.has(start); });
    if (found == regions.end()) return false;
    const std::uint64_t part = std::min(bytes, found->bytes - (start - found->start));
    start += part;
    bytes -= part;
  }
  return true;
}

Offset attached_here(const Window& window) {
  const Offset attached = window.parts[static_cast<std::size_t>(window.comm->rank)].attached;
  require(attached != 0, window, MPI_ERR_RMA_FLAVOR);
  return attached;
}

}  // namespace

Offset make_attached(LiveWorld& live) {
  const std::lock_guard lock(live.world());
  const Offset attached = live.world().arena().allocate(sizeof(Offset));
  *live.world().arena().at<Offset>(attached) = 0;
  return attached;
}

void free_attached(LiveWorld& live, Offset attached) {
  const std::lock_guard lock(live.world());
  Arena& arena = live.world().arena();
  while (attached != 0) {
    const Offset next = *arena.at<Offset>(attached);
    arena.release(attached);
    attached = next;
  }
}

void check_range(LiveWorld& live, const Window& window, int target, std::uint64_t start,
                 std::span<const Block> blocks) {
  const auto regions = regions_of(live, window.parts[static_cast<std::size_t>(target)]);
  for (const Block& block : blocks) {
    require(are_in(regions, start + static_cast<std::uint64_t>(block.offset), block.bytes), window,
            MPI_ERR_RMA_RANGE);
  }
}

}  // namespace commgauge::emulate

using namespace commgauge::emulate;

extern "C" {

int MPI_Win_attach(MPI_Win win, void* base, MPI_Aint size) {
  return call_on(nullptr, win, [&](Emulator& e, const WindowPtr& window) {
    const Offset attached = attached_here(*window);
    require_success(real::Win_attach(win, base, size), MPI_COMM_NULL);
    const std::lock_guard lock(e.world());
    Arena& arena = e.world().arena();
    const Offset place = arena.allocate(sizeof(Attached));
    auto& first = *arena.at<Offset>(attached);
    new (arena.at<Attached>(place))
        Attached{first, {reinterpret_cast<std::uint64_t>(base), static_cast<std::uint64_t>(size)}};
    first = place;
  });
}

int MPI_Win_detach(MPI_Win win, const void* base) {
  return call_on(nullptr, win, [&](Emulator& e, const WindowPtr& window) {
    const Offset attached = attached_here(*window);
    require_success(real::Win_detach(win, base), MPI_COMM_NULL);
    const std::lock_guard lock(e.world());
    Arena& arena = e.world().arena();
    Offset* link = arena.at<Offset>(attached);
    while (*link != 0) {
      const Offset place = *link;
      auto& one = *arena.at<Attached>(place);
      if (one.region.start != reinterpret_cast<std::uint64_t>(base)) {
        link = &one.next;
        continue;
      }
      *link = one.next;
      arena.release(place);
      return;
    }
  });
}

}  // extern "C"
