#include "commgauge/replay/explain/explanation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "commgauge/replay/paths/longest_paths.hpp"
#include "commgauge/replay/run/replay.hpp"
#include "explained.hpp"
#include "made_machine.hpp"
#include "made_program.hpp"
#include "recorded_program.hpp"

namespace commgauge::replay::explanation_test {

using simulate::Cause;
using simulate::Causes;
using simulate::Moment;
using simulate::Why;
using trace::Event;
using namespace trace::event;

struct Replayed {
  Causes causes;
  Result result;
  Replayed(const trace::Trace& trace, const simulate::Machine& machine) : causes(machine.ranks) {
    Options options;
    options.causes = &causes;
    options.keeps_marks = true;
    result = replay(trace, machine, options);
  }
};

Explanation explained(const trace::Trace& trace, const simulate::Machine& machine,
                      const ExplanationOptions& options = {}) {
  const Replayed replayed(trace, machine);
  return explain(trace, machine, replayed.result, replayed.causes, options);
}

const Answer* find(const Explanation& all, Answer::Kind kind) {
  const auto found = std::ranges::find(all.answers, kind, &Answer::kind);
  return found == all.answers.end() ? nullptr : &*found;
}

double time_of(const Explanation& all, Answer::Kind kind) {
  const Answer* const answer = find(all, kind);
  return answer == nullptr ? std::numeric_limits<double>::quiet_NaN() : answer->time;
}

TEST(Explanation, OfALateSender) {
  Made made(2);
  made.compute(0, 10).send(0, 1).compute(1, 2).receive(1, 0).compute(1, 5).finish();
  const Explanation all = explained(made.trace, one_millisecond(2));
  EXPECT_NEAR(all.time, 16 * ms, 1e-12) << "10 of rank 0, the message, 5 of rank 1";
  for (const auto kind :
       {Answer::Kind::wait, Answer::Kind::call_site, Answer::Kind::rank, Answer::Kind::all_waits}) {
    EXPECT_NEAR(time_of(all, kind), 10 * ms, 1e-12) << to_text(kind) << ": rank 0's 10";
  }
  EXPECT_EQ(find(all, Answer::Kind::region), nullptr);
  EXPECT_EQ(find(all, Answer::Kind::domino_path), nullptr) << "one wait isn't a path";
  const Answer& wait = all.answers.front();
  EXPECT_EQ(wait.kind, Answer::Kind::both);
  const Answer& single = *find(all, Answer::Kind::wait);
  EXPECT_NEAR(single.gain, 6 * ms, 1e-12);
  EXPECT_EQ(single.where, (Whereabouts{1, whole_program, "MPI_Recv", ""}));
  EXPECT_EQ(single.title, "Rank 1 waits at MPI_Recv for a message of rank 0, until 11.0 ms");
  EXPECT_EQ(single.advice, "rank 0 sends late: have it send earlier, or do less before");
  ASSERT_TRUE(single.confirmed.has_value());
  EXPECT_NEAR(*single.confirmed, 10 * ms, 1e-12);
  // 10 ms and 7 ms of computing: 8.5 ms each; rank 1 then receives after 8.5 + 1 ms, and
  // computes 8.5 * 5 / 7 ms.
  EXPECT_NEAR(time_of(all, Answer::Kind::balance), (9.5 + 8.5 * 5 / 7) * ms, 1e-12);
  EXPECT_NEAR(time_of(all, Answer::Kind::both), 8.5 * ms, 1e-12);
  ASSERT_EQ(all.domino_paths.size(), 1U);
  EXPECT_NEAR(all.domino_paths[0].time, 10 * ms, 1e-12);
}

TEST(Explanation, OfASenderThatSleeps) {
  Made made(2);
  made.sleep(0, 10).send(0, 1).receive(1, 0).compute(1, 5).finish();
  const Explanation all = explained(made.trace, one_millisecond(2));
  const std::string advice = "rank 0 sleeps before it sends: have it send earlier, or sleep less";
  EXPECT_EQ(find(all, Answer::Kind::wait)->advice, advice);
  EXPECT_EQ(find(all, Answer::Kind::call_site)->advice, advice);
}

/// Rank 1 starts late, and as late as that it comes to each further message, which is there just in
/// time: these are on the critical path, and the first one isn't.
Explanation explained_pipeline(bool sleeps) {
  Made made(2);
  const auto work = [&](int rank) {
    if (sleeps)
      made.sleep(rank, 20);
    else
      made.compute(rank, 20);
  };
  for (int i = 0; i < 4; ++i) {
    work(0);
    made.send(0, 1).receive(1, 0);
    work(1);
  }
  made.finish();
  return explained(made.trace, one_millisecond(2));
}

TEST(Explanation, OfAGroupWhoseGainIsOffTheCriticalPath) {
  Explanation all = explained_pipeline(true);
  const Answer* answer = find(all, Answer::Kind::call_site);
  ASSERT_NE(answer, nullptr);
  EXPECT_NEAR(answer->gain, 21 * ms, 1e-12);
  EXPECT_EQ(answer->advice, "rank 0 sleeps before it sends: have it send earlier, or sleep less");
  all = explained_pipeline(false);
  answer = find(all, Answer::Kind::call_site);
  ASSERT_NE(answer, nullptr);
  EXPECT_EQ(answer->advice, "rank 0 is late: have it send earlier, or do less before");
}

TEST(Explanation, OfALongMessage) {
  Made made(2);
  made.send(0, 1).receive(1, 0).compute(1, 5).finish();
  const Explanation all = explained(made.trace, one_millisecond(2));
  const Answer* const wait = find(all, Answer::Kind::wait);
  ASSERT_NE(wait, nullptr);
  EXPECT_TRUE(wait->advice.starts_with("the message is long under way")) << wait->advice;
  EXPECT_NEAR(wait->gain, 1 * ms, 1e-12);
}

TEST(Explanation, OfNothingToMend) {
  Made made(2);
  made.compute(0, 3).compute(1, 3).finish();
  const Explanation all = explained(made.trace, one_millisecond(2));
  EXPECT_TRUE(all.answers.empty());
  EXPECT_TRUE(all.domino_paths.empty());
  ASSERT_EQ(all.balance.size(), 1U);
  EXPECT_EQ(all.balance[0].mean_over_max, 1);
  EXPECT_EQ(all.balance[0].sigma, 0);
}

/// Each rank computes 1 ms, receives from the one before it, computes 10 ms, and sends on.
TEST(Explanation, OfDominoes) {
  Made made(4);
  made.compute(0, 10).send(0, 1);
  for (int r = 1; r < 4; ++r) {
    made.compute(r, 1).receive(r, r - 1).compute(r, 10);
    if (r < 3) made.send(r, r + 1);
  }
  made.finish();
  const Explanation all = explained(made.trace, one_millisecond(4));
  EXPECT_NEAR(all.time, 43 * ms, 1e-12);
  ASSERT_EQ(all.domino_paths.size(), 3U);
  const std::vector<std::pair<int, double>> expected{{3, 11}, {2, 22}, {1, 33}};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(all.domino_paths[i].rank, expected[i].first);
    EXPECT_NEAR(all.domino_paths[i].time, expected[i].second * ms, 1e-12);
  }
  const auto& steps = all.domino_paths[0].steps;
  ASSERT_EQ(steps.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    const int rank = 3 - static_cast<int>(i);
    EXPECT_EQ(steps[i].where.rank, rank);
    EXPECT_EQ(steps[i].where.call, "MPI_Recv");
    EXPECT_EQ(steps[i].partner, rank - 1);
    EXPECT_NEAR(steps[i].at, 11 * rank * ms, 1e-12);
  }
  EXPECT_EQ(all.domino_paths[1].steps.size(), 1U) << "then rank 1's wait doesn't matter any more";
  EXPECT_NEAR(time_of(all, Answer::Kind::domino_path), 11 * ms, 1e-12);
  EXPECT_NEAR(time_of(all, Answer::Kind::call_site), 11 * ms, 1e-12);
}

