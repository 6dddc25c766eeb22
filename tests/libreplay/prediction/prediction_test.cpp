#include "commgauge/replay/prediction/prediction.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "commgauge/base/error.hpp"
#include "commgauge/simulate/machine/topology.hpp"
#include "made_machine.hpp"

namespace commgauge::replay::prediction_test {

using namespace trace::event;
using trace::event::Wait;  // not replay::Wait

/// Rank 0 sends rank 1 a message.
trace::Trace one_message(std::uint64_t bytes) {
  trace::Trace trace;
  trace.communicators.push_back({"MPI_COMM_WORLD", {0, 1}, {}});
  trace.ranks.resize(2);
  for (const int own : {0, 1}) {
    trace::Rank& rank = trace.ranks[static_cast<std::size_t>(own)];
    rank.requests = {0};
    if (own == 0) rank.events = {Send{.request = 0, .peer = 1, .bytes = bytes}};
    if (own == 1) rank.events = {Receive{.request = 0, .peer = 0, .bytes = bytes}};
    rank.events.emplace_back(Wait{.count = 1});
  }
  return trace;
}

/// With two replicates: a latency of a half, and of one and a half.
Model with_replicates() {
  Model model = simulate::hockney_model(2);
  auto& fitted = *model.hockney;
  fitted.last = Bytes{1000};
  fitted.replicate_kind = ReplicateKind::draws;
  for (const double factor : {0.5, 1.5}) {
    fitted.replicates.push_back(fitted.value);
    auto& alpha = fitted.replicates.back().alpha;
    alpha(0, 1) *= factor;
    alpha(1, 0) *= factor;
  }
  return model;
}

bool has_note(const Predicted& all, const std::string& kind) {
  return std::ranges::any_of(all.notes, [&](const auto& note) { return note.kind == kind; });
}

/// It is what the program computed where it was recorded, and no prediction.
TEST(Predicted, ATraceWithoutMpiIsRefused) {
  trace::Trace trace = one_message(8);
  trace.names = {"solve", "MPI_Init"};
  for (trace::Rank& rank : trace.ranks) {
    rank.events = {RegionBegin{}, {RegionEnd{.processor = 2'000'000'000}, 2'000'000'000}};
  }
  const auto refused = [&] {
    const std::string why = "the trace has no calls of MPI";
    int count = 0;
    for (const bool has_model : {false, true}) {
      try {
        (void)(has_model ? predicted(trace, with_replicates())
                         : predicted(trace, simulate::machine_of(simulate::hockney_model(2), "")));
      } catch (const InputError& error) {
        count += std::string{error.what()}.starts_with(why);
      }
    }
    return count;
  };
  EXPECT_EQ(refused(), 2);
  trace.ranks[1].events.insert(trace.ranks[1].events.begin(), Enter{.name = 1});
  EXPECT_EQ(refused(), 0);
}

TEST(Predicted, IntervalComesFromReplicates) {
  const Model model = with_replicates();
  std::vector<std::pair<std::size_t, std::size_t>> steps;
  PredictionOptions options;
  options.progress = [&](std::size_t done, std::size_t all) { steps.emplace_back(done, all); };
  const Predicted all = predicted(one_message(0), model, options);
  EXPECT_EQ(all.machine.kind, "hockney");
  EXPECT_EQ(all.prediction.time.value, all.result.time);
  EXPECT_LT(all.prediction.low, all.prediction.time);
  EXPECT_LT(all.prediction.time, all.prediction.high);
  EXPECT_FALSE(all.interval_meaning.empty());
  EXPECT_FALSE(has_note(all, "no_interval"));
  const std::vector<std::pair<std::size_t, std::size_t>> expected{{1, 3}, {2, 3}, {3, 3}};
  EXPECT_EQ(steps, expected);
}

/// Both ranks send the other one a message above the eager limit, one of them a bit later.
/// @param late  rank 1 sleeps before [ns]
trace::Trace exchange(std::uint64_t bytes, std::uint64_t late = 0) {
  trace::Trace trace = one_message(bytes);
  for (const int own : {0, 1}) {
    trace::Rank& rank = trace.ranks[static_cast<std::size_t>(own)];
    rank.requests = {0, 1};
    rank.events = {Receive{.request = 0, .peer = 1 - own, .bytes = bytes},
                   Send{.request = 1, .peer = 1 - own, .bytes = bytes}, Wait{.count = 2}};
    if (own == 1 && late > 0) rank.events.insert(rank.events.begin(), trace::event::Sleep{late});
  }
  return trace;
}

/// Whose messages scatter.
Model with_jitter(double mean) {
  Model model = with_replicates();
  model.eager_limit = Bytes{100};
  model.hockney->last = Bytes{1'000'000};
  model.jitter = simulate::exact(MessageJitter{mean});
  return model;
}

TEST(Predicted, WhereMessagesScatterItIsAMedianAndTheIntervalHoldsBothOutcomes) {
  constexpr std::uint64_t bytes = 100'000;
  constexpr std::uint64_t late = 15'000;  // a request travels for 20 us
  const Model model = with_jitter(10e-6);
  const Predicted all = predicted(exchange(bytes, late), model);
  EXPECT_TRUE(has_note(all, "jitter"));
  EXPECT_TRUE(has_note(all, "outcomes"));
  EXPECT_EQ(all.prediction.time.value, all.result.time);
  EXPECT_TRUE(all.machine.requests_queue);
  PredictionOptions in_step;
  in_step.machine.jitter.none = true;
  const Predicted once = predicted(exchange(bytes, late), model, in_step);
  EXPECT_FALSE(has_note(once, "jitter"));
  EXPECT_LE(all.prediction.low.value, once.prediction.time.value);
  EXPECT_GE(all.prediction.high.value, 1.7 * once.prediction.time.value);
  // The same once more.
  EXPECT_EQ(predicted(exchange(bytes, late), model).prediction.high, all.prediction.high);
}

TEST(Predicted, NothingIsDrawnWithoutAnIntervalOrWhereRequestsPass) {
  const Model model = with_jitter(10e-6);
  PredictionOptions options;
  options.has_interval = false;
  EXPECT_FALSE(has_note(predicted(exchange(1000), model, options), "jitter"));
  options.has_interval = true;
  options.machine.requests_queue = false;
  EXPECT_FALSE(has_note(predicted(exchange(1000), model, options), "jitter"));
  Model one_host = model;
  for (auto& place : one_host.launches.front().ranks) place.host = "h";
  EXPECT_FALSE(has_note(predicted(exchange(1000), one_host), "jitter"));
}

TEST(Predicted, WithASeedItIsOneDraw) {
  PredictionOptions options;
  options.machine.jitter.seed = 3;
  const Predicted all = predicted(exchange(100'000), with_jitter(10e-6), options);
  EXPECT_TRUE(has_note(all, "jitter"));
  EXPECT_FALSE(has_note(all, "outcomes"));
  EXPECT_EQ(all.machine.jitter.seed, 3U);
  EXPECT_THROW((void)predicted(exchange(1000), with_replicates(), options), InputError);
}

TEST(Predicted, OnceWithoutAnInterval) {
  const Model model = with_replicates();
  int replays = 0;
  PredictionOptions options;
  options.has_interval = false;
  options.progress = [&](std::size_t, std::size_t) { ++replays; };
  const Predicted all = predicted(one_message(0), model, options);
  EXPECT_EQ(replays, 1);
  EXPECT_FALSE(all.prediction.has_interval());
  EXPECT_EQ(all.prediction.time, predicted(one_message(0), model).prediction.time);
  EXPECT_TRUE(all.interval_meaning.empty());
  EXPECT_FALSE(has_note(all, "no_interval"));
}

TEST(Predicted, NotesSayWhatIsAssumed) {
  Model model = with_replicates();
  trace::Trace trace = one_message(1001);
  trace.remarks.push_back({"a clock runs backwards", 2});
  PredictionOptions options;
  Predicted all = predicted(trace, model, options);
  EXPECT_TRUE(all.prediction.extrapolated);
  EXPECT_TRUE(has_note(all, "extrapolated"));
  EXPECT_TRUE(has_note(all, equal_processors));
  ASSERT_TRUE(has_note(all, trace_remark));
  EXPECT_EQ(all.notes.back().text(), "a clock runs backwards (2 times)");
  options.machine.time_ratios = std::string{"1"};
  EXPECT_FALSE(has_note(predicted(trace, model, options), equal_processors));
  options.machine.time_ratios = {};
  options.replay.computes = false;
  EXPECT_FALSE(has_note(predicted(trace, model, options), equal_processors));
  EXPECT_FALSE(has_note(predicted(one_message(1000), model), "extrapolated"));
  model.hockney->replicates.clear();
  EXPECT_TRUE(has_note(predicted(trace, model), "no_interval"));
}

TEST(Predicted, TimelineIsThatOfTheCentralParameters) {
  PredictionOptions options;
  options.replay.keeps_timeline = true;
  const Predicted all = predicted(one_message(8), with_replicates(), options);
  ASSERT_EQ(all.result.timeline.messages.size(), 1U);
  EXPECT_EQ(all.result.timeline.messages.front().received, all.result.time);
}

TEST(Predicted, ExactOnAMachineWithoutAModel) {
  const simulate::Machine machine =
      simulate::machine_of(simulate::ring(8), {Seconds{50e-6}, SecondsPerByte{1e-8}, std::nullopt});
  trace::Trace trace = one_message(1000);
  trace.remarks.push_back({"a clock runs backwards", 2});
  const Predicted all = predicted(trace, simulate::placed(machine, {0, 5}));
  EXPECT_TRUE(all.is_exact);
  EXPECT_FALSE(all.prediction.has_interval());
  EXPECT_FALSE(all.prediction.extrapolated);
  EXPECT_NEAR(all.prediction.time.value, 3 * (50e-6 + 10e-6), 1e-15);
  EXPECT_TRUE(has_note(all, equal_processors));
  EXPECT_TRUE(has_note(all, trace_remark));
  EXPECT_FALSE(has_note(all, "no_interval"));
  EXPECT_FALSE(predicted(trace, with_replicates()).is_exact);
  EXPECT_THROW((void)predicted(trace, simulate::placed(machine, {0})), InputError);
}

/// Four ranks with an all-to-all of a megabyte for each.
trace::Trace all_to_all() {
  trace::Trace trace;
  trace.communicators.push_back({"MPI_COMM_WORLD", {0, 1, 2, 3}, {}});
  trace.ranks.resize(4);
  for (trace::Rank& rank : trace.ranks) {
    trace::Collective& called = rank.collectives.emplace_back();
    called.what.operation = schedule::Operation::alltoall;
    called.what.counts = {1'000'000};
    rank.events.emplace_back(Collective{});
  }
  return trace;
}

TEST(Predicted, IntervalHoldsWhatDesynchronisedRanksTake) {
  Model model = simulate::hockney_model(4);
  model.eager_limit = Bytes{2'000'000};
  model.hockney->last = Bytes{1'000'000};
  for (const double factor : {0.99, 1.01}) {
    model.hockney->replicates.push_back(model.hockney->value);
    model.hockney->replicates.back().beta = Matrix(4, factor * 1e-9);
  }
  const Predicted all = predicted(all_to_all(), model);
  EXPECT_NEAR(all.prediction.time.value, 3.06e-3, 1e-12);
  EXPECT_TRUE(has_note(all, "out_of_step"));
  EXPECT_TRUE(
      all.interval_meaning.ends_with(", and up to what it takes where ranks fall out of "
                                     "step"));
  PredictionOptions at_once;
  at_once.replay.collectives = schedule::choice_from("alltoall=scattered");
  const Predicted other = predicted(all_to_all(), model, at_once);
  EXPECT_NEAR(other.prediction.time.value, 3.06e-3, 0.1e-3);
  EXPECT_FALSE(has_note(other, "out_of_step"));
  EXPECT_FALSE(other.interval_meaning.ends_with("step"));
  // In step three messages have three milliseconds of their bytes.
  EXPECT_GT(all.prediction.high.value, 6.06e-3);
  EXPECT_NEAR(all.prediction.high.value - 3e-3, other.prediction.high.value, 0.1e-3);
  // Pairs that take three times as long at once as alone.
  model.launches.front().contention = {true, 3, 2.9, 3.1};
  const Predicted slower = predicted(all_to_all(), model);
  EXPECT_EQ(slower.prediction.time, all.prediction.time);
  EXPECT_GE(slower.prediction.high.value, 3 * slower.prediction.time.value);
  EXPECT_TRUE(has_note(slower, "contention"));
  EXPECT_TRUE(slower.interval_meaning.ends_with("where all ranks communicate at once"));
  EXPECT_NEAR(all.prediction.low.value, other.prediction.low.value, 0.1e-3);
}

/// Two ranks that compute for a second, and end.
trace::Trace a_second_each() {
  constexpr std::int64_t second = 1'000'000'000;
  trace::Trace trace;
  trace.names = {"MPI_Finalize"};
  trace.has_processor_time = true;
  trace.communicators.push_back({"MPI_COMM_WORLD", {0, 1}, {}});
  trace.ranks.resize(2);
  for (trace::Rank& rank : trace.ranks) {
    rank.events = {{Enter{.processor = second}, second}, {Leave{.processor = second}, second}};
  }
  return trace;
}

/// The same, then rank 0 sends rank 1 a message.
trace::Trace a_second_and_a_message() {
  trace::Trace trace = a_second_each();
  const trace::Trace message = one_message(0);
  trace.names.emplace_back("MPI_Barrier");
  for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
    trace::Rank& rank = trace.ranks[r];
    const std::vector<trace::Event> end = rank.events;
    for (trace::Event& event : rank.events) {
      if (auto* const call = event.as<Enter>()) call->name = 1;
      if (auto* const call = event.as<Leave>()) call->name = 1;
    }
    rank.requests = message.ranks[r].requests;
    for (const auto* part : {&message.ranks[r].events, &end}) {
      rank.events.insert(rank.events.end(), part->begin(), part->end());
    }
  }
  return trace;
}

PredictionOptions with_ratios(const std::vector<Estimate>& ratios) {
  PredictionOptions options;
  options.machine.time_ratios = ratios;
  return options;
}

TEST(Predicted, IntervalOfTheTimeRatioIsThatOfTheTime) {
  Model model = with_replicates();
  model.hockney->replicates.clear();
  PredictionOptions options = with_ratios({{2, 1.5, 3}, {1, 1, 1}});
  const Predicted all = predicted(a_second_each(), model, options);
  EXPECT_EQ(all.prediction.time.value, 2);
  EXPECT_EQ(all.prediction.low.value, 1.5);
  EXPECT_EQ(all.prediction.high.value, 3);
  EXPECT_EQ(all.interval_meaning, "from the processors' lowest time ratio to the highest");
  EXPECT_FALSE(has_note(all, "no_interval"));
  options.has_interval = false;
  EXPECT_FALSE(predicted(a_second_each(), model, options).prediction.has_interval());
  options.has_interval = true;
  options.replay.computes = false;
  EXPECT_TRUE(has_note(predicted(a_second_each(), model, options), "no_interval"));
}

TEST(Predicted, IntervalJoinsReplicatesAndTimeRatios) {
  const Model model = with_replicates();
  const trace::Trace trace = a_second_and_a_message();
  std::size_t last = 0;
  PredictionOptions options = with_ratios({{2, 1.5, 3}, {2, 1.5, 3}});
  options.progress = [&](std::size_t done, std::size_t all) {
    EXPECT_EQ(done, last + 1);
    last = done;
    EXPECT_EQ(all, 7U);
  };
  const Predicted all = predicted(trace, model, options);
  EXPECT_EQ(last, 7U) << "one, and at each end as many as without ratios";
  const auto at = [&](double ratio) {
    return predicted(trace, model, with_ratios({{ratio, ratio, ratio}, {ratio, ratio, ratio}}))
        .prediction;
  };
  EXPECT_EQ(all.prediction.time, at(2).time);
  EXPECT_EQ(all.prediction.low, at(1.5).low);
  EXPECT_EQ(all.prediction.high, at(3).high);
  EXPECT_LT(all.prediction.low, at(1.5).time);
  EXPECT_GT(all.prediction.high, at(3).time);
}

TEST(Predicted, OnATopologyTimeRatiosAloneMakeAnInterval) {
  simulate::Machine machine =
      simulate::machine_of(simulate::ring(2), {Seconds{50e-6}, SecondsPerByte{1e-8}, std::nullopt});
  machine.time_ratios = {{2, 1.5, 3}, {2, 1.5, 3}};
  const Predicted all = predicted(a_second_each(), machine);
  EXPECT_FALSE(all.is_exact);
  EXPECT_EQ(all.prediction.time, Seconds{2});
  EXPECT_EQ(all.prediction.low, Seconds{1.5});
  EXPECT_EQ(all.prediction.high, Seconds{3});
  EXPECT_FALSE(all.interval_meaning.empty());
  PredictionOptions once;
  once.has_interval = false;
  EXPECT_FALSE(predicted(a_second_each(), machine, once).prediction.has_interval());
  EXPECT_FALSE(predicted(a_second_each(), machine, once).is_exact);
}

TEST(Predicted, MachineMayBeAnother) {
  const Model model = with_replicates();
  PredictionOptions options;
  options.machine.kind = "hockney";
  options.machine.placement = simulate::Placement{{1, 0}, "places"};
  const Predicted all = predicted(one_message(0), model, options);
  EXPECT_EQ(all.machine.hosts.front(), model.host(1));
  options.machine.kind = "lmo";
  EXPECT_THROW((void)predicted(one_message(0), model, options), InputError);
}

}  // namespace commgauge::replay::prediction_test
