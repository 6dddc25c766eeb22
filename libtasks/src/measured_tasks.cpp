#include "commgauge/tasks/measured_tasks.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include "commgauge/base/csv.hpp"
#include "commgauge/base/error.hpp"
#include "commgauge/base/file_kind.hpp"
#include "commgauge/base/files.hpp"
#include "commgauge/base/printable.hpp"

namespace commgauge::tasks {

namespace {

constexpr const char* what_to_write =
    "put i1,...,iN,time_s on the first line and a task's numbers and seconds on each below it";

struct Columns {
  std::size_t dimensions{};
  bool has_results{};
  [[nodiscard]] std::size_t count() const { return dimensions + 1 + (has_results ? 1 : 0); }
};

Columns columns_of(const CsvLine& header) {
  const std::vector<std::string_view> names = csv_fields(header.text);
  Columns columns;
  while (columns.dimensions < names.size() &&
         names[columns.dimensions] == "i" + std::to_string(columns.dimensions + 1)) {
    ++columns.dimensions;
  }
  columns.has_results = names.back() == "result_bytes";
  if (columns.dimensions == 0 || columns.count() != names.size() ||
      names[columns.dimensions] != "time_s") {
    header.fail("is no header of task times (it is " + as_quoted(header.text) +
                "): " + what_to_write);
  }
  return columns;
}

std::uint64_t read_integer(std::string_view field, const CsvLine& line) {
  std::uint64_t value = 0;
  const auto [stop, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (field.empty() || stop != field.data() + field.size() || error != std::errc{} || value == 0) {
    line.fail(as_quoted(field) +
              " is no number of a task (they are whole, from 1 on): write 1, 2, 3 ...");
  }
  return value;
}

double read_amount(std::string_view field, const char* column, const CsvLine& line) {
  const double value = csv_seconds(field, column, line);
  if (value < 0) {
    line.fail(std::string{column} + " " + as_quoted(field) +
              " is negative (no task takes less than nothing): measure that task again");
  }
  return value;
}

double read_size(std::string_view field, const CsvLine& line) {
  const double size = read_amount(field, "result_bytes", line);
  if (size > std::numeric_limits<std::uint32_t>::max()) {
    line.fail("result_bytes " + as_quoted(field) +
              " is more than 4 GiB (no message has that many): check its unit, bytes");
  }
  return size;
}

/// The file's rows in its order.
struct Rows {
  std::vector<std::uint64_t> integers;  ///< dimensions for each row
  std::vector<double> times_s;
  std::vector<double> result_bytes;
  std::vector<CsvLine> lines;
};

Rows rows_of(std::span<const CsvLine> lines, const Columns& columns) {
  Rows rows;
  rows.lines.assign(lines.begin(), lines.end());
  for (const CsvLine& line : lines) {
    const std::vector<std::string_view> fields = csv_fields(line, columns.count());
    for (std::size_t k = 0; k < columns.dimensions; ++k) {
      rows.integers.push_back(read_integer(fields[k], line));
    }
    rows.times_s.push_back(read_amount(fields[columns.dimensions], "time_s", line));
    if (columns.has_results) {
      rows.result_bytes.push_back(read_size(fields.back(), line));
    }
  }
  return rows;
}

Shape largest_of(const Rows& rows, std::size_t dimensions) {
  std::vector<std::uint64_t> counts(dimensions, 1);
  for (std::size_t i = 0; i < rows.integers.size(); ++i) {
    std::uint64_t& count = counts[i % dimensions];
    count = std::max(count, rows.integers[i]);
  }
  return Shape(std::move(counts));
}

void check_within(const Rows& rows, const Shape& shape) {
  for (std::size_t i = 0; i < rows.integers.size(); ++i) {
    const std::size_t k = i % shape.dimensions();
    if (rows.integers[i] <= shape.counts()[k]) continue;
    rows.lines[i / shape.dimensions()].fail(
        "i" + std::to_string(k + 1) + " is " + std::to_string(rows.integers[i]) + " (the shape " +
        to_text(shape) + " goes up to " + std::to_string(shape.counts()[k]) +
        "): give the right --shape, or leave the task out");
  }
}

MeasuredTasks in_order(const Rows& rows, Shape shape) {
  const std::size_t dimensions = shape.dimensions();
  std::vector<std::pair<std::uint64_t, std::size_t>> order;  // number, row
  for (std::size_t row = 0; row < rows.times_s.size(); ++row) {
    order.emplace_back(
        shape.number_of(std::span{rows.integers}.subspan(row * dimensions, dimensions)), row);
  }
  std::ranges::sort(order);
  const auto twice =
      std::ranges::adjacent_find(order, {}, &std::pair<std::uint64_t, std::size_t>::first);
  if (twice != order.end()) {
    rows.lines[std::next(twice)->second].fail(
        "task " + to_text(shape, twice->first) + " is there twice (see line " +
        std::to_string(rows.lines[twice->second].number) + "): leave one of them out");
  }
  MeasuredTasks measured{std::move(shape), {}, {}, {}};
  for (const auto& [number, row] : order) {
    measured.numbers.push_back(number);
    measured.times_s.push_back(rows.times_s[row]);
    if (!rows.result_bytes.empty()) measured.result_bytes.push_back(rows.result_bytes[row]);
  }
  return measured;
}

constexpr std::string_view planned = "# tasks of ";
constexpr std::string_view with_seed = ", seed ";

/// What the comment says.
struct Planned {
  Shape shape;
  std::uint64_t seed;
};

std::optional<Planned> planned_of(std::string_view text, const std::string& name) {
  const std::size_t start = text.find(planned);
  if (start == std::string_view::npos || (start > 0 && text[start - 1] != '\n')) return {};
  std::string_view line = text.substr(start + planned.size());
  line = line.substr(0, line.find_first_of("\r\n"));
  const std::size_t comma = line.find(with_seed);
  if (comma == std::string_view::npos) return {};
  const std::string_view digits = line.substr(comma + with_seed.size());
  std::uint64_t seed = 0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), seed);
  if (digits.empty() || stop != digits.data() + digits.size() || error != std::errc{}) return {};
  try {
    return Planned{parse_shape(line.substr(0, comma)), seed};
  } catch (const InputError& problem) {
    throw InputError(name + ": its comment on the plan: " + problem.what());
  }
}

void append_task(std::string& out, const Shape& shape, std::uint64_t number) {
  bool is_first = true;
  for (const std::uint64_t i : shape.task_of(number)) {
    out += (is_first ? "" : ",") + std::to_string(i);
    is_first = false;
  }
}

}  // namespace

