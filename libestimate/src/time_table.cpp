#include "time_table.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <limits>
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
  [[nodiscard]] double uniform() {
    return (static_cast<double>(random_() >> 11) + 0.5) * 0x1p-53;
  }
  std::mt19937_64 random_;
};

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
  if (replicates_.size() < (kind_ == ReplicateKind::launches ? 2 : least_passes)) {
    draw_replicates(measurements, row_experiment);
  }
}

void TimeTable::add_replicates(const Measurements& measurements,
                               const std::vector<std::size_t>& row_experiment) {
  kind_ = measurements.launches.size() > 1 ? ReplicateKind::launches : ReplicateKind::passes;
  const auto replicate_of = [&](const Observation& row) {
    return kind_ == ReplicateKind::launches ? row.launch : row.pass;
  };
  std::map<int, std::size_t> order;
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

void TimeTable::draw_replicates(const Measurements& measurements,
                                const std::vector<std::size_t>& row_experiment) {
  kind_ = ReplicateKind::draws;
  std::vector<double> squares(experiments_.size(), 0.0);
  std::vector<double> counts(experiments_.size(), 0.0);
  for (std::size_t i = 0; i < row_experiment.size(); ++i) {
    const double error = standard_error(measurements.observations[i]);
    squares[row_experiment[i]] += error * error;
    counts[row_experiment[i]] += 1;
  }
  // Two passes tell little about their own spread, but what they tell is used.
  std::vector<double> between(experiments_.size(), 0.0);
  if (replicates_.size() == 2) {
    for (std::size_t e = 0; e < experiments_.size(); ++e) {
      const double difference = replicates_[0][e] - replicates_[1][e];
      if (!std::isnan(difference)) between[e] = difference * difference / 4;
    }
  }
  replicates_.assign(draw_count, means_);
  Normal normal(draw_seed);
  for (std::vector<double>& replicate : replicates_) {
    for (std::size_t e = 0; e < replicate.size(); ++e) {
      replicate[e] +=
          normal.next() * std::sqrt(std::max(between[e], squares[e] / (counts[e] * counts[e])));
    }
  }
}

std::optional<std::size_t> TimeTable::find(const Experiment& experiment) const {
  const auto found = index_.find(experiment);
  if (found == index_.end()) return std::nullopt;
  return found->second;
}

std::vector<std::span<const double>> TimeTable::replicates(
    std::span<const std::size_t> used) const {
  std::vector<std::span<const double>> complete;
  for (const std::vector<double>& replicate : replicates_) {
    if (std::ranges::none_of(used, [&](std::size_t e) { return std::isnan(replicate[e]); })) {
      complete.push_back(replicate);
    }
  }
  return complete;
}

Spread spread_of(std::span<const double> replicates, ReplicateKind kind, double confidence) {
  if (replicates.size() < 2 || std::ranges::any_of(replicates, [](double value) {
        return !std::isfinite(value);
      })) {
    return {missing, missing};
  }
  const auto count = static_cast<double>(replicates.size());
  const double half =
      student_quantile(confidence, count - 1) * std::sqrt(variance(replicates));
  if (kind == ReplicateKind::draws) return {half, half};
  return {half / std::sqrt(count), half * std::sqrt(1 + 1 / count)};
}

}  // namespace commgauge