/// The same where each rank probes for the message, or tests for it, before it receives it.
TEST(Explanation, OfDominoesThatAreProbedOrTestedFor) {
  for (const bool probes : {true, false}) {
    Made made(4);
    made.compute(0, 10).send(0, 1);
    for (int r = 1; r < 4; ++r) {
      made.compute(r, 1);
      if (probes) {
        made.probe(r, r - 1).receive(r, r - 1);
      } else {
        made.receive_by_testing(r, r - 1);
      }
      made.compute(r, 10);
      if (r < 3) made.send(r, r + 1);
    }
    made.finish();
    const Explanation all = explained(made.trace, one_millisecond(4));
    // A rank that asks finds it out up to 100 ns later.
    constexpr double asked = 4 * 100e-9;
    ASSERT_GE(all.domino_paths.size(), 1U) << probes;
    const DominoPath& path = all.domino_paths[0];
    EXPECT_EQ(path.rank, 3);
    EXPECT_NEAR(path.time, 11 * ms, asked);
    ASSERT_EQ(path.steps.size(), 3U) << probes;
    for (std::size_t i = 0; i < 3; ++i) {
      const int rank = 3 - static_cast<int>(i);
      EXPECT_EQ(path.steps[i].where.rank, rank);
      EXPECT_EQ(path.steps[i].partner, rank - 1);
      EXPECT_NEAR(path.steps[i].at, 11 * rank * ms, asked);
    }
    EXPECT_NEAR(time_of(all, Answer::Kind::domino_path), path.time, 1e-12);
  }
}

