#include "calls/region_name.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace commgauge::record {

namespace {

/// Bytes that may not be there: the kernel looks. @return how many there are
std::size_t copy_if_there(const char* from, std::size_t size, char* to) {
  static const std::array<int, 2> ends = [] {
    std::array<int, 2> made{-1, -1};
    (void)!pipe2(made.data(), O_CLOEXEC | O_NONBLOCK);
    return made;
  }();
  // By its number: sanitizers, which know what belongs to whom, look at write()'s arguments first.
  const long written = ::syscall(SYS_write, ends[1], from, size);
  const ssize_t copied = written > 0 ? ::read(ends[0], to, static_cast<std::size_t>(written)) : 0;
  return copied > 0 ? static_cast<std::size_t>(copied) : 0;
}

}  // namespace

std::string region_name(const char* text) {
  constexpr std::size_t longest = 256;
  constexpr std::uintptr_t page = 4096;
  std::array<char, longest> name{};
  std::size_t length = 0;
  while (length < longest - 1 && std::strlen(name.data()) == length) {
    const std::uintptr_t to_page = page - reinterpret_cast<std::uintptr_t>(text + length) % page;
    const std::size_t size = std::min<std::size_t>(to_page, longest - 1 - length);
    const std::size_t copied = copy_if_there(text + length, size, name.data() + length);
    if (copied == 0) return {};
    length += copied;
  }
  const std::string_view found = name.data();
  const bool is_text = std::ranges::all_of(
      found, [](char c) { return std::isprint(static_cast<unsigned char>(c)) != 0; });
  return is_text ? std::string{found} : std::string{};
}

}  // namespace commgauge::record
