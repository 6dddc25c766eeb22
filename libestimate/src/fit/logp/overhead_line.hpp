#pragma once

#include <optional>
#include <span>
#include <vector>

#include "fit/logp/family.hpp"
#include "fit/logp/relative_weights.hpp"

namespace commgauge {

/// o′ + O·k of one side, by relative_weights().
class SizedOverheadLine {
 public:
  SizedOverheadLine(const std::vector<SizedRow>& rows, std::optional<Bytes> limit,
               std::span<const double> times) {
    for (const auto& [size, row] : rows) {
      if (!up_to(size, limit)) continue;
      sizes_.push_back(size);
      rows_.push_back(row);
    }
    if (usable()) weights_ = line_weights(sizes_, own(times));
  }
  [[nodiscard]] bool usable() const { return sizes_.size() >= 2; }
  [[nodiscard]] const std::vector<std::size_t>& rows() const { return rows_; }
  [[nodiscard]] Line solve(std::span<const double> times) const {
    return fit_line(sizes_, own(times), weights_);
  }

 private:
  [[nodiscard]] std::vector<double> own(std::span<const double> times) const {
    std::vector<double> y;
    for (const std::size_t row : rows_) y.push_back(times[row]);
    return y;
  }

  std::vector<double> sizes_;
  std::vector<std::size_t> rows_;
  std::vector<double> weights_;
};

}  // namespace commgauge