MeasuredTasks tasks_from_csv(const std::string& text, const std::string& name,
                             const std::optional<Shape>& shape) {
  refuse_other_kinds(text, name, "CSV of tasks");
  const std::optional<Planned> plan = planned_of(text, name);
  if (plan && shape && plan->shape != *shape) {
    throw InputError(name + ": its tasks are of " + to_text(plan->shape) + ", not of " +
                     to_text(*shape) + " (so it says itself): give that --shape, or none");
  }
  const std::vector<CsvLine> lines = csv_lines(text, name);
  if (lines.empty()) throw InputError(name + ": is empty (nothing to read): " + what_to_write);
  const Columns columns = columns_of(lines.front());
  if (lines.size() == 1) {
    throw InputError(name + ": has no tasks (only a header): " + what_to_write);
  }
  const std::optional<Shape> known = plan ? plan->shape : shape;
  if (known && known->dimensions() != columns.dimensions) {
    lines.front().fail("names tasks by " + std::to_string(columns.dimensions) +
                       " integers (the shape " + to_text(*known) + " has " +
                       std::to_string(known->dimensions()) +
                       " dimensions): give the right --shape");
  }
  const Rows rows = rows_of(std::span{lines}.subspan(1), columns);
  if (!known) return in_order(rows, largest_of(rows, columns.dimensions));
  check_within(rows, *known);
  MeasuredTasks measured = in_order(rows, *known);
  if (plan) measured.seed = plan->seed;
  return measured;
}

