#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace commgauge::tasks {

/// More are not named, nor simulated.
inline constexpr std::uint64_t most_tasks = std::uint64_t{1} << 28U;

/// Which tasks there are: each is named by N integers (i1, ..., iN), 1 <= ik <= counts[k]
/// (Mizutani, Ino, Hagihara). They are numbered from 0, the last integer counting fastest.
class Shape {
 public:
  /// @throws InputError  no dimension, one without tasks, or more than most_tasks in all.
  explicit Shape(std::vector<std::uint64_t> counts);

  [[nodiscard]] std::size_t dimensions() const { return counts_.size(); }
  [[nodiscard]] const std::vector<std::uint64_t>& counts() const { return counts_; }
  /// How many tasks.
  [[nodiscard]] std::uint64_t size() const { return size_; }

  /// @pre as many integers as dimensions, each within its count
  [[nodiscard]] std::uint64_t number_of(std::span<const std::uint64_t> task) const;
  [[nodiscard]] std::vector<std::uint64_t> task_of(std::uint64_t number) const;

  friend bool operator==(const Shape&, const Shape&) = default;

 private:
  std::vector<std::uint64_t> counts_;
  std::uint64_t size_{1};
};

/// Reads `1024x1024`. @throws InputError  not numbers with x between them; what Shape() throws.
[[nodiscard]] Shape parse_shape(std::string_view text);

/// `1024x1024`
[[nodiscard]] std::string to_text(const Shape& shape);

/// `(3, 17)`
[[nodiscard]] std::string to_text(const Shape& shape, std::uint64_t number);

}  // namespace commgauge::tasks
