#include "commgauge/plan/fabric_search.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <random>
#include <utility>

#include "commgauge/base/error.hpp"
#include "commgauge/base/index.hpp"
#include "commgauge/base/places.hpp"
#include "commgauge/base/shuffle.hpp"
#include "commgauge/base/statistics.hpp"
#include "plan/cut_search.hpp"
#include "plan/fabric_load.hpp"
#include "plan/host_cells.hpp"

namespace commgauge {

namespace {

using Hosts = std::vector<int>;

/// Rounds of a random matching, one way.
constexpr int bisection_rounds = 3;
/// Other links explain a round if they foretell it to within this.
constexpr double explains = 1.04;
/// A fabric that is right foretells nine in ten pairs better than this.
constexpr double poor_misfit = 0.1;

/// One way through an uplink.
struct Cut {
  LoadedLink link;
  LoadRound best;  ///< of the rounds that loaded it most, the one with the highest rate
  double shown{};  ///< by that round [byte/s]
  bool slow{};     ///< it was slow in that round
  bool limits{};   ///< and nothing else explains that
};

struct Cell {
  Hosts hosts;
  std::size_t out{};  ///< place among the cuts
  std::size_t in{};
};

bool contains(const Hosts& all, const Hosts& part) { return std::ranges::includes(all, part); }

class FabricFinder {
 public:
  FabricFinder(const Matrix& alone, const MeasureAtOnce& measure, const FabricOptions& options)
      : alone_{alone}, measure_{measure}, random_{options.seed}, n_{alone.size()} {
    patience_ = options.patience > 0 ? options.patience : std::min(n_, 32);
    most_rounds_ = options.most_rounds > 0 ? options.most_rounds : 8 * n_;
    all_.resize(at(n_));
    std::iota(all_.begin(), all_.end(), 0);
  }

  [[nodiscard]] FoundFabric find() {
    FoundFabric fabric;
    top_.assign(at(n_), 0);
    descend({all_});
    ascend();
    choose_limits();
    measure_bisection(fabric);
    report(fabric);
    return fabric;
  }

 private:
  std::vector<double> run(const std::vector<HostMessage>& pairs) {
    const auto measured = measure_(pairs);
    if (measured.size() != pairs.size()) {
      throw InputError("times of " + std::to_string(measured.size()) + " of " +
                       std::to_string(pairs.size()) +
                       " pairs (each has one): return them in the pairs' order");
    }
    LoadRound round{pairs, {}, static_cast<int>(rounds_.size())};
    for (const auto time : measured) {
      if (!(time.value > 0)) throw InputError("a time per byte is not positive: measure it again");
      round.times.push_back(time.value);
    }
    rounds_.push_back(round);
    return round.times;
  }

  [[nodiscard]] std::vector<double> expected(const std::vector<HostMessage>& pairs) const {
    return times_at_once(pairs, alone_, limiting());
  }

  [[nodiscard]] std::vector<LoadedLink> limiting() const {
    std::vector<LoadedLink> links;
    for (const Cut& cut : cuts_) {
      if (cut.limits) links.push_back(cut.link);
    }
    if (backbone_) links.push_back(*backbone_);
    return links;
  }

  [[nodiscard]] std::vector<HostSplit> find(const std::vector<Hosts>& scopes,
                                            const std::vector<int>& cell, int least_patience) {
    const CutTask task{scopes,
                       cell,
                       [&](const auto& pairs) { return run(pairs); },
                       [&](const auto& pairs) { return expected(pairs); },
                       [&](std::size_t hosts) { return patience_of(hosts, least_patience); },
                       rounds_left()};
    return find_cuts(task, alone_, random_);
  }

  [[nodiscard]] int rounds_left() const {
    return std::max(0, most_rounds_ - static_cast<int>(rounds_.size()));
  }

  /// All hosts deserve more than a part of them.
  [[nodiscard]] int patience_of(std::size_t hosts, int least) const {
    if (hosts < 4) return 0;
    if (hosts == all_.size()) return patience_;
    return std::min(static_cast<int>(hosts) - 1, least + static_cast<int>(std::log2(hosts)));
  }

