#include "costs/host_effects.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <random>
#include <span>
#include <utility>

#include "commgauge/base/places.hpp"
#include "commgauge/base/shuffle.hpp"
#include "commgauge/base/statistics.hpp"

namespace commgauge {

namespace {

constexpr int most_groups = 32;
constexpr double least_factor = 0.1;

double normal_at(double probability) {
  const double two_sided = std::abs(2 * probability - 1);
  if (two_sided < 1e-12) return 0;
  return std::copysign(normal_quantile(two_sided), probability - 0.5);
}

double uniform(std::mt19937_64& random) {
  constexpr double steps = 9007199254740992.0;  // 2^53
  return (static_cast<double>(random() >> 11U) + 0.5) / steps;
}

/// Of a sample of `count` normal values, ascending: what each is about (Blom), or drawn ones.
std::vector<double> ordinary_sample(int count) {
  constexpr double shift = 0.375;
  std::vector<double> values;
  for (int i = 1; i <= count; ++i)
    values.push_back(normal_at((i - shift) / (count + 1 - 2 * shift)));
  return values;
}
std::vector<double> drawn_sample(int count, std::mt19937_64& random) {
  std::vector<double> values;
  for (int i = 0; i < count; ++i) values.push_back(normal_at(uniform(random)));
  std::ranges::sort(values);
  return values;
}

/// Groups of single hosts take the extremes of a sample, those of several what lies between.
std::vector<double> dealt(const std::vector<double>& ascending, const std::vector<int>& group_sizes,
                          std::mt19937_64& random) {
  std::vector<std::size_t> singles;
  std::vector<std::size_t> others;
  for (std::size_t g = 0; g < group_sizes.size(); ++g) {
    (group_sizes[g] == 1 ? singles : others).push_back(g);
  }
  shuffle(std::span{singles}, random);
  shuffle(std::span{others}, random);
  std::vector<double> of_groups(group_sizes.size());
  const std::size_t low = others.empty() ? singles.size() : singles.size() / 2;
  for (std::size_t i = 0; i < low; ++i) of_groups[singles[i]] = ascending[i];
  for (std::size_t i = low; i < singles.size(); ++i) {
    of_groups[singles[i]] = ascending[ascending.size() - 1 - (i - low)];
  }
  std::size_t next = low;
  for (const std::size_t g : others) {
    const std::size_t size = at(group_sizes[g]);
    of_groups[g] = mean(std::span{ascending}.subspan(next, size));
    next += size;
  }
  return of_groups;
}

double factor_of(double spread, double z) { return std::max(least_factor, 1 + 2 * spread * z); }

double if_known(double spread) { return std::isnan(spread) ? 0 : spread; }

HostEffect host_effect_of(const RankKind& kind, double share, double z) {
  return {factor_of(share * if_known(kind.spread_fixed), z),
          factor_of(share * if_known(kind.spread_per_byte), z)};
}

int sum_of(const std::vector<int>& sizes) { return std::accumulate(sizes.begin(), sizes.end(), 0); }

/// By how much replicates have to differ more than hosts do, so that Student's interval made of
/// them is that of so many measured hosts.
double widening_by(int measured_hosts, std::size_t replicates, double confidence) {
  if (measured_hosts < 2) return 1;
  return student_quantile(confidence, measured_hosts - 1) /
         student_quantile(confidence, static_cast<double>(replicates) - 1);
}

}  // namespace

std::vector<double> standard_sample(std::size_t count, std::mt19937_64& random) {
  std::vector<double> values = ordinary_sample(static_cast<int>(count));
  const double deviation = std::sqrt(variance(values));
  for (double& value : values) value /= deviation;
  shuffle(std::span{values}, random);
  return values;
}

namespace {

/// Of the groups of hosts of one kind, by replicate, in standard deviations between hosts: what the
/// hosts differ by from their mean, and their mean from that of the measured ones.
std::vector<std::vector<double>> drawn_of_groups(const std::vector<int>& group_sizes,
                                                 int measured_hosts, std::size_t replicates,
                                                 double confidence, std::mt19937_64& random) {
  const int hosts = sum_of(group_sizes);
  const double widening = widening_by(measured_hosts, replicates, confidence);
  const double of_means = std::sqrt(1.0 / hosts + (measured_hosts < 2 ? 0 : 1.0 / measured_hosts));
  std::vector<std::vector<double>> drawn;
  for (const double shift : standard_sample(replicates, random)) {
    const std::vector<double> sample = drawn_sample(hosts, random);
    const double centre = mean(sample);
    drawn.push_back(dealt(sample, group_sizes, random));
    for (double& z : drawn.back()) z = widening * (z - centre + of_means * shift);
  }
  return drawn;
}

/// Which group each of so many hosts of a kind is of: some alone, evenly among the others.
std::vector<int> groups_of_hosts(int hosts, int groups) {
  std::vector<int> of_hosts;
  const int singles = hosts <= groups ? hosts : groups / 2;
  const int blocks = std::max(1, groups - singles);
  int next_single = 0;
  int next_block = 0;
  for (int host = 0; host < hosts; ++host) {
    const bool is_single = static_cast<std::int64_t>(host + 1) * singles / hosts > next_single;
    of_hosts.push_back(is_single ? next_single++ : singles + next_block++ % blocks);
  }
  return of_hosts;
}

bool differs(const RankKind& kind) {
  return if_known(kind.spread_fixed) > 0 || if_known(kind.spread_per_byte) > 0;
}

/// Of so many hosts of a kind, among all.
std::vector<int> groups_of_kind(const RankKind& kind, int hosts, int all) {
  constexpr int fewest = 4;
  if (!differs(kind)) return std::vector<int>(at(hosts), 0);
  const auto share = static_cast<int>(std::int64_t{most_groups} * hosts / all);
  return groups_of_hosts(hosts, std::max(fewest, share));
}

}  // namespace

HostEffects::HostEffects(std::vector<RankKind> kinds, const std::vector<int>& kinds_of_hosts)
    : kinds_{std::move(kinds)}, groups_of_hosts_(kinds_of_hosts.size()) {
  std::map<int, std::vector<std::size_t>> hosts_of;
  for (std::size_t host = 0; host < kinds_of_hosts.size(); ++host) {
    hosts_of[kinds_of_hosts[host]].push_back(host);
  }
  for (const auto& [kind, hosts] : hosts_of) {
    const std::vector<int> groups = groups_of_kind(kinds_[at(kind)], static_cast<int>(hosts.size()),
                                                   static_cast<int>(kinds_of_hosts.size()));
    Kind one{kind, std::vector<int>(at(1 + std::ranges::max(groups)))};
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      groups_of_hosts_[hosts[i]] = groups_ + groups[i];
      ++one.group_sizes[at(groups[i])];
    }
    groups_ += static_cast<int>(one.group_sizes.size());
    of_kinds_.push_back(std::move(one));
  }
}

