#pragma once

#include <cassert>
#include <cstddef>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "commgauge/base/pair_classes.hpp"

namespace commgauge {

/// A value for every ordered pair of ranks; the diagonal is NaN (there is nothing to say). Either
/// each pair has its own, or all pairs of a class have one.
class Matrix {
 public:
  Matrix() = default;
  explicit Matrix(int n, double fill = nothing)
      : n_{n}, values_(static_cast<std::size_t>(n) * static_cast<std::size_t>(n), fill) {
    for (int i = 0; i < n; ++i) (*this)(i, i) = nothing;
  }
  /// @pre classes != nullptr
  explicit Matrix(std::shared_ptr<const PairClasses> classes, double fill = nothing)
      : n_{classes->ranks()},
        values_(static_cast<std::size_t>(classes->classes()), fill),
        classes_{std::move(classes)} {}

  [[nodiscard]] int size() const { return n_; }
  /// Of pairs that have one value for their class, writing changes all of the class.
  [[nodiscard]] double& operator()(int i, int j) {
    if (classes_ && i == j) return diagonal_ = nothing;
    return values_[index(i, j)];
  }
  [[nodiscard]] double operator()(int i, int j) const {
    if (classes_ && i == j) return nothing;
    return values_[index(i, j)];
  }
  void set_both(int i, int j, double value) { (*this)(i, j) = (*this)(j, i) = value; }

  /// Which pairs have one value; null: each has its own.
  [[nodiscard]] const std::shared_ptr<const PairClasses>& classes() const { return classes_; }
  /// The same values for other ranks. @pre both have classes, as many
  [[nodiscard]] Matrix laid_out(std::shared_ptr<const PairClasses> others) const {
    assert(classes_ && classes_->classes() == others->classes());
    Matrix result;
    result.n_ = others->ranks();
    result.values_ = values_;
    result.classes_ = std::move(others);
    return result;
  }

  /// Row after row, n × n, or of each class, in their order. For element-wise work.
  [[nodiscard]] std::vector<double>& values() { return values_; }
  [[nodiscard]] const std::vector<double>& values() const { return values_; }
  /// Whether this one of the values is of a rank and itself.
  [[nodiscard]] bool is_diagonal(std::size_t place) const {
    return !classes_ && place % (static_cast<std::size_t>(n_) + 1) == 0;
  }

 private:
  static constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

  [[nodiscard]] std::size_t index(int i, int j) const {
    assert(i >= 0 && i < n_ && j >= 0 && j < n_);
    if (classes_) return static_cast<std::size_t>(classes_->class_of(i, j));
    return static_cast<std::size_t>(i) * static_cast<std::size_t>(n_) + static_cast<std::size_t>(j);
  }

  int n_{};
  std::vector<double> values_;
  std::shared_ptr<const PairClasses> classes_;
  double diagonal_{};
};

}  // namespace commgauge