  /// Looks for groups in scopes, and in the groups themselves.
  void descend(const std::vector<Hosts>& scopes) {
    const std::size_t first = groups_.size();
    const auto branches = find(scopes, all_, 4);
    std::vector<Hosts> sides;
    for (std::size_t b = 0; b < branches.size(); ++b) {
      const HostSplit& branch = branches[b];
      if (branch.shared) {
        const auto apart = find_sides(branch.hosts);
        sides.insert(sides.end(), apart.begin(), apart.end());
      }
      if (branch.parent < 0 || branch.hosts.size() < 2) continue;
      const HostSplit& parent = branches[at(branch.parent)];
      const int sibling =
          parent.parts[0] == static_cast<int>(b) ? parent.parts[1] : parent.parts[0];
      // The smaller side of a link is a group. The other one may be, if it isn't split further.
      if (branch.hosts.size() > branches[at(sibling)].hosts.size() && !branch.parts.empty())
        continue;
      add(branch.hosts);
    }
    if (!sides.empty()) {
      for (const Hosts& hosts : sides) {
        if (hosts.size() > 1 && hosts.size() < all_.size()) add(hosts);
      }
    }
    measure(first);
    if (!sides.empty()) descend(sides);
    std::vector<Hosts> tops;
    for (std::size_t k = 0; k < groups_.size(); ++k) {
      if (around(groups_[k].hosts) == all_) tops.push_back(groups_[k].hosts);
    }
    for (std::size_t k = 0; k < tops.size(); ++k) {
      for (const int host : tops[k]) top_[at(host)] = static_cast<int>(k) + 1;
    }
  }

  /// The smallest group that holds these hosts and others; or all hosts.
  [[nodiscard]] Hosts around(const Hosts& hosts) const {
    Hosts least = all_;
    for (const Cell& group : groups_) {
      if (group.hosts.size() > hosts.size() && group.hosts.size() < least.size() &&
          contains(group.hosts, hosts)) {
        least = group.hosts;
      }
    }
    return least;
  }

  void add(const Hosts& hosts) {
    if (std::ranges::find(groups_, hosts, &Cell::hosts) != groups_.end()) return;
    groups_.push_back({hosts, cuts_.size(), cuts_.size() + 1});
    for (const Passing way : {Passing::out, Passing::in}) {
      Cut cut{{std::vector<int>(at(n_)), way, 0}, {}};
      for (const int host : hosts) cut.link.side[at(host)] = 1;
      cuts_.push_back(cut);
    }
  }

  /// A load to be measured: a group's hosts with those around it.
  struct Load {
    Hosts group;
    Hosts near;
    Hosts active;  ///< only these take part; none: all
  };

  /// What the groups from this one on, and those in them, are to be loaded with.
  /// @param active  hosts that stand for the new groups
  [[nodiscard]] std::vector<Load> loads_of(std::size_t first, const Hosts& active) const {
    std::vector<Load> open;
    const std::span<const Cell> added = std::span{groups_}.subspan(first);
    for (const Cell& group : groups_) {
      const Hosts& hosts = group.hosts;
      const bool is_in = std::ranges::any_of(
          added, [&](const Cell& other) { return contains(other.hosts, hosts); });
      if (!is_in) continue;
      const bool is_new = std::ranges::find(added, hosts, &Cell::hosts) != added.end();
      const Hosts near = around(hosts);
      const Hosts some = is_new ? active : Hosts{};
      if (near != all_) open.push_back({hosts, all_, some});
      const bool is_other_side = std::ranges::any_of(open, [&](const Load& one) {
        return one.near == near && one.group.size() + hosts.size() == near.size() &&
               !contains(one.group, hosts);
      });
      if (!is_other_side) open.push_back({hosts, near, some});
    }
    return open;
  }

  /// Loads groups as much as can be; those that have nothing to do with each other at once.
  void measure(std::size_t first, const Hosts& active = {}) {
    std::vector<Load> open = loads_of(first, active);
    while (!open.empty()) {
      std::vector<bool> busy(at(n_));
      std::vector<HostMessage> pairs;
      std::erase_if(open, [&](const Load& one) {
        if (std::ranges::any_of(one.near, [&](int host) { return busy[at(host)]; })) return false;
        for (const int host : one.near) busy[at(host)] = true;
        const auto more = load(one);
        pairs.insert(pairs.end(), more.begin(), more.end());
        return true;
      });
      // What a late message takes from one of them it hardly takes from both.
      for (int k = 0; k < 2; ++k) load_round(pairs);
    }
    for (Cut& cut : cuts_) {
      for (const LoadRound& round : loads_) weigh(cut, round);
    }
  }

