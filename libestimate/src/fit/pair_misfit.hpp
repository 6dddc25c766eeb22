#pragma once

#include <cmath>
#include <cstdint>
#include <string>

#include "commgauge/base/diagnostic.hpp"
#include "commgauge/base/text.hpp"
#include "fit/estimators.hpp"

namespace commgauge {

/// How far times of pairs are from those of a fit. The worst is what a user should know of.
class PairMisfit {
 public:
  /// @param miss  relative to the time
  /// @param from, to  numbers in the whole machine
  void add(double miss, double size, int from, int to) {
    squares_ += miss * miss;
    ++count_;
    if (!(std::abs(miss) > worst_)) return;
    worst_ = std::abs(miss);
    worst_size_ = size;
    from_ = from;
    to_ = to;
  }

  /// So many more were fitted to them.
  void add_parameters(long count) { parameters_ += count; }

  /// See residual_of().
  [[nodiscard]] double residual() const { return residual_of(squares_, count_, parameters_); }

  /// @param what  fits poorly
  [[nodiscard]] Diagnostic warning(const std::string& what) const {
    return {.kind = "poor_fit",
            .problem = what + ": residual " + percent(residual()) + ", worst " + percent(worst_) +
                       " at " + to_text(Bytes{static_cast<std::uint64_t>(worst_size_)}) +
                       " from rank " + std::to_string(from_) + " to rank " + std::to_string(to_)};
  }

 private:
  double squares_{};
  long count_{};
  long parameters_{};
  double worst_{};
  double worst_size_{};
  int from_{};
  int to_{};
};

}  // namespace commgauge
