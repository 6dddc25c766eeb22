#pragma once

#include <cstdint>
#include <string>

namespace commgauge::tools {

/// Whole numbers for a page: by seven bits each, the lowest first, 128 added to all but the last.
class Numbers {
 public:
  void add(std::uint64_t value);
  /// 0, -1, 1, -2, ... are written as 0, 1, 2, 3, ...
  void add_signed(std::int64_t value);
  /// How many bytes they have, then these.
  void add_all(const Numbers& others);
  [[nodiscard]] std::string base64() const;

 private:
  std::string bytes_;
};

[[nodiscard]] std::uint64_t nanoseconds(double seconds);

}  // namespace commgauge::tools