  /// Both ways at once, unless both share a link.
  void load_round(const std::vector<HostMessage>& pairs) {
    if (pairs.empty()) return;
    std::vector<HostMessage> back;
    for (const auto& [from, to] : pairs) back.push_back({to, from});
    if (backbone_) {
      run(pairs);
      loads_.push_back(rounds_.back());
    } else {
      back.insert(back.end(), pairs.begin(), pairs.end());
    }
    run(back);
    loads_.push_back(rounds_.back());
  }

  /// As many messages from the group as there can be, from and to all groups alike.
  [[nodiscard]] std::vector<HostMessage> load(const Load& one) {
    Hosts within;
    Hosts outside;
    for (const int host : one.near) {
      if (!one.active.empty() && !std::ranges::binary_search(one.active, host)) continue;
      (std::ranges::binary_search(one.group, host) ? within : outside).push_back(host);
    }
    const std::vector<int> cell = innermost();
    spread(within, cell);
    spread(outside, cell);
    if (one.near == all_) alternate(outside, around(one.group));
    std::vector<HostMessage> pairs;
    for (std::size_t k = 0; k < std::min(within.size(), outside.size()); ++k) {
      pairs.push_back({within[k], outside[k]});
    }
    return pairs;
  }

  /// Hosts within a group and beyond it in turn: so the link between them is the least busy.
  static void alternate(Hosts& hosts, const Hosts& group) {
    Hosts within;
    Hosts beyond;
    for (const int host : hosts) {
      (std::ranges::binary_search(group, host) ? within : beyond).push_back(host);
    }
    hosts.clear();
    for (std::size_t k = 0; k < std::max(within.size(), beyond.size()); ++k) {
      if (k < within.size()) hosts.push_back(within[k]);
      if (k < beyond.size()) hosts.push_back(beyond[k]);
    }
  }

  /// Of each host, the smallest group that it is in.
  [[nodiscard]] std::vector<int> innermost() const {
    std::vector<int> cell(at(n_), 0);
    std::vector<std::size_t> size(at(n_), all_.size() + 1);
    for (std::size_t k = 0; k < groups_.size(); ++k) {
      for (const int host : groups_[k].hosts) {
        if (groups_[k].hosts.size() >= size[at(host)]) continue;
        size[at(host)] = groups_[k].hosts.size();
        cell[at(host)] = static_cast<int>(k) + 1;
      }
    }
    return cell;
  }

  /// Hosts between which no message passes the link that all others share.
  [[nodiscard]] std::vector<Hosts> find_sides(const Hosts& hosts) {
    const CellTask task{hosts, [&](const auto& pairs) { return run(pairs); },
                        [&](const auto& pairs) { return expected(pairs); },
                        std::min(3 * n_, rounds_left())};
    const auto cell = find_cells(task, alone_, random_);
    std::vector<int> side = cell;
    for (const Cell& group : groups_) {
      if (contains(group.hosts, hosts) || contains(hosts, group.hosts)) continue;
      for (const int host : group.hosts) side[at(host)] = cell[at(group.hosts.front())];
    }
    set_backbone(side);
    std::vector<Hosts> sides;
    for (const Hosts& one : places_of_numbers(numbered(side))) {
      if (contains(hosts, one)) sides.push_back(one);
    }
    return sides;
  }

  /// Hosts of all cells in turn, each cell's evenly.
  void spread(Hosts& hosts, const std::vector<int>& cell) {
    shuffle(std::span{hosts}, random_);
    std::vector<double> size(at(std::ranges::max(cell)) + 1);
    for (const int host : hosts) ++size[at(cell[at(host)])];
    std::vector<double> seen(size.size());
    std::vector<std::pair<double, int>> ranked;
    for (const int host : hosts) {
      const std::size_t c = at(cell[at(host)]);
      ranked.push_back({(seen[c]++ + 0.5) / size[c], host});
    }
    std::ranges::stable_sort(ranked, {}, [](const auto& one) { return one.first; });
    for (std::size_t k = 0; k < hosts.size(); ++k) hosts[k] = ranked[k].second;
  }

