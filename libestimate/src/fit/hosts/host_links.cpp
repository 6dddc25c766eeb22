#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "commgauge/base/places.hpp"
#include "commgauge/base/statistics.hpp"
#include "commgauge/base/text.hpp"
#include "commgauge/base/unknown_value.hpp"
#include "commgauge/model/spread.hpp"
#include "commgauge/plan/host_plan.hpp"
#include "fit/estimators.hpp"
#include "fit/fitted.hpp"

namespace commgauge {

namespace {

/// So much longer than one pair's must the time per byte of several be, and by more than its
/// uncertainty, to say that they share a link.
constexpr double share_clearly = 1.1;
/// And where a link is known to be shared one way, to say that both ways take more.
constexpr double slightly = 1.01;

/// Of as many pairs, to say that others get more through.
constexpr double clearly_less = 0.95;

enum Way { out, in, inside, both };

using Pairs = std::vector<std::pair<int, int>>;  ///< sender and receiver

/// So many pairs at once, at several sizes.
struct LinkSeries {
  Way way{};
  double pairs{};
  Pairs of;
  std::vector<std::size_t> rows;
  std::vector<double> sizes;
};

/// What the pairs of one host share, by their number, and by which they are.
struct Link {
  std::map<std::pair<std::size_t, Pairs>, LinkSeries> series;
  const LinkSeries* most{};  ///< of the most pairs; of others, if they clearly get more through
  bool limits{};             ///< decided once, for all replicates
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
    for (std::size_t row = 0; row < table.experiments().size(); ++row) collect_alone(row);
    for (auto& [place, link] : links_) leave_out_incomplete(link);
    std::erase_if(links_, [](const auto& link) { return link.second.series.empty(); });
    for (const auto& [place, link] : links_) {
      for (const auto& [pairs, series] : link.series) use(series);
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
  /// Whose link the pairs share: of the host that all senders, or all receivers, are on, or that
  /// one end of each is on. Between two hosts it is both, and the slower one tells for the other.
  void collect(std::size_t row) {
    const Experiment& e = table_.experiments()[row];
    if (e.kind != Kind::pairs_at_once || e.check) return;
    const auto of = pairs_of(e);
    Sides sides;
    for (const auto& [from, to] : of) {
      sides.senders.insert(host_of_[at(from)]);
      sides.receivers.insert(host_of_[at(to)]);
    }
    const std::size_t pairs = of.size();
    if (sides.senders.size() == 1 && sides.senders == sides.receivers) {
      add(inside, *sides.senders.begin(), pairs, row);
      return;
    }
    if (sides.senders.size() == 1) add(out, *sides.senders.begin(), pairs, row);
    if (sides.receivers.size() == 1) add(in, *sides.receivers.begin(), pairs, row);
    for (const int host : sides.senders) {
      if (sides.receivers.contains(host) && passes_all(host, of)) add(both, host, pairs, row);
    }
  }

  /// Round trips at the sizes of pairs at once. Of a whole machine few pairs have any.
  void collect_alone(std::size_t row) {
    const Experiment& e = table_.experiments()[row];
    if (e.kind != Kind::round_trip || e.check || e.back.value != 0) return;
    const auto size = static_cast<double>(e.out.value);
    if (size == 0 || size < first_ || size > last_) return;
    PairSweep& sweep = alone_[{e.root, e.peers.front()}];
    sweep.rows.push_back(row);
    sweep.sizes.push_back(size);
  }

  /// Whether all come from the host or go there.
  [[nodiscard]] bool passes_all(int host, const Pairs& pairs) const {
    return std::ranges::all_of(pairs, [&](const auto& pair) {
      return (host_of_[at(pair.first)] == host) != (host_of_[at(pair.second)] == host);
    });
  }

  void add(Way way, int host, std::size_t pairs, std::size_t row) {
    const Experiment& e = table_.experiments()[row];
    Pairs of = pairs_of(e);
    LinkSeries& series = links_[{way, host}].series[{pairs, of}];
    const auto size = static_cast<double>(e.out.value);
    if (series.rows.empty()) {
      series.way = way;
      series.pairs = static_cast<double>(pairs);
      series.of = std::move(of);
    }
    series.rows.push_back(row);
    series.sizes.push_back(size);
    first_ = first_ == 0 ? size : std::min(first_, size);
    last_ = std::max(last_, size);
  }

  [[nodiscard]] const PairSweep& alone(const std::pair<int, int>& pair) const {
    static const PairSweep none;
    const auto found = alone_.find(pair);
    return found == alone_.end() ? none : found->second;
  }

  void leave_out_incomplete(Link& link) const {
    std::erase_if(link.series, [&](const auto& one) {
      const LinkSeries& series = one.second;
      return series.rows.size() < 2 || std::ranges::any_of(series.of, [&](const auto& pair) {
               return alone(pair).rows.size() < 2;
             });
    });
  }

  void use(const LinkSeries& series) {
    used_.insert(used_.end(), series.rows.begin(), series.rows.end());
    for (const auto& pair : series.of) {
      used_.insert(used_.end(), alone(pair).rows.begin(), alone(pair).rows.end());
    }
  }

  /// Of one pair alone, or of several at once.
  template <class Sizes>
  [[nodiscard]] Line line(const Sizes& sweep, std::span<const double> times) const {
    std::vector<double> y;
    std::vector<double> w;
    for (const std::size_t row : sweep.rows) {
      y.push_back(times[row]);
      w.push_back(weights_[row]);
    }
    return fit_line(sweep.sizes, y, w);
  }

  [[nodiscard]] Line slowest_line(const LinkSeries& series, std::span<const double> times) const {
    Line slowest{};
    for (const auto& pair : series.of) {
      const Line one = line(alone(pair), times);
      if (one.slope > slowest.slope) slowest = one;
    }
    return slowest;
  }
  [[nodiscard]] double slowest_pair(const LinkSeries& series, std::span<const double> times) const {
    return slowest_line(series, times).slope;
  }

  /// Of a link between hosts beyond what the slowest of the pairs needs for a message without
  /// bytes. Memory is so fast that what several messages cost beside their bytes, which begin one
  /// after the other, would pass for bytes: of it, what more bytes take [s/byte].
  [[nodiscard]] double per_byte(const LinkSeries& series, std::span<const double> times) const {
    if (series.way == inside) return line(series, times).slope;
    const double fixed = slowest_line(series, times).intercept;
    double products = 0;
    double squares = 0;
    for (std::size_t k = 0; k < series.rows.size(); ++k) {
      const double weight = weights_[series.rows[k]] * series.sizes[k];
      products += weight * (times[series.rows[k]] - fixed);
      squares += weight * series.sizes[k];
    }
    return products / squares;
  }

  void find_most(Link& link) const {
    for (const auto& [key, series] : link.series) {
      const bool are_more = link.most == nullptr || link.most->pairs < series.pairs;
      const auto of_series = [&] { return per_byte(series, table_.times()); };
      if (are_more || of_series() < clearly_less * per_byte(*link.most, table_.times())) {
        link.most = &series;
      }
    }
  }

  /// By how much the most pairs' time per byte exceeds what the slowest of them explains [s/byte].
  [[nodiscard]] double margin(const Link& link, std::span<const double> times) const {
    const double surely = std::min(per_byte(*link.most, times), line(*link.most, times).slope);
    return surely - share_clearly * slowest_pair(*link.most, times);
  }

  /// Likewise of pairs both ways, and of what either way takes of its own. Where that is a limit, a
  /// little more counts; where it isn't, these pairs may not fill the link.
  [[nodiscard]] double margin_of_both(int host, std::span<const double> times) const {
    const Link& link = links_.at({both, host});
    double told = slowest_pair(*link.most, times);
    double factor = share_clearly;
    for (const Way way : {out, in}) {
      const auto alone = links_.find({way, host});
      if (alone == links_.end()) continue;
      told = std::max(told, link.most->pairs / 2 * share(alone->second, times));
      if (alone->second.limits) factor = slightly;
    }
    return per_byte(*link.most, times) - factor * told;
  }

  void choose() {
    const Replicates replicates = table_.replicates(used_);
    const SpreadRule spread_of(replicates.kind, replicates.times.size(), table_.confidence());
    for (auto& [place, link] : links_) find_most(link);
    for (auto& [place, link] : links_) {
      const auto beyond = [&, &place = place, &link = link](std::span<const double> times) {
        return place.first == both ? margin_of_both(place.second, times) : margin(link, times);
      };
      std::vector<double> column;
      for (const auto times : replicates.times) column.push_back(beyond(times));
      link.limits = beyond(table_.times()) > spread_of(column).mean_half_width;
    }
  }

  /// The most pairs keep a link busiest. @return of each of them [s/byte]
  [[nodiscard]] double share(const Link& link, std::span<const double> times) const {
    return per_byte(*link.most, times) / link.most->pairs;
  }

  [[nodiscard]] Solution<HostLinks> solve(std::span<const double> times) const {
    const std::vector<double> none(host_of_.size(), unknown_value);
    Solution<HostLinks> found{{none, none, none, none}, {none, none, none, none}};
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
    return way == out ? links.out : way == in ? links.in : way == both ? links.both : links.inside;
  }

  /// Times per byte against max(one pair's, k·λ), where λ is known.
  [[nodiscard]] double residual() const {
    double squares = 0;
    long count = 0;
    long links = 0;
    for (const auto& [place, link] : links_) {
      if (!link.limits) continue;
      ++links;
      const double lambda = share(link, table_.times());
      for (const auto& [pairs, series] : link.series) {
        const double found = per_byte(series, table_.times());
        const double told = std::max(slowest_pair(series, table_.times()), series.pairs * lambda);
        squares += std::pow((found - told) / found, 2);
        ++count;
      }
    }
    return residual_of(squares, count, links);
  }

  /// Those that are a bound only, and all.
  [[nodiscard]] std::pair<long, long> bounded(std::initializer_list<Way> ways) const {
    const auto is_one = [&](const auto& one) {
      return std::ranges::find(ways, one.first.first) != ways.end();
    };
    return {std::ranges::count_if(
                links_, [&](const auto& one) { return is_one(one) && !one.second.limits; }),
            std::ranges::count_if(links_, is_one)};
  }

  /// That both ways together take no more than each of its own is what one expects.
  void warn(Fitted<HostLinks>& fitted) const {
    if (const auto [count, all] = bounded({out, in}); count > 0) {
      fitted.warnings.push_back(
          {.kind = "bounded_host_links",
           .count = count,
           .problem = std::to_string(count) + " of " + std::to_string(all) +
                      " times per byte of hosts' links are bounds only",
           .reason = "several pairs at once take no longer than one",
           .advice = "predictions take such links to be free; more ranks on a host show more"});
    }
    if (const auto [count, all] = bounded({inside}); count > 0) {
      fitted.warnings.push_back(
          {.kind = "bounded_memory",
           .count = count,
           .problem = "the memory of " + std::to_string(count) + " of " + std::to_string(all) +
                      " hosts limits nothing that was seen: its time per byte is a bound only",
           .reason = "several pairs at once take no longer than one",
           .advice = "predictions take it to be free; more ranks on a host, each with a core of "
                     "its own, show more"});
    }
    if (fitted.residual > poor_fit) {
      fitted.warnings.push_back({.kind = "poor_fit",
                                 .problem = "pairs at once don't share hosts' links or memory as "
                                            "max(one pair, k·λ) says: residual " +
                                            percent(fitted.residual)});
    }
  }

  const TimeTable& table_;
  std::vector<std::vector<int>> hosts_;
  std::vector<int> host_of_;
  std::map<std::pair<Way, int>, Link> links_;
  std::map<std::pair<int, int>, PairSweep> alone_;
  std::vector<double> weights_;
  std::vector<std::size_t> used_;
  double first_{};
  double last_{};
};

}  // namespace

Estimation<HostLinks> estimate_host_links(const TimeTable& table,
                                          std::span<const std::string> hosts) {
  const HostLinksFit fit(table, hosts);
  if (!fit.is_determined())
    return {{}, "no pairs of hosts with several ranks were measured at once"};
  return {fit.fit(), {}};
}

}  // namespace commgauge
