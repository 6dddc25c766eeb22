#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "commgauge/measurements.hpp"
#include "commgauge/model.hpp"

namespace commgauge {

/// Times of every experiment, several times over; times[r][e] belongs to experiments()[e] [s].
struct Replicates {
  ReplicateKind kind{};
  std::vector<std::span<const double>> times;
  std::vector<std::vector<double>> drawn;  ///< what `times` looks at when kind is draws
};

/// The measured times, once for each distinct experiment, with their replication.
///
/// A replicate is one pass of one launch. Where fewer than three are complete, replicates are drawn
/// from the rows' own intervals instead.
///
/// A time that stands out among the passes of its launch is left out: in its place stands the mean
/// of the others, and these lie so much further apart that the interval of their mean is that of as
/// many passes as are left.
class TimeTable {
 public:
  TimeTable(const Measurements& measurements, double confidence);

  [[nodiscard]] int ranks() const { return ranks_; }
  [[nodiscard]] const std::vector<Experiment>& experiments() const { return experiments_; }
  [[nodiscard]] std::optional<std::size_t> find(const Experiment& experiment) const;

  /// Mean over all replicates; times()[e] belongs to experiments()[e] [s].
  [[nodiscard]] std::span<const double> times() const { return means_; }
  /// Those replicates that have all of `used`, or drawn ones. Valid as long as the table.
  [[nodiscard]] Replicates replicates(std::span<const std::size_t> used) const;
  [[nodiscard]] double confidence() const { return confidence_; }
  /// How many times were left out, and of how many.
  [[nodiscard]] std::size_t left_out() const { return left_out_; }
  [[nodiscard]] std::size_t measured() const { return measured_; }

 private:
  void add_replicates(const Measurements& measurements,
                      const std::vector<std::size_t>& row_experiment);
  void leave_out(std::span<const std::size_t> passes,
                 const std::vector<std::vector<double>>& errors);
  void add_means();
  void add_errors(const Measurements& measurements, const std::vector<std::size_t>& row_experiment);
  [[nodiscard]] std::vector<std::vector<double>> draw() const;

  int ranks_;
  double confidence_;
  std::vector<Experiment> experiments_;
  std::map<Experiment, std::size_t> index_;
  std::vector<double> means_;
  std::vector<double> errors_;                   ///< of each mean, by its rows' intervals [s]
  std::vector<std::vector<double>> replicates_;  ///< NaN where a replicate lacks an experiment
  std::size_t left_out_{};
  std::size_t measured_{};
};

/// How far the mean of replicates may be from the truth, and how far a further replicate.
struct Spread {
  double mean_half_width{};  ///< confidence interval of the mean
  double next_half_width{};  ///< prediction interval of one more replicate
  /// To be added to what was computed from the mean of all: from their mean to that of the values
  /// as they count.
  double shift{};
};

/// Makes spreads of quantities that were computed from every replicate.
///
/// One replicate among many, whatever it is, hardly moves or widens them: of four or more a value
/// further from the others than normal ones are once in 28 counts as if it were that far (Winsor's
/// rule). A further launch may be such a one, too: the prediction interval of launches takes each
/// as it is.
class SpreadRule {
 public:
  /// @param passes  that each drawn replicate stands for; without meaning for the other kinds.
  SpreadRule(ReplicateKind kind, std::size_t count, double confidence, int passes = 1);

  /// NaN when one of the values is not finite or there are fewer than two.
  /// @pre as many values as replicates.
  [[nodiscard]] Spread operator()(std::span<const double> values) const;

 private:
  ReplicateKind kind_;
  bool draws_in_;
  double limit_;        ///< of a value's distance to the others, in their standard deviations
  double mean_factor_;  ///< half width per standard deviation
  double next_factor_;
};

/// Half width h of the interval value·e^−h to value·e^h in which one more replicate of a time is
/// expected: the spread of the replicates' logarithms, for times are above zero, and skewed where
/// they scatter much. Of replicates that are not all above zero log(1 + w/value), w their own half
/// width. @pre value > 0.
[[nodiscard]] double next_log_half_width(const SpreadRule& spread_of,
                                         std::span<const double> replicates, double value);

}  // namespace commgauge
