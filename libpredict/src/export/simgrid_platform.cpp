#include "export/simgrid_platform.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "commgauge/base/error.hpp"
#include "commgauge/base/statistics.hpp"
#include "commgauge/base/units.hpp"
#include "export/exporters.hpp"

namespace commgauge {

namespace {

std::string rank_name(int rank) { return "rank" + std::to_string(rank); }

std::string line(const RankTimes& times) {
  return "0:" + exact(times.constant) + ":" + exact(times.per_byte);
}

std::string setting(const std::string& name, const std::string& value) {
  return "    <prop id=\"" + name + "\" value=\"" + value + "\"/>\n";
}

/// A section applies to sizes above its bound, the envelope among them.
std::string factors(const Protocols& protocols, double ProtocolStep::*factor) {
  std::string text = "0:1";
  for (const ProtocolStep& step : protocols.steps) {
    const std::uint64_t bound = step.first + static_cast<std::uint64_t>(envelope) - 1;
    text += ";" + std::to_string(bound) + ":" + exact(step.*factor);
  }
  return text;
}

/// smpirun asks for the model SMPI whatever a platform says.
std::string head(const Protocols& protocols) {
  const std::string threshold = std::to_string(protocols.eager_limit + 1);
  return "<?xml version='1.0'?>\n"
         "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
         "<platform version=\"4.1\">\n"
         "  <config id=\"commgauge\">\n" +
         setting("network/model", protocols.steps.empty() ? "CM02" : "SMPI") +
         setting("network/crosstraffic", "no") + setting("network/TCP-gamma", "1e18") +
         setting("network/weight-S", "0") +
         setting("smpi/bw-factor", factors(protocols, &ProtocolStep::bandwidth_factor)) +
         setting("smpi/lat-factor", factors(protocols, &ProtocolStep::latency_factor)) +
         setting("smpi/async-small-thresh", threshold) +
         setting("smpi/send-is-detached-thresh", threshold) + "  </config>\n";
}

std::string times_of_rank(const RankTimes& sending, const RankTimes& receiving) {
  std::string text;
  for (const char* const name : {"smpi/os", "smpi/ois", "smpi/or"}) {
    const bool receives = std::string_view{name} == "smpi/or";
    text += "  " + setting(name, line(receives ? receiving : sending));
  }
  return text;
}

std::string link_text(int i, int j) {
  return "the link from rank " + std::to_string(i) + " to " + std::to_string(j);
}

/// @throws InputError  it is NaN.
void require_latency(double L, const std::string& whose) {
  if (!std::isnan(L)) return;
  throw InputError("the latency of " + whose +
                   " is not known (null in the file): calibrate again, or export another model");
}

void require_links(const Matrix& L, const Matrix& gaps) {
  for_each_pair(L.size(), [&](int i, int j) {
    require_positive(gaps(i, j), link_text(i, j));
    require_latency(L(i, j), link_text(i, j));
  });
}

constexpr double most_unequal = 1000;  ///< of latencies: the largest in proportion to the smallest

/// By how much [s].
struct RaisedLatencies {
  long count{};
  double most{};
  void add(double by) {
    ++count;
    most = std::max(most, by);
  }
};

std::string raised_text(const std::string& whose, bool is_negative, const std::string& longer) {
  return whose + " is " + (is_negative ? "negative" : "below the time of SMPI's 16-byte envelope") +
         ": 0 is taken, and " + longer;
}

std::pair<double, double> range_of(const Matrix& values) {
  std::pair range{std::numeric_limits<double>::infinity(),
                  -std::numeric_limits<double>::infinity()};
  for_each_pair(values.size(), [&](int i, int j) {
    range.first = std::min(range.first, values(i, j));
    range.second = std::max(range.second, values(i, j));
  });
  return range;
}

}  // namespace

Uplinks::Uplinks(const Model& model) {
  if (model.fabric) links_ = simulate::with_uplinks({}, *model.fabric, model.hosts());
}

std::string Uplinks::name(std::int32_t link) const {
  if (links_.is_backbone(link)) return "backbone";
  const auto group = link / 4 - static_cast<std::int32_t>(links_.inside.size());
  return (links_.is_way_in(link) ? "group-in" : "group-out") + std::to_string(group);
}

std::vector<PlatformLink> Uplinks::all() const {
  std::vector<PlatformLink> links;
  const auto add = [&](std::int32_t link, double per_byte) {
    if (per_byte > 0) links.push_back({name(link), 1 / per_byte, 0});
  };
  for (std::size_t group = links_.inside.size(); group < links_.out.size(); ++group) {
    add(4 * static_cast<std::int32_t>(group), links_.out[group]);
    add(4 * static_cast<std::int32_t>(group) + 1, links_.in[group]);
  }
  add(4 * static_cast<std::int32_t>(links_.out.size()), links_.backbone);
  return links;
}

std::vector<std::string> Uplinks::between(int from, int to) const {
  std::vector<std::string> names;
  if (!links_.is_shared()) return names;
  for (const auto& stay : links_.route(from, to)) {
    if (stay.link >= 0) names.push_back(name(stay.link));
  }
  return names;
}

Platform::Platform(Protocols protocols, Uplinks uplinks)
    : protocols_{std::move(protocols)}, uplinks_{std::move(uplinks)} {
  for (const PlatformLink& link : uplinks_.all()) add_link(link);
}

void Platform::add_rank(int rank, const RankTimes& sending, const RankTimes& receiving) {
  hosts_ += "    <host id=\"" + rank_name(rank) + "\" speed=\"1Gf\">\n" +
            times_of_rank(sending, receiving) + "    </host>\n";
}

void Platform::add_link(const PlatformLink& link) {
  links_ += "    <link id=\"" + link.name + "\" bandwidth=\"" + exact(link.bandwidth) +
            "Bps\" latency=\"" + exact(link.latency) + "s\"/>\n";
}

void Platform::add_route(int from, int to, const std::vector<std::string>& links) {
  routes_ += "    <route src=\"" + rank_name(from) + "\" dst=\"" + rank_name(to) +
             "\" symmetrical=\"NO\">";
  const auto add = [&](const std::string& link) { routes_ += "<link_ctn id=\"" + link + "\"/>"; };
  std::ranges::for_each(links, add);
  std::ranges::for_each(uplinks_.between(from, to), add);
  routes_ += "</route>\n";
}

std::string Platform::text() const {
  return head(protocols_) + "  <zone id=\"net\" routing=\"Full\">\n" + hosts_ + links_ + routes_ +
         "  </zone>\n</platform>\n";
}

std::string cluster_text(int ranks, const EqualHosts& hosts, const Protocols& protocols) {
  const double latency = link_latency(hosts.L, hosts.per_byte);
  const std::string bandwidth = exact(1 / hosts.per_byte) + "Bps\"";
  // A route is the sender's link, the backbone and the receiver's link. Links of hosts are shared
  // whatever their policy says (SimGrid 3.32); a backbone needn't be.
  const std::string links = hosts.shared
                                ? " bw=\"" + bandwidth + " lat=\"" + exact(latency / 2) + "s\""
                                : " bw=\"1e15Bps\" lat=\"0s\" bb_bw=\"" + bandwidth + " bb_lat=\"" +
                                      exact(latency) + "s\" bb_sharing_policy=\"FATPIPE\"";
  return head(protocols) + "  <cluster id=\"net\" prefix=\"rank\" suffix=\"\" radical=\"0-" +
         std::to_string(ranks - 1) + "\" speed=\"1Gf\"" + links + ">\n" +
         times_of_rank(hosts.sending, hosts.receiving) + "  </cluster>\n</platform>\n";
}

std::vector<std::string> losses_of_cluster(const EqualHosts& hosts) {
  std::vector<std::string> losses{"of more than " + std::to_string(most_ranks_apart) +
                                  " ranks all are equal hosts of a cluster, with the means of all"};
  if (hosts.shared) {
    losses.emplace_back("a rank sends, and receives, as fast as the mean pair and no faster");
  }
  return losses;
}

std::string pair_name(int i, int j) { return std::to_string(i) + "-" + std::to_string(j); }

double link_latency(double L, double per_byte) { return std::max(0.0, L - envelope * per_byte); }

Latencies own_latencies(const Matrix& L, const Matrix& gaps) {
  require_links(L, gaps);
  Latencies latencies{Matrix(L.size()), {}};
  RaisedLatencies negative;
  RaisedLatencies enveloped;
  for_each_pair(L.size(), [&](int i, int j) {
    const double latency = L(i, j) - envelope * gaps(i, j);
    latencies.of_pairs(i, j) = std::max(0.0, latency);
    if (latency < 0) (L(i, j) < 0 ? negative : enveloped).add(-latency);
  });
  for (const RaisedLatencies* const raised : {&negative, &enveloped}) {
    if (raised->count == 0) continue;
    latencies.losses.push_back(raised_text(
        "the latency of " + std::to_string(raised->count) +
            (raised->count == 1 ? " link" : " links"),
        raised == &negative, "messages take up to " + to_text(Seconds{raised->most}) + " longer"));
  }
  return latencies;
}

Latencies equal_latencies(const Matrix& L, const Matrix& gaps) {
  require_links(L, gaps);
  const double mean_L = mean_of_pairs(L);
  const double mean_gap = mean_of_pairs(gaps);
  Latencies latencies{Matrix(L.size(), link_latency(mean_L, mean_gap)),
                      losses_of_mean_latency(mean_L, mean_gap)};
  if (const auto [least, most] = range_of(L); least < most) {
    latencies.losses.push_back(
        "one latency for all pairs, their mean (SimGrid shares a link in inverse proportion to "
        "latencies): they are from " +
        to_text(Seconds{least}) + " to " + to_text(Seconds{most}));
  }
  return latencies;
}

Latencies comparable_latencies(const Matrix& L, const Matrix& gaps) {
  Latencies latencies = own_latencies(L, gaps);
  const auto [least, most] = range_of(latencies.of_pairs);
  if (most > most_unequal * least) return equal_latencies(L, gaps);
  if (least < most) {
    latencies.losses.push_back(
        "SimGrid shares a rank's link in inverse proportion to the latencies of its messages, "
        "from " +
        to_text(Seconds{least}) + " to " + to_text(Seconds{most}));
  }
  return latencies;
}

std::vector<std::string> losses_of_mean_latency(double L, double per_byte) {
  require_latency(L, "a pair of ranks");
  const double by = envelope * per_byte - L;
  if (!(by > 0)) return {};
  return {raised_text("the mean latency", L < 0,
                      "a message takes " + to_text(Seconds{by}) + " longer in the mean")};
}

void add_pair_routes(Platform& platform, const Matrix& latencies, const Matrix& gaps) {
  for_each_pair(gaps.size(), [&](int i, int j) {
    platform.add_link({pair_name(i, j), 1 / gaps(i, j), latencies(i, j)});
    platform.add_route(i, j, {pair_name(i, j)});
  });
}

RankGaps fastest_gaps(const Matrix& gaps) {
  const std::vector<double> none(static_cast<std::size_t>(gaps.size()),
                                 std::numeric_limits<double>::infinity());
  RankGaps fastest{none, none};
  for_each_pair(gaps.size(), [&](int i, int j) {
    double& out = fastest.send[static_cast<std::size_t>(i)];
    double& in = fastest.receive[static_cast<std::size_t>(j)];
    out = std::fmin(out, gaps(i, j));
    in = std::fmin(in, gaps(i, j));
  });
  return fastest;
}

void add_shared_routes(Platform& platform, const Matrix& latencies, const Matrix& gaps,
                       const RankGaps& ranks) {
  const auto add_link_of_rank = [&](const std::string& name, const std::vector<double>& gap,
                                    int rank) {
    const double per_byte = gap[static_cast<std::size_t>(rank)];
    if (std::isnan(per_byte)) return;
    require_positive(per_byte, "rank " + std::to_string(rank));
    platform.add_link({name + std::to_string(rank), 1 / per_byte, 0});
  };
  for (int i = 0; i < gaps.size(); ++i) {
    add_link_of_rank("out", ranks.send, i);
    add_link_of_rank("in", ranks.receive, i);
  }
  for_each_pair(gaps.size(), [&](int i, int j) {
    platform.add_link({pair_name(i, j), 1 / gaps(i, j), latencies(i, j)});
    std::vector<std::string> links{pair_name(i, j)};
    const bool has_out = !std::isnan(ranks.send[static_cast<std::size_t>(i)]);
    const bool has_in = !std::isnan(ranks.receive[static_cast<std::size_t>(j)]);
    if (has_out) links.push_back("out" + std::to_string(i));
    if (has_in) links.push_back("in" + std::to_string(j));
    platform.add_route(i, j, links);
  });
}

double mean_of_pairs(const Matrix& values) {
  std::vector<double> pairs;
  for_each_pair(values.size(), [&](int i, int j) { pairs.push_back(values(i, j)); });
  return mean(pairs);
}

void require_positive(double per_byte, const std::string& whose) {
  if (per_byte > 0) return;
  throw InputError("the time per byte of " + whose +
                   " is not positive or not known, so it has no "
                   "bandwidth: export another model (see `estimate-model show`)");
}

void require_not_negative(double value, int rank, const std::string& name) {
  if (value >= 0) return;
  throw InputError(name + " of rank " + std::to_string(rank) +
                   " is negative or not known, which SimGrid can't hold: export another model");
}

}  // namespace commgauge
