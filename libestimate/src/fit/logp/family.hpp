#pragma once

#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "commgauge/costs/message_times.hpp"
#include "commgauge/model/model.hpp"
#include "fit/estimators.hpp"
#include "fit/logp/logp_rows.hpp"

// What the estimators of LogP, LogGP and LogGPS share.

namespace commgauge {

/// Of the values that are known; NaN where none is.
[[nodiscard]] double mean_known(const Matrix& m);

/// Whether a size is eager.
[[nodiscard]] bool up_to(double size, std::optional<Bytes> limit);

/// Adds the rows of a pair's floods, of the empty round trips between two ranks.
void add_floods(const LogPRows& pair, std::vector<std::size_t>& used);
void add_empty(const TimeTable& table, int i, int j, std::vector<std::size_t>& used);

/// RMS of predicted against measured one-way times in the range, relative to the predicted ones, as
/// predictions take it.
template <class Parameters>
[[nodiscard]] double one_way_residual(const TimeTable& table, const std::vector<LogPRows>& pairs,
                                      std::optional<Bytes> limit,
                                      const Fitted<Parameters>& fitted) {
  const double eager_limit =
      limit ? static_cast<double>(limit->value) : std::numeric_limits<double>::infinity();
  const Matrix empty = round_trips(table, Bytes{0}, table.times());
  double squares = 0;
  long count = 0;
  for (const LogPRows& pair : pairs) {
    for (const auto& [size, row] : pair.round_trips) {
      const bool is_inside = size >= static_cast<double>(fitted.first.value) &&
                             size <= static_cast<double>(fitted.last.value);
      if (!is_inside) continue;
      const double measured = table.times()[row] - empty(pair.from, pair.to) / 2;
      const double predicted = one_way(fitted.value, {pair.from, pair.to, size, eager_limit});
      const double miss = (predicted - measured) / predicted;
      if (!std::isfinite(miss)) continue;
      squares += miss * miss;
      ++count;
    }
  }
  return residual_of(squares, count, 0);
}

void warn_of_residual(double residual, std::vector<Diagnostic>& warnings);

[[nodiscard]] std::string pairs_text(long count);
/// That something holds for some pairs, and what it means. @param what  "g is below o"
void warn_if(long pairs, const std::string& kind, const std::string& what,
             const std::string& meaning, std::vector<Diagnostic>& warnings);
/// @param name  of a parameter, within a sentence: "G'"
void warn_of_negative(const std::string& name, const Matrix& high, const std::string& meaning,
                      std::vector<Diagnostic>& warnings);

/// Surely less, by their intervals.
[[nodiscard]] long count_less(const Matrix& high, const Matrix& low);

/// Why a latency may be negative.
inline constexpr const char* overlap =
    "o and the message's way overlap, or o was measured too long";

template <class Parameters>
void warn_of_missing(long measured, Fitted<Parameters>& fitted) {
  const int n = fitted.value.L.size();
  const long expected = static_cast<long>(n) * (n - 1);
  if (measured < expected) fitted.warnings.push_back(missing_pairs(measured, expected));
}

void warn_of_void_floods(const std::vector<LogPRows>& pairs, std::vector<Diagnostic>& warnings);

}  // namespace commgauge