  [[nodiscard]] double rate_shown_by(const LoadedLink& link, const LoadRound& round) const {
    return rate_shown(link, round, alone_);
  }

  /// How much slower than expected those that pass the link are, in the median.
  [[nodiscard]] static double slowness(const LoadedLink& link, const LoadRound& round,
                                       const std::vector<double>& expected) {
    std::vector<double> ratios;
    for (std::size_t k = 0; k < round.pairs.size(); ++k) {
      if (link.passes(round.pairs[k])) ratios.push_back(round.times[k] / expected[k]);
    }
    return ratios.size() < 2 ? 1 : quantile(ratios, 0.75);
  }

  /// Of rounds that show about the same, the one with the most messages tells whether it limits.
  void weigh(Cut& cut, const LoadRound& round) const {
    constexpr double about = 1.02;
    const double rate = rate_shown_by(cut.link, round);
    const auto messages = [&](const LoadRound& r) {
      return std::ranges::count_if(r.pairs,
                                   [&](const HostMessage& p) { return cut.link.passes(p); });
    };
    const bool more = messages(round) > messages(cut.best);
    if (rate * about < cut.shown || (rate < about * cut.shown && !more)) return;
    cut.shown = rate;
    cut.link.rate = rate;
    cut.best = round;
    cut.slow = slowness(cut.link, round, times_at_once(round.pairs, alone_, {})) > slow_clearly;
    cut.limits = cut.slow;
  }

  /// Looks for what groups have in common: of each, as many hosts send as its uplink can bear.
  void ascend() {
    while (true) {
      Hosts active;
      const auto tops = places_of_numbers(numbered(top_));
      long groups = 0;
      for (const Hosts& hosts : tops) {
        if (top_[at(hosts.front())] == 0) continue;
        ++groups;
        const std::size_t most = bearable(hosts);
        Hosts some = hosts;
        spread(some, innermost());
        active.insert(active.end(), some.begin(), some.begin() + static_cast<long>(most));
      }
      std::ranges::sort(active);
      if (groups < 2) return;
      choose_limits();
      const auto branches = find({active}, top_, groups < 4 ? 0 : 2);
      if (branches[0].shared) {
        set_backbone(top_);
        return measure_again();
      }
      const std::size_t first = groups_.size();
      for (std::size_t b = 1; b < branches.size(); ++b) {
        if (!branches[b].parts.empty() || branches[b].parent == 0) join(branches[b].hosts, groups);
      }
      if (groups_.size() == first) return;
      measure(first, active);
      for (std::size_t k = first; k < groups_.size(); ++k) {
        for (const int host : groups_[k].hosts)
          top_[at(host)] = static_cast<int>(groups_.size() + k);
      }
    }
  }

  /// Several outermost groups as one, by the hosts that stand for them.
  void join(const Hosts& hosts, long groups) {
    std::vector<int> tops;
    for (const int host : hosts) tops.push_back(top_[at(host)]);
    std::ranges::sort(tops);
    tops.erase(std::ranges::unique(tops).begin(), tops.end());
    if (tops.size() < 2 || static_cast<long>(tops.size()) > groups / 2) return;
    Hosts all;
    for (const int host : all_) {
      if (std::ranges::binary_search(tops, top_[at(host)])) all.push_back(host);
    }
    add(all);
  }

  /// One way after the other.
  void measure_again() {
    loads_.clear();
    for (Cut& cut : cuts_) cut = {{cut.link.side, cut.link.passing, 0}, {}};
    measure(0);
  }

  /// How many of a cell's hosts may send, or receive, without being slowed by its uplink; at
  /// least one.
  [[nodiscard]] std::size_t bearable(const Hosts& hosts) const {
    double rate = 0;
    for (const int host : hosts) {
      for (int other = 0; other < n_; ++other) {
        if (host != other) rate = std::max(rate, 1 / alone_(host, other));
      }
    }
    double carried = static_cast<double>(hosts.size()) * rate;
    for (const Cell& cell : groups_) {
      if (!contains(cell.hosts, hosts) && !contains(hosts, cell.hosts)) continue;
      for (const std::size_t cut : {cell.out, cell.in}) {
        if (cuts_[cut].limits) carried = std::min(carried, cuts_[cut].link.rate);
      }
    }
    return std::clamp<std::size_t>(static_cast<std::size_t>(std::ceil(carried * 0.99 / rate)), 1,
                                   hosts.size());
  }

