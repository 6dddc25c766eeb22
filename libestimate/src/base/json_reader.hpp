#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "commgauge/base/error.hpp"
#include "commgauge/base/units.hpp"

namespace commgauge::detail {

using Json = nlohmann::json;
/// Keeps members in the order in which they were added: what people read.
using OrderedJson = nlohmann::ordered_json;

/// More ranks than this in a file is taken for damage.
inline constexpr int most_ranks = 100'000;

/// A value of a JSON file that knows its place. Every accessor checks the type and the range and
/// throws InputError `file: place: reason`. Refers to the document and to the file's name.
class Reader {
 public:
  Reader(const Json& value, std::string_view file, std::string place)
      : value_{&value}, file_{file}, place_{std::move(place)} {}

  [[noreturn]] void fail(const std::string& reason) const;
  /// Of a whole file: unless it is of one of our kinds that isn't the schema's.
  void fail_if_other_kind(std::string_view schema) const;

  [[nodiscard]] bool is_null() const { return value_->is_null(); }

  [[nodiscard]] bool has(std::string_view key) const;

  /// A member that has to be there.
  [[nodiscard]] Reader operator[](std::string_view key) const;

  /// An element. @pre index < size()
  [[nodiscard]] Reader operator[](std::size_t index) const;

  /// Length of an array.
  [[nodiscard]] std::size_t size() const;

  void expect_size(std::size_t expected) const;

  [[nodiscard]] std::vector<std::string> keys() const;

  [[nodiscard]] double number() const;

  [[nodiscard]] double non_negative() const;

  [[nodiscard]] double positive() const;

  /// NaN where the file says null.
  [[nodiscard]] double number_or_nan() const;

  /// Likewise of an element, whose place is only made up where it is wrong: for long arrays.
  /// @pre index < size()
  [[nodiscard]] double number_or_nan(std::size_t index) const;

  /// A confidence level, strictly between 0 and 1.
  [[nodiscard]] double confidence() const;

  [[nodiscard]] std::uint64_t unsigned_integer(std::uint64_t most) const;

  template <class T = int>
  [[nodiscard]] T count(T most = std::numeric_limits<T>::max()) const {
    return static_cast<T>(unsigned_integer(static_cast<std::uint64_t>(most)));
  }

  [[nodiscard]] Bytes size_bytes() const { return {unsigned_integer(std::uint64_t{1} << 63U)}; }

  /// Below n; `what` names it in the message.
  [[nodiscard]] int index(int n, const char* what) const;

  /// A rank of a job of n.
  [[nodiscard]] int rank(int n) const { return index(n, "rank"); }

  /// How many ranks a job has.
  [[nodiscard]] int number_of_ranks() const;

  [[nodiscard]] bool flag() const;

  [[nodiscard]] const std::string& text() const;

  [[nodiscard]] std::vector<std::string> texts() const;

 private:
  const Json* value_;
  std::string_view file_;
  std::string place_;
};

/// A count that is part of another one, which `of_what` names.
[[nodiscard]] long read_part(const Reader& json, long whole, const char* of_what);

/// Foreign text in a message: quoted and not too long.
[[nodiscard]] std::string in_quotes(std::string_view text);

/// @throws InputError `file: line L, column C: reason`.
[[nodiscard]] Json parse_json(const std::string& text, const std::string& file);

/// @throws InputError unless the file says that it follows `schema`.
void expect_schema(const Reader& root, std::string_view schema);
/// Which of two it follows. @throws InputError  none.
[[nodiscard]] std::string_view read_schema(const Reader& root, std::string_view one,
                                           std::string_view other);

}  // namespace commgauge::detail
