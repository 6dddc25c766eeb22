#include "plan/cut_search.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <set>
#include <span>
#include <utility>

#include "commgauge/base/index.hpp"
#include "commgauge/base/shuffle.hpp"
#include "commgauge/base/statistics.hpp"

namespace commgauge {

namespace {

using Hosts = std::vector<int>;
using HostMessages = std::vector<HostMessage>;

/// Times of messages that share a busy link until they end differ by less.
constexpr double same_level = 1.025;
/// A message that is faster than this part of what others take on a link doesn't pass it.
constexpr double passes_not = 0.95;
/// Without some of the messages of a link this is still slow.
constexpr double slow_slightly = 1.03;
/// Of two rounds, how much their messages' shares of a link differ by chance.
constexpr double same_share = 1.02;
/// So many rounds must agree on the share.
constexpr int enough_agree = 2;
constexpr int enough_both_ways = 3;
constexpr int most_tries = 16;
/// So often a host is asked on which side it is.
constexpr int most_asked = 7;

/// How a round went.
struct Outcome {
  HostMessages pairs;
  std::vector<double> times;   ///< [s/byte]
  std::vector<double> ratios;  ///< to what was expected
};

/// What the slowest messages take, of which there must be two. 0: none is slow.
double slowest_level(const Outcome& outcome, double slow_from) {
  std::vector<double> slow;
  for (std::size_t k = 0; k < outcome.times.size(); ++k) {
    if (outcome.ratios[k] > slow_from) slow.push_back(outcome.times[k]);
  }
  std::ranges::sort(slow, std::ranges::greater{});
  const std::size_t least = std::max<std::size_t>(2, slow.size() / 10);
  for (std::size_t k = 0; k + least <= slow.size(); ++k) {
    const auto last = std::find_if(slow.begin() + static_cast<std::ptrdiff_t>(k), slow.end(),
                                   [&](double t) { return t * same_level < slow[k]; });
    const std::span<const double> level{slow.begin() + static_cast<std::ptrdiff_t>(k), last};
    if (level.size() >= least) return median(level);
  }
  return 0;
}

/// Those that are as slow as the level, or slower by an outlier.
HostMessages at_level(const Outcome& outcome, double level, double slow_from) {
  HostMessages pairs;
  for (std::size_t k = 0; k < outcome.pairs.size(); ++k) {
    if (outcome.times[k] * same_level > level && outcome.ratios[k] > slow_from)
      pairs.push_back(outcome.pairs[k]);
  }
  return pairs;
}

bool has(const Hosts& hosts, int host) { return std::ranges::find(hosts, host) != hosts.end(); }

/// The search in one branch.
class BranchSearch {
 public:
  BranchSearch(Hosts hosts, const std::vector<int>& cell, int patience)
      : hosts_{std::move(hosts)}, cell_{cell}, patience_{patience} {
    done_ = patience_ <= 0 || hosts_.size() < 2;
    for (distance_ = 1; 2 * distance_ < hosts_.size();) distance_ *= 2;
  }

  [[nodiscard]] bool done() const { return done_; }
  [[nodiscard]] bool shared() const { return shared_; }
  /// The sides, when done; empty if nothing was seen.
  [[nodiscard]] const Hosts& from() const { return from_; }
  [[nodiscard]] const Hosts& to() const { return to_; }

  [[nodiscard]] HostMessages next(std::mt19937_64& random) {
    if (stage_ == Stage::look) return look(random);
    if (stage_ == Stage::sift) return thinned(random);
    return ask(random);
  }

  void learn(const Outcome& outcome, const Matrix& alone) {
    if (stage_ == Stage::look) {
      judge_look(outcome);
    } else if (stage_ == Stage::sift) {
      sift(outcome);
    } else {
      hear(outcome, alone);
    }
  }

 private:
  enum class Stage {
    look,  ///< for slow messages
    sift,  ///< until those of one link are left
    ask    ///< on which side the other hosts are
  };