MeasuredTasks load_tasks(const std::filesystem::path& file, const std::optional<Shape>& shape) {
  return tasks_from_csv(read_file(file), file.string(), shape);
}

MeasuredTasks equal_tasks(std::uint64_t count, Seconds each) {
  if (count < 1 || count > most_tasks) {
    throw InputError(std::to_string(count) + " tasks (from 1 to " + std::to_string(most_tasks) +
                     " are simulated): give another number");
  }
  if (!std::isfinite(each.value) || each.value < 0) {
    throw InputError(
        "a task's time is negative, or no number (none takes less than nothing): give 0 s or more");
  }
  MeasuredTasks all{Shape({count}),
                    std::vector<std::uint64_t>(count),
                    std::vector<double>(count, each.value),
                    {}};
  std::iota(all.numbers.begin(), all.numbers.end(), std::uint64_t{0});
  return all;
}

std::string csv_header(const Shape& shape, const std::string& more) {
  std::string header;
  for (std::size_t k = 1; k <= shape.dimensions(); ++k) {
    header += (k == 1 ? "i" : ",i") + std::to_string(k);
  }
  return header + more + "\n";
}

std::string to_csv(const MeasuredTasks& measured) {
  const bool has_results = !measured.result_bytes.empty();
  std::string out;
  if (measured.seed) {
    out += std::string{planned} + to_text(measured.shape) + std::string{with_seed} +
           std::to_string(*measured.seed) + "\n";
  }
  out += csv_header(measured.shape, has_results ? ",time_s,result_bytes" : ",time_s");
  for (std::size_t i = 0; i < measured.numbers.size(); ++i) {
    append_task(out, measured.shape, measured.numbers[i]);
    out += ',';
    append_csv(out, measured.times_s[i]);
    if (has_results) {
      out += ',';
      append_csv(out, measured.result_bytes[i]);
    }
    out += '\n';
  }
  return out;
}

std::string to_csv(const Shape& shape, const std::vector<std::uint64_t>& numbers) {
  std::string out = csv_header(shape);
  for (const std::uint64_t number : numbers) {
    append_task(out, shape, number);
    out += '\n';
  }
  return out;
}

MeasuredTasks merged(const MeasuredTasks& a, const MeasuredTasks& b) {
  if (a.shape != b.shape) {
    throw InputError("tasks of " + to_text(a.shape) + " and of " + to_text(b.shape) +
                     " (they are not of one program): give times of one shape");
  }
  if (a.result_bytes.empty() != b.result_bytes.empty()) {
    throw InputError(
        "one has result_bytes and the other doesn't (a result's size would be a guess): give it "
        "of all tasks, or of none");
  }
  if (a.seed && b.seed && a.seed != b.seed) {
    throw InputError("samples of seeds " + std::to_string(*a.seed) + " and " +
                     std::to_string(*b.seed) + " (they aren't one): give those of one seed");
  }
  MeasuredTasks all = a;
  if (b.seed) all.seed = b.seed;
  all.numbers.insert(all.numbers.end(), b.numbers.begin(), b.numbers.end());
  std::vector<std::size_t> order(all.numbers.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return all.numbers[i]; });
  const auto number_of = [&](std::size_t i) { return all.numbers[i]; };
  if (const auto twice = std::ranges::adjacent_find(order, {}, number_of); twice != order.end()) {
    throw InputError("task " + to_text(a.shape, number_of(*twice)) +
                     " was run twice (only one of its times can count): leave one of them out");
  }
  const auto rearranged = [&](const std::vector<double>& first, const std::vector<double>& second) {
    std::vector<double> values;
    for (const std::size_t i : order) {
      if (!first.empty()) values.push_back(i < first.size() ? first[i] : second[i - first.size()]);
    }
    return values;
  };
  all.times_s = rearranged(a.times_s, b.times_s);
  all.result_bytes = rearranged(a.result_bytes, b.result_bytes);
  std::ranges::sort(all.numbers);
  return all;
}

}  // namespace commgauge::tasks
