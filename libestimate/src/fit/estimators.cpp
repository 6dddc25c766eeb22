#include "fit/estimators.hpp"

#include <cmath>
#include <limits>

namespace commgauge {

Diagnostic missing_pairs(long measured, long expected) {
  const long missing = expected - measured;
  return {.kind = "missing_pairs",
          .count = missing,
          .problem = std::to_string(missing) + " of " + std::to_string(expected) +
                     " pairs were not measured"};
}

Diagnostic launches_left_out(long count) {
  return {.kind = "launches_left_out",
          .count = count,
          .problem = std::to_string(count) + " launches can't determine it and are left out"};
}

double residual_of(double squares, long observations, long parameters) {
  if (observations <= parameters) return std::numeric_limits<double>::quiet_NaN();
  return std::sqrt(squares / static_cast<double>(observations - parameters));
}

std::vector<double> apart(std::vector<double> replicates, double centre, double half_width,
                          const SpreadRule& rule) {
  const double own = rule(replicates).mean_half_width;
  const double stretch = own > 0 ? half_width / own : 0;
  for (double& one : replicates) one = centre + stretch * (one - centre);
  return replicates;
}

Matrix round_trips(const TimeTable& table, Bytes size, std::span<const double> times) {
  Matrix sum(table.ranks(), 0.0);
  Matrix count(table.ranks(), 0.0);
  for (std::size_t row = 0; row < table.experiments().size(); ++row) {
    const Experiment& e = table.experiments()[row];
    if (e.kind != Kind::round_trip || e.check || e.out != size || e.back.value != 0) continue;
    const int j = e.peers.front();
    sum.set_both(e.root, j, sum(e.root, j) + times[row]);
    count.set_both(e.root, j, count(e.root, j) + 1);
  }
  for (std::size_t k = 0; k < sum.values().size(); ++k) sum.values()[k] /= count.values()[k];
  return sum;
}

std::optional<Bytes> one_to_two_size(const TimeTable& table) {
  std::optional<Bytes> largest;
  for (const Experiment& e : table.experiments()) {
    if (e.kind != Kind::one_to_k || e.check || e.out.value == 0) continue;
    if (!largest || e.out > *largest) largest = e.out;
  }
  return largest;
}

}  // namespace commgauge
