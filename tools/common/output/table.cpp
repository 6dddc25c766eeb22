#include "common/output/table.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdio>
#include <utility>

#include "commgauge/base/printable.hpp"

namespace commgauge::tools {

namespace {

/// Columns on the screen: UTF-8's continuation bytes take none.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

/// As it can stand in a line: names in it are others'.
std::vector<std::string> shown(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = one_line(cell);
  return cells;
}

std::string format(const char* pattern, int digits, double value) {
  char text[64];
  std::snprintf(text, sizeof text, pattern, digits, value);
  return text;
}

}  // namespace

Table::Table(std::vector<std::string> header) { rows_.push_back(shown(std::move(header))); }

void Table::add(std::vector<std::string> row) {
  assert(row.size() == rows_.front().size());
  rows_.push_back(shown(std::move(row)));
}

std::string Table::text() const {
  std::vector<std::size_t> widths(rows_.front().size());
  for (const auto& row : rows_) {
    for (std::size_t k = 0; k < row.size(); ++k) widths[k] = std::max(widths[k], width(row[k]));
  }
  std::string text;
  for (const auto& row : rows_) {
    std::string line = "  ";
    for (std::size_t k = 0; k < row.size(); ++k) {
      const std::string space(widths[k] - width(row[k]), ' ');
      line += k == 0 ? row[k] + space : "  " + space + row[k];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string indented(const std::string& text) { return "  " + one_line(text) + "\n"; }

std::string number(double value, int digits) {
  if (std::isnan(value)) return "-";
  const double size = std::abs(value);
  if (size == 0 || size < 1e-4 || size >= 1e6) return format("%.*g", digits, value);
  const int decimals = digits - 1 - static_cast<int>(std::floor(std::log10(size)));
  return format("%.*f", std::max(decimals, 0), value);
}

namespace {

/// Of half widths too small to matter only a bound is shown: a tenth of the value's last digit.
std::string with_half_width(double value, double half) {
  constexpr double negligible = 1e-4;
  constexpr int digits = 3;
  if (half >= negligible * std::abs(value)) return number(value) + " ± " + number(half, 2);
  const double bound = std::pow(10.0, std::floor(std::log10(std::abs(value))) - digits);
  return number(value) + " ± <" + number(bound, 1);
}

}  // namespace

std::string with_interval(double value, double low, double high, double scale) {
  if (std::isnan(value)) return std::isnan(high) ? "-" : "<= " + number(high * scale);
  const double half = (high - low) / 2 * scale;
  if (std::isnan(half)) return number(value * scale);
  return with_half_width(value * scale, half);
}

std::string percent(double share) {
  constexpr double least_shown = 1e-4;
  if (std::isnan(share)) return "-";
  if (share > 0 && share < least_shown) return "< 0.01 %";
  return number(100 * share, share > 0.995 && share < 1 ? 3 : 2) + " %";
}

std::string counted(long count, const std::string& noun) {
  const bool hisses = noun.ends_with("ch") || noun.ends_with("s");
  return std::to_string(count) + " " + noun + (count == 1 ? "" : hisses ? "es" : "s");
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t k = 0; k < words.size(); ++k) {
    if (k > 0) text += k + 1 == words.size() ? " and " : ", ";
    text += words[k];
  }
  return text;
}

}  // namespace commgauge::tools
