#include "commgauge/replay/explain/explanation.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "commgauge/base/error.hpp"
#include "commgauge/model/scaled.hpp"
#include "commgauge/replay/paths/longest_paths.hpp"
#include "commgauge/replay/paths/walked_marks.hpp"
#include "commgauge/replay/run/replay.hpp"
#include "explain/balancing.hpp"
#include "explain/critical_path.hpp"
#include "explain/domino_path.hpp"
#include "explain/places.hpp"
#include "explain/uplinks.hpp"
#include "explain/words.hpp"
#include "paths/received.hpp"
#include "paths/waits.hpp"
#include "prediction/job_machine.hpp"

namespace commgauge::replay {

using simulate::Cause;
using simulate::Causes;
using simulate::Moment;

namespace {

/// Waits that are taken away together: of a call in its innermost region, of a region, of a rank.
struct Group {
  Answer::Kind kind{};
  Places::Call call;
  std::uint32_t region{};
  int rank{every_rank};
  auto operator<=>(const Group&) const = default;
};

/// What the waits of a group on the critical path have in common.
class Common {
 public:
  void add(const Wait& wait) {
    waited_ += wait.waited;
    late_ += wait.late;
    asleep_ += wait.asleep;
    if (wait.why == simulate::Why::thread) for_threads_ += wait.waited;
    partners_[wait.partner] += wait.waited;
    waiting_.insert(wait.rank);
  }
  [[nodiscard]] double waited() const { return waited_; }
  [[nodiscard]] WaitSums sums() const {
    const auto second = [](const auto& one) { return one.second; };
    const auto main = std::ranges::max_element(partners_, {}, second);
    constexpr double nearly_all = 0.9;
    const int partner = main->second > nearly_all * waited_ ? main->first : every_rank;
    return {waited_, late_, asleep_, for_threads_, partner, waiting_.size()};
  }

 private:
  double waited_{};
  double late_{};
  double asleep_{};
  double for_threads_{};
  std::map<int, double> partners_;  ///< by rank [s]
  std::set<int> waiting_;
};

/// How much of the walks there is time for: moments that they may pass.
std::size_t most_sweeps(const Causes& causes) {
  constexpr std::size_t most_moments = 20'000'000;
  constexpr std::size_t most = 500;
  return std::min(most, most_moments / causes.size());
}

class Explainer {
 public:
  Explainer(const trace::Trace& trace, const simulate::Machine& machine, const Result& result,
            const Causes& causes, const ExplanationOptions& options)
      : trace_{trace},
        machine_{machine},
        result_{result},
        options_{options},
        causes_{causes},
        places_{trace},
        sleeps_{causes_},
        paths_{causes_},
        swept_{paths_.without_each()},
        balancing_{causes_, places_} {}

  [[nodiscard]] Explanation explanation() {
    all_.time = paths_.time();
    all_.ranks = static_cast<int>(trace_.ranks.size());
    all_.critical_path = critical_path_of(
        causes_, places_, paths_, {causes_, machine_, options_.machine_with}, options_.most_steps);
    all_.uplinks = waits_at_uplinks(causes_, machine_, paths_);
    find_waits();
    add_single_waits();
    add_groups();
    add_balance();
    add_bounds();
    add_domino_paths();
    add_efficiency();
    list_answers();
    return std::move(all_);
  }

 private:
  void tell(const char* phase, std::size_t done, std::size_t all) const {
    if (options_.progress) options_.progress(phase, done, all);
  }

  void note(std::string kind, std::size_t count, std::string problem, std::string reason) {
    if (count == 0) return;
    all_.notes.push_back({.kind = std::move(kind),
                          .count = static_cast<long>(count),
                          .problem = std::to_string(count) + " " + std::move(problem),
                          .reason = std::move(reason)});
  }

  /// Made when it is needed, for these causes or for such with other delays: what is divided evenly
  /// is what takes so long there.
  using MakeDelay = std::function<LongestPaths::Delay(const Causes&)>;

