#include <algorithm>
#include <cmath>
#include <limits>

#include "commgauge/error.hpp"
#include "commgauge/statistics.hpp"
#include "exporters.hpp"
#include "simgrid_platform.hpp"

namespace commgauge {

namespace {

/// Links and routes are as many as ordered pairs.
constexpr int most_ranks_apart = 128;

void add_common_losses(Exported& result, const std::vector<std::string>& raised) {
  result.losses.emplace_back("every message is eager: waiting for a receiver is not modelled");
  std::ranges::copy(raised, std::back_inserter(result.losses));
}

/// Values of ranks, 0 in place of negative ones whose interval holds 0; counts these.
/// @throws InputError  one is surely negative.
std::vector<double> without_negatives(std::vector<double> values, const std::vector<double>& high,
                                      const std::string& name, long& count) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] >= 0) continue;
    if (!(high[i] >= 0)) require_not_negative(values[i], static_cast<int>(i), name);
    values[i] = 0;
    ++count;
  }
  return values;
}

void add_negatives(Exported& result, long count) {
  if (count == 0) return;
  result.losses.push_back(
      std::to_string(count) +
      " values of ranks (C, t) are negative, but for their interval: 0 is taken");
}

Exported export_lmo(const Model& model) {
  AdditiveParameters p = model.lmo->value;
  long negatives = 0;
  p.C = without_negatives(p.C, model.lmo->high.C, "C", negatives);
  p.t = without_negatives(p.t, model.lmo->high.t, "t", negatives);
  Platform platform;
  for (int i = 0; i < model.ranks; ++i) {
    const auto at = static_cast<std::size_t>(i);
    platform.add_rank(i, {p.C[at], p.t[at]}, {p.C[at], p.t[at]});
  }
  const RaisedLatencies raised = add_pair_links(platform, p.L, p.inverse_beta);
  for_each_pair(model.ranks, [&](int i, int j) { platform.add_route(i, j, {pair_name(i, j)}); });
  Exported result;
  result.text = platform.text();
  add_common_losses(result, raised.losses());
  add_negatives(result, negatives);
  result.worst_error = worst_error(model, "lmo", [&](int i, int j, double size) {
    const auto rank = [&](int k) {
      return p.C[static_cast<std::size_t>(k)] + p.t[static_cast<std::size_t>(k)] * size;
    };
    const double per_byte = p.inverse_beta(i, j);
    return rank(i) + link_latency(p.L(i, j), per_byte) + (size + envelope) * per_byte + rank(j);
  });
  return result;
}

/// Gaps per byte of ranks, NaN where only a bound is known, and at most their fastest pair's: no
/// pair is faster than its ranks.
struct RankGaps {
  std::vector<double> send;
  std::vector<double> receive;
  long unknown{};
  long lowered{};
};

RankGaps gaps_of(const BottleneckParameters& p) {
  RankGaps gaps{p.s, p.r, 0, 0};
  const auto limit = [&](double& gap, double fastest) {
    gaps.unknown += std::isnan(gap);
    gaps.lowered += gap > fastest;
    if (gap > fastest) gap = fastest;
  };
  const int n = p.g.size();
  for (int i = 0; i < n; ++i) {
    double out = std::numeric_limits<double>::infinity();
    double in = out;
    for (int j = 0; j < n; ++j) {
      out = std::fmin(out, p.g(i, j));
      in = std::fmin(in, p.g(j, i));
    }
    limit(gaps.send[static_cast<std::size_t>(i)], out);
    limit(gaps.receive[static_cast<std::size_t>(i)], in);
  }
  return gaps;
}

/// A rank's own gap is a link that all its messages share equally; where only a bound is known it
/// has none.
Exported export_bottleneck(const Model& model) {
  BottleneckParameters p = model.bottleneck->value;
  const RankGaps gaps = gaps_of(p);
  long negatives = 0;
  p.C = without_negatives(p.C, model.bottleneck->high.C, "C", negatives);
  Platform platform;
  const auto add_rank_link = [&](const std::string& name, double gap, int rank) {
    if (std::isnan(gap)) return;
    require_positive(gap, "rank " + std::to_string(rank));
    platform.add_link({name, 1 / gap, 0});
  };
  for (int i = 0; i < model.ranks; ++i) {
    const auto at = static_cast<std::size_t>(i);
    platform.add_rank(i, {p.C[at], 0}, {p.C[at], 0});
    add_rank_link("out" + std::to_string(i), gaps.send[at], i);
    add_rank_link("in" + std::to_string(i), gaps.receive[at], i);
  }
  const EqualLatency equal = add_equal_links(platform, p.L, p.g);
  for_each_pair(model.ranks, [&](int i, int j) {
    std::vector<std::string> links{pair_name(i, j)};
    const bool has_out = !std::isnan(gaps.send[static_cast<std::size_t>(i)]);
    const bool has_in = !std::isnan(gaps.receive[static_cast<std::size_t>(j)]);
    if (has_out) links.push_back("out" + std::to_string(i));
    if (has_in) links.push_back("in" + std::to_string(j));
    platform.add_route(i, j, links);
  });
  Exported result;
  result.text = platform.text();
  add_common_losses(result, equal.losses);
  add_negatives(result, negatives);
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
    return p.C[static_cast<std::size_t>(i)] + equal.latency + (size + envelope) * p.g(i, j) +
           p.C[static_cast<std::size_t>(j)];
  });
  return result;
}

EqualHosts equal_hosts(const Model& model, const std::string& name) {
  if (name == "lmo") {
    const AdditiveParameters& p = model.lmo->value;
    return {{mean(p.C), mean(p.t)}, mean_of_pairs(p.L), mean_of_pairs(p.inverse_beta), false};
  }
  const BottleneckParameters& p = model.bottleneck->value;
  return {{mean(p.C), 0}, mean_of_pairs(p.L), mean_of_pairs(p.g), true};
}

Exported export_cluster(const Model& model, const std::string& name) {
  const EqualHosts hosts = equal_hosts(model, name);
  require_positive(hosts.per_byte, "the mean link");
  if (!(hosts.rank.constant >= 0 && hosts.rank.per_byte >= 0)) {
    throw InputError(
        "the mean C or t is negative, which SimGrid can't hold: export another "
        "model");
  }
  Exported result;
  result.text = cluster_text(model.ranks, hosts);
  add_common_losses(result, losses_of_mean_latency(hosts.L, hosts.per_byte));
  result.losses.push_back("of more than " + std::to_string(most_ranks_apart) +
                          " ranks all are equal hosts of a cluster, with the means of all");
  if (hosts.shared) {
    result.losses.emplace_back(
        "a rank sends, and receives, as fast as the mean pair and no faster");
  }
  result.worst_error = worst_error(model, name, [&](int, int, double size) {
    return 2 * (hosts.rank.constant + hosts.rank.per_byte * size) +
           link_latency(hosts.L, hosts.per_byte) + (size + envelope) * hosts.per_byte;
  });
  return result;
}

}  // namespace

Exported export_simgrid(const Model& model, const std::string& name) {
  if (name == "loggps" || name == "hockney") return export_simgrid_protocols(model, name);
  const auto export_pairs = [&] {
    return name == "lmo" ? export_lmo(model) : export_bottleneck(model);
  };
  Exported result = model.ranks > most_ranks_apart ? export_cluster(model, name) : export_pairs();
  result.model = name;
  return result;
}

}  // namespace commgauge
