#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "base/text.hpp"
#include "commgauge/base/statistics.hpp"
#include "commgauge/plan/host_plan.hpp"
#include "fit/estimators.hpp"
#include "fit/fitted.hpp"
#include "model/spread.hpp"

namespace commgauge {

namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
/// So much longer than one pair's must the time per byte of several be, and by more than its
/// uncertainty, to say that they share a link.
constexpr double clearly = 1.1;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

enum Way { out, in, inside };

/// So many pairs at once, at several sizes.
struct Series {
  double pairs{};
  std::vector<std::size_t> rows;
  std::vector<double> sizes;
};

/// What the pairs of one host share, by their number.
struct Link {
  std::map<std::size_t, Series> series;
  bool limits{};  ///< decided once, for all replicates
};

struct Sides {
  std::set<int> senders;
  std::set<int> receivers;
};

class HostLinksFit {
 public:
  HostLinksFit(const TimeTable& table, std::span<const std::string> hosts)
      : table_{table}, hosts_{ranks_of_hosts(hosts)}, host_of_(hosts.size()) {
    for (std::size_t host = 0; host < hosts_.size(); ++host) {
      for (const int rank : hosts_[host]) host_of_[at(rank)] = static_cast<int>(host);
    }
    for (const double time : table.times()) weights_.push_back(1 / (time * time));
    for (std::size_t row = 0; row < table.experiments().size(); ++row) collect(row);
    for (auto link = links_.begin(); link != links_.end();) {
      const bool tells = complete(link->second);
      link = tells ? std::next(link) : links_.erase(link);
    }
    for (const auto& [place, link] : links_) {
      for (const auto& [pairs, series] : link.series) {
        used_.insert(used_.end(), series.rows.begin(), series.rows.end());
        for (const double size : series.sizes) {
          first_ = first_ == 0 ? size : std::min(first_, size);
          last_ = std::max(last_, size);
        }
      }
    }
    std::ranges::sort(used_);
    used_.erase(std::ranges::unique(used_).begin(), used_.end());
    if (is_determined()) choose();
  }

  [[nodiscard]] bool is_determined() const { return !links_.empty(); }

  [[nodiscard]] Fitted<HostLinks> fit() const {
    auto fitted = fit_replicates<HostLinks>(
        table_, used_, [&](std::span<const double> times) { return solve(times); });
    fitted.first = {static_cast<std::uint64_t>(first_)};
    fitted.last = {static_cast<std::uint64_t>(last_)};
    fitted.observations = static_cast<long>(used_.size());
    fitted.residual = residual();
    warn(fitted);
    return fitted;
  }

 private:
  /// Whose link the pairs share: of the host that all senders, or all receivers, are on. Between
  /// two hosts it is both, and the slower one tells for the other.
  void collect(std::size_t row) {
    const Experiment& e = table_.experiments()[row];
    if (e.kind != Kind::pairs_at_once || e.check) return;
    Sides sides{{host_of_[at(e.root)]}, {}};
    for (std::size_t k = 0; k < e.peers.size(); ++k) {
      (k % 2 == 0 ? sides.receivers : sides.senders).insert(host_of_[at(e.peers[k])]);
    }
    const auto pairs = (e.peers.size() + 1) / 2;
    if (sides.senders.size() == 1 && sides.senders == sides.receivers) {
      add(inside, *sides.senders.begin(), pairs, row);
      return;
    }
    if (sides.senders.size() == 1) add(out, *sides.senders.begin(), pairs, row);
    if (sides.receivers.size() == 1) add(in, *sides.receivers.begin(), pairs, row);
  }

  void add(Way way, int host, std::size_t pairs, std::size_t row) {
    Series& series = links_[{way, host}].series[pairs];
    const double size = static_cast<double>(table_.experiments()[row].out.value);
    // A pair alone belongs to both its hosts; one of each is enough.
    if (std::ranges::find(series.sizes, size) != series.sizes.end()) return;
    series.pairs = static_cast<double>(pairs);
    series.rows.push_back(row);
    series.sizes.push_back(size);
  }

  static bool complete(Link& link) {
    std::erase_if(link.series, [](const auto& one) { return one.second.rows.size() < 2; });
    return link.series.size() >= 2 && link.series.begin()->first == 1;
  }

