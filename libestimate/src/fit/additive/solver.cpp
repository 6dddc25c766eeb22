#include "fit/additive/solver.hpp"

#include <algorithm>
#include <map>

#include "base/gsl.hpp"
#include "commgauge/base/error.hpp"

namespace commgauge {

namespace {

double mean_over(const std::vector<std::size_t>& rows, std::span<const double> times) {
  double sum = 0;
  for (const std::size_t row : rows) sum += times[row];
  return sum / static_cast<double>(rows.size());
}

}  // namespace

AdditiveSolver::AdditiveSolver(const TimeTable& table, Bytes size,
                               std::span<const double> fixed_delays)
    : n_{table.ranks()}, size_{size} {
  collect(table);
  if (!undetermined_.empty()) return;
  for (const double time : table.times()) weights_.push_back(1 / (time * time));
  choose_branches(table.times(), fixed_delays);
}

void AdditiveSolver::collect(const TimeTable& table) {
  std::map<Pair, std::size_t> pair_at;
  std::map<Pair, std::size_t> triplets_at;
  const auto& experiments = table.experiments();
  for (std::size_t row = 0; row < experiments.size(); ++row) {
    const Experiment& e = experiments[row];
    if (e.kind != Kind::round_trip || e.check || e.out != size_ || e.back.value != 0) continue;
    const int i = std::min(e.root, e.peers.front());
    const int j = std::max(e.root, e.peers.front());
    const auto [place, is_new] = pair_at.try_emplace(Pair{i, j}, pairs_.size());
    if (is_new) pairs_.push_back({i, j, {}});
    pairs_[place->second].rows.push_back(row);
    used_.push_back(row);
  }
  std::vector<bool> is_root(static_cast<std::size_t>(n_), false);
  for (std::size_t row = 0; row < experiments.size(); ++row) {
    const Experiment& e = experiments[row];
    const bool is_one_to_two = e.kind == Kind::one_to_k && e.peers.size() == 2 && !e.check &&
                               e.out == size_ && e.back.value == 0 && e.reply_order == e.peers;
    if (!is_one_to_two) continue;
    const int last = e.peers.back();
    const auto pair = pair_at.find(Pair{std::min(e.root, last), std::max(e.root, last)});
    if (pair == pair_at.end()) continue;
    const auto [place, is_new] = triplets_at.try_emplace(Pair{e.root, last}, triplets_.size());
    if (is_new) triplets_.push_back({e.root, last, pair->second, {}, Branch::usual});
    triplets_[place->second].rows.push_back(row);
    used_.push_back(row);
    is_root[static_cast<std::size_t>(e.root)] = true;
  }
  const auto pairs_wanted = static_cast<std::size_t>(n_) * static_cast<std::size_t>(n_ - 1) / 2;
  if (n_ < 3) {
    undetermined_ = "it takes at least three ranks";
  } else if (pairs_.size() < pairs_wanted) {
    undetermined_ = "round trips of " + to_text(size_) + " are missing for " +
                    std::to_string(pairs_wanted - pairs_.size()) + " pairs";
  } else if (const auto missing = std::ranges::find(is_root, false); missing != is_root.end()) {
    const auto rank = static_cast<int>(missing - is_root.begin());
    undetermined_ = "one-to-two experiments of " + to_text(size_) + " are missing for rank " +
                    std::to_string(table.machine_rank(rank));
  }
}

void AdditiveSolver::choose_branches(std::span<const double> times,
                                     std::span<const double> fixed_delays) {
  std::vector<bool> has_usual(static_cast<std::size_t>(n_), false);
  for (Triplets& t : triplets_) {
    const double pair = observed(pairs_[t.pair], times);
    const double difference = observed(t, times) - pair;
    const double fixed =
        fixed_delays.empty() ? difference : fixed_delays[static_cast<std::size_t>(t.root)];
    t.branch = difference + 2 * fixed <= pair ? Branch::usual : Branch::left_out;
    if (t.branch == Branch::usual) has_usual[static_cast<std::size_t>(t.root)] = true;
  }
  for (Triplets& t : triplets_) {
    if (!has_usual[static_cast<std::size_t>(t.root)]) t.branch = Branch::root_bound;
  }
  for (int i = 0; i < n_; ++i) {
    if (!has_usual[static_cast<std::size_t>(i)]) root_bound_.push_back(i);
  }
}

double AdditiveSolver::observed(const Triplets& triplets, std::span<const double> times) const {
  return mean_over(triplets.rows, times);
}

double AdditiveSolver::observed(const PairTimes& pair, std::span<const double> times) const {
  return mean_over(pair.rows, times);
}

long AdditiveSolver::observations() const { return static_cast<long>(used_.size()); }

AdditiveSolver::Solution AdditiveSolver::solve(std::span<const double> times,
                                               std::span<const double> fixed_delays) const {
  const auto n = static_cast<std::size_t>(n_);
  std::vector<double> normal(n * n, 0.0);
  std::vector<double> right(n, 0.0);
  /// One observation of a pair's round trip: value = a + x_root (or a alone, root < 0).
  struct Equation {
    int root;
    double value;
    double weight;
  };
  std::vector<std::vector<Equation>> of_pair(pairs_.size());
  for (std::size_t p = 0; p < pairs_.size(); ++p) {
    const double count = static_cast<double>(pairs_[p].rows.size());
    of_pair[p].push_back(
        {-1, observed(pairs_[p], times), count * mean_over(pairs_[p].rows, weights_)});
  }
  for (const Triplets& t : triplets_) {
    const double value = observed(t, times);
    const double weight = static_cast<double>(t.rows.size()) * mean_over(t.rows, weights_);
    if (t.branch == Branch::usual) of_pair[t.pair].push_back({t.root, value, weight});
    if (t.branch != Branch::root_bound) continue;
    const auto i = static_cast<std::size_t>(t.root);
    // Y = 4·C_i, or Y = 2·x_i + 2·C_i.
    const double factor = fixed_delays.empty() ? 4 : 2;
    const double rest = fixed_delays.empty() ? 0 : 2 * fixed_delays[i];
    normal[i * n + i] += weight * factor * factor;
    right[i] += weight * factor * (value - rest);
  }
  for (const auto& equations : of_pair) {
    double total = 0;
    for (const Equation& e : equations) total += e.weight;
    for (const Equation& e : equations) {
      for (const Equation& f : equations) {
        const double projected = (&e == &f ? e.weight : 0) - e.weight * f.weight / total;
        if (e.root < 0) continue;
        const auto row = static_cast<std::size_t>(e.root);
        right[row] += projected * f.value;
        if (f.root >= 0) normal[row * n + static_cast<std::size_t>(f.root)] += projected;
      }
    }
  }
  auto solved = gsl::solve_positive_definite(std::move(normal), std::move(right));
  if (!solved) throw FitError("the one-to-two experiments don't determine every rank's delay");

  Solution solution{std::move(*solved), Matrix(n_)};
  for (std::size_t p = 0; p < pairs_.size(); ++p) {
    double sum = 0;
    double total = 0;
    for (const Equation& e : of_pair[p]) {
      const double cost = e.root < 0 ? 0 : solution.root_cost[static_cast<std::size_t>(e.root)];
      sum += e.weight * (e.value - cost);
      total += e.weight;
    }
    solution.round_trip.set_both(pairs_[p].i, pairs_[p].j, sum / total);
  }
  return solution;
}

double AdditiveSolver::squared_residuals(const Solution& solution, std::span<const double> times,
                                         std::span<const double> fixed_delays) const {
  double sum = 0;
  const auto add = [&](std::size_t row, double fitted) {
    const double relative = (times[row] - fitted) / times[row];
    sum += relative * relative;
  };
  for (const PairTimes& pair : pairs_) {
    for (const std::size_t row : pair.rows) add(row, solution.round_trip(pair.i, pair.j));
  }
  for (const Triplets& t : triplets_) {
    const auto i = static_cast<std::size_t>(t.root);
    const double x = solution.root_cost[i];
    const double c = fixed_delays.empty() ? x : fixed_delays[i];
    const double usual = x + solution.round_trip(t.root, t.last);
    const double fitted = t.branch == Branch::usual ? usual : std::max(usual, 2 * x + 2 * c);
    for (const std::size_t row : t.rows) add(row, fitted);
  }
  return sum;
}

}  // namespace commgauge
