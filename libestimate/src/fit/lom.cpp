#include "commgauge/fit/lom.hpp"

#include <algorithm>
#include <cmath>

#include "commgauge/base/error.hpp"
#include "commgauge/base/places.hpp"
#include "fit/additive/warnings.hpp"
#include "fit/estimators.hpp"
#include "fit/fitted.hpp"

namespace commgauge {

namespace {

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
          return "round trips are missing for ranks " + std::to_string(table_.machine_rank(i)) +
                 " and " + std::to_string(table_.machine_rank(j));
        }
      }
    }
    std::vector<bool> is_root(at(n), false);
    for (const std::size_t row : triplets_) is_root[at(table_.experiments()[row].root)] = true;
    const auto missing = std::ranges::find(is_root, false);
    if (missing == is_root.end()) return {};
    return "one-to-two experiments are missing for rank " +
           std::to_string(table_.machine_rank(static_cast<int>(missing - is_root.begin())));
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
  warn_of_fit(fitted, "LOM", table, *size);
  return {std::move(fitted), {}};
}

}  // namespace commgauge