  [[nodiscard]] double slope(const Series& series, std::span<const double> times) const {
    std::vector<double> y;
    std::vector<double> w;
    for (const std::size_t row : series.rows) {
      y.push_back(times[row]);
      w.push_back(weights_[row]);
    }
    return fit_line(series.sizes, y, w).slope;
  }

  /// By how much the most pairs' time per byte exceeds what one pair's explains [s/byte].
  [[nodiscard]] double margin(const Link& link, std::span<const double> times) const {
    return slope(link.series.rbegin()->second, times) -
           clearly * slope(link.series.begin()->second, times);
  }

  void choose() {
    const Replicates replicates = table_.replicates(used_);
    const SpreadRule spread_of(replicates.kind, replicates.times.size(), table_.confidence());
    for (auto& [place, link] : links_) {
      std::vector<double> column;
      for (const auto times : replicates.times) column.push_back(margin(link, times));
      link.limits = margin(link, table_.times()) > spread_of(column).mean_half_width;
    }
  }

  /// The most pairs keep a link busiest. @return of each of them [s/byte]
  [[nodiscard]] double share(const Link& link, std::span<const double> times) const {
    const Series& most = link.series.rbegin()->second;
    return slope(most, times) / most.pairs;
  }

  [[nodiscard]] Solution<HostLinks> solve(std::span<const double> times) const {
    const std::vector<double> none(host_of_.size(), unknown);
    Solution<HostLinks> found{{none, none, none}, {none, none, none}};
    for (const auto& [place, link] : links_) {
      const auto& [way, host] = place;
      const double lambda = share(link, times);
      for (const int rank : hosts_[at(host)]) {
        if (link.limits) of(found.value, way)[at(rank)] = lambda;
        of(found.bound, way)[at(rank)] = lambda;
      }
    }
    return found;
  }

  static std::vector<double>& of(HostLinks& links, Way way) {
    return way == out ? links.out : way == in ? links.in : links.inside;
  }

  /// Times per byte against max(one pair's, k·λ), where λ is known.
  [[nodiscard]] double residual() const {
    double squares = 0;
    long count = 0;
    long links = 0;
    for (const auto& [place, link] : links_) {
      if (!link.limits) continue;
      ++links;
      const double alone = slope(link.series.begin()->second, table_.times());
      const double lambda = share(link, table_.times());
      for (const auto& [pairs, series] : link.series) {
        if (pairs == 1) continue;
        const double found = slope(series, table_.times());
        squares += std::pow((found - std::max(alone, series.pairs * lambda)) / found, 2);
        ++count;
      }
    }
    return residual_of(squares, count, links);
  }

  void warn(Fitted<HostLinks>& fitted) const {
    const auto bounded =
        std::ranges::count_if(links_, [](const auto& one) { return !one.second.limits; });
    if (bounded > 0) {
      fitted.warnings.push_back(
          {.kind = "bounded_host_links",
           .count = bounded,
           .problem = std::to_string(bounded) + " of " + std::to_string(links_.size()) +
                      " times per byte of hosts' links are bounds only",
           .reason = "several pairs at once take no longer than one",
           .advice = "predictions take such links to be free; more ranks on a host show more"});
    }
    if (fitted.residual > poor_fit) {
      fitted.warnings.push_back(
          {.kind = "poor_fit",
           .problem =
               "pairs at once don't share hosts' links as max(one pair, k·λ) says: residual " +
               percent(fitted.residual)});
    }
  }

  const TimeTable& table_;
  std::vector<std::vector<int>> hosts_;
  std::vector<int> host_of_;
  std::map<std::pair<Way, int>, Link> links_;
  std::vector<double> weights_;
  std::vector<std::size_t> used_;
  double first_{};
  double last_{};
};

}  // namespace

Estimation<HostLinks> estimate_host_links(const TimeTable& table,
                                          std::span<const std::string> hosts) {
  const HostLinksFit fit(table, hosts);
  if (!fit.is_determined()) return {{}, "no pairs of several hosts were measured at once"};
  return {fit.fit(), {}};
}

}  // namespace commgauge
