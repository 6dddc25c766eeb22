#include "base/json_reader.hpp"
#include "commgauge/base/printable.hpp"

#include <cmath>

#include "commgauge/base/file_kind.hpp"

namespace commgauge::detail {

void Reader::fail(const std::string& reason) const {
  const std::string place = place_.empty() ? "top level" : place_;
  throw InputError(one_line(std::string{file_} + ": " + place + ": " + reason));
}

bool Reader::has(std::string_view key) const {
  return value_->is_object() && value_->contains(key);
}

Reader Reader::operator[](std::string_view key) const {
  if (!value_->is_object()) fail("is not an object");
  const auto member = value_->find(key);
  const std::string dot = place_.empty() ? "" : ".";
  std::string place = place_ + dot + std::string{key};
  static const Json nothing;
  if (member == value_->end()) Reader{nothing, file_, std::move(place)}.fail("is missing");
  return {*member, file_, std::move(place)};
}

Reader Reader::operator[](std::size_t index) const {
  return {(*value_)[index], file_, place_ + '[' + std::to_string(index) + ']'};
}

std::size_t Reader::size() const {
  if (!value_->is_array()) fail("is not an array");
  return value_->size();
}

void Reader::expect_size(std::size_t expected) const {
  if (size() == expected) return;
  fail("has " + std::to_string(size()) + " entries where " + std::to_string(expected) + " belong");
}

std::vector<std::string> Reader::keys() const {
  if (!value_->is_object()) fail("is not an object");
  std::vector<std::string> result;
  for (const auto& member : value_->items()) result.push_back(member.key());
  return result;
}

double Reader::number() const {
  if (!value_->is_number()) fail("is not a finite number");
  const double x = value_->get<double>();
  if (!std::isfinite(x)) fail("is not a finite number");
  return x;
}

double Reader::non_negative() const {
  const double x = number();
  if (x < 0) fail("is negative");
  return x;
}

double Reader::positive() const {
  const double x = non_negative();
  if (x == 0) fail("is zero");
  return x;
}

double Reader::number_or_nan() const {
  return is_null() ? std::numeric_limits<double>::quiet_NaN() : number();
}

double Reader::number_or_nan(std::size_t index) const {
  const Json& element = (*value_)[index];
  if (element.is_null()) return std::numeric_limits<double>::quiet_NaN();
  if (const auto* const x = element.get_ptr<const double*>(); x != nullptr && std::isfinite(*x)) {
    return *x;
  }
  return (*this)[index].number();
}

double Reader::confidence() const {
  const double x = number();
  if (x <= 0 || x >= 1) fail("is not between 0 and 1");
  return x;
}

std::uint64_t Reader::unsigned_integer(std::uint64_t most) const {
  if (!value_->is_number_integer()) fail("is not an integer");
  if (!value_->is_number_unsigned()) fail("is negative");
  const auto x = value_->get<std::uint64_t>();
  if (x > most) fail("is larger than " + std::to_string(most));
  return x;
}

int Reader::index(int n, const char* what) const {
  const auto x = unsigned_integer(std::numeric_limits<std::uint64_t>::max());
  if (x >= static_cast<std::uint64_t>(n)) {
    fail("is not a " + std::string{what} + " (they are 0 to " + std::to_string(n - 1) + ")");
  }
  return static_cast<int>(x);
}

int Reader::number_of_ranks() const {
  const int n = count(most_ranks);
  if (n < 1) fail("is not at least 1");
  return n;
}

bool Reader::flag() const {
  if (!value_->is_boolean()) fail("is not true or false");
  return value_->get<bool>();
}

const std::string& Reader::text() const {
  if (!value_->is_string()) fail("is not a string");
  return value_->get_ref<const std::string&>();
}

std::vector<std::string> Reader::texts() const {
  std::vector<std::string> result;
  for (std::size_t i = 0; i < size(); ++i) result.push_back((*this)[i].text());
  return result;
}

long read_part(const Reader& json, long whole, const char* of_what) {
  const long part = json.count<long>();
  if (part > whole) json.fail(std::string{"is above "} + of_what);
  return part;
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t most = 60;
  const std::string shown{text.substr(0, most)};
  return '"' + shown + (text.size() > most ? "..." : "") + '"';
}

Json parse_json(const std::string& text, const std::string& file) {
  const auto start = text.find_first_not_of(" \t\r\n");
  if (start == std::string::npos) throw InputError(one_line(file + ": top level: is empty"));
  const auto kind = kind_of(text, text[start] == '{' ? "" : file);
  if (kind && !kind->name.starts_with("commgauge.")) {
    throw InputError(wrong_kind_text(file, *kind, "a JSON file of commgauge's"));
  }
  try {
    return Json::parse(text);
  } catch (const Json::exception& error) {
    std::string reason = error.what();
    if (const auto end = reason.find("] "); end != std::string::npos) reason.erase(0, end + 2);
    const std::string_view prefix = "parse error at ";
    const bool has_place = reason.rfind(prefix, 0) == 0;
    reason = has_place ? reason.substr(prefix.size()) : "top level: " + reason;
    constexpr std::size_t most = 240;
    if (reason.size() > most) reason = reason.substr(0, most) + "...";
    for (char& c : reason) {
      if (static_cast<unsigned char>(c) >= 0x80) c = '?';
    }
    throw InputError(one_line(file + ": " + reason));
  }
}

void Reader::fail_if_other_kind(std::string_view schema) const {
  const auto found = kind_of_schema((*this)["schema"].text());
  const auto wanted = kind_of_schema(schema);
  if (!found || !wanted || found->name == wanted->name) return;
  throw InputError(wrong_kind_text(std::string{file_}, *found, wanted->what));
}

void expect_schema(const Reader& root, std::string_view schema) {
  const Reader found = root["schema"];
  if (found.text() == schema) return;
  root.fail_if_other_kind(schema);
  found.fail("is " + in_quotes(found.text()) + " where only \"" + std::string{schema} +
             "\" is supported");
}

std::string_view read_schema(const Reader& root, std::string_view one, std::string_view other) {
  const Reader found = root["schema"];
  for (const std::string_view schema : {one, other}) {
    if (found.text() == schema) return schema;
  }
  root.fail_if_other_kind(one);
  found.fail("is " + in_quotes(found.text()) + " where only \"" + std::string{one} + "\" and \"" +
             std::string{other} + "\" are supported");
}

}  // namespace commgauge::detail
