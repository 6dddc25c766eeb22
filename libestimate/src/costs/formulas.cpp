#include "commgauge/costs/formulas.hpp"

#include <limits>

#include "commgauge/base/unknown_value.hpp"

namespace commgauge {

namespace {

struct Knot {
  double size{};
  double time{};
};

}  // namespace

double beyond(double eager_limit) {
  return std::nextafter(eager_limit, std::numeric_limits<double>::infinity());
}

/// Calls use(knot) for the known ones on one side of the limit, in their order, until it returns
/// false.
template <class Use>
void CurveReader::for_each_knot(const std::vector<Matrix>& curve, double limit, bool above,
                                Use&& use) const {
  for (std::size_t k = 0; k < sizes_.size(); ++k) {
    const Knot knot{static_cast<double>(sizes_[k].value), curve[k](from_, to_)};
    if ((knot.size > limit) != above || std::isnan(knot.time)) continue;
    if (!use(knot)) return;
  }
}

CostLine CurveReader::line(const std::vector<Matrix>& curve, double size, double limit) const {
  Knot left;
  Knot right;
  int count = 0;
  for_each_knot(curve, limit, size > limit, [&](const Knot& knot) {
    if (count >= 2 && right.size > size) return false;
    if (count > 0) left = right;
    right = knot;
    ++count;
    return true;
  });
  if (count == 1 && right.size == size) return {right.time, 0};
  if (count < 2) return {unknown_value, unknown_value};
  const double slope = (right.time - left.time) / (right.size - left.size);
  return {left.time - slope * left.size, slope};
}

CostLine CurveReader::line(const std::vector<Matrix>& curve, double size) const {
  return line(curve, size, limit_);
}

CostLine CurveReader::line_across(const std::vector<Matrix>& curve, double size) const {
  const CostLine own_side = line(curve, size, limit_);
  if (!std::isnan(own_side.fixed)) return own_side;
  return line(curve, size, std::numeric_limits<double>::infinity());
}

bool CurveReader::covers(const std::vector<Matrix>& curve, double size) const {
  bool from_below = false;
  bool from_above = false;
  for_each_knot(curve, limit_, size > limit_, [&](const Knot& knot) {
    from_below |= knot.size <= size;
    from_above |= knot.size >= size;
    return !(from_below && from_above);
  });
  return from_below && from_above;
}

void CurveReader::add_breaks(std::vector<double>& breaks) const {
  for (const Bytes bytes : sizes_) {
    const auto size = static_cast<double>(bytes.value);
    // A curve of one size only is known there, and nowhere beyond.
    breaks.insert(breaks.end(), {size, beyond(size)});
  }
  breaks.push_back(beyond(limit_));
}

}  // namespace commgauge
