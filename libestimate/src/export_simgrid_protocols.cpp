#include <algorithm>
#include <cmath>
#include <limits>

#include "commgauge/error.hpp"
#include "commgauge/predict.hpp"
#include "exporters.hpp"
#include "simgrid_platform.hpp"

namespace commgauge {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

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
  const bool waits =
      model.eager_limit && (name == "loggps" || model.hockney_rendezvous.has_value());
  const double limit = waits ? static_cast<double>(model.eager_limit->value)
                             : std::numeric_limits<double>::infinity();
  if (name == "loggps") add(model.loggps->value.s);
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

/// Over all pairs, less the time of SMPI's envelope.
double sum_of_latencies(const PairLines& line) {
  double sum = 0;
  for_each_pair(line.constant.size(), [&](int i, int j) {
    sum += link_latency(line.constant(i, j), line.per_byte(i, j));
  });
  return sum;
}

double sum_of_gaps(const PairLines& line) {
  double sum = 0;
  for_each_pair(line.per_byte.size(), [&](int i, int j) { sum += line.per_byte(i, j); });
  return sum;
}

/// What the pairs have in common: their factors are the machine's.
ProtocolStep step_of(const PairLines& base, const PairLines& line, std::uint64_t first) {
  const double latency = sum_of_latencies(base);
  const double gap = sum_of_gaps(line);
  require_positive(gap, "all links together from " + std::to_string(first) + " bytes on");
  return {first, latency > 0 ? sum_of_latencies(line) / latency : 1, sum_of_gaps(base) / gap};
}

const ProtocolStep& step_at(const std::vector<ProtocolStep>& steps, double size) {
  static constexpr ProtocolStep base{0, 1, 1};
  const ProtocolStep* found = &base;
  for (const ProtocolStep& step : steps) {
    if (size >= static_cast<double>(step.first)) found = &step;
  }
  return *found;
}

}  // namespace

Exported export_simgrid_protocols(const Model& model, const std::string& name) {
  const std::vector<Section> sections = sections_of(model, name);
  const Overheads overheads = overheads_of(model, name);
  const PairLines base = line_of(model, name, sections.front(), overheads);
  Protocols protocols;
  for (const Section& section : sections) {
    if (section.first == 0) continue;
    const PairLines line = line_of(model, name, section, overheads);
    protocols.steps.push_back(step_of(base, line, section.first));
  }
  if (!sections.back().eager) protocols.eager_limit = model.eager_limit->value;

  Platform platform(protocols);
  for (int i = 0; i < model.ranks; ++i) {
    platform.add_rank(i, overheads.sending[at(i)], overheads.receiving[at(i)]);
  }
  const RaisedLatencies raised = add_pair_links(platform, base.constant, base.per_byte);
  for_each_pair(model.ranks, [&](int i, int j) { platform.add_route(i, j, {pair_name(i, j)}); });

  Exported result;
  result.model = name;
  result.text = platform.text();
  if (sections.back().eager) {
    result.losses.emplace_back("every message is eager: waiting for a receiver is not modelled");
  }
  std::ranges::copy(raised.losses(), std::back_inserter(result.losses));
  if (!protocols.steps.empty()) {
    result.losses.emplace_back("how much slower or faster larger messages are: the pairs' mean");
  }
  result.losses.emplace_back(name == "loggps"
                                 ? "overheads of a rank: their mean over its peers"
                                 : "a rank takes no time for a message, so its messages overlap");
  result.worst_error = worst_error(model, name, [&](int i, int j, double size) {
    if (!is_measured(model, name, i, j)) return std::nan("");
    const ProtocolStep& step = step_at(protocols.steps, size);
    const double latency = link_latency(base.constant(i, j), base.per_byte(i, j));
    const bool is_eager = size <= static_cast<double>(protocols.eager_limit);
    const RankTimes& s = overheads.sending[at(i)];
    const RankTimes& r = overheads.receiving[at(j)];
    const double ranks = is_eager ? s.constant + r.constant + (s.per_byte + r.per_byte) * size : 0;
    return latency * step.latency_factor +
           (size + envelope) * base.per_byte(i, j) / step.bandwidth_factor + ranks;
  });
  return result;
}

}  // namespace commgauge