const Balance& balance_of(const Explanation& all, const std::string& region) {
  return *std::ranges::find(all.balance, region, &Balance::region);
}

/// Two ranks compute, and tell each other; what they compute changes.
TEST(Explanation, OfAnUnevenLoop) {
  Made made(2);
  const std::vector<std::vector<int>> computing{{1, 3}, {3, 1}, {1, 5}};
  for (const std::vector<int>& round : computing) {
    for (int r = 0; r < 2; ++r) {
      made.enter_loop(r).compute(r, round[static_cast<std::size_t>(r)]).send(r, 1 - r);
    }
    for (int r = 0; r < 2; ++r) made.receive(r, 1 - r).leave_loop(r);
  }
  made.finish();
  const Explanation all = explained(made.trace, one_millisecond(2));
  EXPECT_NEAR(all.time, 14 * ms, 1e-12);
  ASSERT_EQ(all.balance.size(), 2U);
  const Balance loop = balance_of(all, "loop");
  EXPECT_EQ(loop.instances, 3U);
  EXPECT_EQ(loop.slowest, 1);
  EXPECT_NEAR(loop.computing, 14 * ms, 1e-12);
  EXPECT_NEAR(loop.sigma, 4 * ms / 3, 1e-12) << "1, 1 and 2 ms";
  EXPECT_NEAR(loop.mean_over_max, 7.0 / 11, 1e-12);
  EXPECT_NEAR(loop.time, 10 * ms, 1e-12) << "2, 2 and 3 ms, and a message after each";
  EXPECT_EQ(balance_of(all, whole_program).instances, 1U);
  EXPECT_NEAR(balance_of(all, whole_program).sigma, 2 * ms, 1e-12);
  EXPECT_NEAR(time_of(all, Answer::Kind::all_balanced), 10 * ms, 1e-12);
  EXPECT_NEAR(time_of(all, Answer::Kind::both), 7 * ms, 1e-12);
}

/// Ranks exchange messages with their neighbours in the loop, and compute before and after that.
Made neighbours(const std::vector<int>& before, const std::vector<int>& after) {
  const auto ranks = static_cast<int>(before.size());
  Made made(ranks);
  const auto of_neighbours = [ranks](int rank, const auto& act) {
    if (rank > 0) act(rank - 1);
    if (rank + 1 < ranks) act(rank + 1);
  };
  for (int r = 0; r < ranks; ++r) {
    const auto own = static_cast<std::size_t>(r);
    made.enter_loop(r).compute(r, before[own]);
    of_neighbours(r, [&](int other) { made.send(r, other); });
    of_neighbours(r, [&](int other) { made.receive(r, other); });
    made.compute(r, after[own]).leave_loop(r);
  }
  made.finish();
  return made;
}

Balance balance_of_neighbours(const std::vector<int>& before, const std::vector<int>& after) {
  const Made made = neighbours(before, after);
  const auto ranks = static_cast<int>(before.size());
  return balance_of(explained(made.trace, one_millisecond(ranks)), "loop");
}

TEST(Balance, LeavesWhatIsEvenBetweenCallsAsItIs) {
  EXPECT_NEAR(balance_of_neighbours({4, 4}, {1, 3}).time, (4 + 1 + 2) * ms, 1e-12);
  EXPECT_NEAR(balance_of_neighbours({1, 3}, {4, 4}).time, (2 + 1 + 4) * ms, 1e-12);
}

