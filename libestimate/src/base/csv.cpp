#include "commgauge/base/csv.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>

#include "commgauge/base/error.hpp"
#include "commgauge/base/printable.hpp"
#include "commgauge/base/text.hpp"

namespace commgauge {

void CsvLine::fail(const std::string& problem) const {
  throw InputError(one_line(*name + ": line " + std::to_string(number) + ": " + problem));
}

std::vector<CsvLine> csv_lines(std::string_view text, const std::string& name) {
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  std::vector<CsvLine> result;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const auto end = std::min(text.find_first_of("\r\n"), text.size());
    const CsvLine line{&name, number, trimmed(text.substr(0, end))};
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

std::vector<std::string_view> csv_fields(std::string_view text) {
  std::vector<std::string_view> result;
  for (;;) {
    const auto comma = text.find(',');
    result.push_back(trimmed(text.substr(0, comma)));
    if (comma == std::string_view::npos) return result;
    text.remove_prefix(comma + 1);
  }
}

std::vector<std::string_view> csv_fields(const CsvLine& line, std::size_t count) {
  std::vector<std::string_view> fields = csv_fields(line.text);
  if (fields.size() != count) {
    line.fail("has " + std::to_string(fields.size()) + " fields where the header has " +
              std::to_string(count) + " (every row has them all): check its commas");
  }
  return fields;
}

std::optional<std::size_t> csv_column(const std::vector<std::string_view>& names,
                                      std::string_view name, const CsvLine& header) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  if (std::find(found + 1, names.end(), name) != names.end()) {
    header.fail("has the column " + as_quoted(name) +
                " twice (which of them counts?): leave one of them out");
  }
  return static_cast<std::size_t>(found - names.begin());
}

double csv_seconds(std::string_view field, const char* column, const CsvLine& line) {
  double x{};
  const char* const end = field.data() + field.size();
  const auto [stop, error] = std::from_chars(field.data(), end, x);
  const std::string_view what = column;
  const auto named = [&] { return std::string{what} + ' ' + as_quoted(field); };
  if (stop != end || error == std::errc::invalid_argument) {
    line.fail(named() +
              " is not a number (times are plain seconds, without a unit): write it like "
              "0.0000125 or 1.25e-05");
  }
  if (error != std::errc{}) {
    line.fail(named() + " is too short or too long for a time (in seconds): check its unit");
  }
  if (!std::isfinite(x)) {
    line.fail(named() + " is not a finite number (times are seconds): leave the row out");
  }
  return x;
}

void append_csv(std::string& out, double number) {
  std::array<char, 32> digits{};
  const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  out.append(digits.data(), written.ptr);
}

}  // namespace commgauge
