#include "commgauge/measurements/sweep.hpp"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "commgauge/base/csv.hpp"
#include "commgauge/base/error.hpp"
#include "commgauge/base/file_kind.hpp"
#include "commgauge/base/printable.hpp"
#include "commgauge/base/statistics.hpp"
#include "commgauge/base/text.hpp"
#include "commgauge/base/unknown_value.hpp"

namespace commgauge {
namespace {

constexpr std::string_view what_to_write =
    "put kind,size_bytes,time_s on the first line and a row for each time below it";

bool has_passes(const SweepPoint& point) { return point.passes.size() == point.times_s.size(); }

using Row = CsvLine;

[[noreturn]] void fail(const std::string& name, const std::string& problem) {
  throw InputError(one_line(name + ": " + problem));
}

/// Where the known columns are.
struct Columns {
  std::size_t count{};
  std::size_t size{};
  std::size_t time{};
  std::optional<std::size_t> kind;
  std::optional<std::size_t> low;  ///< with `high`, or neither
  std::optional<std::size_t> high;
  std::optional<std::size_t> pass;
};

bool is_number(std::string_view text) {
  double x{};
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), x);
  return error != std::errc::invalid_argument && stop == text.data() + text.size();
}

[[noreturn]] void fail_without(std::string_view column, const Row& header) {
  const bool other_separator = header.text.find(',') == std::string_view::npos &&
                               header.text.find_first_of(";\t") != std::string_view::npos;
  header.fail("has no column " + std::string{column} + " (the header is " + as_quoted(header.text) +
              "): " +
              (other_separator ? "separate the columns by commas"
                               : "name the columns kind,size_bytes,time_s"));
}

Columns columns_of(const Row& header) {
  const std::vector<std::string_view> names = csv_fields(header.text);
  for (const std::string_view name : names) {
    if (!name.empty()) (void)csv_column(names, name, header);
  }
  const auto size = csv_column(names, "size_bytes", header);
  const auto time = csv_column(names, "time_s", header);
  if (!size && !time && std::any_of(names.begin(), names.end(), is_number)) {
    header.fail(
        "no header (the first line has numbers): put kind,size_bytes,time_s on the first "
        "line");
  }
  if (!size) fail_without("size_bytes", header);
  if (!time) fail_without("time_s", header);
  const Columns columns{names.size(),
                        *size,
                        *time,
                        csv_column(names, "kind", header),
                        csv_column(names, "low_s", header),
                        csv_column(names, "high_s", header),
                        csv_column(names, "pass", header)};
  if (columns.low.has_value() != columns.high.has_value()) {
    header.fail(std::string{"has only one of low_s and high_s"} +
                " (an interval has two ends): give both columns or neither");
  }
  return columns;
}

/// What people mean by `64KiB`, if anything.
std::string size_advice(std::string_view text) {
  try {
    return "write " + std::to_string(parse_size(text).value);
  } catch (const InputError&) {
    return "write plain digits";
  }
}

Bytes read_size(std::string_view text, const Row& line) {
  const std::string what = "size_bytes " + as_quoted(text);
  if (text.empty()) line.fail("size_bytes is empty (a row is one time of one size): fill it in");
  Bytes size;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, size.value);
  if (stop != end || error == std::errc::invalid_argument) {
    line.fail(what + " is not a whole number of bytes (no signs, fractions or units here): " +
              size_advice(text));
  }
  if (error != std::errc{} || size.value > detail::largest_size) {
    line.fail(what + " is too large (sizes go up to 2^63): check the column");
  }
  return size;
}

double read_time(std::string_view text, const Row& line) {
  if (text.empty()) line.fail("time_s is empty (a row is one time of one size): fill it in");
  const double time_s = csv_seconds(text, "time_s", line);
  if (time_s <= 0) {
    line.fail("time_s " + as_quoted(text) +
              " is not positive (no message takes no time): leave the row out, or time more "
              "repetitions together");
  }
  return time_s;
}

void read_interval(const std::vector<std::string_view>& fields, const Columns& columns,
                   const Row& line, SweepPoint& point) {
  if (!columns.low || !columns.high) return;
  const std::string_view low = fields[*columns.low];
  const std::string_view high = fields[*columns.high];
  if (low.empty() && high.empty()) return;
  if (low.empty() || high.empty()) {
    line.fail(std::string{low.empty() ? "low_s" : "high_s"} +
              " is empty beside the other end (an interval has two ends): give both or neither");
  }
  point.low_s = csv_seconds(low, "low_s", line);
  point.high_s = csv_seconds(high, "high_s", line);
  const double time_s = point.times_s.front();
  if (point.low_s > time_s) {
    line.fail("low_s " + as_quoted(low) +
              " is above time_s (an interval holds its value): check the columns");
  }
  if (point.high_s < time_s) {
    line.fail("high_s " + as_quoted(high) +
              " is below time_s (an interval holds its value): check the columns");
  }
}