  /// Adds it if it helps. @param delay  what the run takes that time with. @return it, then
  Answer* add(Answer::Kind kind, double time, MakeDelay delay, std::string title,
              std::string advice, Whereabouts where = {}) {
    if (!helps(time, all_.time)) return nullptr;
    found_.push_back({{.kind = kind,
                       .title = std::move(title),
                       .advice = std::move(advice),
                       .where = std::move(where),
                       .time = time,
                       .gain = all_.time - time},
                      std::move(delay)});
    return &found_.back().answer;
  }

  /// A walk for each on each machine.
  void add_intervals() {
    std::vector<Found*> asked;
    for (Found& found : found_) {
      if (is_bound(found.answer.kind) || asked.size() < options_.most_intervals) {
        asked.push_back(&found);
      }
    }
    if (asked.empty()) return;
    Causes there = causes_;
    // The run's time, and those of the answers.
    const std::vector<ByEnds> known = options_.by_replicates([&](const simulate::Machine& machine) {
      there = causes_;
      there.change_delays(delays_on(causes_, machine_, machine));
      const LongestPaths paths(there);
      std::vector<double> times{paths.time()};
      for (const Found* const found : asked) {
        times.push_back(paths.with(found->delay(there)));
      }
      return times;
    });
    const auto interval = [](const Prediction& p) { return Interval{p.low.value, p.high.value}; };
    const Model& model = *options_.model;
    for (std::size_t i = 0; i < asked.size(); ++i) {
      Answer& answer = asked[i]->answer;
      const ByEnds& then = known[i + 1];
      answer.time_interval = interval(with_interval(model, machine_.kind, answer.time, then));
      answer.gain_interval =
          interval(paired(model, machine_.kind, Relation::difference, answer.gain, known[0], then));
    }
  }

  void list_answers() {
    const auto rank = [](const Found& one) { return std::pair{-one.answer.gain, one.answer.kind}; };
    std::ranges::stable_sort(found_, {}, rank);
    if (options_.by_replicates) add_intervals();
    std::size_t afters = 0;
    double last = never_delays;
    for (auto& [answer, delay] : found_) {
      // What gains the same is the same wait in a larger group.
      const bool is_new = !is_bound(answer.kind) && answer.time - last > 1e-9 * all_.time;
      if (is_new && afters < options_.most_afters) {
        last = answer.time;
        tell("how the run would be", afters++, options_.most_afters);
        answer.marks = walked_marks(result_, paths_, delay(causes_));
      }
      all_.answers.push_back(std::move(answer));
    }
  }

  [[nodiscard]] Whereabouts whereabouts(const Wait& wait) const {
    return places_.whereabouts(wait.rank, wait.place);
  }

  [[nodiscard]] Wait told_wait(const LongestPaths::Step& step) const {
    Wait wait = wait_of(causes_, step);
    const double since = causes_.time(wait.to) - wait.waited;
    wait.asleep = sleeps_.between(wait.partner, since, since + wait.late);
    return wait;
  }

  /// Those on the critical path: only they can change the time.
  void find_waits() {
    const auto& path = paths_.critical_path();
    for (std::size_t k = 0; k < path.size(); ++k) {
      if (!is_wait(path[k].cause)) continue;
      waits_.push_back(
          {told_wait(path[k]), awaited(causes_, path[k].to, path[k].cause), swept_[k], false});
    }
  }

  /// How often a rank waits for a message, for each of the critical path's.
  [[nodiscard]] std::map<Awaited, int> times_awaited() const {
    std::map<Awaited, int> times;
    std::vector<char> is_asked(causes_.messages().size());
    for (const Single& single : waits_) {
      if (single.what.has_message()) is_asked[single.what.message] = 1;
    }
    for_each_wait(causes_, [&](Moment to, const Cause& cause, std::size_t) {
      const Awaited what = awaited(causes_, to, cause);
      if (what.has_message() && is_asked[what.message] != 0) ++times[what];
    });
    return times;
  }

