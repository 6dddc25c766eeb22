#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "commgauge/base/statistics.hpp"
#include "commgauge/tasks/measured_tasks.hpp"

namespace commgauge::tasks {

/// The measured tasks are all those whose integers are each one of a dimension's: a product of
/// subsets. The others lie between, where times are interpolated multilinearly (Mizutani, Ino,
/// Hagihara; equation (1), its first factor read as 1 - p).
class Grid {
 public:
  /// @throws InputError  tasks of the product are missing; the largest or the smallest integer of a
  ///                     dimension isn't among them: nothing is extrapolated.
  explicit Grid(const MeasuredTasks& measured);

  /// Values of all tasks. @param values  of the measured ones, in their order. O(tasks)
  [[nodiscard]] std::vector<double> interpolated(const std::vector<double>& values) const;

  /// The sum over all tasks, with what interpolation leaves open: every other of each dimension's
  /// integers is left out, and those that are left out are predicted; docs/method.md. Without ends
  /// (NaN) where a dimension of which some were not run has fewer than three.
  [[nodiscard]] Estimate total(const std::vector<double>& values, double confidence) const;

  /// By how much values differ from what is interpolated without them, where they do.
  [[nodiscard]] std::vector<double> residuals(const std::vector<double>& values) const;

 private:
  using Lines = std::vector<std::uint64_t>;  ///< ascending integers of one dimension

  [[nodiscard]] bool has_all() const;
  /// Whether a dimension's lines don't tell what is between them.
  [[nodiscard]] bool is_open() const;
  /// Each value as interpolated from every other line.
  [[nodiscard]] std::vector<double> without_themselves(const std::vector<double>& values) const;
  [[nodiscard]] double sum(const std::vector<double>& values, std::size_t stride) const;
  struct Missing {
    double variance{};  ///< of the sum, by what is left out [s^2]
    double dof{};
  };
  [[nodiscard]] Missing left_out(const std::vector<double>& values) const;

  Shape shape_;
  std::vector<Lines> lines_;
};

}  // namespace commgauge::tasks
