#include "commgauge/measurements/sweep.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/largest_size.hpp"
#include "base/one_line.hpp"
#include "commgauge/base/error.hpp"
#include "commgauge/base/statistics.hpp"

namespace commgauge {
namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
constexpr std::string_view what_to_write =
    "put kind,size_bytes,time_s on the first line and a row for each time below it";

bool has_passes(const SweepPoint& point) { return point.passes.size() == point.times_s.size(); }

using detail::quoted;

[[noreturn]] void fail(const std::string& name, const std::string& problem) {
  throw InputError(detail::one_line(name + ": " + problem));
}

/// A line of a file that knows its place.
struct Row {
  const std::string* name{};
  std::size_t number{};
  std::string_view text;

  [[noreturn]] void fail(const std::string& problem) const {
    commgauge::fail(*name, "line " + std::to_string(number) + ": " + problem);
  }
};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t";
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// The lines with something in them. A line ends with LF, CR LF or CR.
std::vector<Row> lines_of(std::string_view text, const std::string& name) {
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  std::vector<Row> result;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const auto end = std::min(text.find_first_of("\r\n"), text.size());
    const Row line{&name, number, trimmed(text.substr(0, end))};
    text.remove_prefix(end);
    text.remove_prefix(text.starts_with("\r\n") ? 2 : std::min<std::size_t>(1, text.size()));
    if (line.text.empty() || line.text.front() == '#') continue;
    if (line.text.find('\0') != std::string_view::npos) {
      line.fail("has a zero byte (a binary file, or UTF-16?): save it as plain text");
    }
    if (line.text.find('"') != std::string_view::npos) {
      line.fail("has a quote (quoted fields are not read): write the fields without quotes");
    }
    result.push_back(line);
  }
  return result;
}

std::vector<std::string_view> fields_of(std::string_view text) {
  std::vector<std::string_view> result;
  for (;;) {
    const auto comma = text.find(',');
    result.push_back(trimmed(text.substr(0, comma)));
    if (comma == std::string_view::npos) return result;
    text.remove_prefix(comma + 1);
  }
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

std::optional<std::size_t> find_column(const std::vector<std::string_view>& names,
                                       std::string_view name, const Row& header) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  if (std::find(found + 1, names.end(), name) != names.end()) {
    header.fail("has the column " + quoted(name) +
                " twice (which of them counts?): leave one of them out");
  }
  return static_cast<std::size_t>(found - names.begin());
}

[[noreturn]] void fail_without(std::string_view column, const Row& header) {
  const bool other_separator = header.text.find(',') == std::string_view::npos &&
                               header.text.find_first_of(";\t") != std::string_view::npos;
  header.fail("has no column " + std::string{column} + " (the header is " + quoted(header.text) +
              "): " +
              (other_separator ? "separate the columns by commas"
                               : "name the columns kind,size_bytes,time_s"));
}

Columns columns_of(const Row& header) {
  const std::vector<std::string_view> names = fields_of(header.text);
  for (const std::string_view name : names) {
    if (!name.empty()) (void)find_column(names, name, header);
  }
  const auto size = find_column(names, "size_bytes", header);
  const auto time = find_column(names, "time_s", header);
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
                        find_column(names, "kind", header),
                        find_column(names, "low_s", header),
                        find_column(names, "high_s", header),
                        find_column(names, "pass", header)};
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
  const std::string what = "size_bytes " + quoted(text);
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

double read_number(std::string_view text, const char* column, const Row& line) {
  double x{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, x);
  const std::string what = std::string{column} + ' ' + quoted(text);
  if (stop != end || error == std::errc::invalid_argument) {
    line.fail(what +
              " is not a number (times are plain seconds, without a unit): write it like "
              "0.0000125 or 1.25e-05");
  }
  if (error != std::errc{}) {
    line.fail(what + " is too short or too long for a time (in seconds): check its unit");
  }
  if (!std::isfinite(x)) {
    line.fail(what + " is not a finite number (times are seconds): leave the row out");
  }
  return x;
}

double read_time(std::string_view text, const Row& line) {
  if (text.empty()) line.fail("time_s is empty (a row is one time of one size): fill it in");
  const double time_s = read_number(text, "time_s", line);
  if (time_s <= 0) {
    line.fail("time_s " + quoted(text) +
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
  point.low_s = read_number(low, "low_s", line);
  point.high_s = read_number(high, "high_s", line);
  const double time_s = point.times_s.front();
  if (point.low_s > time_s) {
    line.fail("low_s " + quoted(low) +
              " is above time_s (an interval holds its value): check the columns");
  }
  if (point.high_s < time_s) {
    line.fail("high_s " + quoted(high) +
              " is below time_s (an interval holds its value): check the columns");
  }
}

int read_pass(std::string_view text, const Row& line) {
  int pass{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, pass);
  if (stop != end || error != std::errc{} || pass < 0 || pass > most_passes) {
    line.fail("pass " + quoted(text) +
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
  point.low_s = point.high_s = nothing;
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

void append(std::string& out, double x) {
  std::array<char, 32> digits{};
  const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), x);
  out.append(digits.data(), written.ptr);
}

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
  const std::vector<Row> lines = lines_of(text, name);
  if (lines.empty()) fail(name, "is empty (nothing to read): " + std::string{what_to_write});
  const Columns columns = columns_of(lines.front());
  if (lines.size() == 1) {
    fail(name, "has no rows (only a header): " + std::string{what_to_write});
  }
  Gatherer gatherer;
  for (const Row& line : std::span{lines}.subspan(1)) {
    const std::vector<std::string_view> fields = fields_of(line.text);
    if (fields.size() != columns.count) {
      line.fail("has " + std::to_string(fields.size()) + " fields where the header has " +
                std::to_string(columns.count) + " (every row has them all): check its commas");
    }
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
        append(out, point.times_s[r]);
        if (passes) out += ',' + std::to_string(point.passes[r]);
        out += '\n';
      }
    }
  }
  return out;
}

}  // namespace commgauge
