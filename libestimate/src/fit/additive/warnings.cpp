#include "fit/additive/warnings.hpp"

#include <algorithm>
#include <cmath>

#include "commgauge/base/text.hpp"
#include "fit/estimators.hpp"

namespace commgauge {

namespace {

constexpr double asymmetric = 0.05;

/// Links whose interval lies below zero altogether.
long below_zero(const Matrix& high) {
  long count = 0;
  for (int i = 0; i < high.size(); ++i) {
    for (int j = i + 1; j < high.size(); ++j) count += high(i, j) < 0;
  }
  return count;
}

void warn_of_negative(Fitted<AdditiveParameters>& fitted) {
  const int n = fitted.high.inverse_beta.size();
  const auto of_links = [links = static_cast<long>(n) * (n - 1) / 2](long count) {
    return std::to_string(count) + " of " + std::to_string(links) + " links";
  };
  if (const long count = below_zero(fitted.high.inverse_beta)) {
    fitted.warnings.push_back({.kind = "negative_inverse_beta",
                               .count = count,
                               .problem = "1/beta is negative for " + of_links(count),
                               .advice = "per-byte times don't add on this machine (it pipelines); "
                                         "the bottleneck model is made for that"});
  }
  if (fitted.high.L.size() > 0) {
    if (const long count = below_zero(fitted.high.L)) {
      fitted.warnings.push_back({.kind = "negative_L",
                                 .count = count,
                                 .problem = "L is negative for " + of_links(count),
                                 .advice = "fixed delays of the ranks don't add either"});
    }
  }
  const auto negative = [](double high) { return high < 0; };
  if (const auto count = std::ranges::count_if(fitted.high.t, negative)) {
    fitted.warnings.push_back({.kind = "negative_t",
                               .count = count,
                               .problem = "t is negative for " + std::to_string(count) + " ranks"});
  }
}

/// β_ij = β_ji is an assumption: says how far it is off.
void warn_of_asymmetry(Fitted<AdditiveParameters>& fitted, const TimeTable& table, Bytes size) {
  double worst = 0;
  std::string where;
  for (const Experiment& e : table.experiments()) {
    if (e.kind != Kind::round_trip || e.out != size || e.back.value != 0 || e.check) continue;
    if (e.root > e.peers.front()) continue;
    const auto there = table.find(e);
    const auto back = table.find(round_trip(e.peers.front(), e.root, size, Bytes{0}));
    if (!there || !back) continue;
    const double one = table.times()[*there];
    const double other = table.times()[*back];
    const double difference = std::abs(one - other) / std::max(one, other);
    if (difference <= worst) continue;
    worst = difference;
    where = "ranks " + std::to_string(table.machine_rank(e.root)) + " and " +
            std::to_string(table.machine_rank(e.peers.front()));
  }
  if (worst > asymmetric) {
    fitted.warnings.push_back(
        {.kind = "asymmetric_links",
         .problem = "the two directions of a link differ by up to " + percent(worst),
         .reason = where,
         .advice = "the model takes them for equal"});
  }
}

}  // namespace

void warn_of_fit(Fitted<AdditiveParameters>& fitted, const std::string& name,
                 const TimeTable& table, Bytes size) {
  if (fitted.residual > poor_fit) {
    fitted.warnings.push_back({.kind = "poor_fit",
                               .problem = name +
                                          " doesn't explain its own experiments well: residual " +
                                          percent(fitted.residual)});
  }
  warn_of_negative(fitted);
  warn_of_asymmetry(fitted, table, size);
}

}  // namespace commgauge
