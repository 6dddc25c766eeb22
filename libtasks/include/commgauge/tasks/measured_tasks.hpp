#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "commgauge/base/units.hpp"
#include "commgauge/tasks/shape.hpp"

namespace commgauge::tasks {

/// Times of more are not told by those of some, nor simulated.
inline constexpr std::uint64_t most_tasks = std::uint64_t{1} << 28U;

/// What some of the tasks took where they were run, and how much their results are.
struct MeasuredTasks {
  Shape shape;
  std::vector<std::uint64_t> numbers;  ///< ascending, none twice
  std::vector<double> times_s;         ///< numbers[i] takes times_s[i]; 0 or more
  /// Of each result [bytes]; empty: the file doesn't say.
  std::vector<double> result_bytes;

  [[nodiscard]] bool has_all() const { return numbers.size() == shape.size(); }
};

/// Reads `i1,...,iN,time_s`, or with `result_bytes` as the last column; a line for each task, in
/// any order.
///
/// @param name   of the file, for messages
/// @param shape  which tasks there are; nothing: up to the largest of each integer in the file
/// @throws InputError  one line: no such columns, another number of dimensions than the shape's, a
///                     task outside it, a task twice, a time or a size that is negative or none.
/// O(n log n)
[[nodiscard]] MeasuredTasks tasks_from_csv(const std::string& text, const std::string& name,
                                           const std::optional<Shape>& shape = {});

/// The same of a file. @throws InputError  it can't be read, too
[[nodiscard]] MeasuredTasks load_tasks(const std::filesystem::path& file,
                                       const std::optional<Shape>& shape = {});

/// So many tasks of one dimension, each of the same time.
/// @throws InputError  none, or more than are simulated (most_tasks); a negative time
[[nodiscard]] MeasuredTasks equal_tasks(std::uint64_t count, Seconds each);

/// The header `i1,...,iN`, with what else each line has.
[[nodiscard]] std::string csv_header(const Shape& shape, const std::string& more = "");

[[nodiscard]] std::string to_csv(const MeasuredTasks& measured);

/// Tasks without times, `i1,...,iN`: a list for a program that is to run them.
[[nodiscard]] std::string to_csv(const Shape& shape, const std::vector<std::uint64_t>& numbers);

/// Both together, ascending. @throws InputError  of two shapes; one says result sizes and the
/// other doesn't; a task is in both.
[[nodiscard]] MeasuredTasks merged(const MeasuredTasks& a, const MeasuredTasks& b);

}  // namespace commgauge::tasks
