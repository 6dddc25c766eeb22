#include "simgrid_platform.hpp"

#include <algorithm>
#include <cmath>

#include "commgauge/error.hpp"
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

long add_pair_links(Platform& platform, const Matrix& L, const Matrix& gaps) {
  long raised = 0;
  for_each_pair(L.size(), [&](int i, int j) {
    const double per_byte = gaps(i, j);
    require_positive(per_byte, link_text(i, j));
    require_latency(L(i, j), link_text(i, j));
    raised += L(i, j) < envelope * per_byte;
    platform.add_link({pair_name(i, j), 1 / per_byte, link_latency(L(i, j), per_byte)});
  });
  return raised;
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

std::string raised_latencies(long raised) {
  if (raised == 0) return "";
  return "the latency of " + std::to_string(raised) +
         " links is 0, which is more than their L (that may be negative) less the time of SMPI's "
         "16-byte envelope";
}

}  // namespace commgauge
