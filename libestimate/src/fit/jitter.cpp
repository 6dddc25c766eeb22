// How far single messages scatter, from the scatter of blocks of round trips.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "commgauge/base/statistics.hpp"
#include "commgauge/base/unknown_value.hpp"
#include "fit/estimators.hpp"
#include "fit/fitted.hpp"

namespace commgauge {

namespace {

constexpr std::size_t least_replicated_passes = 3;  ///< fewer are no replicates
constexpr std::size_t drawn_replicates = 20;

/// What a round trip scatters by: the variances of its messages, of which all but one are empty.
struct JitterRow {
  double variance{};  ///< of one round trip [s²]
  Bytes size;         ///< of the one that may have data
  int empty{};        ///< how many others
};

/// Of messages of a size, the median.
struct SizeJitter {
  double size{};
  double jitter{};
};

bool is_between_hosts(const Experiment& e, std::span<const std::string> hosts) {
  return hosts[static_cast<std::size_t>(e.root)] !=
         hosts[static_cast<std::size_t>(e.peers.front())];
}

/// A block is the mean of so many round trips, which scatter each by itself. Above the eager limit
/// a request is late, too.
JitterRow row_of(const Observation& row, std::optional<std::uint64_t> eager_limit) {
  const Experiment& e = row.experiment;
  const bool has_request = eager_limit && e.out.value > *eager_limit;
  return {row.sd_s * row.sd_s * row.block_length, e.out, has_request ? 2 : 1};
}

bool tells_jitter(const Observation& row) {
  constexpr int least_blocks = 3;
  return row.experiment.kind == Kind::round_trip && !row.experiment.check &&
         row.experiment.processes == 0 && row.experiment.back.value == 0 &&
         row.blocks >= least_blocks && row.block_length > 0;
}

/// Of an empty message [s²]; nothing: no round trip is of such alone.
std::optional<double> variance_of_empty(const std::vector<JitterRow>& rows) {
  std::vector<double> values;
  for (const JitterRow& row : rows) {
    if (row.size.value == 0) values.push_back(row.variance / (1 + row.empty));
  }
  if (values.empty()) return std::nullopt;
  return median(values);
}

/// Ascending by size. Where no round trip is of empty messages alone, all are taken for as late.
std::vector<SizeJitter> medians_by_size(const std::vector<JitterRow>& rows) {
  const std::optional<double> empty = variance_of_empty(rows);
  std::map<Bytes, std::vector<double>> by_size;
  for (const JitterRow& row : rows) {
    const bool is_known = empty && row.size.value > 0;
    const double variance =
        is_known ? row.variance - row.empty * *empty : row.variance / (1 + row.empty);
    by_size[row.size].push_back(std::sqrt(std::max(0.0, variance)));
  }
  std::vector<SizeJitter> medians;
  for (auto& [size, values] : by_size) {
    medians.push_back({static_cast<double>(size.value), median(values)});
  }
  return medians;
}

/// The line nearest to the medians, by relative distance: neither part is below zero.
MessageJitter line_of(const std::vector<JitterRow>& rows) {
  std::vector<SizeJitter> medians = medians_by_size(rows);
  std::erase_if(medians, [](const SizeJitter& one) { return !(one.jitter > 0); });
  double w = 0;
  double x = 0;
  double y = 0;
  double xx = 0;
  double xy = 0;
  for (const SizeJitter& one : medians) {
    const double weight = 1 / (one.jitter * one.jitter);
    w += weight;
    x += weight * one.size;
    y += weight * one.jitter;
    xx += weight * one.size * one.size;
    xy += weight * one.size * one.jitter;
  }
  if (medians.empty()) return {};
  const double determinant = w * xx - x * x;
  const double slope = determinant > 0 ? (w * xy - x * y) / determinant : 0;
  if (!(slope > 0)) return {.mean = y / w};
  const double fixed = (y - slope * x) / w;
  return fixed > 0 ? MessageJitter{fixed, slope} : MessageJitter{.per_byte = xy / xx};
}

std::vector<MessageJitter> lines_of_drawn(const std::vector<JitterRow>& rows) {
  std::mt19937 random(1);
  std::uniform_int_distribution<std::size_t> one(0, rows.size() - 1);
  std::vector<MessageJitter> lines;
  for (std::size_t k = 0; k < drawn_replicates; ++k) {
    std::vector<JitterRow> drawn;
    for (std::size_t i = 0; i < rows.size(); ++i) drawn.push_back(rows[one(random)]);
    lines.push_back(line_of(drawn));
  }
  return lines;
}

Fitted<MessageJitter> jitter_of_passes(const std::map<int, std::vector<JitterRow>>& passes,
                                       double confidence) {
  Fitted<MessageJitter> fit;
  std::vector<JitterRow> all;
  for (const auto& [pass, rows] : passes) {
    all.insert(all.end(), rows.begin(), rows.end());
    fit.replicates.push_back(line_of(rows));
  }
  const bool has_passes = passes.size() >= least_replicated_passes;
  if (!has_passes) fit.replicates = lines_of_drawn(all);
  fit.replicate_kind = has_passes ? ReplicateKind::passes : ReplicateKind::draws;
  const SpreadRule rule(fit.replicate_kind, fit.replicates.size(), confidence,
                        static_cast<int>(passes.size()));
  for (double MessageJitter::*const part : {&MessageJitter::mean, &MessageJitter::per_byte}) {
    std::vector<double> values;
    for (const MessageJitter& one : fit.replicates) values.push_back(one.*part);
    const Spread spread = rule(values);
    fit.value.*part = (has_passes ? mean(values) : line_of(all).*part) + spread.shift;
    fit.low.*part = std::max(0.0, fit.value.*part - spread.mean_half_width);
    fit.high.*part = fit.value.*part + spread.mean_half_width;
  }
  const auto [first, last] = std::ranges::minmax(all, {}, &JitterRow::size);
  fit.first = first.size;
  fit.last = last.size;
  fit.residual = unknown_value;
  fit.observations = std::ssize(all);
  return fit;
}

}  // namespace

Estimation<MessageJitter> estimate_jitter(const Measurements& measurements,
                                          std::span<const std::string> hosts, double confidence) {
  std::map<int, std::map<int, std::vector<JitterRow>>> launches;
  const bool has_network = std::ranges::any_of(measurements.observations, [&](const auto& row) {
    return tells_jitter(row) && is_between_hosts(row.experiment, hosts);
  });
  for (const Observation& row : measurements.observations) {
    if (!tells_jitter(row) || (has_network && !is_between_hosts(row.experiment, hosts))) continue;
    const Launch& launch = measurements.launches[static_cast<std::size_t>(row.launch)];
    launches[row.launch][row.pass].push_back(row_of(row, launch.eager_limit_bytes));
  }
  std::vector<Fitted<MessageJitter>> fits;
  for (const auto& [launch, passes] : launches)
    fits.push_back(jitter_of_passes(passes, confidence));
  if (fits.empty()) return {{}, "no round trips were timed in three blocks"};
  auto fit = fits.size() == 1 ? fits.front() : join_launches(fits, confidence);
  if (!(fit.value.mean > 0 || fit.value.per_byte > 0)) return {{}, "messages don't scatter"};
  return {std::move(fit), {}};
}

}  // namespace commgauge