  /// A message that a rank waits for more than once, as by a probe and by a receive, is there
  /// without any of them: they are one wait, told with the first.
  void join_repeated_waits() {
    std::map<Awaited, int> times = times_awaited();
    std::vector<Single*> repeated;
    for (Single& single : waits_) {
      if (!single.what.has_message()) continue;
      int& count = times.at(single.what);
      if (count == 1) continue;
      single.is_repeated = true;
      if (count > 1) {
        repeated.push_back(&single);
      } else {
        single.time = all_.time;
      }
      count = told_already;
    }
    std::ranges::stable_sort(repeated, std::greater{},
                             [](const Single* one) { return one->wait.waited; });
    const std::size_t walked = std::min(repeated.size(), options_.most_groups);
    for (std::size_t i = 0; i < walked; ++i) {
      tell("waits", i, walked);
      repeated[i]->time = time_without(paths_, is_of(*repeated[i]));
    }
    note("repeated_waits", repeated.size() - walked,
         "waits for messages that were probed or tested for may gain more than is said",
         "too many to follow them all");
  }
  static constexpr int told_already = 0;

  void add_single_waits() {
    join_repeated_waits();
    std::vector<Single> best;
    std::ranges::copy_if(waits_, std::back_inserter(best),
                         [&](const Single& one) { return helps(one.time, all_.time); });
    std::ranges::stable_sort(best, {}, &Single::time);
    const std::size_t shown = std::min(best.size(), options_.most_waits);
    note("waits_left_out", best.size() - shown, "single waits gain less and aren't listed",
         "the best " + std::to_string(shown) + " are");
    best.resize(shown);
    const std::size_t most = most_replays();
    std::size_t replays = 0;
    for (const Single& single : best) {
      const Whereabouts where = whereabouts(single.wait);
      Answer* const answer = add(
          Answer::Kind::wait, single.time,
          [this, single](const Causes&) { return without(is_of(single)); },
          title_of(single.wait, where, causes_.time(single.wait.to)),
          advice_for(single.wait, where), where);
      // A probe would still wait for the message.
      if (replays == most || answer == nullptr || single.is_repeated) continue;
      tell("confirming", replays, most);
      answer->confirmed = confirmed(single.wait);
      if (answer->confirmed) ++replays;
    }
  }

  [[nodiscard]] std::size_t most_replays() const {
    constexpr std::size_t most_events = 10'000'000;
    std::size_t events = 1;
    for (const trace::Rank& rank : trace_.ranks) events += rank.events.size();
    return options_.replay.rematches ? 0 : std::min(options_.most_confirmed, most_events / events);
  }

  [[nodiscard]] std::optional<double> confirmed(const Wait& wait) const {
    const auto receive = receive_of(trace_, causes_, wait);
    if (!receive) return std::nullopt;
    Options how = times_only(options_.replay);
    how.unawaited = {*receive};
    return replay(trace_, machine_, how).time;
  }

  /// The groups that a wait belongs to.
  template <class Each>
  void for_groups(const Wait& wait, const Each& each) const {
    const Places::Call call = places_.call(wait.rank, wait.place);
    if (call.name != Places::no_call) {
      each(Group{.kind = Answer::Kind::call_site,
                 .call = call,
                 .region = places_.region(wait.rank, wait.place)});
    }
    each(Group{.kind = Answer::Kind::rank, .call = {}, .rank = wait.rank});
    const auto instances = places_.instances();
    for (std::uint32_t at = places_.instance(wait.rank, wait.place); instances[at].around != at;
         at = instances[at].around) {
      each(Group{.kind = Answer::Kind::region, .call = {}, .region = instances[at].region});
    }
  }

  struct Single {
    Wait wait;
    Awaited what;
    double time{};       ///< of the run without it
    bool is_repeated{};  ///< and without others for its message, of which there are some
  };

