#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "commgauge/base/error.hpp"

namespace commgauge::trace {

/// Numbers and strings as bytes, for processes of one machine.
class Pack {
 public:
  void add(std::uint64_t number) {
    bytes_.append(reinterpret_cast<const char*>(&number), sizeof(number));
  }
  void add(std::string_view text) {
    add(std::uint64_t{text.size()});
    bytes_.append(text);
  }
  template <typename List, typename Each>
  void add(const List& list, const Each& each) {
    add(std::uint64_t{list.size()});
    for (const auto& one : list) each(one);
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/// What Pack packed, in the same order.
class Unpack {
 public:
  explicit Unpack(std::string_view bytes) : bytes_{bytes} {}
  [[nodiscard]] std::uint64_t number() {
    std::uint64_t number = 0;
    std::memcpy(&number, take(sizeof(number)).data(), sizeof(number));
    return number;
  }
  [[nodiscard]] std::string text() { return std::string{take(number())}; }
  template <typename Each>
  void list(const Each& each) {
    for (auto left = number(); left > 0; --left) each();
  }

 private:
  std::string_view take(std::size_t size) {
    if (size > bytes_.size()) throw Error("the processes' reports don't fit together");
    const auto taken = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return taken;
  }
  std::string_view bytes_;
};

}  // namespace commgauge::trace
