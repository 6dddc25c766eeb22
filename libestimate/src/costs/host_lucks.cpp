#include "costs/host_lucks.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <span>
#include <utility>

#include "base/places.hpp"
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

/// What is told of hosts by a few of them: how much more hosts may differ, and how far their mean
/// is from that of the few, both in standard deviations among these.
struct Doubt {
  double widening{1};
  double shift{};
};

/// Drawn as Student's distribution has it.
Doubt doubt_by(int measured_hosts, std::mt19937_64& random) {
  constexpr int enough = 200;
  constexpr double most = 3;  // of two hosts any number might come
  if (measured_hosts < 2 || measured_hosts > enough) return {};
  double squares = 0;
  for (int i = 1; i < measured_hosts; ++i) {
    const double z = normal_at(uniform(random));
    squares += z * z;
  }
  const double widening = std::min(most, std::sqrt((measured_hosts - 1) / squares));
  return {widening, widening * normal_at(uniform(random)) / std::sqrt(measured_hosts)};
}

/// Factors of the groups of hosts of one kind. @param spread  of hosts' mean message times
std::vector<double> factors_of(double spread, int measured_hosts,
                               const std::vector<int>& group_sizes, bool is_drawn,
                               std::mt19937_64& random) {
  int hosts = 0;
  for (const int size : group_sizes) hosts += size;
  std::vector<double> factors =
      dealt(is_drawn ? drawn_sample(hosts, random) : ordinary_sample(hosts), group_sizes, random);
  const Doubt doubt = is_drawn ? doubt_by(measured_hosts, random) : Doubt{};
  for (double& z : factors) z = factor_of(if_known(spread), doubt.widening * z + doubt.shift);
  return factors;
}

/// @param share  of the spread
std::vector<Luck> lucks_of(const RankKind& kind, const std::vector<int>& group_sizes, double share,
                           bool is_drawn, std::mt19937_64& random) {
  const std::vector<double> fixed =
      factors_of(share * kind.spread_fixed, kind.hosts, group_sizes, is_drawn, random);
  const std::vector<double> per_byte =
      factors_of(share * kind.spread_per_byte, kind.hosts, group_sizes, is_drawn, random);
  std::vector<Luck> lucks;
  for (std::size_t g = 0; g < group_sizes.size(); ++g) lucks.push_back({fixed[g], per_byte[g]});
  return lucks;
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

Lucks::Lucks(std::vector<RankKind> kinds, const std::vector<int>& kinds_of_hosts)
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

bool Lucks::any() const {
  return std::ranges::any_of(of_kinds_,
                             [&](const Kind& one) { return differs(kinds_[at(one.kind)]); });
}

std::vector<Luck> Lucks::ordinary() const {
  std::mt19937_64 random(1);
  return all(1, false, random);
}

std::vector<Luck> Lucks::drawn(std::size_t replicate, double share) const {
  std::mt19937_64 random(replicate + 2);
  return all(share, true, random);
}

std::vector<Luck> Lucks::all(double share, bool is_drawn, std::mt19937_64& random) const {
  std::vector<Luck> lucks;
  for (const Kind& one : of_kinds_) {
    const auto of_kind = lucks_of(kinds_[at(one.kind)], one.group_sizes, share, is_drawn, random);
    lucks.insert(lucks.end(), of_kind.begin(), of_kind.end());
  }
  return lucks;
}

}  // namespace commgauge