  [[nodiscard]] IsGone is_of(const Single& single) const {
    return [what = single.what, &causes = causes_](Moment to, const Cause& wait) {
      return awaited(causes, to, wait) == what;
    };
  }

  [[nodiscard]] bool is_of(const Group& group, Moment to) const {
    const int rank = causes_.rank(to);
    const std::uint32_t place = causes_.place(to);
    switch (group.kind) {
      case Answer::Kind::call_site:
        return places_.call(rank, place) == group.call &&
               places_.region(rank, place) == group.region;
      case Answer::Kind::region:
        return places_.is_within(rank, place, group.region);
      default:
        return rank == group.rank;
    }
  }

  [[nodiscard]] Whereabouts whereabouts(const Group& group) const {
    switch (group.kind) {
      case Answer::Kind::call_site:
        return {every_rank, places_.region_name(group.region), places_.call_name(group.call),
                places_.site_name(group.call)};
      case Answer::Kind::region:
        return {every_rank, places_.region_name(group.region), "", ""};
      default:
        return {group.rank, "", "", ""};
    }
  }

  [[nodiscard]] IsGone is_gone_with(const Group& group) const {
    return [this, group](Moment to, const Cause&) { return is_of(group, to); };
  }

  /// What goes without a group may be more than its waits on the critical path: as of one that was
  /// late once, and whose messages are on it ever after. Of such groups all waits.
  [[nodiscard]] std::map<Group, Common> whole_of_unexplained(
      const std::vector<std::pair<Group, Common>>& groups, const std::vector<double>& times) const {
    std::map<Group, Common> whole;
    for (std::size_t i = 0; i < times.size(); ++i) {
      if (all_.time - times[i] > 2 * groups[i].second.waited()) whole.try_emplace(groups[i].first);
    }
    if (whole.empty()) return whole;
    for_each_wait(causes_, [&](Moment to, const Cause& cause, std::size_t which) {
      const Wait wait = told_wait({to, cause, which});
      if (!(wait.waited > 0)) return;
      for_groups(wait, [&](const Group& group) {
        if (const auto found = whole.find(group); found != whole.end()) found->second.add(wait);
      });
    });
    return whole;
  }

  void add_groups() {
    std::map<Group, Common> groups;
    for (const Single& single : waits_) {
      for_groups(single.wait, [&](const Group& group) { groups[group].add(single.wait); });
    }
    std::vector<std::pair<Group, Common>> sorted;
    for (auto& [group, common] : groups) {
      if (common.waited() > 0) sorted.emplace_back(group, std::move(common));
    }
    std::ranges::stable_sort(sorted, std::greater{},
                             [](const auto& one) { return one.second.waited(); });
    const std::size_t walked = std::min(sorted.size(), options_.most_groups);
    std::vector<double> times;
    for (std::size_t i = 0; i < walked; ++i) {
      tell("waits by call, region and rank", i, walked);
      times.push_back(time_without(paths_, is_gone_with(sorted[i].first)));
    }
    const std::map<Group, Common> whole = whole_of_unexplained(sorted, times);
    for (std::size_t i = 0; i < walked; ++i) {
      const Group& group = sorted[i].first;
      const auto all = whole.find(group);
      const WaitSums sums = (all == whole.end() ? sorted[i].second : all->second).sums();
      const MakeDelay delay = [is_gone = is_gone_with(group)](const Causes&) {
        return without(is_gone);
      };
      const Whereabouts where = whereabouts(group);
      add(group.kind, times[i], delay, title_of(group.kind, where),
          advice_for(group.kind, where, sums), where);
    }
    note("groups_left_out", sorted.size() - walked,
         "calls, regions or ranks aren't looked at whose waits are less of the critical path",
         "too many to follow them all");
  }

