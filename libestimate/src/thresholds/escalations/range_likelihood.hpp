#pragma once

#include <cstddef>
#include <vector>

namespace commgauge {

/// Repetitions of some sizes, and how many of them are escalated.
struct Count {
  std::size_t all{};
  std::size_t escalated{};
  /// Share of the repetitions; 0 of none.
  [[nodiscard]] double rate() const;
};

/// Points first ... last of a sweep.
struct PointRange {
  std::size_t first{};
  std::size_t last{};
};

/// Where a range may begin and end.
struct RangeEnds {
  std::size_t first_low{}, first_high{};
  std::size_t last_low{}, last_high{};
};

/// Binomial log-likelihood at the observed rate, by a table of k ln k: ranges are tried by the
/// thousand. Without the binomial coefficient, which is the same for all ranges.
class RateLikelihood {
 public:
  /// @param most  repetitions that a count may have.
  explicit RateLikelihood(std::size_t most);
  [[nodiscard]] double operator()(Count count) const {
    return k_log_k_[count.escalated] + k_log_k_[count.all - count.escalated] - k_log_k_[count.all];
  }

 private:
  std::vector<double> k_log_k_;
};

/// Log-likelihood of one rate of escalations inside a range of points and a smaller one outside;
/// -infinity where the rate inside is not the larger one. O(1) for a range.
class RangeLikelihood {
 public:
  /// @param rate  outlives this. @param counts  one for each point, at least one.
  RangeLikelihood(const RateLikelihood& rate, const std::vector<Count>& counts);

  [[nodiscard]] Count inside(PointRange range) const;
  [[nodiscard]] Count outside(PointRange range) const;
  [[nodiscard]] double operator()(PointRange range) const;

  /// The most likely range: of equals the first found, which is the shortest from its beginning.
  [[nodiscard]] PointRange best() const;

  /// Whether BIC prefers the range to one rate for all.
  [[nodiscard]] bool prefers(PointRange range) const;

  /// Profile intervals: the ends of all ranges that are not much less likely than the best one.
  [[nodiscard]] RangeEnds likely_ends(PointRange best, double confidence) const;

 private:
  template <class Use>
  void for_each_range(Use&& use) const;

  const RateLikelihood& rate_;
  std::vector<Count> sums_;  ///< at p those of the points before p
};

}  // namespace commgauge
