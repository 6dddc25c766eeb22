#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "commgauge/measurements/measurements.hpp"
#include "commgauge/model/model.hpp"

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
  /// Of each rank the number that it has in the whole machine: what people are told.
  [[nodiscard]] int machine_rank(int rank) const {
    return machine_ranks_[static_cast<std::size_t>(rank)];
  }
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
  std::vector<int> machine_ranks_;
  double confidence_;
  std::vector<Experiment> experiments_;
  std::map<Experiment, std::size_t> index_;
  std::vector<double> means_;
  std::vector<double> errors_;                   ///< of each mean, by its rows' intervals [s]
  std::vector<std::vector<double>> replicates_;  ///< NaN where a replicate lacks an experiment
  std::size_t left_out_{};
  std::size_t measured_{};
};

}  // namespace commgauge