  void set_backbone(const std::vector<int>& side) {
    LoadedLink link{side, Passing::between, 0};
    for (const LoadRound& round : rounds_) {
      const double rate = rate_shown_by(link, round);
      if (rate <= link.rate) continue;
      link.rate = rate;
      backbone_round_ = round.place;
    }
    if (link.rate > 0) backbone_ = link;
  }

  /// Of the cuts that limit, by what their rounds show where the others limit, too.
  void find_rates() {
    std::vector<ShownLink> shown;
    std::vector<Cut*> cuts;
    for (Cut& cut : cuts_) {
      if (!cut.limits) continue;
      cut.link.rate = cut.shown;
      shown.push_back({cut.link, {cut.best}});
      cuts.push_back(&cut);
    }
    if (backbone_) shown.push_back({*backbone_, {rounds_[at(backbone_round_)]}});
    const auto links = with_rates_shown(shown, alone_);
    if (!links) return;
    for (std::size_t k = 0; k < cuts.size(); ++k) cuts[k]->link = (*links)[k];
    if (backbone_) backbone_ = links->back();
  }

  /// Of cuts that were slow, those that others don't explain.
  void choose_limits() {
    std::vector<std::size_t> order;
    for (std::size_t k = 0; k < cuts_.size(); ++k) {
      cuts_[k].limits = cuts_[k].slow;
      if (cuts_[k].slow) order.push_back(k);
    }
    find_rates();
    std::ranges::stable_sort(order, std::ranges::greater{},
                             [&](std::size_t k) { return cuts_[k].best.pairs.size(); });
    for (const std::size_t k : order) {
      const auto others = explanations(k);
      const auto told = times_at_once(cuts_[k].best.pairs, alone_, others);
      if (slowness(cuts_[k].link, cuts_[k].best, told) < explains) cuts_[k].limits = false;
    }
    find_rates();
  }

  /// The other links, without those that all of its messages enter as they leave it, or the
  /// reverse: which of the two is busy nobody can tell.
  [[nodiscard]] std::vector<LoadedLink> explanations(std::size_t cut) const {
    const Cut& own = cuts_[cut];
    std::vector<LoadedLink> links;
    for (std::size_t k = 0; k < cuts_.size(); ++k) {
      const LoadedLink& link = cuts_[k].link;
      if (k == cut || !cuts_[k].limits) continue;
      const bool series = link.passing != own.link.passing &&
                          std::ranges::all_of(own.best.pairs, [&](const HostMessage& pair) {
                            return !own.link.passes(pair) || link.passes(pair);
                          });
      if (!series) links.push_back(link);
    }
    if (backbone_) links.push_back(*backbone_);
    return links;
  }

  void measure_bisection(FoundFabric& fabric) {
    const auto links = limiting();
    std::vector<double> sums;
    std::vector<double> alone;
    std::vector<double> misfits;
    for (int round = 0; round < bisection_rounds; ++round) {
      Hosts hosts = all_;
      shuffle(std::span{hosts}, random_);
      std::vector<HostMessage> pairs;
      for (std::size_t k = 0; k + 1 < hosts.size(); k += 2)
        pairs.push_back({hosts[k], hosts[k + 1]});
      const auto times = run(pairs);
      const auto told = times_at_once(pairs, alone_, links);
      double sum = 0;
      double own = 0;
      for (std::size_t k = 0; k < pairs.size(); ++k) {
        sum += 1 / times[k];
        own += 1 / alone_(pairs[k].from, pairs[k].to);
        misfits.push_back(std::abs(times[k] / told[k] - 1));
      }
      sums.push_back(sum);
      alone.push_back(own);
    }
    fabric.bisection = {mean(sums)};
    fabric.alone = {mean(alone)};
    fabric.misfit = quantile(misfits, 0.9);
    fabric.bisection_rounds = bisection_rounds;
  }

  [[nodiscard]] SharedLinkTime time_of(const Cut& cut) const {
    SharedLinkTime time;
    time.bound = {1 / cut.shown};
    time.round = cut.best.place;
    if (cut.limits) time.value = SecondsPerByte{1 / cut.link.rate};
    return time;
  }

