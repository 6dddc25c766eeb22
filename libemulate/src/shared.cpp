#include "shared.hpp"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>

#include "c_library.hpp"
#include "commgauge/base/error.hpp"
#include "real_time.hpp"

namespace commgauge::emulate {

namespace {

constexpr int spins = 100;  ///< tries for the lock, before a rank sleeps

[[noreturn]] void refuse(const std::string& what) {
  throw InputError("no memory can be shared between the ranks (" + what + ": " +
                   std::strerror(errno) + "): start all ranks on one machine, in one container");
}

std::size_t half_of_memory() {
  return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) / 2;
}

}  // namespace

void sleep_on(std::atomic<std::uint32_t>& word, std::uint32_t expected, double longest) {
  const bool ends = std::isfinite(longest);
  const timespec most = ends ? to_timespec(longest) : timespec{};
  preload::system_call(SYS_futex, &word, FUTEX_WAIT, expected, ends ? &most : nullptr, nullptr, 0);
}

void wake_sleepers(std::atomic<std::uint32_t>& word, int most) {
  preload::system_call(SYS_futex, &word, FUTEX_WAKE, most, nullptr, nullptr, 0);
}

void SharedLock::lock() {
  for (int k = 0; k < spins; ++k) {
    std::uint32_t unlocked = 0;
    if (state_.compare_exchange_weak(unlocked, 1, std::memory_order_acquire)) return;
  }
  while (state_.exchange(2, std::memory_order_acquire) != 0) sleep_on(state_, 2);
}

void SharedLock::unlock() {
  if (state_.exchange(0, std::memory_order_release) == 2) wake_sleepers(state_, 1);
}

SharedMemory::SharedMemory(int fd, std::byte* base, std::size_t bytes)
    : fd_{fd}, base_{base}, bytes_{bytes} {}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept
    : fd_{std::exchange(other.fd_, -1)},
      base_{std::exchange(other.base_, nullptr)},
      bytes_{other.bytes_} {}

SharedMemory::~SharedMemory() {
  if (base_ != nullptr) munmap(base_, bytes_);
  if (fd_ >= 0) close(fd_);
}

SharedMemory SharedMemory::map(int fd) {
  struct stat about {};
  if (fstat(fd, &about) != 0) refuse("fstat");
  const auto bytes = static_cast<std::size_t>(about.st_size);
  void* const base =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
  if (base == MAP_FAILED) refuse("mmap");
  return {fd, static_cast<std::byte*>(base), bytes};
}

SharedMemory SharedMemory::create() {
  const int fd = memfd_create("commgauge-emulate", MFD_CLOEXEC);
  if (fd < 0) refuse("memfd_create");
  if (ftruncate(fd, static_cast<off_t>(half_of_memory())) != 0) refuse("ftruncate");
  return map(fd);
}

SharedMemory SharedMemory::open(int pid, int fd) {
  const std::string path = "/proc/" + std::to_string(pid) + "/fd/" + std::to_string(fd);
  const int own = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (own < 0) refuse(path);
  return map(own);
}

}  // namespace commgauge::emulate
