#include "fit/logp/family.hpp"

#include <algorithm>
#include <functional>

#include "commgauge/base/statistics.hpp"
#include "commgauge/base/text.hpp"

namespace commgauge {

namespace {

/// Pairs of which `holds(i, j)` is true.
long count_pairs(int n, const std::function<bool(int, int)>& holds) {
  long count = 0;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) count += i != j && holds(i, j);
  }
  return count;
}

/// "G_prime" of "G'".
std::string name_in_files(std::string name) {
  const auto prime = name.find('\'');
  return prime == std::string::npos ? name : name.replace(prime, 1, "_prime");
}

}  // namespace

double mean_known(const Matrix& m) {
  std::vector<double> known;
  std::ranges::copy_if(m.values(), std::back_inserter(known),
                       [](double value) { return !std::isnan(value); });
  return known.empty() ? std::numeric_limits<double>::quiet_NaN() : mean(known);
}

bool up_to(double size, std::optional<Bytes> limit) {
  return !limit || size <= static_cast<double>(limit->value);
}

void add_floods(const LogPRows& pair, std::vector<std::size_t>& used) {
  for (const FloodRow& flood : pair.floods) {
    used.push_back(flood.row);
    used.push_back(flood.round_trip);
  }
}

void add_empty(const TimeTable& table, int i, int j, std::vector<std::size_t>& used) {
  for (const auto& empty : {round_trip(i, j, {}, {}), round_trip(j, i, {}, {})}) {
    if (const auto row = table.find(empty)) used.push_back(*row);
  }
}

void warn_of_residual(double residual, std::vector<Diagnostic>& warnings) {
  if (!(residual > poor_fit)) return;
  warnings.push_back(
      {.kind = "poor_fit",
       .problem = "one-way times of the sizes that it covers are missed by " + percent(residual),
       .reason = "root mean square"});
}

std::string pairs_text(long count) {
  return std::to_string(count) + (count == 1 ? " pair" : " pairs");
}

void warn_if(long pairs, const std::string& kind, const std::string& what,
             const std::string& meaning, std::vector<Diagnostic>& warnings) {
  if (pairs == 0) return;
  warnings.push_back({.kind = kind,
                      .count = pairs,
                      .problem = what + " for " + pairs_text(pairs),
                      .advice = meaning});
}

void warn_of_negative(const std::string& name, const Matrix& high, const std::string& meaning,
                      std::vector<Diagnostic>& warnings) {
  warn_if(std::ranges::count_if(high.values(), [](double value) { return value < 0; }),
          "negative_" + name_in_files(name), name + " is negative", meaning, warnings);
}

long count_less(const Matrix& high, const Matrix& low) {
  return count_pairs(high.size(), [&](int i, int j) { return high(i, j) < low(i, j); });
}

void warn_of_void_floods(const std::vector<LogPRows>& pairs, std::vector<Diagnostic>& warnings) {
  long floods = 0;
  for (const LogPRows& pair : pairs) floods += pair.void_floods;
  if (floods == 0) return;
  warnings.push_back({.kind = "void_floods",
                      .count = floods,
                      .problem = std::to_string(floods) +
                                 " floods took no longer than one message and are left out",
                      .advice = "no gap is told"});
}

}  // namespace commgauge
