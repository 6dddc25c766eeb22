#include "simgrid_platform.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "commgauge/error.hpp"
#include "commgauge/statistics.hpp"
#include "commgauge/units.hpp"
#include "exporters.hpp"

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
  for (const std::string& link : links) routes_ += "<link_ctn id=\"" + link + "\"/>";
  routes_ += "</route>\n";
}

std::string Platform::text() const {
  return head(protocols_) + "  <zone id=\"net\" routing=\"Full\">\n" + hosts_ + links_ + routes_ +
         "  </zone>\n</platform>\n";
}

std::string cluster_text(int ranks, const EqualHosts& hosts) {
  require_latency(hosts.L, "a pair of ranks");
  const double latency = link_latency(hosts.L, hosts.per_byte);
  const std::string bandwidth = exact(1 / hosts.per_byte) + "Bps\"";
  // A route is the sender's link, the backbone and the receiver's link. Links of hosts are shared
  // whatever their policy says (SimGrid 3.32); a backbone needn't be.
  const std::string links = hosts.shared
                                ? " bw=\"" + bandwidth + " lat=\"" + exact(latency / 2) + "s\""
                                : " bw=\"1e15Bps\" lat=\"0s\" bb_bw=\"" + bandwidth + " bb_lat=\"" +
                                      exact(latency) + "s\" bb_sharing_policy=\"FATPIPE\"";
  return head({}) + "  <cluster id=\"net\" prefix=\"rank\" suffix=\"\" radical=\"0-" +
         std::to_string(ranks - 1) + "\" speed=\"1Gf\"" + links + ">\n" +
         times_of_rank(hosts.rank, hosts.rank) + "  </cluster>\n</platform>\n";
}

std::string pair_name(int i, int j) { return std::to_string(i) + "-" + std::to_string(j); }

double link_latency(double L, double per_byte) { return std::max(0.0, L - envelope * per_byte); }

RaisedLatencies add_pair_links(Platform& platform, const Matrix& L, const Matrix& gaps) {
  RaisedLatencies raised;
  require_links(L, gaps);
  for_each_pair(L.size(), [&](int i, int j) {
    const double per_byte = gaps(i, j);
    raised.add(L(i, j), per_byte);
    platform.add_link({pair_name(i, j), 1 / per_byte, link_latency(L(i, j), per_byte)});
  });
  return raised;
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

std::vector<std::string> losses_of_mean_latency(double L, double per_byte) {
  const double by = envelope * per_byte - L;
  if (!(by > 0)) return {};
  return {raised_text("the mean latency", L < 0,
                      "a message takes " + to_text(Seconds{by}) + " longer in the mean")};
}

EqualLatency add_equal_links(Platform& platform, const Matrix& L, const Matrix& gaps) {
  require_links(L, gaps);
  const double mean_L = mean_of_pairs(L);
  const double mean_gap = mean_of_pairs(gaps);
  EqualLatency equal{link_latency(mean_L, mean_gap), losses_of_mean_latency(mean_L, mean_gap)};
  if (const auto [least, most] = range_of(L); least < most) {
    equal.losses.push_back(
        "one latency for all pairs, their mean (SimGrid shares a link in inverse proportion to "
        "latencies): they are from " +
        to_text(Seconds{least}) + " to " + to_text(Seconds{most}));
  }
  for_each_pair(L.size(), [&](int i, int j) {
    platform.add_link({pair_name(i, j), 1 / gaps(i, j), equal.latency});
  });
  return equal;
}

void RaisedLatencies::add(double L, double per_byte) {
  const double by = envelope * per_byte - L;
  if (!(by > 0)) return;
  Kind& kind = L < 0 ? negative_ : enveloped_;
  ++kind.count;
  kind.most = std::max(kind.most, by);
}

std::vector<std::string> RaisedLatencies::losses() const {
  std::vector<std::string> texts;
  for (const Kind* const kind : {&negative_, &enveloped_}) {
    if (kind->count == 0) continue;
    texts.push_back(raised_text(
        "the latency of " + std::to_string(kind->count) + (kind->count == 1 ? " link" : " links"),
        kind == &negative_, "messages take up to " + to_text(Seconds{kind->most}) + " longer"));
  }
  return texts;
}

}  // namespace commgauge