/// The second of three ranks has twice the calls.
TEST(Balance, KnowsTheSamePlaceByTheCallThatFollows) {
  EXPECT_NEAR(balance_of_neighbours({5, 5, 5}, {1, 1, 4}).time, (5 + 1 + 2) * ms, 1e-12);
  EXPECT_NEAR(balance_of_neighbours({1, 4, 1}, {5, 5, 5}).time, (2 + 1 + 5) * ms, 1e-12);
}

TEST(Balance, OfWhatIsEvenInItsInstanceGainsNothing) {
  const Balance loop = balance_of_neighbours({1, 3}, {3, 1});
  EXPECT_NEAR(loop.sigma, 0, 1e-18);
  EXPECT_NEAR(loop.time, (3 + 1 + 3) * ms, 1e-12) << "as it was";
}

/// Rank 0 has 2 ms more than the mean, before the messages, and after them less than rank 1.
TEST(Balance, TakesNoMoreFromARankThanItHasTooMuch) {
  EXPECT_NEAR(balance_of_neighbours({6, 1}, {2, 3}).time, (4 + 1 + 3) * ms, 1e-12);
}

TEST(Balance, TakesSleepForComputing) {
  Made made(2);
  for (int r = 0; r < 2; ++r) {
    made.enter_loop(r).compute(r, 4 - 2 * r).sleep(r, 2 * r).send(r, 1 - r).receive(r, 1 - r);
    made.sleep(r, 1 + 2 * r).leave_loop(r);
  }
  made.finish();
  const Explanation all = explained(made.trace, one_millisecond(2));
  EXPECT_NEAR(balance_of(all, "loop").time, (4 + 1 + 2) * ms, 1e-12);
  EXPECT_NEAR(balance_of(all, "loop").computing, (4 + 0 + 1 + 2 + 2 + 3) * ms, 1e-12);
  EXPECT_NEAR(balance_of(all, "loop").sleeping, (0 + 1 + 2 + 3) * ms, 1e-12);
  const Answer* const answer = find(all, Answer::Kind::balance);
  ASSERT_NE(answer, nullptr);
  EXPECT_TRUE(answer->title.starts_with("The computing and sleeping of ")) << answer->title;
}

TEST(Balance, GivesAShareToARankThatComputesNothing) {
  Made made(2);
  made.enter_loop(0).compute(0, 6).leave_loop(0);
  made.enter_loop(1).leave_loop(1).compute(1, 5).finish();
  const Explanation all = explained(made.trace, one_millisecond(2));
  const Balance& loop = balance_of(all, "loop");
  EXPECT_NEAR(loop.time, (3 + 5) * ms, 1e-12);
  EXPECT_NEAR(loop.sigma, 3 * ms, 1e-12);
  EXPECT_NEAR(loop.mean_over_max, 0.5, 1e-12);
  EXPECT_NEAR(balance_of(all, whole_program).time, 5.5 * ms, 1e-12);
  EXPECT_NEAR(balance_of_neighbours({6, 0}, {0, 0}).time, (3 + 1) * ms, 1e-12);
  EXPECT_NEAR(balance_of_neighbours({0, 0}, {8, 0}).time, (1 + 4) * ms, 1e-12);
}

/// Of two ranks, the first on a processor that takes twice as long: 16 and 2 ms.
TEST(Balance, IsThatOfTheProcessorsThere) {
  const Made made = neighbours({8, 2}, {0, 0});
  const simulate::Machine even = one_millisecond(2);
  simulate::Machine uneven = even;
  uneven.time_ratios[0] = {2, 2, 2};
  std::vector<double> there;
  const Model model = simulate::hockney_model(2);
  ExplanationOptions options;
  options.model = &model;
  options.by_replicates = [&](const ValuesOn& values) {
    there = values(uneven);
    return std::vector<ByEnds>(there.size());
  };
  const Explanation all = explained(made.trace, even, options);
  EXPECT_NEAR(balance_of(all, "loop").time, (5 + 1) * ms, 1e-12);
  const double on_uneven = balance_of(explained(made.trace, uneven), "loop").time;
  EXPECT_NEAR(on_uneven, (9 + 1) * ms, 1e-12);
  for (std::size_t i = 0; i < all.answers.size(); ++i) {
    if (all.answers[i].kind != Answer::Kind::balance) continue;
    EXPECT_NEAR(there[i + 1], on_uneven, 1e-12) << all.answers[i].title;
  }
}

