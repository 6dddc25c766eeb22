#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "commgauge/measurements.hpp"
#include "commgauge/model.hpp"

namespace commgauge {

/// The measured times, once for each distinct experiment, with their replication.
///
/// A replicate is one pass of one launch, or one launch when at least two were merged. Where there
/// are fewer than three passes replicates are drawn instead, from the rows' own intervals.
class TimeTable {
 public:
  TimeTable(const Measurements& measurements, double confidence);

  [[nodiscard]] int ranks() const { return ranks_; }
  [[nodiscard]] const std::vector<Experiment>& experiments() const { return experiments_; }
  [[nodiscard]] std::optional<std::size_t> find(const Experiment& experiment) const;

  /// Mean over all replicates; times()[e] belongs to experiments()[e] [s].
  [[nodiscard]] std::span<const double> times() const { return means_; }
  /// One vector of times for each replicate that has all of `used`.
  [[nodiscard]] std::vector<std::span<const double>> replicates(
      std::span<const std::size_t> used) const;
  [[nodiscard]] ReplicateKind replicate_kind() const { return kind_; }
  [[nodiscard]] double confidence() const { return confidence_; }

 private:
  void add_replicates(const Measurements& measurements,
                      const std::vector<std::size_t>& row_experiment);
  void draw_replicates(const Measurements& measurements,
                       const std::vector<std::size_t>& row_experiment);

  int ranks_;
  double confidence_;
  std::vector<Experiment> experiments_;
  std::map<Experiment, std::size_t> index_;
  std::vector<double> means_;
  std::vector<std::vector<double>> replicates_;  ///< NaN where a replicate lacks an experiment
  ReplicateKind kind_{};
};

/// How far the mean of replicates may be from the truth, and how far a further replicate.
struct Spread {
  double mean_half_width{};  ///< confidence interval of the mean
  double next_half_width{};  ///< prediction interval of one more replicate
};

/// Spread of a quantity computed from every replicate; NaN when one of them is NaN or there are
/// fewer than two.
[[nodiscard]] Spread spread_of(std::span<const double> replicates, ReplicateKind kind,
                               double confidence);

}  // namespace commgauge
