#include <algorithm>
#include <cmath>

#include "base/gsl.hpp"
#include "base/text.hpp"
#include "commgauge/base/error.hpp"
#include "commgauge/base/statistics.hpp"
#include "commgauge/fit/lom.hpp"
#include "fit/additive_solver.hpp"
#include "fit/estimators.hpp"
#include "fit/fitted.hpp"

namespace commgauge {

namespace {

constexpr double poor_fit = 0.05;
constexpr double asymmetric = 0.05;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

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
  const long links = static_cast<long>(n) * (n - 1) / 2;
  if (const long count = below_zero(fitted.high.inverse_beta)) {
    fitted.warnings.push_back("1/beta is negative for " + std::to_string(count) + " of " +
                              std::to_string(links) +
                              " links: per-byte times don't add on this machine (it pipelines); "
                              "the bottleneck model is made for that");
  }
  if (fitted.high.L.size() > 0) {
    if (const long count = below_zero(fitted.high.L)) {
      fitted.warnings.push_back("L is negative for " + std::to_string(count) + " of " +
                                std::to_string(links) +
                                " links: fixed delays of the ranks don't add either");
    }
  }
  const auto negative = [](double high) { return high < 0; };
  if (const auto count = std::ranges::count_if(fitted.high.t, negative)) {
    fitted.warnings.push_back("t is negative for " + std::to_string(count) + " ranks");
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
    where = "ranks " + std::to_string(e.root) + " and " + std::to_string(e.peers.front());
  }
  if (worst > asymmetric) {
    fitted.warnings.push_back("the two directions of a link differ by up to " + percent(worst) +
                              " (" + where + "): the model takes them for equal");
  }
}

void warn_of_poor_fit(Fitted<AdditiveParameters>& fitted, const std::string& name) {
  if (fitted.residual > poor_fit) {
    fitted.warnings.push_back(name + " doesn't explain its own experiments well: residual " +
                              percent(fitted.residual));
  }
}

/// The paper's estimator.
class LomFit {
 public:
  LomFit(const TimeTable& table, Bytes size) : table_{table}, size_{size} {
    const auto& experiments = table.experiments();
    for (std::size_t row = 0; row < experiments.size(); ++row) {
      const Experiment& e = experiments[row];
      if (e.check || e.back.value != 0) continue;
      const bool is_pair = e.kind == Kind::round_trip && (e.out == size || e.out.value == 0);
      const bool is_triplet = e.kind == Kind::one_to_k && e.peers.size() == 2 && e.out == size;
      if (is_triplet) triplets_.push_back(row);
      if (is_pair || is_triplet) used_.push_back(row);
    }
  }

  [[nodiscard]] std::span<const std::size_t> used() const { return used_; }

  [[nodiscard]] std::string undetermined() const {
    const int n = table_.ranks();
    if (n < 3) return "it takes at least three ranks";
    const Matrix empty = round_trips(table_, Bytes{0}, table_.times());
    const Matrix full = round_trips(table_, size_, table_.times());
    for (int i = 0; i < n; ++i) {
      for (int j = i + 1; j < n; ++j) {
        if (std::isnan(empty(i, j)) || std::isnan(full(i, j))) {
          return "round trips are missing for ranks " + std::to_string(i) + " and " +
                 std::to_string(j);
        }
      }
    }
    std::vector<bool> is_root(at(n), false);
    for (const std::size_t row : triplets_) is_root[at(table_.experiments()[row].root)] = true;
    const auto missing = std::ranges::find(is_root, false);
    if (missing == is_root.end()) return {};
    return "one-to-two experiments are missing for rank " +
           std::to_string(missing - is_root.begin());
  }