/// A message takes 1 ms, by two replicates half of it, or half as long again.
Model model_of_milliseconds() {
  Model model = simulate::hockney_model(2);
  auto& fitted = *model.hockney;
  fitted.value.beta = Matrix(2, 0.0);
  fitted.value.alpha = Matrix(2, 1 * ms);
  fitted.replicate_kind = ReplicateKind::draws;
  fitted.replicates.assign(2, fitted.value);
  for (const int k : {0, 1}) {
    fitted.replicates[static_cast<std::size_t>(k)].alpha = Matrix(2, (0.5 + k) * ms);
  }
  return model;
}

/// The run takes 15 ms and the message; without the wait 10 ms, in which rank 0 computes, and its
/// message. What the message takes doesn't change the gain.
TEST(Explanation, HasIntervalsByPairs) {
  Made made(2);
  made.compute(0, 10).send(0, 1).receive(1, 0).compute(1, 5).finish();
  const Model model = model_of_milliseconds();
  const simulate::Machine machine = simulate::machine_of(model, "hockney");
  ExplanationOptions options;
  options.model = &model;
  options.by_replicates = [&](const ValuesOn& values) {
    return values_by_replicates(made.trace, model, {}, values);
  };
  const Explanation all = explained(made.trace, machine, options);
  const Answer& wait = *find(all, Answer::Kind::wait);
  EXPECT_NEAR(wait.time, 11 * ms, 1e-12);
  EXPECT_LT(wait.time_interval.low, 10.5 * ms);
  EXPECT_GT(wait.time_interval.high, 11.5 * ms);
  EXPECT_NEAR(wait.gain, 5 * ms, 1e-12);
  EXPECT_NEAR(wait.gain_interval.low, 5 * ms, 1e-12);
  EXPECT_NEAR(wait.gain_interval.high, 5 * ms, 1e-12);
}

TEST(Explanation, OfEfficiencyIsOfTheReplayThatThereIs) {
  Made made(2);
  made.compute(0, 3).send(0, 1).receive(1, 0).compute(1, 5).finish();
  const simulate::Machine machine = one_millisecond(2);
  Replayed replayed(made.trace, machine);
  const auto useful = [&] {
    const Explanation all = explain(made.trace, machine, replayed.result, replayed.causes);
    return all.efficiency.run.most_useful;
  };
  EXPECT_NEAR(useful(), 5 * ms, 1e-12);
  replayed.result.marks[1].back().computing *= 2;
  EXPECT_NEAR(useful(), 10 * ms, 1e-12) << "none that is made again";
}

double sum_of_parts(const Explanation& all) {
  double sum = 0;
  for (const auto& part : all.critical_path.parts) sum += part.seconds;
  return sum;
}

bool is_waiting(const Cause& cause) {
  return cause.why == Why::waiting || cause.why == Why::waiting_to_send ||
         cause.why == Why::meeting;
}

template <class IsGone>
double walked_without(const LongestPaths& paths, const IsGone& is_gone) {
  return paths.with([&](Moment to, const Cause& cause) {
    return is_waiting(cause) && is_gone(to, cause) ? never_delays : cause.delay;
  });
}

/// Which message a rank waits for: a sender's is that of what ends its wait.
std::uint32_t awaited(const Causes& causes, const Cause& wait) {
  if (wait.message != simulate::no_message || wait.why == Why::meeting) return wait.message;
  for (const Cause& cause : causes.of(wait.after)) {
    if (cause.message != simulate::no_message) return cause.message;
  }
  return simulate::no_message;
}

/// Of two paths that are as long but for rounding either may be the longest.
constexpr double clearly = 1e-11;

/// The run's time without all that each rank waits for each message, where that helps.
std::vector<double> walked_without_each(const Causes& causes, const LongestPaths& paths) {
  std::vector<double> times;
  std::set<std::pair<int, std::uint32_t>> messages;
  for (Moment to = 1; to < causes.size(); ++to) {
    for (const Cause& cause : causes.of(to)) {
      if (!is_waiting(cause)) continue;
      const int rank = causes.rank(to);
      const std::uint32_t message = awaited(causes, cause);
      const bool has_message = message != simulate::no_message;
      if (has_message && !messages.insert({rank, message}).second) continue;
      times.push_back(walked_without(paths, [&](Moment at, const Cause& other) {
        if (!has_message) return &other == &cause;
        return causes.rank(at) == rank && awaited(causes, other) == message;
      }));
    }
  }
  std::erase_if(times, [&](double time) { return time >= paths.time() * (1 - clearly); });
  std::ranges::sort(times);
  return times;
}

