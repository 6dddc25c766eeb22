#pragma once

#include <limits>
#include <span>
#include <string>
#include <vector>

#include "commgauge/base/units.hpp"

namespace commgauge {

/// One size of a sweep.
struct SweepPoint {
  Bytes size;
  std::vector<double> times_s;  ///< of every repetition; at least one, positive
  /// Interval of the time, where a file brings one with a single time; else NaN.
  double low_s{std::numeric_limits<double>::quiet_NaN()};
  double high_s{std::numeric_limits<double>::quiet_NaN()};
  /// In which pass each repetition was taken, where that is known for all of them; else empty. A
  /// pass takes one repetition of several sizes, in a random order.
  std::vector<int> passes{};

  /// The median of the repetitions.
  [[nodiscard]] double time_s() const;
};

/// One operation timed over a range of sizes.
struct Sweep {
  /// `scatter` and `gather` (flat algorithms), `scatter_library` and `gather_library` (MPI's own);
  /// any other word, or none, where a file says so.
  std::string kind;
  int root{};
  int launch{};                    ///< index into Measurements::launches
  std::vector<SweepPoint> points;  ///< ascending, each size once
};

/// Adds repetitions of a size, in its place. @param passes  of each of them, or none
void add_times(Sweep& sweep, Bytes size, std::span<const double> times_s,
               std::span<const int> passes = {});

/// Whether each repetition's pass is known.
[[nodiscard]] bool has_passes(const Sweep& sweep);
constexpr int most_passes = 1'000'000;  ///< the largest number of a pass in a file
/// The number after the last pass; 0 where none is known.
[[nodiscard]] int next_pass(const Sweep& sweep);

/// CSV with a header: `kind,size_bytes,time_s[,low_s,high_s][,pass]`, columns in any order, `kind`
/// may be missing (one series). Rows in any order; several rows of one size are repetitions, and
/// then their low_s and high_s mean nothing.
/// @throws InputError  one line with file and line number: no header or rows, a missing column, a
///                     number that isn't one, a time that isn't positive, a low above the time.
[[nodiscard]] std::vector<Sweep> sweeps_from_csv(const std::string& text, const std::string& name);
/// A row for every repetition: `kind,size_bytes,time_s`, and `pass` where that is known of all.
/// @pre kinds without commas, quotes and control characters
[[nodiscard]] std::string to_csv(std::span<const Sweep> sweeps);

}  // namespace commgauge
