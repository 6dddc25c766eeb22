#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace commgauge {

/// A line of a CSV file that knows its place.
struct CsvLine {
  const std::string* name{};  ///< of the file, for messages
  std::size_t number{};       ///< from 1
  std::string_view text;

  /// @throws InputError  one line: the file's name, the line's number, the problem.
  [[noreturn]] void fail(const std::string& problem) const;
};

/// The lines with something in them, without comments (#). A line ends with LF, CR LF or CR.
/// @param text, name  must outlive what is returned.
/// @throws InputError  a zero byte, or a quote: quoted fields are not read.
[[nodiscard]] std::vector<CsvLine> csv_lines(std::string_view text, const std::string& name);

/// What is between its commas, without blanks around.
[[nodiscard]] std::vector<std::string_view> csv_fields(std::string_view text);

/// The fields of a line below a header of so many. @throws InputError  it has more, or fewer
[[nodiscard]] std::vector<std::string_view> csv_fields(const CsvLine& line, std::size_t count);

/// Which field of the header is named so, if one is. @throws InputError  two are.
[[nodiscard]] std::optional<std::size_t> csv_column(const std::vector<std::string_view>& names,
                                                    std::string_view name, const CsvLine& header);

/// A finite number of seconds. @throws InputError  the field is no such number
[[nodiscard]] double csv_seconds(std::string_view field, const char* column, const CsvLine& line);

/// The shortest digits that mean this number.
void append_csv(std::string& out, double number);

}  // namespace commgauge