/// Each event that waits is a call of its own, and each five in a row are in a region.
void add_calls(trace::Trace& trace) {
  trace.names = {"MPI_A", "MPI_B", "even", "odd"};
  for (trace::Rank& rank : trace.ranks) {
    std::vector<Event> events;
    const auto border = [&](auto what, std::size_t name) {
      what.name = static_cast<std::uint32_t>(name);
      events.push_back(what);
    };
    for (std::size_t i = 0; i < rank.events.size(); ++i) {
      if (i % 5 == 0) border(RegionBegin{}, 2 + i / 5 % 2);
      border(Enter{}, i % 2);
      events.push_back(rank.events[i]);
      border(Leave{}, i % 2);
      if (i % 5 == 4) border(RegionEnd{}, 2 + i / 5 % 2);
    }
    rank.events = events;
  }
}

/// The names of the call and of the region that an event of add_calls() is in.
std::pair<std::string, std::string> names_of(const trace::Trace& trace, int rank,
                                             std::uint32_t place) {
  const auto& events = trace.ranks[static_cast<std::size_t>(rank)].events;
  std::pair<std::string, std::string> names{"", whole_program};
  for (std::uint32_t i = 0; i < place; ++i) {
    const Event& event = events[i];
    if (const auto* const call = event.as<Enter>()) names.first = trace.names[call->name];
    if (event.is<Leave>()) names.first = "";
    if (const auto* const region = event.as<RegionBegin>()) {
      names.second = trace.names[region->name];
    }
    if (event.is<RegionEnd>()) names.second = whole_program;
  }
  return names;
}

void expect_groups(const trace::Trace& trace, const Causes& causes, const Explanation& all,
                   const std::string& which) {
  const LongestPaths paths(causes);
  for (const Answer& answer : all.answers) {
    const auto names = [&](Moment to) {
      return names_of(trace, causes.rank(to), causes.place(to));
    };
    double walked = answer.time;
    if (answer.kind == Answer::Kind::rank) {
      walked = walked_without(
          paths, [&](Moment to, const Cause&) { return causes.rank(to) == answer.where.rank; });
    } else if (answer.kind == Answer::Kind::region) {
      walked = walked_without(
          paths, [&](Moment to, const Cause&) { return names(to).second == answer.where.region; });
    } else if (answer.kind == Answer::Kind::call_site) {
      walked = walked_without(paths, [&](Moment to, const Cause&) {
        return names(to) == std::pair{answer.where.call, answer.where.region};
      });
    } else if (answer.kind == Answer::Kind::all_waits) {
      walked = walked_without(paths, [](Moment, const Cause&) { return true; });
    }
    ASSERT_NEAR(answer.time, walked, 1e-12) << which << ": " << answer.title;
    ASSERT_GT(answer.gain, 0) << which;
  }
}

/// Their times are those of walks without all of their waits, and no rank has a single wait that
/// helps more than its path.
void expect_domino_paths(const Causes& causes, const Explanation& all, const std::string& which) {
  const LongestPaths paths(causes);
  std::vector<double> of_rank(causes.ends().size(), all.time);
  for (const DominoPath& path : all.domino_paths) {
    std::set<std::tuple<int, std::uint32_t, Moment>> gone;
    for (const auto& step : path.steps) {
      const bool meets = step.message == simulate::no_message;
      gone.insert({step.where.rank, step.message, meets ? step.moment : 0});
    }
    ASSERT_EQ(gone.size(), path.steps.size()) << which;
    const double walked = walked_without(paths, [&](Moment to, const Cause& wait) {
      const std::uint32_t message = awaited(causes, wait);
      const bool meets = message == simulate::no_message;
      return gone.contains({causes.rank(to), message, meets ? to : 0});
    });
    ASSERT_NEAR(path.time, walked, 1e-12) << which;
    of_rank[static_cast<std::size_t>(path.rank)] = path.time;
  }
  for (const Answer& answer : all.answers) {
    if (answer.kind != Answer::Kind::wait) continue;
    ASSERT_LE(of_rank[static_cast<std::size_t>(answer.where.rank)], answer.time + 1e-12) << which;
  }
}

