#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "commgauge/base/error.hpp"
#include "commgauge/base/places.hpp"
#include "commgauge/predict/predict.hpp"
#include "export/exporters.hpp"
#include "export/simgrid_platform.hpp"

namespace commgauge {

namespace {

/// Payloads of one line, both ends among them.
struct Section {
  std::uint64_t first{};
  std::uint64_t last{};
  bool eager{};
};

/// Bounds are ints there.
constexpr std::uint64_t largest_step = std::numeric_limits<std::int32_t>::max() - 16;

/// Where the model's lines change.
std::vector<Section> sections_of(const Model& model, const std::string& name) {
  std::vector<std::uint64_t> starts{0};
  const auto add = [&](double size) {
    if (size > 0 && size < static_cast<double>(largest_step)) {
      starts.push_back(static_cast<std::uint64_t>(std::ceil(size)));
    }
  };
  const bool waits = model.eager_limit && (name != "hockney" || model.hockney_rendezvous);
  const double limit = waits ? static_cast<double>(model.eager_limit->value)
                             : std::numeric_limits<double>::infinity();
  if (name == "loggps") add(model.loggps->value.s);
  if (name == "curves") {
    const std::vector<Bytes>& sizes = model.curves->value.sizes;
    for (const Bytes size : sizes) add(static_cast<double>(size.value));
    // Where a curve grows more than in proportion its line would have a latency below zero: many
    // lines without one, each a doubling of the sizes.
    for (std::uint64_t size = 1; size < sizes.back().value; size *= 2) {
      add(static_cast<double>(size));
    }
  }
  add(limit + 1);
  std::ranges::sort(starts);
  starts.erase(std::ranges::unique(starts).begin(), starts.end());
  std::vector<Section> sections;
  for (std::size_t k = 0; k < starts.size(); ++k) {
    const bool is_last = k + 1 == starts.size();
    sections.push_back({starts[k], is_last ? 2 * starts[k] + (1U << 20U) : starts[k + 1] - 1,
                        static_cast<double>(starts[k]) <= limit});
  }
  return sections;
}

/// Of an ordered pair within a section, without the ranks' own times [s], [s/byte].
struct PairLines {
  Matrix constant;
  Matrix per_byte;
};

/// Ranks' own times of eager messages; none in hockney.
struct Overheads {
  std::vector<RankTimes> sending;
  std::vector<RankTimes> receiving;
};

/// Of those that are known: a rank's values in `parameter`, as sender its row, as receiver its
/// column.
double mean_of_rank(const Matrix& parameter, int rank, bool sends) {
  double sum = 0;
  int count = 0;
  for (int other = 0; other < parameter.size(); ++other) {
    const double value = sends ? parameter(rank, other) : parameter(other, rank);
    if (std::isnan(value)) continue;
    sum += value;
    ++count;
  }
  return count == 0 ? std::nan("") : sum / count;
}

Overheads overheads_of(const Model& model, const std::string& name) {
  Overheads overheads;
  const auto n = at(model.ranks);
  if (name != "loggps") {
    overheads.sending = overheads.receiving = std::vector<RankTimes>(n);
    return overheads;
  }
  const LogGpsParameters& p = model.loggps->value;
  const auto known = [](double value, double mean) { return std::isnan(value) ? mean : value; };
  for (int rank = 0; rank < model.ranks; ++rank) {
    overheads.sending.push_back({known(mean_of_rank(p.o_prime_s, rank, true), p.mean_o_prime_s),
                                 known(mean_of_rank(p.O_s, rank, true), p.mean_O_s)});
    overheads.receiving.push_back({known(mean_of_rank(p.o_prime_r, rank, false), p.mean_o_prime_r),
                                   known(mean_of_rank(p.O_r, rank, false), p.mean_O_r)});
    require_not_negative(overheads.sending.back().constant, rank, "o'_s");
    require_not_negative(overheads.sending.back().per_byte, rank, "O_s");
    require_not_negative(overheads.receiving.back().constant, rank, "o'_r");
    require_not_negative(overheads.receiving.back().per_byte, rank, "O_r");
  }
  return overheads;
}

bool is_measured(const Model& model, const std::string& name, int i, int j) {
  if (name == "curves") return !std::isnan(model.curves->value.time.front()(i, j));
  return !std::isnan(name == "loggps" ? model.loggps->value.L(i, j)
                                      : model.hockney->value.alpha(i, j));
}

/// Through the model's times at a section's ends. Unmeasured pairs are the mean of the others.
PairLines line_of(const Model& model, const std::string& name, const Section& section,
                  const Overheads& overheads) {
  PairLines line{Matrix(model.ranks), Matrix(model.ranks)};
  const auto time = [&](int i, int j, std::uint64_t size) {
    return predict_time(model, {name, Operation::p2p, i, j, Bytes{size}}).value;
  };
  RankTimes sum;
  long known = 0;
  for_each_pair(model.ranks, [&](int i, int j) {
    if (!is_measured(model, name, i, j)) return;
    const auto width = static_cast<double>(section.last - section.first);
    const double first = time(i, j, section.first);
    const double slope = width > 0 ? (time(i, j, section.last) - first) / width : 0;
    double& constant = line.constant(i, j);
    double& per_byte = line.per_byte(i, j);
    constant = first - slope * static_cast<double>(section.first);
    per_byte = slope;
    if (section.eager) {
      constant -= overheads.sending[at(i)].constant + overheads.receiving[at(j)].constant;
      per_byte -= overheads.sending[at(i)].per_byte + overheads.receiving[at(j)].per_byte;
    }
    sum.constant += constant;
    sum.per_byte += per_byte;
    ++known;
  });
  for_each_pair(model.ranks, [&](int i, int j) {
    if (is_measured(model, name, i, j)) return;
    line.constant(i, j) = sum.constant / static_cast<double>(known);
    line.per_byte(i, j) = sum.per_byte / static_cast<double>(known);
  });
  return line;
}

/// An empty message's time, and what a byte costs on the way to the largest size: curves' factors
/// are relative to that. The slope at the first byte would be that of another protocol.
PairLines chord_of(const Model& model, PairLines empty) {
  const Bytes last = model.curves->value.sizes.back();
  for_each_pair(model.ranks, [&](int i, int j) {
    if (!is_measured(model, "curves", i, j)) return;
    const double time = predict_time(model, {"curves", Operation::p2p, i, j, last}).value;
    empty.per_byte(i, j) = (time - empty.constant(i, j)) / static_cast<double>(last.value);
  });
  return empty;
}

double sum_over_pairs(const Matrix& values) {
  double sum = 0;
  for_each_pair(values.size(), [&](int i, int j) { sum += values(i, j); });
  return sum;
}

/// Over all pairs, less the time of SMPI's envelope.
double sum_of_latencies(const PairLines& line) {
  double sum = 0;
  for_each_pair(line.constant.size(), [&](int i, int j) {
    sum += link_latency(line.constant(i, j), line.per_byte(i, j));
  });
  return sum;
}

/// What a platform has, as its worst error takes it.
struct Parts {
  Matrix latency;   ///< below the first step [s]
  Matrix per_byte;  ///< below the first step [s/byte]
  Overheads overheads;
  Protocols protocols;
  std::optional<EqualHosts> hosts;  ///< of a cluster
};

/// What the pairs have in common: their factors are the machine's.
ProtocolStep step_of(const Parts& base, const PairLines& line, std::uint64_t first) {
  const double latency = sum_over_pairs(base.latency);
  const double gap = sum_over_pairs(line.per_byte);
  require_positive(gap, "all links together from " + std::to_string(first) + " bytes on");
  return {first, latency > 0 ? sum_of_latencies(line) / latency : 1,
          sum_over_pairs(base.per_byte) / gap};
}

/// Less than no latency is none: then bytes take all of the time, exactly at the section's
/// geometric middle.
struct SumOfPairs {
  double latency;  ///< [s]
  double gap;      ///< [s/byte]
};
SumOfPairs sum_of(const PairLines& line, const Section& section) {
  const double gap = sum_over_pairs(line.per_byte);
  const double latency = sum_over_pairs(line.constant) - envelope * gap;
  if (latency >= 0) return {latency, gap};
  const double middle =
      std::sqrt(static_cast<double>(section.first) * static_cast<double>(section.last));
  return {0, gap + latency / (middle + envelope)};
}

/// The same of a curve. Where bytes cost nothing they cost as little as makes no difference.
ProtocolStep step_of_curves(const Parts& base, const PairLines& line, const Section& section) {
  constexpr double least = 1e-4;
  const double latency = sum_over_pairs(base.latency);
  const double base_gap = sum_over_pairs(base.per_byte);
  const SumOfPairs sum = sum_of(line, section);
  const double gap = std::max(sum.gap, least * base_gap);
  require_positive(gap, "all links together from " + std::to_string(section.first) + " bytes on");
  return {section.first, latency > 0 ? sum.latency / latency : 1, base_gap / gap};
}

const ProtocolStep& step_at(const std::vector<ProtocolStep>& steps, double size) {
  static constexpr ProtocolStep base{0, 1, 1};
  const ProtocolStep* found = &base;
  for (const ProtocolStep& step : steps) {
    if (size >= static_cast<double>(step.first)) found = &step;
  }
  return *found;
}

RankTimes mean_of_ranks(const std::vector<RankTimes>& ranks) {
  RankTimes sum;
  for (const RankTimes& rank : ranks) {
    sum.constant += rank.constant;
    sum.per_byte += rank.per_byte;
  }
  const auto n = static_cast<double>(ranks.size());
  return {sum.constant / n, sum.per_byte / n};
}

Parts parts_of_pairs(const PairLines& base, const Overheads& overheads, Exported& result) {
  Latencies latencies = comparable_latencies(base.constant, base.per_byte);
  std::ranges::move(latencies.losses, std::back_inserter(result.losses));
  result.losses.emplace_back(
      "a rank's messages share a link as fast as its fastest pair, so those of slower ones "
      "overlap");
  return {std::move(latencies.of_pairs), base.per_byte, overheads, {}, std::nullopt};
}

Parts parts_of_cluster(const PairLines& base, const Overheads& overheads, Exported& result) {
  const int ranks = base.constant.size();
  const EqualHosts hosts{mean_of_ranks(overheads.sending), mean_of_ranks(overheads.receiving),
                         mean_of_pairs(base.constant), mean_of_pairs(base.per_byte), true};
  require_positive(hosts.per_byte, "the mean link");
  std::ranges::copy(losses_of_mean_latency(hosts.L, hosts.per_byte),
                    std::back_inserter(result.losses));
  std::ranges::copy(losses_of_cluster(hosts), std::back_inserter(result.losses));
  const auto all = [&](const RankTimes& times) { return std::vector(at(ranks), times); };
  return {Matrix(ranks, link_latency(hosts.L, hosts.per_byte)),
          Matrix(ranks, hosts.per_byte),
          {all(hosts.sending), all(hosts.receiving)},
          {},
          hosts};
}

std::string text_of(const Parts& parts, const Model& model) {
  const int ranks = parts.latency.size();
  if (parts.hosts) return cluster_text(ranks, *parts.hosts, parts.protocols);
  Platform platform(parts.protocols, Uplinks(model));
  for (int i = 0; i < ranks; ++i) {
    platform.add_rank(i, parts.overheads.sending[at(i)], parts.overheads.receiving[at(i)]);
  }
  add_shared_routes(platform, parts.latency, parts.per_byte, fastest_gaps(parts.per_byte));
  return platform.text();
}

/// Of one message, as SMPI has it.
double one_way(const Parts& parts, int i, int j, double size) {
  const ProtocolStep& step = step_at(parts.protocols.steps, size);
  const bool is_eager = size <= static_cast<double>(parts.protocols.eager_limit);
  const RankTimes& s = parts.overheads.sending[at(i)];
  const RankTimes& r = parts.overheads.receiving[at(j)];
  const double ranks = is_eager ? s.constant + r.constant + (s.per_byte + r.per_byte) * size : 0;
  return parts.latency(i, j) * step.latency_factor +
         (size + envelope) * parts.per_byte(i, j) / step.bandwidth_factor + ranks;
}

std::string loss_of_ranks(const Model& model, const std::string& name) {
  if (name != "loggps") {
    return "a rank takes no time for a message: of several that it sends or receives the latencies "
           "overlap, and their bytes share its link";
  }
  return "the gap g between a rank's messages, " + to_text(Seconds{model.loggps->value.mean_g}) +
         " in the mean: each takes it as long as its overhead or as its bytes, not longer";
}

}  // namespace

Exported export_simgrid_protocols(const Model& model, const std::string& name) {
  const std::vector<Section> sections = sections_of(model, name);
  const Overheads overheads = overheads_of(model, name);
  const bool is_curve = name == "curves";
  PairLines base = line_of(model, name, sections.front(), overheads);
  if (is_curve) base = chord_of(model, std::move(base));
  Exported result;
  result.model = name;
  const bool has_pairs = model.ranks <= most_ranks_apart;
  Parts parts = has_pairs ? parts_of_pairs(base, overheads, result)
                          : parts_of_cluster(base, overheads, result);
  for (const Section& section : sections) {
    if (section.first == 0) continue;
    const PairLines line = line_of(model, name, section, overheads);
    parts.protocols.steps.push_back(is_curve ? step_of_curves(parts, line, section)
                                             : step_of(parts, line, section.first));
  }
  if (!sections.back().eager) parts.protocols.eager_limit = model.eager_limit->value;

  result.text = text_of(parts, model);
  if (sections.back().eager) {
    result.losses.emplace_back("every message is eager: waiting for a receiver is not modelled");
  }
  if (!parts.protocols.steps.empty()) {
    result.losses.emplace_back("how much slower or faster larger messages are: the pairs' mean");
  }
  if (name == "loggps" && has_pairs) {
    result.losses.emplace_back("overheads of a rank: their mean over its peers");
  }
  result.losses.push_back(loss_of_ranks(model, name));
  result.worst_error = worst_error(model, name, [&](int i, int j, double size) {
    return is_measured(model, name, i, j) ? one_way(parts, i, j, size) : std::nan("");
  });
  return result;
}

}  // namespace commgauge
