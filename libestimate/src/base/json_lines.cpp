#include "base/json_lines.hpp"

#include <algorithm>

namespace commgauge::detail {

namespace {

bool is_scalar(const OrderedJson& json) { return !json.is_structured(); }

/// Scalars, and arrays and objects of scalars: 0 and 1; more levels: 2.
int depth(const OrderedJson& json) {
  if (is_scalar(json)) return 0;
  return std::all_of(json.begin(), json.end(), is_scalar) ? 1 : 2;
}

bool fits_one_line(const OrderedJson& json) {
  constexpr std::size_t most_members = 12;
  if (json.is_array()) return depth(json) < 2;
  return json.size() <= most_members &&
         std::all_of(json.begin(), json.end(), [](const OrderedJson& member) {
           return is_scalar(member) || (depth(member) < 2 && member.size() <= most_members);
         });
}

std::string compact(const OrderedJson& json) {
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

void append_lines(std::string& out, const OrderedJson& json, std::size_t indent) {
  constexpr std::size_t short_line = 100;
  if (is_scalar(json) || json.empty() || (json.is_array() && fits_one_line(json))) {
    out += compact(json);
    return;
  }
  if (fits_one_line(json)) {
    const std::string line = compact(json);
    if (line.size() <= short_line) {
      out += line;
      return;
    }
  }
  out += json.is_object() ? '{' : '[';
  const char* separator = "\n";
  for (const auto& member : json.items()) {
    out += separator;
    out.append(indent + 1, ' ');
    if (json.is_object()) out += compact(member.key()) + ": ";
    append_lines(out, member.value(), indent + 1);
    separator = ",\n";
  }
  out += '\n';
  out.append(indent, ' ');
  out += json.is_object() ? '}' : ']';
}

}  // namespace

std::string to_lines(const OrderedJson& json) {
  std::string out;
  append_lines(out, json, 0);
  out += '\n';
  return out;
}

}  // namespace commgauge::detail
