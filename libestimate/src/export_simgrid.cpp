#include <algorithm>
#include <cmath>
#include <limits>

#include "commgauge/error.hpp"
#include "exporters.hpp"

namespace commgauge {

namespace {

constexpr double envelope = 16;  ///< bytes that SMPI adds to each message

std::string rank_name(int rank) { return "rank" + std::to_string(rank); }

/// A one-way link.
struct Link {
  std::string name;
  double bandwidth{};  ///< [byte/s]
  double latency{};    ///< [s]
};

/// A platform in which every ordered pair has a route of its own.
class Platform {
 public:
  void add_rank(int rank, double C, double t) {
    hosts_ += "    <host id=\"" + rank_name(rank) + "\" speed=\"1Gf\">\n";
    for (const char* const name : {"smpi/os", "smpi/ois", "smpi/or"}) {
      hosts_ += std::string{"      <prop id=\""} + name + "\" value=\"0:" + exact(C) + ":" +
                exact(t) + "\"/>\n";
    }
    hosts_ += "    </host>\n";
  }
  void add_link(const Link& link) {
    links_ += "    <link id=\"" + link.name + "\" bandwidth=\"" + exact(link.bandwidth) +
              "Bps\" latency=\"" + exact(link.latency) + "s\"/>\n";
  }
  void add_route(int from, int to, const std::vector<std::string>& links) {
    routes_ += "    <route src=\"" + rank_name(from) + "\" dst=\"" + rank_name(to) +
               "\" symmetrical=\"NO\">";
    for (const std::string& link : links) routes_ += "<link_ctn id=\"" + link + "\"/>";
    routes_ += "</route>\n";
  }
  [[nodiscard]] std::string text() const {
    return std::string{head} + hosts_ + links_ + routes_ + "  </zone>\n</platform>\n";
  }

 private:
  // Times are latency + size/bandwidth + what the hosts' properties say, at any size. smpirun asks
  // for its own network model whatever a platform says: the factors of 1 make that the same.
  static constexpr const char* head =
      "<?xml version='1.0'?>\n"
      "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
      "<platform version=\"4.1\">\n"
      "  <config id=\"commgauge\">\n"
      "    <prop id=\"network/model\" value=\"CM02\"/>\n"
      "    <prop id=\"network/crosstraffic\" value=\"no\"/>\n"
      "    <prop id=\"network/TCP-gamma\" value=\"1e18\"/>\n"
      "    <prop id=\"network/weight-S\" value=\"0\"/>\n"
      "    <prop id=\"smpi/bw-factor\" value=\"0:1\"/>\n"
      "    <prop id=\"smpi/lat-factor\" value=\"0:1\"/>\n"
      "    <prop id=\"smpi/async-small-thresh\" value=\"1000000000\"/>\n"
      "    <prop id=\"smpi/send-is-detached-thresh\" value=\"1000000000\"/>\n"
      "  </config>\n"
      "  <zone id=\"net\" routing=\"Full\">\n";
  std::string hosts_;
  std::string links_;
  std::string routes_;
};

std::string pair_name(int i, int j) { return std::to_string(i) + "-" + std::to_string(j); }

/// The latency that with the envelope's time amounts to L; never below 0.
double link_latency(double L, double per_byte) { return std::max(0.0, L - envelope * per_byte); }

void require_positive(double per_byte, const std::string& whose) {
  if (per_byte > 0) return;
  throw InputError("the time per byte of " + whose +
                   " is not positive or not known, so it has no "
                   "bandwidth: export another model (see `estimate-model show`)");
}

std::string link_text(int i, int j) {
  return "the link from rank " + std::to_string(i) + " to " + std::to_string(j);
}

void require_not_negative(double value, int rank, const std::string& name) {
  if (value >= 0) return;
  throw InputError(name + " of rank " + std::to_string(rank) +
                   " is negative, which SimGrid can't hold: export another model");
}

template <class Use>
void for_each_pair(int n, Use&& use) {
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      if (i != j) use(i, j);
    }
  }
}

