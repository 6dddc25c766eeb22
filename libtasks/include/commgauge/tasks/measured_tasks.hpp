#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "commgauge/base/units.hpp"
#include "commgauge/tasks/shape.hpp"

namespace commgauge::tasks {

/// What some of the tasks took where they were run, and how much their results are.
struct MeasuredTasks {
  Shape shape;
  std::vector<std::uint64_t> numbers;  ///< ascending, none twice
  std::vector<double> times_s;         ///< numbers[i] takes times_s[i]; 0 or more
  /// Of each result [bytes]; empty: the file doesn't say.
  std::vector<double> result_bytes;
  /// Of the sample that they were planned as; nothing: nobody said.
  std::optional<std::uint64_t> seed{};

  [[nodiscard]] bool has_all() const { return numbers.size() == shape.size(); }
};

/// Reads `i1,...,iN,time_s`, or with `result_bytes` as the last column; a line for each task, in
/// any order. A comment `# tasks of 256x256, seed 1` says which shape they have, and of which
/// sample they are.
///
/// @param name   of the file, for messages
/// @param shape  which tasks there are; nothing: as the comment says, or up to the largest of each
///               integer in the file
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

/// With the comment where the seed is known.
[[nodiscard]] std::string to_csv(const MeasuredTasks& measured);

/// Tasks without times, `i1,...,iN`: a list for a program that is to run them.
[[nodiscard]] std::string to_csv(const Shape& shape, const std::vector<std::uint64_t>& numbers);

/// Both together, ascending. @throws InputError  of two shapes; one says result sizes and the
/// other doesn't; a task is in both.
[[nodiscard]] MeasuredTasks merged(const MeasuredTasks& a, const MeasuredTasks& b);

}  // namespace commgauge::tasks