bool HostEffects::any() const {
  return std::ranges::any_of(of_kinds_,
                             [&](const Kind& one) { return differs(kinds_[at(one.kind)]); });
}

std::vector<HostEffect> HostEffects::ordinary() const {
  std::mt19937_64 random(1);
  std::vector<HostEffect> host_effects;
  for (const Kind& one : of_kinds_) {
    for (const double z : dealt(ordinary_sample(sum_of(one.group_sizes)), one.group_sizes, random))
      host_effects.push_back(host_effect_of(kinds_[at(one.kind)], 1, z));
  }
  return host_effects;
}

std::vector<std::vector<HostEffect>> HostEffects::drawn(std::size_t replicates, double confidence,
                                                        double share) const {
  if (replicates < 2) return {replicates, ordinary()};
  std::mt19937_64 random(2);
  std::vector<std::vector<HostEffect>> host_effects(replicates);
  for (const Kind& one : of_kinds_) {
    const RankKind& kind = kinds_[at(one.kind)];
    const auto all = drawn_of_groups(one.group_sizes, kind.hosts, replicates, confidence, random);
    for (std::size_t r = 0; r < replicates; ++r) {
      for (const double z : all[r]) host_effects[r].push_back(host_effect_of(kind, share, z));
    }
  }
  return host_effects;
}

}  // namespace commgauge