  /// First hosts that are far apart in their order, then nearer ones, then any that haven't met:
  /// racks have hosts with names in a row.
  [[nodiscard]] HostMessages look(std::mt19937_64& random) {
    Hosts left = hosts_;
    HostMessages pairs;
    const auto meet = [&](int a, int b) {
      met_.insert({std::min(a, b), std::max(a, b)});
      pairs.insert(pairs.end(), {{a, b}, {b, a}});
      std::erase_if(left, [&](int host) { return host == a || host == b; });
    };
    for (std::size_t i = 0; distance_ > 0 && i + distance_ < hosts_.size(); ++i) {
      const int a = hosts_[i];
      const int b = hosts_[i + distance_];
      if (has(left, a) && has(left, b) && cell_[at(a)] != cell_[at(b)]) meet(a, b);
    }
    distance_ /= 2;
    shuffle(std::span{left}, random);
    for (const bool anew : {true, false}) {
      const Hosts order = left;
      for (const int a : order) {
        if (!has(left, a)) continue;
        const auto b = std::ranges::find_if(left, [&](int host) {
          return cell_[at(host)] != cell_[at(a)] &&
                 !(anew && met_.contains({std::min(a, host), std::max(a, host)}));
        });
        if (b != left.end()) meet(a, *b);
      }
    }
    if (pairs.empty()) done_ = true;
    return pairs;
  }

  void give_up_once() {
    stage_ = Stage::look;
    if (--patience_ <= 0) done_ = true;
  }

  /// The messages were of several links.
  void start_again() {
    from_.clear();
    to_.clear();
    open_.clear();
    give_up_once();
  }

  void judge_look(const Outcome& outcome) {
    const double level = slowest_level(outcome, slow_clearly);
    if (level == 0) return give_up_once();
    suspects_ = at_level(outcome, level, slow_clearly);
    left_out_.clear();
    full_ = thinned_ = 0;
    slowness_ = median(outcome.ratios);
    full_level_ = level;
    agreeing_ = tries_ = 0;
    thin_ = true;
    stage_ = Stage::sift;
  }

  /// Every other time some of the suspects stay out, but not so many that none is slow.
  [[nodiscard]] HostMessages thinned(std::mt19937_64& random) {
    HostMessages pairs = suspects_;
    shuffle(std::span{pairs}, random);
    left_out_.clear();
    const double part = std::min(0.4, 1 - 1.25 / slowness_);
    // An odd number: of two equally busy links one gets busier.
    const auto out = thin_ ? static_cast<std::size_t>(
                                 std::max(0.0, part * static_cast<double>(pairs.size()) - 1) / 2) *
                                     2 +
                                 1
                           : 0;
    for (std::size_t k = 0; k < out && pairs.size() > 1; ++k) {
      left_out_.push_back(pairs.back());
      pairs.pop_back();
    }
    return pairs;
  }

  /// The slowest are of one link if each takes the same share of it, however many they are.
  void sift(const Outcome& outcome) {
    if (++tries_ > most_tries) return give_up_once();
    const double slow_from = thin_ ? slow_slightly : slow_clearly;
    const double level = slowest_level(outcome, slow_from);
    const bool was_thin = thin_;
    thin_ = !thin_;
    if (level == 0 && !was_thin) return give_up_once();
    if (level == 0) {
      // As it must be, if so few keep the link from being busy.
      const auto left = static_cast<double>(outcome.pairs.size());
      const double told = slowness_ * left / static_cast<double>(suspects_.size());
      if (full_ > 0 && told < slow_slightly * same_share) agree(full_);
      return;
    }
    const HostMessages slow = at_level(outcome, level, slow_from);
    const double share = level / static_cast<double>(slow.size());
    if (was_thin) {
      if (slow.size() < outcome.pairs.size()) agreeing_ = 0;
      suspects_ = slow;
      // Those without which nothing changes are of other links.
      const double lost = static_cast<double>(slow.size()) * (full_level_ / level - 1);
      if (lost > 0.5) suspects_.insert(suspects_.end(), left_out_.begin(), left_out_.end());
      thinned_ = share;
    } else {
      full_level_ = level;
      if (slow.size() < outcome.pairs.size() && agreeing_ > 0) agreeing_ = 0;
      suspects_ = slow;
      full_ = share;
      slowness_ = median(outcome.ratios);
    }
    if (full_ > 0 && thinned_ > 0) agree(was_thin ? full_ : thinned_, share);
  }

  void agree(double one, double other) {
    if (std::max(one, other) > same_share * std::min(one, other)) {
      agreeing_ = 0;
      return;
    }
    ++agreeing_;
    if (agreeing_ >= enough_agree) take_sides();
  }
  void agree(double share) { agree(share, share); }

