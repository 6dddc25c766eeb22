#pragma once

#include <cassert>
#include <cstddef>
#include <limits>
#include <vector>

namespace commgauge {

/// A value for every ordered pair of ranks; the diagonal is NaN (there is nothing to say).
class Matrix {
 public:
  Matrix() = default;
  explicit Matrix(int n, double fill = std::numeric_limits<double>::quiet_NaN())
      : n_{n}, values_(static_cast<std::size_t>(n) * static_cast<std::size_t>(n), fill) {
    for (int i = 0; i < n; ++i) (*this)(i, i) = std::numeric_limits<double>::quiet_NaN();
  }

  [[nodiscard]] int size() const { return n_; }
  [[nodiscard]] double& operator()(int i, int j) { return values_[index(i, j)]; }
  [[nodiscard]] double operator()(int i, int j) const { return values_[index(i, j)]; }
  void set_both(int i, int j, double value) { (*this)(i, j) = (*this)(j, i) = value; }

  /// Row after row, n × n. For element-wise work.
  [[nodiscard]] std::vector<double>& values() { return values_; }
  [[nodiscard]] const std::vector<double>& values() const { return values_; }

 private:
  [[nodiscard]] std::size_t index(int i, int j) const {
    assert(i >= 0 && i < n_ && j >= 0 && j < n_);
    return static_cast<std::size_t>(i) * static_cast<std::size_t>(n_) + static_cast<std::size_t>(j);
  }

  int n_{};
  std::vector<double> values_;
};

}  // namespace commgauge
