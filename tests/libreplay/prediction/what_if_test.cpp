#include "commgauge/replay/prediction/what_if.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <tuple>

#include "commgauge/base/error.hpp"
#include "made_machine.hpp"
#include "marked_rank.hpp"

namespace commgauge::replay::what_if_test {

/// Each rank computes for 1 s; then rank 0 sends rank 1 a message of 1000 bytes.
trace::Trace a_second_and_a_message() {
  using namespace trace::event;
  constexpr std::int64_t second = 1'000'000'000;
  trace::Trace trace = two_ranks();
  for (const int own : {0, 1}) {
    trace::Event message = Send{.peer = 1, .bytes = 1000};
    if (own == 1) message = Receive{.peer = 0, .bytes = 1000, .found = {.peer = 0, .tag = 0}};
    const auto name = static_cast<std::uint32_t>(own);
    trace.ranks[static_cast<std::size_t>(own)].events = {border<Enter>(name, second), message,
                                                         border<Leave>(name, second)};
  }
  return trace;
}

/// A message takes 0.1 s, and 0.1 ms a byte. Two replicates: all of that half as long again, or
/// half.
Model slow_model() {
  Model model = simulate::hockney_model(2);
  auto& fitted = *model.hockney;
  fitted.value.alpha = Matrix(2, 0.1);
  fitted.value.beta = Matrix(2, 1e-4);
  fitted.last = Bytes{1000};
  fitted.replicate_kind = ReplicateKind::draws;
  for (const double factor : {0.5, 1.5}) {
    fitted.replicates.push_back({Matrix(2, factor * 0.1), Matrix(2, factor * 1e-4), 0, 0});
  }
  return model;
}

WhatIf with_change(const Change& change, const PredictionOptions& options = {}) {
  const trace::Trace trace = a_second_and_a_message();
  const Model model = slow_model();
  return what_if(trace, model, predicted(trace, model, options), options, change);
}

Change factors(const Factors& by) {
  Change change;
  change.factors = by;
  return change;
}

TEST(WhatIf, EachPartOfTheTimeHasItsFactor) {
  EXPECT_NEAR(with_change({}).run.result.time, 1.2, 1e-15);
  EXPECT_NEAR(with_change(factors({.latency = 3})).run.result.time, 1 + 0.3 + 0.1, 1e-15);
  EXPECT_NEAR(with_change(factors({.per_byte = 0.5})).run.result.time, 1 + 0.1 + 0.05, 1e-15);
  EXPECT_NEAR(with_change(factors({.overheads = 9, .gaps = 9})).run.result.time, 1.2, 1e-15);
  Change computing;
  computing.computing = 0.25;
  EXPECT_NEAR(with_change(computing).run.result.time, 0.25 + 0.2, 1e-15);
  computing.ranks = {1};
  EXPECT_NEAR(with_change(computing).run.result.time, 1.2, 1e-15);
  EXPECT_NEAR(with_change(computing).run.result.ranks[1].work, 1, 1e-15);
  EXPECT_NEAR(with_change(computing).run.result.ranks[1].shares.computing, 0.25, 1e-15);
}

TEST(WhatIf, WithoutAChangeTheRatioIsOneForSure) {
  const WhatIf same = with_change({});
  EXPECT_EQ(same.ratio, (Estimate{1, 1, 1}));
  EXPECT_LT(same.run.prediction.low.value, same.run.prediction.high.value);
}

/// Half the computing: (0.5 + m) / (1 + m) with the message's time m of each replicate.
TEST(WhatIf, TheRatioIsOfPairs) {
  Change half;
  half.computing = 0.5;
  const WhatIf paired = with_change(half);
  EXPECT_NEAR(paired.ratio.value, 0.7 / 1.2, 1e-14);
  EXPECT_LT(paired.ratio.low, 0.6 / 1.1);
  EXPECT_GT(paired.ratio.high, 0.8 / 1.3);
  const Prediction& after = paired.run.prediction;
  const Prediction before = with_change({}).run.prediction;
  EXPECT_LT(paired.ratio.high / paired.ratio.low,
            after.high / before.low / (after.low / before.high));
}

TEST(WhatIf, TheRatioIsKnownWhereReplicatesAgree) {
  // All of the time is messages: twice as long by each replicate.
  PredictionOptions options;
  options.replay.computes = false;
  const WhatIf twice = with_change(factors({2, 2, 2, 2}), options);
  EXPECT_NEAR(twice.ratio.value, 2, 1e-14);
  EXPECT_NEAR(twice.ratio.low, 2, 1e-12);
  EXPECT_NEAR(twice.ratio.high, 2, 1e-12);
}

TEST(WhatIf, OpenSpeedsArePairedToo) {
  PredictionOptions options;
  options.machine.time_ratios = std::vector<Estimate>(2, {1, 0.5, 2});
  EXPECT_EQ(with_change({}, options).ratio, (Estimate{1, 1, 1}));
  Change half;
  half.computing = 0.5;
  const Estimate ratio = with_change(half, options).ratio;
  EXPECT_LT(ratio.low, 0.7 / 1.2);
  EXPECT_GT(ratio.high, (0.25 + 0.2) / 0.7);
}

TEST(WhatIf, OnceThereIsNoInterval) {
  PredictionOptions options;
  options.has_interval = false;
  const WhatIf one = with_change(factors({.latency = 2}), options);
  EXPECT_NEAR(one.ratio.value, 1.3 / 1.2, 1e-14);
  EXPECT_TRUE(std::isnan(one.ratio.low));
}

TEST(WhatIf, EagerLimitDecidesWhoWaits) {
  const trace::Trace trace = a_second_and_a_message();
  const Model model = simulate::lmo_model(2, 10'000);
  const Predicted unchanged = predicted(trace, model);
  Change change;
  change.eager_limit = Bytes{999};
  const WhatIf waits = what_if(trace, model, unchanged, {}, change);
  EXPECT_EQ(waits.run.machine.eager_limit, 999);
  EXPECT_GT(waits.run.result.ranks[0].end, unchanged.result.ranks[0].end);
}

/// Two ranks behind one uplink each send 0.1 s of bytes to the two others at once.
TEST(WhatIf, UplinksCarryMore) {
  using namespace trace::event;
  trace::Trace trace = two_ranks();
  trace.communicators.front().members = {0, 1, 2, 3};
  trace.ranks.resize(4);
  for (int own = 0; own < 4; ++own) {
    trace::Event message = Send{.peer = own + 2, .bytes = 1000};
    const auto name = static_cast<std::uint32_t>(own / 2);
    if (own > 1) {
      message = Receive{.peer = own - 2, .bytes = 1000, .found = {.peer = own - 2, .tag = 0}};
    }
    trace.ranks[static_cast<std::size_t>(own)].events = {border<Enter>(name, 0), message,
                                                         border<Leave>(name, 0)};
  }
  Model model = simulate::hockney_model(4);
  model.hockney->value = {Matrix(4, 0.1), Matrix(4, 1e-4), 0, 0};
  model.fabric.emplace();
  model.fabric->groups = {{{"h0", "h1"}, {}}};
  model.fabric->value = {{1e-4}, {1e-4}, std::nan("")};
  const Predicted unchanged = predicted(trace, model);
  EXPECT_NEAR(unchanged.result.time, 0.3, 1e-12);
  const WhatIf twice = what_if(trace, model, unchanged, {}, change_of(Quantity::uplink, 2));
  EXPECT_NEAR(twice.run.result.time, 0.2, 1e-12);
  EXPECT_NEAR(
      what_if(trace, model, unchanged, {}, change_of(Quantity::bandwidth, 2)).run.result.time, 0.2,
      1e-12);
}

TEST(WhatIf, RefusesWhatIsNoChange) {
  EXPECT_THROW((void)with_change(change_of(Quantity::uplink, 2)), InputError);
  Change change;
  change.ranks = {2};
  EXPECT_THROW((void)with_change(change), InputError);
  change.ranks = {};
  change.computing = -1;
  EXPECT_THROW((void)with_change(change), InputError);
  EXPECT_THROW((void)with_change(factors({.latency = -1})), InputError);
}

TEST(WhatIf, CurvesAreInEqualRatios) {
  const trace::Trace trace = a_second_and_a_message();
  const Model model = slow_model();
  const Predicted unchanged = predicted(trace, model);
  const std::vector<Point> points =
      curve(trace, model, unchanged, {}, Quantity::bandwidth, 0.25, 4, 5);
  ASSERT_EQ(points.size(), 5U);
  EXPECT_EQ(points.front().factor, 0.25);
  EXPECT_EQ(points.back().factor, 4);
  for (const Point& point : points) {
    EXPECT_NEAR(point.prediction.time.value, 1.1 + 0.1 / point.factor, 1e-12);
    EXPECT_NEAR(point.ratio.value, point.prediction.time.value / 1.2, 1e-12);
    EXPECT_LE(point.ratio.low, point.ratio.value);
  }
  EXPECT_NEAR(points[1].factor, 0.5, 1e-15);
  for (const auto& [first, last, count] :
       {std::tuple{0.0, 4.0, 5}, {1.0, INFINITY, 5}, {1.0, 2.0, 1}}) {
    EXPECT_THROW((void)curve(trace, model, unchanged, {}, Quantity::latency, first, last,
                             static_cast<std::size_t>(count)),
                 InputError);
  }
}

/// By hand: x % of 1.2 s in 0.1 s of latency, in 0.1 s of bytes, in 1 s of computing; no overheads.
TEST(WhatIf, TolerancesByHand) {
  const trace::Trace trace = a_second_and_a_message();
  const Model model = slow_model();
  const Predicted unchanged = predicted(trace, model);
  const std::vector<double> shares{0.01, 0.05};
  PredictionOptions options;
  int replays = 0;
  options.progress = [&](std::size_t, std::size_t) { ++replays; };
  const std::vector<Tolerance> all = tolerances(trace, model, unchanged, options, shares);
  ASSERT_EQ(all.size(), 8U);
  EXPECT_LE(replays, 3 * 5 + 2) << "two of what makes no difference";
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double added = 1.2 * shares[i % 2];
    EXPECT_EQ(all[i].longer, shares[i % 2]);
    const double share = all[i].quantity == Quantity::computing ? 1 : 0.1;
    if (all[i].quantity == Quantity::overheads) {
      EXPECT_TRUE(std::isinf(all[i].factor));
    } else {
      EXPECT_NEAR((all[i].factor - 1) / (added / share), 1, 2e-3) << to_text(all[i].quantity);
      EXPECT_LE(all[i].factor, 1 + added / share + 1e-12);
    }
    if (all[i].quantity == Quantity::latency) {
      EXPECT_NEAR(all[i].added / added, 1, 2e-3);
    } else {
      EXPECT_TRUE(std::isnan(all[i].added));
    }
  }
}

/// Rank 1 computes two seconds more: until then it doesn't matter how long the message takes.
TEST(WhatIf, TolerancesOfWhatMattersOnlyLater) {
  trace::Trace trace = a_second_and_a_message();
  for (trace::Event& event : trace.ranks[1].events) {
    if (auto* const call = event.as<trace::event::Enter>()) call->processor *= 3;
    if (auto* const call = event.as<trace::event::Leave>()) call->processor *= 3;
  }
  Model model = simulate::lmo_model(2, 10'000);
  model.lmo->value.L = Matrix(2, 0.1);
  model.lmo->value.inverse_beta = Matrix(2, 1e-4);
  const Predicted unchanged = predicted(trace, model);
  PredictionOptions options;
  int replays = 0;
  options.progress = [&](std::size_t, std::size_t) { ++replays; };
  const auto time_with = [&](Quantity quantity, double factor) {
    const double by = quantity == Quantity::bandwidth ? 1 / factor : factor;
    return what_if(trace, model, unchanged, {}, change_of(quantity, by)).run.result.time;
  };
  for (const Tolerance& one : tolerances(trace, model, unchanged, options, {0.01, 0.3})) {
    if (std::isinf(one.factor)) continue;
    const double limit = (1 + one.longer) * unchanged.result.time;
    EXPECT_LE(time_with(one.quantity, one.factor), limit);
    EXPECT_GT(time_with(one.quantity, 1 + 1.002 * (one.factor - 1)), limit);
    if (one.quantity == Quantity::latency) {
      EXPECT_GT(one.factor, 10);
    }
  }
  EXPECT_LE(replays, 60);
}

}  // namespace commgauge::replay::what_if_test
