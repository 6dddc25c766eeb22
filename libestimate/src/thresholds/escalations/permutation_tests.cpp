#include "thresholds/escalations/permutation_tests.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <span>

#include "commgauge/base/shuffle.hpp"
#include "commgauge/base/statistics.hpp"

namespace commgauge {

namespace {

constexpr int permutations = 199;   ///< with what was observed 200: 5 % of them are 10
constexpr double by_chance = 0.05;  ///< level of the tests
constexpr std::uint64_t permutation_seed = 7;
constexpr double round_off = 1e-9;  ///< of a log-likelihood: an equally good range counts as such
constexpr double usual_gaps = 0.9;  ///< quantile: a sweep adds sizes in a few places
constexpr double close_gap = 0.55;  ///< of the usual one: an added size halves it
constexpr double widest_gap = std::numbers::ln2;  ///< an octave

double log_size(const SweepPoint& point) {
  return std::log(std::max(1.0, static_cast<double>(point.size.value)));
}

/// How far apart sizes lie where none were added between them: the logarithm of their ratio.
double usual_gap(const Sweep& sweep) {
  std::vector<double> gaps;
  for (std::size_t p = 1; p < sweep.points.size(); ++p) {
    const auto size = static_cast<double>(sweep.points[p].size.value);
    const auto before = static_cast<double>(sweep.points[p - 1].size.value);
    gaps.push_back(std::log(size / std::max(1.0, before)));
  }
  return gaps.empty() ? widest_gap : std::min(widest_gap, quantile(gaps, usual_gaps));
}

/// Whether hardly any of the arrangements has as good a range as what was observed.
/// @param rearranged  counts after a random permutation
template <class Rearranged>
bool stands_out(const RateLikelihood& rate, const std::vector<Count>& counts,
                Rearranged&& rearranged) {
  const RangeLikelihood observed(rate, counts);
  const double reached = observed(observed.best()) - round_off;
  std::mt19937_64 random{permutation_seed};
  int as_good = 1;
  for (int i = 0; i < permutations; ++i) {
    const std::vector<Count>& others = rearranged(random);
    const RangeLikelihood shuffled(rate, others);
    as_good += shuffled(shuffled.best()) >= reached ? 1 : 0;
  }
  return as_good <= by_chance * (permutations + 1);
}

}  // namespace

bool prefer_a_range(const RateLikelihood& rate, const std::vector<Count>& counts,
                    std::vector<Pass> passes) {
  return stands_out(
      rate, counts,
      [&, shuffled = counts](std::mt19937_64& random) mutable -> const std::vector<Count>& {
        for (Count& count : shuffled) count.escalated = 0;
        for (Pass& pass : passes) {
          shuffle(std::span{pass.points}, random);
          for (std::size_t i = 0; i < pass.points.size(); ++i) {
            shuffled[pass.points[i]].escalated += pass.escalated[i] ? 1 : 0;
          }
        }
        return shuffled;
      });
}

bool lie_together(const RateLikelihood& rate, std::vector<Count> counts) {
  std::erase_if(counts, [](Count count) { return count.all == 0; });
  std::vector<Count> shuffled = counts;
  return stands_out(rate, counts, [&](std::mt19937_64& random) -> const std::vector<Count>& {
    shuffle(std::span{shuffled}, random);
    return shuffled;
  });
}

std::vector<Count> pooled(const Sweep& sweep, const std::vector<Count>& counts) {
  const double gap = close_gap * usual_gap(sweep);
  std::vector<Count> pools;
  double begin = -std::numeric_limits<double>::infinity();
  for (std::size_t p = 0; p < counts.size(); ++p) {
    const double size = log_size(sweep.points[p]);
    if (size - begin >= gap) {
      pools.push_back({});
      begin = size;
    }
    pools.back().all += counts[p].all;
    pools.back().escalated += counts[p].escalated;
  }
  return pools;
}

bool neighbours_escalate(const std::vector<Count>& counts) {
  bool before = false;
  for (const Count& count : counts) {
    if (count.all == 0) continue;
    if (before && count.escalated > 0) return true;
    before = count.escalated > 0;
  }
  return false;
}

}  // namespace commgauge