  void add_balance() {
    const auto& regions = balancing_.regions();
    const std::size_t walked = std::min(regions.size(), options_.most_groups);
    for (std::size_t i = 0; i < walked; ++i) {
      tell("balance", i, walked);
      const MakeDelay delay = [this, region = regions[i]](const Causes& causes) {
        return balancing_.balanced(causes, region);
      };
      Balance balance = balancing_.of(regions[i]);
      balance.time = paths_.with(delay(causes_));
      all_.balance.push_back(balance);
      add(Answer::Kind::balance, balance.time, delay, title_of(balance), advice_for(balance),
          {every_rank, balance.region, "", ""});
    }
    note("regions_left_out", regions.size() - walked, "regions aren't balanced that compute less",
         "too many to follow them all");
    const auto unevenness = [](const Balance& one) {
      return one.computing * (1 - one.mean_over_max);
    };
    std::ranges::stable_sort(all_.balance, std::greater{}, unevenness);
  }

  void add_bound(Answer::Kind kind, double time, const MakeDelay& delay) {
    add(kind, time, delay, title_of(kind, {}), advice_for(kind, {}, {}));
  }

  void add_bounds() {
    const IsGone any = [](Moment, const Cause&) { return true; };
    add_bound(Answer::Kind::all_waits, time_without(paths_, any),
              [any](const Causes&) { return without(any); });
    const LongestPaths::Delay balanced = balancing_.all_balanced(causes_);
    add_bound(Answer::Kind::all_balanced, paths_.with(balanced),
              [this](const Causes& causes) { return balancing_.all_balanced(causes); });
    add_bound(
        Answer::Kind::both, paths_.with(without_waits(balanced)),
        [this](const Causes& causes) { return without_waits(balancing_.all_balanced(causes)); });
  }

  void add_efficiency() {
    tell("efficiency", 0, 1);
    all_.efficiency = efficiency(trace_, machine_, result_, options_.replay);
  }

  void add_domino_paths() {
    tell("domino paths", 0, 1);
    Dominoes dominoes = domino_paths(causes_, places_, paths_, swept_, options_.most_domino_waits,
                                     most_sweeps(causes_));
    note("domino_paths_cut", dominoes.cut, "domino paths are cut",
         "what else might help is too much to follow");
    all_.domino_paths = std::move(dominoes.paths);
    if (all_.domino_paths.empty() || all_.domino_paths.front().steps.size() < 2) return;
    const DominoPath& best = all_.domino_paths.front();
    const auto delay = [this, gone = waits_of(best)](const Causes&) {
      return without([this, gone](Moment to, const Cause& wait) {
        return gone.contains(awaited(causes_, to, wait));
      });
    };
    add(Answer::Kind::domino_path, best.time, delay, title_of(best), advice_for(best),
        {best.rank, "", "", ""});
  }

  struct Found {
    Answer answer;
    MakeDelay delay;
  };

  const trace::Trace& trace_;
  const simulate::Machine& machine_;
  const Result& result_;
  const ExplanationOptions& options_;
  const Causes& causes_;
  Places places_;
  Sleeps sleeps_;
  LongestPaths paths_;
  std::vector<double> swept_;
  Balancing balancing_;
  std::vector<Single> waits_;
  std::vector<Found> found_;
  Explanation all_;
};

}  // namespace

Explanation explain(const trace::Trace& trace, const simulate::Machine& machine,
                    const Result& result, const Causes& causes, const ExplanationOptions& options) {
  return Explainer(trace, machine, result, causes, options).explanation();
}

ExplanationOptions explanation_options(const trace::Trace& trace, const Model& model,
                                       const Predicted& run, const PredictionOptions& how) {
  PredictionOptions same = as_drawn(how, run.machine);
  ExplanationOptions what;
  what.replay = how.replay;
  what.machine_with = [&model, same, ranks = run.machine.ranks](const Factors& factors) {
    return simulate::for_job(simulate::build(scaled(model, factors), same.machine), ranks);
  };
  if (run.prediction.has_interval()) {
    what.model = &model;
    what.by_replicates = [&trace, &model, same](const ValuesOn& values) {
      return values_by_replicates(trace, model, same, values);
    };
  }
  return what;
}

}  // namespace commgauge::replay
