#include "thresholds/escalations/range_likelihood.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace commgauge {

namespace {

constexpr double extra_parameters = 3;  ///< of a range: two ends and a second rate
constexpr double impossible = -std::numeric_limits<double>::infinity();

double as_double(std::size_t count) { return static_cast<double>(count); }

/// The likelihood ratio of a change point is not chi-squared: P(2 LR <= x) = (1 - exp(-x / 2))^2
/// (Hansen 2000).
double change_point_quantile(double confidence) { return -2 * std::log(1 - std::sqrt(confidence)); }

}  // namespace

double Count::rate() const { return all > 0 ? as_double(escalated) / as_double(all) : 0; }

RateLikelihood::RateLikelihood(std::size_t most) : k_log_k_(most + 1) {
  for (std::size_t k = 2; k <= most; ++k) k_log_k_[k] = as_double(k) * std::log(as_double(k));
}

RangeLikelihood::RangeLikelihood(const RateLikelihood& rate, const std::vector<Count>& counts)
    : rate_{rate}, sums_(counts.size() + 1) {
  for (std::size_t p = 0; p < counts.size(); ++p) {
    sums_[p + 1] = {sums_[p].all + counts[p].all, sums_[p].escalated + counts[p].escalated};
  }
}

Count RangeLikelihood::inside(PointRange range) const {
  return {sums_[range.last + 1].all - sums_[range.first].all,
          sums_[range.last + 1].escalated - sums_[range.first].escalated};
}

Count RangeLikelihood::outside(PointRange range) const {
  const Count in = inside(range);
  return {sums_.back().all - in.all, sums_.back().escalated - in.escalated};
}

double RangeLikelihood::operator()(PointRange range) const {
  const Count in = inside(range);
  const Count out = outside(range);
  if (in.escalated * out.all <= out.escalated * in.all) return impossible;
  return rate_(in) + rate_(out);
}

template <class Use>
void RangeLikelihood::for_each_range(Use&& use) const {
  const std::size_t points = sums_.size() - 1;
  for (std::size_t first = 0; first < points; ++first) {
    for (std::size_t last = first; last < points; ++last) use(PointRange{first, last});
  }
}

PointRange RangeLikelihood::best() const {
  PointRange best;
  for_each_range([&](PointRange range) {
    if ((*this)(range) > (*this)(best)) best = range;
  });
  return best;
}

bool RangeLikelihood::prefers(PointRange range) const {
  const double gain = 2 * ((*this)(range)-rate_(sums_.back()));
  return gain > extra_parameters * std::log(as_double(sums_.back().all));
}

RangeEnds RangeLikelihood::likely_ends(PointRange best, double confidence) const {
  const double least = (*this)(best)-change_point_quantile(confidence) / 2;
  RangeEnds ends{best.first, best.first, best.last, best.last};
  for_each_range([&](PointRange range) {
    if ((*this)(range) < least) return;
    ends.first_low = std::min(ends.first_low, range.first);
    ends.first_high = std::max(ends.first_high, range.first);
    ends.last_low = std::min(ends.last_low, range.last);
    ends.last_high = std::max(ends.last_high, range.last);
  });
  return ends;
}

}  // namespace commgauge
