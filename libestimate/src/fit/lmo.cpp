#include <algorithm>
#include <iterator>

#include "commgauge/base/places.hpp"
#include "commgauge/base/text.hpp"
#include "fit/additive/solver.hpp"
#include "fit/additive/warnings.hpp"
#include "fit/estimators.hpp"
#include "fit/fitted.hpp"

namespace commgauge {

namespace {

AdditiveParameters combine(const AdditiveSolver::Solution& empty,
                           const AdditiveSolver::Solution& full, Bytes size) {
  const int n = empty.round_trip.size();
  const double m = static_cast<double>(size.value);
  AdditiveParameters p{empty.root_cost, {}, Matrix(n), Matrix(n)};
  for (int i = 0; i < n; ++i) p.t.push_back((full.root_cost[at(i)] - p.C[at(i)]) / m);
  for (int i = 0; i < n; ++i) {
    for (int j = i + 1; j < n; ++j) {
      const double slope = (full.round_trip(i, j) - empty.round_trip(i, j)) / m;
      p.L.set_both(i, j, empty.round_trip(i, j) / 2 - p.C[at(i)] - p.C[at(j)]);
      p.inverse_beta.set_both(i, j, slope - p.t[at(i)] - p.t[at(j)]);
    }
  }
  return p;
}

}  // namespace

Estimation<AdditiveParameters> estimate_lmo(const TimeTable& table) {
  const auto size = one_to_two_size(table);
  if (!size) return {{}, "there are no one-to-two experiments"};
  const AdditiveSolver empty(table, Bytes{0});
  if (!empty.undetermined().empty()) return {{}, empty.undetermined()};
  const std::vector<double> fixed = empty.solve(table.times()).root_cost;
  const AdditiveSolver full(table, *size, fixed);
  if (!full.undetermined().empty()) return {{}, full.undetermined()};

  std::vector<std::size_t> used = empty.used();
  used.insert(used.end(), full.used().begin(), full.used().end());
  const auto solve = [&](std::span<const double> times) -> Solution<AdditiveParameters> {
    const auto at_zero = empty.solve(times);
    return {combine(at_zero, full.solve(times, at_zero.root_cost), *size), {}};
  };
  auto fitted = fit_replicates<AdditiveParameters>(table, used, solve);
  fitted.first = Bytes{0};
  fitted.last = *size;
  fitted.observations = static_cast<long>(used.size());
  const auto at_zero = empty.solve(table.times());
  const auto at_size = full.solve(table.times(), at_zero.root_cost);
  const double squares = empty.squared_residuals(at_zero, table.times()) +
                         full.squared_residuals(at_size, table.times(), at_zero.root_cost);
  const long n = table.ranks();
  fitted.residual = residual_of(squares, fitted.observations, 2 * n + n * (n - 1));

  std::vector<int> bound;
  std::ranges::set_union(empty.root_bound(), full.root_bound(), std::back_inserter(bound));
  for (int& rank : bound) rank = table.machine_rank(rank);
  if (!bound.empty()) {
    fitted.warnings.push_back(
        {.kind = "no_slow_peer",
         .count = std::ssize(bound),
         .problem = "no peer of rank " + comma_list(bound) +
                    " is slow enough for its reply to come after the rank is free again",
         .reason = "C > 2(L + C_s)",
         .advice = "C is a quarter of its one-to-twos there, which holds for a strictly serial "
                   "rank only"});
  }
  warn_of_fit(fitted, "LMO", table, *size);
  return {std::move(fitted), {}};
}

}  // namespace commgauge
