#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <vector>

#include "commgauge/base/units.hpp"

namespace commgauge::testing {

/// Residual sums of squares of any segment, in exact arithmetic.
class ExactSegments {
 public:
  using Integer = boost::multiprecision::cpp_int;
  using Rational = boost::multiprecision::cpp_rational;

  ExactSegments(std::span<const Bytes> sizes, std::span<const Seconds> times,
                std::span<const double> weights)
      : sums_(1) {
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const Integer x = sizes[i].value;
      const Rational y(times[i].value);
      const Rational w(weights.empty() ? 1.0 : weights[i]);
      const Integer y_units = whole(y, y_bits_);
      const Integer w_units = whole(w, w_bits_);
      const auto& last = sums_.back();
      sums_.push_back({last.w + w_units, last.x + w_units * x, last.y + w_units * y_units,
                       last.xx + w_units * x * x, last.xy + w_units * x * y_units,
                       last.yy + w_units * y_units * y_units});
    }
  }

  /// Of observations first ... last.
  [[nodiscard]] Rational rss(std::size_t first, std::size_t last) const {
    const auto& a = sums_[first];
    const auto& b = sums_[last + 1];
    const Integer w = b.w - a.w;
    const Integer x = b.x - a.x;
    const Integer y = b.y - a.y;
    const Integer sxx = w * (b.xx - a.xx) - x * x;
    const Integer sxy = w * (b.xy - a.xy) - x * y;
    const Integer syy = w * (b.yy - a.yy) - y * y;
    const Integer below = (w * sxx) << (2 * y_bits_ + w_bits_);
    return {Integer(syy * sxx - sxy * sxy), below};
  }

 private:
  struct Sums {
    Integer w, x, y, xx, xy, yy;
  };

  /// value * 2^bits. Throws unless that is whole.
  static Integer whole(const Rational& value, unsigned bits) {
    const Rational scaled = value * Rational(Integer(1) << bits);
    if (denominator(scaled) != 1) throw std::range_error("not a multiple of the unit");
    return numerator(scaled);
  }

  static constexpr unsigned y_bits_ = 110;
  static constexpr unsigned w_bits_ = 110;
  std::vector<Sums> sums_;
};

}  // namespace commgauge::testing