TEST(Explanation, OfRandomProgramsIsThatOfWalks) {
  const std::vector<simulate::Machine> machines = simulate::machines_of_all_kinds();
  ExplanationOptions everything;
  everything.most_waits = everything.most_groups = 100'000;
  everything.most_confirmed = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const simulate::Machine& machine = machines[seed % machines.size()];
    const std::string which = machine.kind + ", program " + std::to_string(seed);
    trace::Trace trace = record_random(machine, seed).trace;
    add_calls(trace);
    const Replayed replayed(trace, machine);
    const LongestPaths paths(replayed.causes);
    const Explanation all = explain(trace, machine, replayed.result, replayed.causes, everything);
    ASSERT_NEAR(all.time, replayed.result.time, 1e-12) << which;
    ASSERT_NEAR(sum_of_parts(all), all.time, 1e-12 * (1 + all.time)) << which;
    std::vector<double> singles;
    for (const Answer& answer : all.answers) {
      const bool gains = answer.gain > clearly * all.time;
      if (answer.kind == Answer::Kind::wait && gains) singles.push_back(answer.time);
    }
    const std::vector<double> walked = walked_without_each(replayed.causes, paths);
    ASSERT_EQ(singles.size(), walked.size()) << which;
    std::ranges::sort(singles);
    for (std::size_t i = 0; i < walked.size(); ++i) {
      ASSERT_NEAR(singles[i], walked[i], 1e-12) << which;
    }
    expect_groups(trace, replayed.causes, all, which);
    expect_domino_paths(replayed.causes, all, which);
  }
}

TEST(Explanation, AnswersHaveTheirMarksWhereTheirRunEnds) {
  const std::vector<simulate::Machine> machines = simulate::machines_of_all_kinds();
  std::set<Answer::Kind> kinds;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const simulate::Machine& machine = machines[seed % machines.size()];
    trace::Trace trace = record_random(machine, seed).trace;
    trace.names.emplace_back("MPI_Finalize");
    for (trace::Rank& rank : trace.ranks) {
      rank.events.emplace_back(Enter{.name = static_cast<std::uint32_t>(trace.names.size() - 1)});
    }
    Causes causes(machine.ranks);
    ExplanationOptions what;
    what.replay.keeps_marks = true;
    what.replay.causes = &causes;
    const Result result = replay(trace, machine, what.replay);
    what.most_confirmed = 0;
    what.most_afters = 5;
    for (const Answer& answer : explain(trace, machine, result, causes, what).answers) {
      if (answer.marks.empty()) continue;
      double last = 0;
      for (const auto& of_rank : answer.marks) last = std::max(last, of_rank.back().time);
      ASSERT_NEAR(last, answer.time, 1e-12) << machine.kind << seed << ": " << answer.title;
      kinds.insert(answer.kind);
    }
  }
  EXPECT_GE(kinds.size(), 4U);
}

bool asks_in_vain(const trace::Trace& trace) {
  const auto asks = [](const Event& event) {
    const auto* const probe = event.as<Probe>();
    return event.is<Poll, UnsuccessfulPolls>() || (probe != nullptr && probe->attempts > 0);
  };
  return std::ranges::any_of(
      trace.ranks, [&](const trace::Rank& rank) { return std::ranges::any_of(rank.events, asks); });
}

/// The walk keeps the order in which ports serve messages; the replay doesn't. Both keep how often
/// ranks ask unsuccessfully, which hides how long they wait. 80 % of those of programs without
/// asking are the same, of all programs 65 %.
TEST(Explanation, OfRandomProgramsIsMostlyConfirmed) {
  const std::vector<simulate::Machine> machines = simulate::machines_of_all_kinds();
  ExplanationOptions options;
  options.most_confirmed = 100;
  struct Count {
    double same{};
    double all{};
  };
  Count count;
  Count without_asking;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    const simulate::Machine& machine = machines[seed % machines.size()];
    const trace::Trace trace = record_random(machine, seed).trace;
    for (const Answer& answer : explained(trace, machine, options).answers) {
      if (!answer.confirmed) continue;
      const bool is_same = std::abs(*answer.confirmed - answer.time) < 1e-6 * answer.gain;
      for (Count* const one : {&count, &without_asking}) {
        if (one == &without_asking && asks_in_vain(trace)) continue;
        ++one->all;
        one->same += is_same ? 1 : 0;
      }
    }
  }
  EXPECT_GT(count.all, 5000);
  EXPECT_GT(count.same, 0.6 * count.all);
  EXPECT_GT(without_asking.all, 300);
  EXPECT_GT(without_asking.same, 0.75 * without_asking.all);
}

}  // namespace commgauge::replay::explanation_test
