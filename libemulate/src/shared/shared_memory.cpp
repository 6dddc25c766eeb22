#include "shared/shared_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "commgauge/base/error.hpp"

namespace commgauge::emulate {

namespace {

[[noreturn]] void refuse(const std::string& what) {
  throw InputError("no memory can be shared between the ranks (" + what + ": " +
                   std::strerror(errno) + "): start all ranks on one machine, in one container");
}

std::size_t half_of_memory() {
  return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) / 2;
}

}  // namespace

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
