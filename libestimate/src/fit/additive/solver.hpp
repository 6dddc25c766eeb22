#pragma once

#include <span>
#include <string>
#include <vector>

#include "commgauge/base/matrix.hpp"
#include "commgauge/plan/rounds.hpp"
#include "fit/time_table.hpp"

namespace commgauge {

/// Round trips of all pairs and serial one-to-twos, at one message size, solved together.
///
/// A one-to-two i→(f, s) with the slower peer s served last takes x_i + a_is: the round trip with
/// s, plus what serving f first costs the root. The round trips a_is are unknown too (they are
/// measured, with noise), but each stands in few equations and is eliminated, so what is solved
/// is n × n: O(n²) for the elimination, O(n³) for the solution.
///
/// That holds while the reply of f is taken in before the reply of s arrives. Where the root is
/// too slow for that, the one-to-two takes 2·x_i + 2·C_i whatever the peers are (4·C_i for empty
/// messages). Such triplets are left out where the root has others, and used that way where it
/// has none.
class AdditiveSolver {
 public:
  /// @param size  of the messages out; 0 for C itself.
  /// @param fixed_delays  C_i on the table's means; ignored for size 0.
  AdditiveSolver(const TimeTable& table, Bytes size, std::span<const double> fixed_delays = {});

  /// There is an equation for every rank and every pair; else a reason.
  [[nodiscard]] const std::string& undetermined() const { return undetermined_; }
  /// Ranks whose every triplet is bound by the root itself.
  [[nodiscard]] const std::vector<int>& root_bound() const { return root_bound_; }
  [[nodiscard]] const std::vector<std::size_t>& used() const { return used_; }
  [[nodiscard]] long observations() const;

  struct Solution {
    std::vector<double> root_cost;  ///< x_i: C_i at size 0, C_i + M·t_i at size M [s]
    Matrix round_trip;              ///< a_ij = a_ji, as fitted [s]
  };
  /// @param fixed_delays  C_i of this replicate; ignored for size 0.
  [[nodiscard]] Solution solve(std::span<const double> times,
                               std::span<const double> fixed_delays = {}) const;
  /// Sum of squared relative residuals of the solution.
  [[nodiscard]] double squared_residuals(const Solution& solution, std::span<const double> times,
                                         std::span<const double> fixed_delays = {}) const;

 private:
  enum class Branch { usual, root_bound, left_out };
  struct PairTimes {
    int i, j;
    std::vector<std::size_t> rows;  ///< one for each direction measured
  };
  struct Triplets {  ///< all one-to-twos of one root with the same peer served last
    int root, last;
    std::size_t pair;
    std::vector<std::size_t> rows;
    Branch branch;
  };

  void collect(const TimeTable& table);
  void choose_branches(std::span<const double> times, std::span<const double> fixed_delays);
  [[nodiscard]] double observed(const Triplets& triplets, std::span<const double> times) const;
  [[nodiscard]] double observed(const PairTimes& pair, std::span<const double> times) const;

  int n_;
  Bytes size_;
  std::vector<PairTimes> pairs_;
  std::vector<Triplets> triplets_;
  std::vector<double> weights_;  ///< of each experiment, 1/time² on the means
  std::vector<int> root_bound_;
  std::vector<std::size_t> used_;
  std::string undetermined_;
};

}  // namespace commgauge