  void take_sides() {
    long reversed = 0;
    for (const HostMessage& pair : suspects_) {
      reversed += std::ranges::count(suspects_, HostMessage{pair.to, pair.from});
      from_.push_back(pair.from);
      to_.push_back(pair.to);
    }
    const bool clash = std::ranges::any_of(from_, [&](int host) { return has(to_, host); });
    if (!clash) {
      for (const int host : hosts_) {
        if (!has(from_, host) && !has(to_, host)) open_.push_back({host, 0, 0, 0});
      }
      share_ = 0.5;
      least_ = suspects_.size();
      tries_ = 0;
      stage_ = Stage::ask;
      if (open_.empty()) finish();
      return;
    }
    from_.clear();
    to_.clear();
    if (agreeing_ < enough_both_ways) return;
    // Both ways of a single pair may be its hosts' own limit.
    if (2 * reversed < static_cast<long>(suspects_.size()) || reversed < 4) return give_up_once();
    shared_ = done_ = true;
  }

  /// A host whose side isn't known.
  struct Open {
    int host{};
    int slow_out{};  ///< how often it was slow as a sender to the receivers' side
    int slow_in{};   ///< likewise as a receiver
    int asked{};
  };

  /// The reverse of what was slow: then it must be fast.
  [[nodiscard]] static bool sends(const Open& one) { return one.slow_in > one.slow_out; }
  [[nodiscard]] static bool receives(const Open& one) { return one.slow_out > one.slow_in; }

  /// Known senders and receivers keep the link busy. Those that needn't, and some that would, meet
  /// hosts whose side isn't known.
  [[nodiscard]] HostMessages ask(std::mt19937_64& random) {
    Hosts from = from_;
    Hosts to = to_;
    shuffle(std::span{from}, random);
    shuffle(std::span{to}, random);
    shuffle(std::span{open_}, random);
    std::ranges::stable_sort(open_, {},
                             [](const Open& one) { return one.slow_in == one.slow_out; });
    const std::size_t busy = std::min(from.size(), to.size());
    const std::size_t give = to_give(busy);
    HostMessages pairs;
    for (std::size_t k = give; k < busy; ++k) pairs.push_back({from[k], to[k]});
    keeps_ = pairs.size();
    const auto spare = [&](Hosts& hosts) {
      Hosts spares(hosts.begin(), hosts.begin() + static_cast<std::ptrdiff_t>(give));
      spares.insert(spares.end(), hosts.begin() + static_cast<std::ptrdiff_t>(busy), hosts.end());
      hosts = spares;
    };
    spare(from);
    spare(to);
    for (const Open& one : open_) {
      const bool out = sends(one) || (!receives(one) && to.size() >= from.size());
      Hosts& partners = out ? to : from;
      if (partners.empty()) continue;
      pairs.push_back(out ? HostMessage{one.host, partners.back()}
                          : HostMessage{partners.back(), one.host});
      partners.pop_back();
    }
    return pairs;
  }

  /// How many of the busy messages make way for others.
  [[nodiscard]] std::size_t to_give(std::size_t busy) const {
    const auto least = [](std::size_t need, std::size_t free) {
      return need - std::min(need, free);
    };
    const auto receive = static_cast<std::size_t>(std::ranges::count_if(open_, receives));
    const auto send = static_cast<std::size_t>(std::ranges::count_if(open_, sends));
    const std::size_t free = from_.size() + to_.size() - 2 * busy;
    const std::size_t wanted =
        std::max({least(receive, from_.size() - busy), least(send, to_.size() - busy),
                  (least(open_.size(), free) + 1) / 2});
    const auto most = static_cast<std::size_t>(share_ * static_cast<double>(busy));
    return std::min(wanted, std::max<std::size_t>(most, busy > 1 ? 1 : 0));
  }

  void hear(const Outcome& outcome, const Matrix& alone) {
    std::vector<double> busy;
    for (std::size_t k = 0; k < keeps_; ++k) {
      if (outcome.ratios[k] > slow_clearly) busy.push_back(outcome.times[k]);
    }
    if (++tries_ > 2 * most_tries) return finish();
    if (busy.empty()) {
      // One message more, and they would be slow.
      if (keeps_ + 1 < least_)
        share_ /= 2;
      else
        for (std::size_t k = keeps_; k < outcome.pairs.size(); ++k) place(outcome.pairs[k]);
      return close();
    }
    // Some may be held up elsewhere, too.
    const double level = std::ranges::min(busy);
    const bool certain =
        std::ranges::count_if(busy, [&](double t) { return t < same_level * level; }) > 1;
    for (std::size_t k = 0; k < outcome.pairs.size(); ++k) {
      const HostMessage& pair = outcome.pairs[k];
      const bool tells = alone(pair.from, pair.to) * slow_clearly < level;
      const bool fast = tells && (outcome.ratios[k] <= slow_clearly ||
                                  (certain && outcome.times[k] < passes_not * level));
      if (k >= keeps_)
        hear_one(pair, fast, outcome.times[k] >= passes_not * level);
      else if (fast)
        return start_again();
    }
    close();
  }

