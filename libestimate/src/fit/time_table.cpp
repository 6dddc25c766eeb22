#include "fit/time_table.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "commgauge/base/outliers.hpp"
#include "commgauge/base/statistics.hpp"
#include "commgauge/base/unknown_value.hpp"

namespace commgauge {

namespace {

constexpr std::size_t least_drawn_passes = 3;
constexpr int draw_count = 20;
constexpr std::uint64_t draw_seed = 20;
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

double mean_of_others(std::span<const double> values, const std::vector<bool>& left_out) {
  double sum = 0;
  double count = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (left_out[i]) continue;
    sum += values[i];
    count += 1;
  }
  return sum / count;
}

/// As many values whose mean, and the interval of whose mean, are those of the kept ones: these
/// moved apart, and their mean in the others' places. @pre two are kept.
std::vector<double> without(std::span<const double> values, const std::vector<bool>& left_out,
                            double confidence) {
  const auto n = static_cast<double>(values.size());
  const auto m = static_cast<double>(std::ranges::count(left_out, false));
  const double centre = mean_of_others(values, left_out);
  const double stretch = std::sqrt(n * (n - 1) / (m * (m - 1))) *
                         student_quantile(confidence, m - 1) / student_quantile(confidence, n - 1);
  std::vector<double> result(values.size(), centre);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!left_out[i]) result[i] += stretch * (values[i] - centre);
  }
  return result;
}

}  // namespace

TimeTable::TimeTable(const Measurements& measurements, double confidence)
    : ranks_{measurements.ranks()}, confidence_{confidence} {
  for (int rank = 0; rank < ranks_; ++rank) {
    machine_ranks_.push_back(measurements.machine_rank(rank));
  }
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
  std::map<int, std::vector<std::size_t>> passes;
  std::size_t next = 0;
  for (auto& [name, position] : order) {
    passes[name.first].push_back(next);
    position = next++;
  }

  const std::vector<double> zeros(experiments_.size(), 0.0);
  replicates_.assign(order.size(), zeros);
  std::vector<std::vector<double>> errors(order.size(), zeros);
  std::vector<std::vector<double>> counts(order.size(), zeros);
  for (std::size_t i = 0; i < row_experiment.size(); ++i) {
    const Observation& row = measurements.observations[i];
    const std::size_t replicate = order.at(replicate_of(row));
    replicates_[replicate][row_experiment[i]] += row.time_s;
    errors[replicate][row_experiment[i]] += standard_error(row);
    counts[replicate][row_experiment[i]] += 1;
  }
  for (std::size_t r = 0; r < replicates_.size(); ++r) {
    for (std::size_t e = 0; e < experiments_.size(); ++e) {
      const double count = counts[r][e];
      replicates_[r][e] = count > 0 ? replicates_[r][e] / count : unknown_value;
      errors[r][e] /= count;
    }
  }
  for (const auto& [launch, of_launch] : passes) leave_out(of_launch, errors);
  add_means();
}

void TimeTable::leave_out(std::span<const std::size_t> passes,
                          const std::vector<std::vector<double>>& errors) {
  std::vector<std::size_t> present;
  std::vector<double> times;
  std::vector<double> own_errors;
  for (std::size_t e = 0; e < experiments_.size(); ++e) {
    present.clear();
    times.clear();
    own_errors.clear();
    for (const std::size_t r : passes) {
      if (std::isnan(replicates_[r][e])) continue;
      present.push_back(r);
      times.push_back(replicates_[r][e]);
      own_errors.push_back(errors[r][e]);
    }
    measured_ += times.size();
    const std::vector<bool> outliers = stand_out(times, own_errors);
    const auto found = static_cast<std::size_t>(std::ranges::count(outliers, true));
    if (found == 0) continue;
    left_out_ += found;
    const std::vector<double> filled = without(times, outliers, confidence_);
    for (std::size_t k = 0; k < present.size(); ++k) replicates_[present[k]][e] = filled[k];
  }
}

void TimeTable::add_means() {
  means_.assign(experiments_.size(), 0.0);
  for (std::size_t e = 0; e < experiments_.size(); ++e) {
    double present = 0;
    for (const std::vector<double>& replicate : replicates_) {
      if (std::isnan(replicate[e])) continue;
      means_[e] += replicate[e];
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
  if (result.times.size() >= least_drawn_passes) return result;
  result = {ReplicateKind::draws, {}, draw()};
  result.times.assign(result.drawn.begin(), result.drawn.end());
  return result;
}

}  // namespace commgauge
