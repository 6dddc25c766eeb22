#include <algorithm>
#include <cmath>
#include <limits>

#include "commgauge/base/error.hpp"
#include "commgauge/base/statistics.hpp"
#include "commgauge/base/units.hpp"
#include "export/exporters.hpp"
#include "export/simgrid_platform.hpp"

namespace commgauge {

namespace {

void add_common_losses(Exported& result, const std::vector<std::string>& raised) {
  result.losses.emplace_back("every message is eager: waiting for a receiver is not modelled");
  std::ranges::copy(raised, std::back_inserter(result.losses));
}

/// Of ranks, 0 in place of negative values, as for latencies; said with what this adds to a
/// message.
/// @throws InputError  one is not known.
void add_delays_without_negatives(Exported& result, std::vector<double>& C) {
  long count = 0;
  double longer = 0;
  for (std::size_t i = 0; i < C.size(); ++i) {
    if (C[i] >= 0) continue;
    if (std::isnan(C[i])) require_not_negative(C[i], static_cast<int>(i), "C");
    longer = std::max(longer, -C[i]);
    C[i] = 0;
    ++count;
  }
  if (count == 0) return;
  result.losses.push_back("C of " + std::to_string(count) + (count == 1 ? " rank" : " ranks") +
                          " is negative: 0 is taken, and messages take up to " +
                          to_text(Seconds{longer}) + " longer at each of them");
}

/// The same of times per byte, but of those whose interval holds 0.
/// @throws InputError  one is not known or surely negative.
void add_gaps_without_negatives(Exported& result, std::vector<double>& t,
                                const std::vector<double>& high) {
  long count = 0;
  for (std::size_t i = 0; i < t.size(); ++i) {
    if (t[i] >= 0) continue;
    if (!(high[i] >= 0)) require_not_negative(t[i], static_cast<int>(i), "t");
    t[i] = 0;
    ++count;
  }
  if (count == 0) return;
  result.losses.push_back("t of " + std::to_string(count) + (count == 1 ? " rank" : " ranks") +
                          " is negative, but for its interval: 0 is taken");
}

Exported export_lmo(const Model& model) {
  AdditiveParameters p = model.lmo->value;
  Exported result;
  add_delays_without_negatives(result, p.C);
  add_gaps_without_negatives(result, p.t, model.lmo->high.t);
  Platform platform({}, Uplinks(model));
  for (int i = 0; i < model.ranks; ++i) {
    const auto at = static_cast<std::size_t>(i);
    platform.add_rank(i, {p.C[at], p.t[at]}, {p.C[at], p.t[at]});
  }
  const Latencies latencies =
      model.fabric ? comparable_latencies(p.L, p.inverse_beta) : own_latencies(p.L, p.inverse_beta);
  add_pair_routes(platform, latencies.of_pairs, p.inverse_beta);
  result.text = platform.text();
  add_common_losses(result, latencies.losses);
  result.worst_error = worst_error(model, "lmo", [&](int i, int j, double size) {
    const auto rank = [&](int k) {
      return p.C[static_cast<std::size_t>(k)] + p.t[static_cast<std::size_t>(k)] * size;
    };
    const double per_byte = p.inverse_beta(i, j);
    return rank(i) + latencies.of_pairs(i, j) + (size + envelope) * per_byte + rank(j);
  });
  return result;
}

/// NaN where only a bound is known, and at most their fastest pair's: no pair is faster than its
/// ranks.
struct LimitedGaps {
  RankGaps ranks;
  long unknown{};
  long lowered{};
};

LimitedGaps gaps_of(const BottleneckParameters& p) {
  LimitedGaps gaps{{p.s, p.r}, 0, 0};
  const RankGaps fastest = fastest_gaps(p.g);
  const auto limit = [&](double& gap, double least) {
    gaps.unknown += std::isnan(gap);
    gaps.lowered += gap > least;
    if (gap > least) gap = least;
  };
  for (std::size_t i = 0; i < p.s.size(); ++i) {
    limit(gaps.ranks.send[i], fastest.send[i]);
    limit(gaps.ranks.receive[i], fastest.receive[i]);
  }
  return gaps;
}

/// A rank's own gap is a link that all its messages share equally; where only a bound is known it
/// has none.
Exported export_bottleneck(const Model& model) {
  BottleneckParameters p = model.bottleneck->value;
  const LimitedGaps gaps = gaps_of(p);
  const Latencies latencies = equal_latencies(p.L, p.g);
  Exported result;
  add_delays_without_negatives(result, p.C);
  Platform platform({}, Uplinks(model));
  for (int i = 0; i < model.ranks; ++i) {
    const auto at = static_cast<std::size_t>(i);
    platform.add_rank(i, {p.C[at], 0}, {p.C[at], 0});
  }
  add_shared_routes(platform, latencies.of_pairs, p.g, gaps.ranks);
  result.text = platform.text();
  add_common_losses(result, latencies.losses);
  if (gaps.unknown > 0) {
    result.losses.push_back(std::to_string(gaps.unknown) +
                            " gaps of ranks are bounds only: there just the pairs limit");
  }
  if (gaps.lowered > 0) {
    result.losses.push_back(
        std::to_string(gaps.lowered) +
        " gaps of ranks are above their fastest pair's, which is taken instead");
  }
  result.worst_error = worst_error(model, "bottleneck", [&](int i, int j, double size) {
    return p.C[static_cast<std::size_t>(i)] + latencies.of_pairs(i, j) +
           (size + envelope) * p.g(i, j) + p.C[static_cast<std::size_t>(j)];
  });
  return result;
}

EqualHosts equal_hosts(const Model& model, const std::string& name) {
  if (name == "lmo") {
    const AdditiveParameters& p = model.lmo->value;
    const RankTimes rank{mean(p.C), mean(p.t)};
    return {rank, rank, mean_of_pairs(p.L), mean_of_pairs(p.inverse_beta), false};
  }
  const BottleneckParameters& p = model.bottleneck->value;
  const RankTimes rank{mean(p.C), 0};
  return {rank, rank, mean_of_pairs(p.L), mean_of_pairs(p.g), true};
}

Exported export_cluster(const Model& model, const std::string& name) {
  const EqualHosts hosts = equal_hosts(model, name);
  require_positive(hosts.per_byte, "the mean link");
  if (!(hosts.sending.constant >= 0 && hosts.sending.per_byte >= 0)) {
    throw InputError(
        "the mean C or t is negative, which SimGrid can't hold: export another "
        "model");
  }
  Exported result;
  result.text = cluster_text(model.ranks, hosts);
  add_common_losses(result, losses_of_mean_latency(hosts.L, hosts.per_byte));
  std::ranges::copy(losses_of_cluster(hosts), std::back_inserter(result.losses));
  result.worst_error = worst_error(model, name, [&](int, int, double size) {
    return 2 * (hosts.sending.constant + hosts.sending.per_byte * size) +
           link_latency(hosts.L, hosts.per_byte) + (size + envelope) * hosts.per_byte;
  });
  return result;
}

}  // namespace

Exported export_simgrid(const Model& model, const std::string& name) {
  const auto is_cluster = model.ranks > most_ranks_apart;
  const auto export_pairs = [&] {
    return name == "lmo" ? export_lmo(model) : export_bottleneck(model);
  };
  const bool has_protocols = name == "loggps" || name == "hockney" || name == "curves";
  Exported result = has_protocols ? export_simgrid_protocols(model, name)
                    : is_cluster  ? export_cluster(model, name)
                                  : export_pairs();
  result.model = name;
  if (const auto loss = loss_of_fabric(model); loss && is_cluster) result.losses.push_back(*loss);
  return result;
}

}  // namespace commgauge