/// A link for each ordered pair. @return how many have a latency above their L.
long add_pair_links(Platform& platform, const Matrix& L, const Matrix& gaps) {
  long raised = 0;
  for_each_pair(L.size(), [&](int i, int j) {
    const double per_byte = gaps(i, j);
    require_positive(per_byte, link_text(i, j));
    raised += L(i, j) < envelope * per_byte;
    platform.add_link({pair_name(i, j), 1 / per_byte, link_latency(L(i, j), per_byte)});
  });
  return raised;
}

void add_common_losses(Exported& result, long raised) {
  result.losses.emplace_back("every message is eager: waiting for a receiver is not modelled");
  if (raised == 0) return;
  result.losses.push_back("the latency of " + std::to_string(raised) +
                          " links is 0, which is more than their L less the time of SMPI's "
                          "16-byte envelope");
}

Exported export_lmo(const Model& model) {
  const AdditiveParameters& p = model.lmo->value;
  Platform platform;
  for (int i = 0; i < model.ranks; ++i) {
    const auto at = static_cast<std::size_t>(i);
    require_not_negative(p.C[at], i, "C");
    require_not_negative(p.t[at], i, "t");
    platform.add_rank(i, p.C[at], p.t[at]);
  }
  const long raised = add_pair_links(platform, p.L, p.inverse_beta);
  for_each_pair(model.ranks, [&](int i, int j) { platform.add_route(i, j, {pair_name(i, j)}); });
  Exported result;
  result.text = platform.text();
  add_common_losses(result, raised);
  result.worst_error = worst_error(model, "lmo", [&](int i, int j, double size) {
    const auto rank = [&](int k) {
      return p.C[static_cast<std::size_t>(k)] + p.t[static_cast<std::size_t>(k)] * size;
    };
    const double per_byte = p.inverse_beta(i, j);
    return rank(i) + link_latency(p.L(i, j), per_byte) + (size + envelope) * per_byte + rank(j);
  });
  return result;
}

/// A rank's own gap is a link that all its messages share; where only a bound is known it has none.
Exported export_bottleneck(const Model& model) {
  const BottleneckParameters& p = model.bottleneck->value;
  Platform platform;
  long unknown = 0;
  const auto add_rank_link = [&](const std::string& name, double gap, int rank) {
    if (std::isnan(gap)) {
      ++unknown;
      return;
    }
    require_positive(gap, "rank " + std::to_string(rank));
    platform.add_link({name, 1 / gap, 0});
  };
  for (int i = 0; i < model.ranks; ++i) {
    const auto at = static_cast<std::size_t>(i);
    require_not_negative(p.C[at], i, "C");
    platform.add_rank(i, p.C[at], 0);
    add_rank_link("out" + std::to_string(i), p.s[at], i);
    add_rank_link("in" + std::to_string(i), p.r[at], i);
  }
  const long raised = add_pair_links(platform, p.L, p.g);
  const auto slowest = [&](int i, int j) {
    return std::fmax(p.g(i, j),
                     std::fmax(p.s[static_cast<std::size_t>(i)], p.r[static_cast<std::size_t>(j)]));
  };
  for_each_pair(model.ranks, [&](int i, int j) {
    std::vector<std::string> links{pair_name(i, j)};
    if (!std::isnan(p.s[static_cast<std::size_t>(i)])) links.push_back("out" + std::to_string(i));
    if (!std::isnan(p.r[static_cast<std::size_t>(j)])) links.push_back("in" + std::to_string(j));
    platform.add_route(i, j, links);
  });
  Exported result;
  result.text = platform.text();
  add_common_losses(result, raised);
  if (unknown > 0) {
    result.losses.push_back(std::to_string(unknown) +
                            " gaps of ranks are bounds only: there just the pairs limit");
  }
  result.worst_error = worst_error(model, "bottleneck", [&](int i, int j, double size) {
    return p.C[static_cast<std::size_t>(i)] + link_latency(p.L(i, j), p.g(i, j)) +
           (size + envelope) * slowest(i, j) + p.C[static_cast<std::size_t>(j)];
  });
  return result;
}

}  // namespace

Exported export_simgrid(const Model& model, const std::string& name) {
  Exported result = name == "lmo" ? export_lmo(model) : export_bottleneck(model);
  result.model = name;
  return result;
}

}  // namespace commgauge
