#include "fit/logp/family.hpp"

#include <algorithm>
#include <functional>

#include "base/text.hpp"
#include "commgauge/base/statistics.hpp"

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

void warn_of_residual(double residual, std::vector<std::string>& warnings) {
  if (!(residual > poor_fit)) return;
  warnings.push_back("one-way times of the sizes that it covers are missed by " +
                     percent(residual) + " (root mean square)");
}

std::string pairs_text(long count) {
  return std::to_string(count) + (count == 1 ? " pair" : " pairs");
}

void warn_if(long pairs, const std::string& before, const std::string& after,
             std::vector<std::string>& warnings) {
  if (pairs > 0) warnings.push_back(before + " for " + pairs_text(pairs) + after);
}

void warn_of_negative(const std::string& name, const Matrix& high, const std::string& meaning,
                      std::vector<std::string>& warnings) {
  warn_if(std::ranges::count_if(high.values(), [](double value) { return value < 0; }),
          name + " is negative", ": " + meaning, warnings);
}

long count_less(const Matrix& high, const Matrix& low) {
  return count_pairs(high.size(), [&](int i, int j) { return high(i, j) < low(i, j); });
}

void warn_of_void_floods(const std::vector<LogPRows>& pairs, std::vector<std::string>& warnings) {
  long floods = 0;
  for (const LogPRows& pair : pairs) floods += pair.void_floods;
  if (floods == 0) return;
  warnings.push_back(std::to_string(floods) +
                     " floods took no longer than one message and are left out: no gap is told");
}

}  // namespace commgauge