  [[nodiscard]] Solution<AdditiveParameters> solve(std::span<const double> times) const {
    const int n = table_.ranks();
    const double m = static_cast<double>(size_.value);
    const Matrix full = round_trips(table_, size_, times);
    AdditiveParameters p;
    p.C = lom_fixed_delays(round_trips(table_, Bytes{0}, times));
    p.t.assign(at(n), 0.0);
    std::vector<double> count(at(n), 0.0);
    for (const std::size_t row : triplets_) {
      const Experiment& e = table_.experiments()[row];
      p.t[at(e.root)] += (times[row] - full(e.root, e.peers.back()) - 2 * p.C[at(e.root)]) / m;
      count[at(e.root)] += 1;
    }
    for (int i = 0; i < n; ++i) p.t[at(i)] /= count[at(i)];
    p.inverse_beta = Matrix(n);
    for (int i = 0; i < n; ++i) {
      for (int j = i + 1; j < n; ++j) {
        const double fixed = 2 * p.C[at(i)] + 2 * p.C[at(j)];
        p.inverse_beta.set_both(i, j, (full(i, j) - fixed) / m - p.t[at(i)] - p.t[at(j)]);
      }
    }
    return {std::move(p), {}};
  }

  /// How the paper's own formulas reproduce the experiments.
  [[nodiscard]] double residual(const AdditiveParameters& p) const {
    const double m = static_cast<double>(size_.value);
    double squares = 0;
    for (const std::size_t row : used_) {
      const Experiment& e = table_.experiments()[row];
      const double time = table_.times()[row];
      const auto leg = [&](int j) {
        return 2 * p.C[at(j)] +
               static_cast<double>(e.out.value) * (p.t[at(j)] + p.inverse_beta(e.root, j));
      };
      const double c = p.C[at(e.root)];
      const double t = p.t[at(e.root)];
      const double fitted =
          e.kind == Kind::round_trip
              ? 2 * c + t * static_cast<double>(e.out.value) + leg(e.peers.front())
              : 4 * c + 2 * t * m + std::max(leg(e.peers.front()), leg(e.peers.back()));
      squares += (time - fitted) * (time - fitted) / (time * time);
    }
    const long n = table_.ranks();
    return residual_of(squares, static_cast<long>(used_.size()), 2 * n + n * (n - 1) / 2);
  }

 private:
  const TimeTable& table_;
  Bytes size_;
  std::vector<std::size_t> triplets_;
  std::vector<std::size_t> used_;
};

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

std::vector<double> lom_fixed_delays(const Matrix& empty) {
  const int n = empty.size();
  if (n < 3) throw FitError("LOM's fixed delays take at least three ranks: measure more");
  std::vector<double> row_sum(at(n), 0.0);
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      if (i != j) row_sum[at(i)] += empty(i, j);
    }
    sum += row_sum[at(i)] / 2;
  }
  std::vector<double> fixed;
  for (const double s : row_sum) fixed.push_back(((n - 1) * s - sum) / (2.0 * (n - 1) * (n - 2)));
  return fixed;
}

Estimation<AdditiveParameters> estimate_lom(const TimeTable& table) {
  const auto size = one_to_two_size(table);
  if (!size) return {{}, "there are no one-to-two experiments"};
  const LomFit fit(table, *size);
  if (const std::string reason = fit.undetermined(); !reason.empty()) return {{}, reason};
  auto fitted = fit_replicates<AdditiveParameters>(
      table, fit.used(), [&](std::span<const double> times) { return fit.solve(times); });
  fitted.first = Bytes{0};
  fitted.last = *size;
  fitted.observations = static_cast<long>(fit.used().size());
  fitted.residual = fit.residual(fitted.value);
  warn_of_poor_fit(fitted, "LOM");
  warn_of_negative(fitted);
  warn_of_asymmetry(fitted, table, *size);
  return {std::move(fitted), {}};
}

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
  if (!bound.empty()) {
    fitted.warnings.push_back(
        "no peer of rank " + comma_list(bound) +
        " is slow enough for its reply to come after the rank is free again (C > 2(L + C_s)): C "
        "is a quarter of its one-to-twos there, which holds for a strictly serial rank only");
  }
  warn_of_poor_fit(fitted, "LMO");
  warn_of_negative(fitted);
  warn_of_asymmetry(fitted, table, *size);
  return {std::move(fitted), {}};
}

}  // namespace commgauge