  void report(FoundFabric& fabric) const {
    for (const Cell& cell : groups_) {
      if (!cuts_[cell.out].limits && !cuts_[cell.in].limits) continue;
      fabric.groups.push_back({cell.hosts, {}, time_of(cuts_[cell.out]), time_of(cuts_[cell.in])});
    }
    std::ranges::sort(fabric.groups, {}, &FoundGroup::hosts);
    find_parents(fabric.groups);
    if (backbone_) {
      fabric.backbone = SecondsPerByte{1 / backbone_->rate};
      fabric.backbone_sides = backbone_->side;
      fabric.backbone_round = backbone_round_;
    }
    fabric.rounds = static_cast<int>(rounds_.size());
    fabric.notes = notes(fabric);
  }

  static void find_parents(std::vector<FoundGroup>& groups) {
    for (FoundGroup& group : groups) {
      for (std::size_t k = 0; k < groups.size(); ++k) {
        const Hosts& other = groups[k].hosts;
        if (other == group.hosts || !contains(other, group.hosts)) continue;
        if (group.parent && contains(other, groups[at(*group.parent)].hosts)) continue;
        group.parent = static_cast<int>(k);
      }
    }
  }

  /// What could not be seen.
  [[nodiscard]] std::vector<std::string> notes(const FoundFabric& fabric) const {
    std::vector<std::string> notes;
    if (fabric.groups.empty() && !fabric.backbone) {
      notes.push_back("no shared link was seen: in " + std::to_string(patience_) +
                      " rounds in which all hosts sent and received in random pairs none was " +
                      "slower than alone; of a group whose hosts go to each other by chance an " +
                      "uplink that is slow only when nearly all of them leave may be missed");
    }
    for (const FoundGroup& group : fabric.groups) {
      for (const bool out : {true, false}) {
        const SharedLinkTime& time = out ? group.out : group.in;
        if (time.value) continue;
        notes.push_back("the uplink of hosts " + text_of(group.hosts) + " isn't limited by " +
                        (out ? "what goes out" : "what comes in") + ": it carried " +
                        to_text(BytesPerSecond{1 / time.bound.value}));
      }
    }
    if (fabric.misfit > poor_misfit) {
      notes.push_back(
          "the last rounds took otherwise than these links foretell: some hosts may be " +
          std::string{"in another group; another seed tells"});
    }
    return notes;
  }

  [[nodiscard]] static std::string text_of(const Hosts& hosts) {
    std::string text;
    for (const int host : hosts) text += (text.empty() ? "" : ", ") + std::to_string(host);
    return text;
  }

  const Matrix& alone_;
  const MeasureAtOnce& measure_;
  std::mt19937_64 random_;
  int n_{};
  int patience_{};
  int most_rounds_{};
  Hosts all_;
  std::vector<int> top_;  ///< of each host, its outermost cell
  std::vector<Cell> groups_;
  std::vector<Cut> cuts_;
  std::optional<LoadedLink> backbone_;
  int backbone_round_{-1};
  std::vector<LoadRound> rounds_;
  std::vector<LoadRound> loads_;  ///< those that load groups as much as can be
};

}  // namespace

const FoundGroup* group_of(const FoundFabric& fabric, const std::vector<int>& hosts) {
  const auto found = std::ranges::find(fabric.groups, hosts, &FoundGroup::hosts);
  return found == fabric.groups.end() ? nullptr : &*found;
}

bool have_same_backbone(const FoundFabric& one, const FoundFabric& other) {
  if (!one.backbone || !other.backbone) return !one.backbone && !other.backbone;
  return numbered(one.backbone_sides) == numbered(other.backbone_sides);
}

FoundFabric find_fabric(const Matrix& alone, const MeasureAtOnce& measure,
                        const FabricOptions& options) {
  const int n = alone.size();
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      if (i != j && !(alone(i, j) > 0)) {
        throw InputError("a time per byte of a pair alone is not positive: measure it again");
      }
    }
  }
  if (n < 4) {
    FoundFabric none;
    none.notes.push_back("fewer than 4 hosts: no two can share an uplink to two others");
    return none;
  }
  return FabricFinder(alone, measure, options).find();
}

}  // namespace commgauge
