#include "time_table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include "commgauge/statistics.hpp"

namespace commgauge {

namespace {

constexpr std::size_t least_passes = 3;
constexpr int draw_count = 20;
constexpr std::uint64_t draw_seed = 20;
constexpr double missing = std::numeric_limits<double>::quiet_NaN();

/// Standard normal numbers, the same on every platform.
class Normal {
 public:
  explicit Normal(std::uint64_t seed) : random_{seed} {}
  [[nodiscard]] double next() {
    return std::sqrt(-2 * std::log(uniform())) * std::cos(2 * std::numbers::pi * uniform());
  }

 private:
  [[nodiscard]] double uniform() { return (static_cast<double>(random_() >> 11) + 0.5) * 0x1p-53; }
  std::mt19937_64 random_;
};

double square(double x) { return x * x; }

double standard_error(const Observation& row) {
  return (row.high_s - row.low_s) / 2 / normal_quantile(std::min(row.level, 0.9999));
}

}  // namespace

TimeTable::TimeTable(const Measurements& measurements, double confidence)
    : ranks_{measurements.ranks()}, confidence_{confidence} {
  for (const Observation& row : measurements.observations) index_.emplace(row.experiment, 0);
  for (auto& [experiment, index] : index_) {
    index = experiments_.size();
    experiments_.push_back(experiment);
  }
  std::vector<std::size_t> row_experiment;
  for (const Observation& row : measurements.observations) {
    row_experiment.push_back(index_.at(row.experiment));
  }
  add_replicates(measurements, row_experiment);
  add_errors(measurements, row_experiment);
}

void TimeTable::add_replicates(const Measurements& measurements,
                               const std::vector<std::size_t>& row_experiment) {
  const auto replicate_of = [](const Observation& row) { return std::pair(row.launch, row.pass); };
  std::map<std::pair<int, int>, std::size_t> order;
  for (const Observation& row : measurements.observations) order.emplace(replicate_of(row), 0);
  std::size_t next = 0;
  for (auto& [name, position] : order) position = next++;

  const std::vector<double> zeros(experiments_.size(), 0.0);
  replicates_.assign(order.size(), zeros);
  std::vector<std::vector<double>> counts(order.size(), zeros);
  for (std::size_t i = 0; i < row_experiment.size(); ++i) {
    const Observation& row = measurements.observations[i];
    const std::size_t replicate = order.at(replicate_of(row));
    replicates_[replicate][row_experiment[i]] += row.time_s;
    counts[replicate][row_experiment[i]] += 1;
  }
  means_ = zeros;
  for (std::size_t e = 0; e < experiments_.size(); ++e) {
    double present = 0;
    for (std::size_t r = 0; r < replicates_.size(); ++r) {
      double& time = replicates_[r][e];
      time = counts[r][e] > 0 ? time / counts[r][e] : missing;
      if (std::isnan(time)) continue;
      means_[e] += time;
      present += 1;
    }
    means_[e] /= present;
  }
}

void TimeTable::add_errors(const Measurements& measurements,
                           const std::vector<std::size_t>& row_experiment) {
  errors_.assign(experiments_.size(), 0.0);
  std::vector<double> counts(experiments_.size(), 0.0);
  for (std::size_t i = 0; i < row_experiment.size(); ++i) {
    errors_[row_experiment[i]] += square(standard_error(measurements.observations[i]));
    counts[row_experiment[i]] += 1;
  }
  for (std::size_t e = 0; e < errors_.size(); ++e) errors_[e] = std::sqrt(errors_[e]) / counts[e];
  // Two passes tell little about their own spread, but what they tell is used.
  if (replicates_.size() != 2) return;
  for (std::size_t e = 0; e < errors_.size(); ++e) {
    const double difference = std::abs(replicates_[0][e] - replicates_[1][e]);
    if (!std::isnan(difference)) errors_[e] = std::max(errors_[e], difference / 2);
  }
}

std::vector<std::vector<double>> TimeTable::draw() const {
  std::vector<std::vector<double>> drawn(draw_count, means_);
  Normal normal(draw_seed);
  for (std::vector<double>& times : drawn) {
    for (std::size_t e = 0; e < times.size(); ++e) times[e] += normal.next() * errors_[e];
  }
  return drawn;
}

std::optional<std::size_t> TimeTable::find(const Experiment& experiment) const {
  const auto found = index_.find(experiment);
  if (found == index_.end()) return std::nullopt;
  return found->second;
}

Replicates TimeTable::replicates(std::span<const std::size_t> used) const {
  Replicates result{ReplicateKind::passes, {}, {}};
  for (const std::vector<double>& replicate : replicates_) {
    if (std::ranges::none_of(used, [&](std::size_t e) { return std::isnan(replicate[e]); })) {
      result.times.emplace_back(replicate);
    }
  }
  if (result.times.size() >= least_passes) return result;
  result = {ReplicateKind::draws, {}, draw()};
  result.times.assign(result.drawn.begin(), result.drawn.end());
  return result;
}

SpreadRule::SpreadRule(ReplicateKind kind, std::size_t count, double confidence, int passes)
    : mean_factor_{missing}, next_factor_{missing} {
  if (count < 2) return;
  const auto n = static_cast<double>(count);
  const double quantile = student_quantile(confidence, n - 1);
  // A drawn replicate scatters as the mean of all passes does.
  const bool drawn = kind == ReplicateKind::draws;
  mean_factor_ = drawn ? quantile : quantile / std::sqrt(n);
  next_factor_ = quantile * std::sqrt(1 + (drawn ? passes : 1 / n));
}

Spread SpreadRule::operator()(std::span<const double> values) const {
  const bool finite =
      std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
  if (!finite || values.size() < 2) return {missing, missing};
  const double deviation = std::sqrt(variance(values));
  return {mean_factor_ * deviation, next_factor_ * deviation};
}

}  // namespace commgauge
