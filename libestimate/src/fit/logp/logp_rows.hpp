#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "commgauge/measurements/experiment.hpp"
#include "fit/time_table.hpp"

namespace commgauge {

/// A row of the table of times and the size that it is about [bytes].
struct SizedRow {
  double size{};
  std::size_t row{};
};

/// A flood, PRTT(n, d, k), and the round trip PRTT(1, 0, k) that is taken off.
struct FloodRow {
  double size{};
  std::size_t row{};
  std::size_t round_trip{};
  double messages{};
  double delay{};  ///< [s]

  /// Time from one message to the next, without the delay [s]: the gap, or o_s where there is one.
  [[nodiscard]] double each(std::span<const double> times) const {
    return (times[row] - times[round_trip]) / (messages - 1) - delay;
  }
};

/// What was measured of messages from one rank to another, ascending in size.
struct LogPRows {
  int from{};
  int to{};
  std::vector<SizedRow> round_trips;  ///< (k, 0)
  std::vector<SizedRow> sends;
  std::vector<SizedRow> receives;
  std::vector<FloodRow> floods;
  std::vector<FloodRow> delayed;
  long void_floods{};  ///< left out: no longer than one message's round trip
};

/// Ordered pairs with overheads or floods, checks and steps of o(P) left out. @param receive  the
/// kind of their receiving overheads.
[[nodiscard]] std::vector<LogPRows> logp_rows(const TimeTable& table, Kind receive);

/// Distinct sizes that fulfil `keep`.
template <class Rows, class Keep>
[[nodiscard]] long count_sizes(const Rows& rows, Keep&& keep) {
  long count = 0;
  double previous = -1;
  for (const auto& row : rows) {
    if (row.size != previous && keep(row.size)) ++count;
    previous = row.size;
  }
  return count;
}

/// The row of a size, or nothing.
[[nodiscard]] std::optional<std::size_t> find_size(std::span<const SizedRow> rows, double size);

/// Mean gap of the floods of a size [s]; NaN where there are none.
[[nodiscard]] double gap_at(const LogPRows& pair, double size, std::span<const double> times);

/// Linear between the sizes, constant beyond. @pre !rows.empty()
[[nodiscard]] double interpolate(std::span<const SizedRow> rows, std::span<const double> times,
                                 double size);

}  // namespace commgauge
