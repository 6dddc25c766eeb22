#include "messages/buffers.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <new>

namespace commgauge::bench {

namespace {

std::size_t round_up(std::size_t size) { return (size + page - 1) / page * page; }

#ifndef COMMGAUGE_SMPI
/// Bytes of memory that messages may take: an eighth of what the machine has.
std::size_t memory_share(int ranks_on_host) {
  const auto pages = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES));
  return pages * page / 8 / static_cast<std::size_t>(std::max(1, ranks_on_host));
}
#endif

}  // namespace

MessageBuffers::MessageBuffers(Buffers habit, std::size_t least, std::size_t cache_share)
    : habit_{habit}, length_{round_up(least + page)} {
  if (habit_ == Buffers::rotating) length_ = std::max(length_, round_up(cache_share));
  map_all();
}

MessageBuffers::~MessageBuffers() {
  unmap(send_);
  unmap(receive_);
}

void MessageBuffers::reserve(std::size_t bytes) {
  if (round_up(bytes) <= length_) return;
  const std::size_t before = length_;
  try {
    resize(round_up(bytes));
  } catch (const std::bad_alloc&) {
    resize(before);
    throw;
  }
}

void MessageBuffers::resize(std::size_t length) {
  unmap(send_);
  unmap(receive_);
  length_ = length;
  map_all();
}

void MessageBuffers::renew() {
  if (habit_ == Buffers::same) {
    resize(length_);
    return;
  }
  // Multiples of the golden ratio, without their whole parts, keep apart from one another.
  constexpr double golden = 0.6180339887498949;
  double whole = 0;
  const double share = std::modf(static_cast<double>(++renewals_) * golden, &whole);
  const std::size_t pages = length_ / page;
  const std::size_t offset = static_cast<std::size_t>(share * static_cast<double>(pages)) * page;
  send_.offset = offset;
  receive_.offset = offset;
}

void MessageBuffers::begin_repetition() {
  if (habit_ != Buffers::same) return;
  for (Region* const region : {&send_, &receive_, &over_sent_, &over_received_}) region->offset = 0;
}

std::byte* MessageBuffers::next(Region& region, std::size_t size) const {
  if (size == 0) return region.start;
  if (region.offset + size > length_) region.offset = 0;
  std::byte* here = region.start + region.offset;
  region.offset += round_up(size);
  return here;
}

void MessageBuffers::map_all() {
  map(send_);
  map(receive_);
  over_sent_ = send_;
  over_received_ = receive_;
}

void MessageBuffers::map(Region& region) const {
  void* memory = mmap(nullptr, length_, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  region = {static_cast<std::byte*>(memory), 0};
}

void MessageBuffers::unmap(Region& region) const noexcept {
  if (region.start) munmap(region.start, length_);
  region.start = nullptr;
}

#ifdef COMMGAUGE_SMPI
// A simulated machine has no caches, and all its ranks share this one's memory.
std::size_t cache_share(int) { return 0; }
#else
std::size_t cache_share(int ranks_on_host) {
  const auto ranks = static_cast<std::size_t>(std::max(1, ranks_on_host));
  const auto size_of = [](int name) {
    return static_cast<std::size_t>(std::max(0L, sysconf(name)));
  };
  const std::size_t share = size_of(_SC_LEVEL2_CACHE_SIZE) + size_of(_SC_LEVEL3_CACHE_SIZE) / ranks;
  const std::size_t usual = std::size_t{8} << 20;  // where the system doesn't say
  return std::min(share > 0 ? share : usual, memory_share(ranks_on_host));
}
#endif

}  // namespace commgauge::bench