  /// Leaves out those whose side is known, and those that were asked in vain.
  void close() {
    std::erase_if(open_, [&](const Open& one) {
      return has(from_, one.host) || has(to_, one.host) || one.asked > most_asked;
    });
    if (open_.empty()) finish();
  }

  void hear_one(const HostMessage& pair, bool fast, bool slow) {
    const auto one = std::ranges::find_if(
        open_, [&](const Open& o) { return o.host == pair.from || o.host == pair.to; });
    ++one->asked;
    if (fast) {
      place(pair);
    } else if (slow) {
      ++(one->host == pair.from ? one->slow_out : one->slow_in);
    }
  }

  /// A message that doesn't pass the link tells on which side the host is.
  void place(const HostMessage& pair) {
    if (has(from_, pair.from))
      from_.push_back(pair.to);
    else
      to_.push_back(pair.from);
  }

  /// Hosts that none of the tests told about go to the larger side.
  void finish() {
    Hosts& rest = from_.size() > to_.size() ? from_ : to_;
    for (const int host : hosts_) {
      if (!has(from_, host) && !has(to_, host)) rest.push_back(host);
    }
    std::ranges::sort(from_);
    std::ranges::sort(to_);
    done_ = true;
  }

  Hosts hosts_;
  const std::vector<int>& cell_;
  int patience_{};
  Stage stage_{};
  bool done_{};
  bool shared_{};
  std::size_t distance_{};
  std::set<std::pair<int, int>> met_;
  HostMessages suspects_;
  HostMessages left_out_;
  bool thin_{};
  double full_level_{};  ///< of all suspects at once [s/byte]
  double full_{};        ///< of each suspect, when all were equally slow [s/byte]
  double thinned_{};     ///< likewise without some of them
  int agreeing_{};
  double slowness_{};  ///< of the suspects, to what was expected
  int tries_{};
  Hosts from_;
  Hosts to_;
  std::vector<Open> open_;
  double share_{};
  std::size_t keeps_{};
  std::size_t least_{};  ///< so many messages were slow
};

}  // namespace

std::vector<HostSplit> find_cuts(const CutTask& task, const Matrix& alone,
                                 std::mt19937_64& random) {
  std::vector<HostSplit> branches;
  std::vector<BranchSearch> searches;
  const auto add = [&](const Hosts& hosts, int parent) {
    branches.push_back({hosts, {}, false, parent});
    searches.emplace_back(hosts, task.cell, task.patience(hosts.size()));
    return static_cast<int>(branches.size()) - 1;
  };
  for (const Hosts& scope : task.scopes) add(scope, -1);
  for (int round = 0; round < task.most_rounds; ++round) {
    HostMessages pairs;
    std::vector<std::size_t> counts;
    for (BranchSearch& search : searches) {
      const HostMessages own = search.done() ? HostMessages{} : search.next(random);
      counts.push_back(own.size());
      pairs.insert(pairs.end(), own.begin(), own.end());
    }
    if (pairs.empty()) break;
    const auto times = task.run(pairs);
    const auto expected = task.expected(pairs);
    std::size_t k = 0;
    for (std::size_t b = 0; b < counts.size(); ++b) {
      Outcome outcome;
      for (const std::size_t end = k + counts[b]; k < end; ++k) {
        outcome.pairs.push_back(pairs[k]);
        outcome.times.push_back(times[k]);
        outcome.ratios.push_back(times[k] / expected[k]);
      }
      if (outcome.pairs.empty()) continue;
      searches[b].learn(outcome, alone);
      if (!searches[b].done()) continue;
      branches[b].shared = searches[b].shared();
      const Hosts from = searches[b].from();
      const Hosts to = searches[b].to();
      if (from.empty() || to.empty()) continue;
      const int first = add(from, static_cast<int>(b));
      branches[b].parts = {first, add(to, static_cast<int>(b))};
    }
  }
  return branches;
}

}  // namespace commgauge