int read_pass(std::string_view text, const Row& line) {
  int pass{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, pass);
  if (stop != end || error != std::errc{} || pass < 0 || pass > most_passes) {
    line.fail("pass " + as_quoted(text) +
              " is not a whole number (the repetitions that were taken in turn have the same): "
              "write 0, 1, 2 ..., or leave the column out");
  }
  return pass;
}

/// Passes of all repetitions, or of none.
void append_times(SweepPoint& point, std::span<const double> times_s, std::span<const int> passes) {
  const bool known = has_passes(point) && passes.size() == times_s.size();
  point.times_s.insert(point.times_s.end(), times_s.begin(), times_s.end());
  point.passes.insert(point.passes.end(), passes.begin(), passes.end());
  if (!known) point.passes.clear();
  point.low_s = point.high_s = unknown_value;
}

/// Rows in any order, gathered by kind and size.
class Gatherer {
 public:
  void add(std::string_view kind, SweepPoint point) {
    const auto [place, is_new] = index_.try_emplace(std::string{kind}, series_.size());
    if (is_new) series_.emplace_back();
    auto& points = series_[place->second];
    const auto known = points.find(point.size.value);
    if (known != points.end()) {
      append_times(known->second, point.times_s, point.passes);
    } else {
      points.emplace(point.size.value, std::move(point));
    }
  }

  /// In the order in which the kinds appeared.
  [[nodiscard]] std::vector<Sweep> sweeps() && {
    std::vector<Sweep> result(series_.size());
    for (const auto& [kind, i] : index_) {
      result[i].kind = kind;
      for (auto& [size, point] : series_[i]) result[i].points.push_back(std::move(point));
    }
    return result;
  }

 private:
  std::map<std::string, std::size_t> index_;
  std::vector<std::map<std::uint64_t, SweepPoint>> series_;
};

}  // namespace

double SweepPoint::time_s() const { return median(times_s); }

bool has_passes(const Sweep& sweep) {
  return std::ranges::all_of(sweep.points,
                             [](const SweepPoint& point) { return has_passes(point); });
}

int next_pass(const Sweep& sweep) {
  int next = 0;
  for (const SweepPoint& point : sweep.points) {
    for (const int pass : point.passes) next = std::max(next, pass + 1);
  }
  return next;
}

void add_times(Sweep& sweep, Bytes size, std::span<const double> times_s,
               std::span<const int> passes) {
  if (times_s.empty()) return;
  assert(std::all_of(times_s.begin(), times_s.end(), [](double t) { return t > 0; }));
  const auto place = std::lower_bound(sweep.points.begin(), sweep.points.end(), size,
                                      [](const SweepPoint& p, Bytes b) { return p.size < b; });
  if (place != sweep.points.end() && place->size == size) {
    append_times(*place, times_s, passes);
  } else {
    SweepPoint point{size, {times_s.begin(), times_s.end()}};
    point.passes.assign(passes.begin(), passes.end());
    sweep.points.insert(place, std::move(point));
  }
}

std::vector<Sweep> sweeps_from_csv(const std::string& text, const std::string& name) {
  refuse_other_kinds(text, name, "CSV of sweeps", {"sweeps"});
  const std::vector<Row> lines = csv_lines(text, name);
  if (lines.empty()) fail(name, "is empty (nothing to read): " + std::string{what_to_write});
  const Columns columns = columns_of(lines.front());
  if (lines.size() == 1) {
    fail(name, "has no rows (only a header): " + std::string{what_to_write});
  }
  Gatherer gatherer;
  for (const Row& line : std::span{lines}.subspan(1)) {
    const std::vector<std::string_view> fields = csv_fields(line, columns.count);
    SweepPoint point{read_size(fields[columns.size], line),
                     {read_time(fields[columns.time], line)}};
    read_interval(fields, columns, line, point);
    if (columns.pass) point.passes = {read_pass(fields[*columns.pass], line)};
    gatherer.add(columns.kind ? fields[*columns.kind] : std::string_view{}, std::move(point));
  }
  return std::move(gatherer).sweeps();
}

std::string to_csv(std::span<const Sweep> sweeps) {
  const bool passes =
      !sweeps.empty() && std::ranges::all_of(sweeps, [](const Sweep& s) { return has_passes(s); });
  std::string out = passes ? "kind,size_bytes,time_s,pass\n" : "kind,size_bytes,time_s\n";
  for (const Sweep& sweep : sweeps) {
    for (const SweepPoint& point : sweep.points) {
      const std::string start = sweep.kind + ',' + std::to_string(point.size.value) + ',';
      for (std::size_t r = 0; r < point.times_s.size(); ++r) {
        out += start;
        append_csv(out, point.times_s[r]);
        if (passes) out += ',' + std::to_string(point.passes[r]);
        out += '\n';
      }
    }
  }
  return out;
}

}  // namespace commgauge
