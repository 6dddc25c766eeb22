// Collective operations on the virtual machine, against formulas and by hand.

#include "commgauge/predict/predict.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "commgauge/base/error.hpp"
#include "commgauge/simulate/machine/wanted_machine.hpp"
#include "made_machine.hpp"
#include "whole_model.hpp"

namespace commgauge::simulate::on_machine_test {

constexpr double us = 1e-6;
constexpr double eps = 1e-14;
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
constexpr schedule::Algorithm flat = schedule::Algorithm::flat;

schedule::Collective of(schedule::Operation operation, int root, std::uint64_t size) {
  schedule::Collective what;
  what.operation = operation;
  what.ranks = 4;
  what.root = root;
  what.counts = {size};
  return what;
}

/// Three replicates that differ, fitted between 100 and 100 000 bytes.
Model model_with_replicates() {
  Model model = whole::whole_model();
  model.launches = {lmo_model(whole::ranks, 1).launches.front()};
  model.eager_limit = Bytes{1 << 20};
  auto& lmo = *model.lmo;
  for (const double factor : {0.98, 1.0, 1.03}) {
    AdditiveParameters one = lmo.value;
    for (double& C : one.C) C *= factor;
    for (double& t : one.t) t *= factor;
    lmo.replicates.push_back(one);
  }
  lmo.first = Bytes{100};
  lmo.last = Bytes{100'000};
  lmo.observations = 1;
  lmo.residual = 0.01;
  return model;
}

TEST(CollectivePrediction, AFlatScatterIsTheFormulas) {
  const Model model = model_with_replicates();
  for (int root = 0; root < whole::ranks; ++root) {
    for (const std::uint64_t size : {1, 100, 5000, 100'000, 200'000}) {
      const Prediction told =
          commgauge::predict(model, Query{"lmo", Operation::scatter, root, -1, Bytes{size}});
      const Prediction played =
          predict_collective(model, "lmo", {of(schedule::Operation::scatter, root, size), flat});
      EXPECT_NEAR(played.time.value / told.time.value, 1, 1e-12) << root << ", " << size;
      ASSERT_TRUE(told.has_interval() && played.has_interval());
      EXPECT_NEAR(played.low.value / told.low.value, 1, 1e-12) << root << ", " << size;
      EXPECT_NEAR(played.high.value / told.high.value, 1, 1e-12) << root << ", " << size;
      EXPECT_EQ(played.extrapolated, told.extrapolated) << size;
      EXPECT_EQ(played.extrapolated, size < 100 || size > 100'000) << size;
    }
  }
}

TEST(CollectivePrediction, WithoutReplicatesThereIsNoInterval) {
  const Model model = lmo_model(4, 1 << 20);
  const schedule::Collective what = of(schedule::Operation::bcast, 0, 1000);
  const Prediction told = predict_collective(model, "lmo", {what, flat});
  EXPECT_FALSE(told.has_interval());
  EXPECT_EQ(told.time.value, time_of(machine_of(model, "lmo"), what, flat).value);
}

/// Four ranks exchange with one after the other, above the eager limit: the second and the third
/// exchange take once or twice a message's time.
TEST(CollectivePrediction, ChanceDecidesWhatExchangesTake) {
  Model model = hockney_model(4);
  model.eager_limit = Bytes{1000};
  model.jitter = exact(MessageJitter{8e-6});
  schedule::Collective what{
      .operation = schedule::Operation::alltoall, .ranks = 4, .counts = {60'000}};
  const ScheduledCollective one{what, schedule::Algorithm::pairwise};
  const PredictedCollective found = predict_collective(model, "hockney", one);
  ASSERT_EQ(found.draws.size(), 39U);
  EXPECT_EQ(found.time.value, found.draws[19]);
  EXPECT_GT(found.draws.back(), 1.2 * found.draws.front());
  // The same draws, made by themselves.
  std::vector<double> times;
  for (std::uint64_t seed = 1; seed <= 39; ++seed) {
    const Machine late = build(model, {.jitter = {.seed = seed}});
    times.push_back(time_of(late, what, schedule::Algorithm::pairwise).value);
  }
  std::ranges::sort(times);
  EXPECT_EQ(times, found.draws);
  EXPECT_TRUE(predict_collective(hockney_model(4), "hockney", one).draws.empty());
}

TEST(CollectivePrediction, AModelThatIsNotThereIsRefused) {
  EXPECT_THROW((void)predict_collective(lmo_model(4, 1 << 20), "loggps",
                                        {of(schedule::Operation::bcast, 0, 1000), flat}),
               InputError);
}

/// Ranks 0 and 1 are on host a, 2 and 3 on b. A message takes 40 us and 1 ns a byte; its sender and
/// its receiver are busy for 10 us of that.
Model two_hosts(double out, double in, double inside) {
  Model model = lmo_model(4, 1 << 20);
  for (std::size_t rank = 0; rank < 4; ++rank) {
    model.launches.front().ranks[rank].host = rank < 2 ? "a" : "b";
  }
  model.lmo->value.t.assign(4, 0.0);
  model.lmo->value.inverse_beta = Matrix(4, 1e-9);
  const auto of_all = [](double lambda) {
    return std::vector<double>(4, lambda > 0 ? lambda : unknown);
  };
  model.host_links = exact(HostLinks{of_all(out), of_all(in), of_all(inside), of_all(0)});
  return model;
}

double time_on(const Model& model, schedule::Operation operation, int root) {
  const schedule::Collective what = of(operation, root, 100'000);
  const double time = predict_collective(model, "lmo", {what, flat}).time.value;
  EXPECT_EQ(time, time_of(machine_of(model, "lmo"), what, flat).value);
  return time;
}

TEST(CollectivePrediction, MessagesOfAHostWaitForItsLink) {
  using enum schedule::Operation;
  // The root begins a message each 10 us; the last, to the other host, takes 140 us from 20 us on.
  EXPECT_NEAR(time_on(two_hosts(0, 0, 0), scatter, 0), 160 * us, eps);
  EXPECT_NEAR(time_on(two_hosts(0, 0, 1e-9), scatter, 0), 160 * us, eps);
  // The one before it begins at 10 us, and keeps a link for 100 us: it waits until 110 us.
  for (const auto& [out, in] : {std::pair{1e-9, 0.0}, {0.0, 1e-9}, {1e-9, 1e-9}}) {
    EXPECT_NEAR(time_on(two_hosts(out, in, 0), scatter, 0), 250 * us, eps);
    EXPECT_NEAR(time_on(two_hosts(out, in, 0), bcast, 0), 250 * us, eps);
  }
  // From rank 1 the first goes to its own host, and so it is from rank 3, where it is the last.
  EXPECT_NEAR(time_on(two_hosts(1e-9, 0, 0), scatter, 1), 250 * us, eps);
  EXPECT_NEAR(time_on(two_hosts(1e-9, 0, 0), scatter, 3), 240 * us, eps);
}

TEST(CollectivePrediction, AGatherEndsWithItsRoot) {
  using enum schedule::Operation;
  // All arrive at 130 us, and are taken in for 10 us each.
  EXPECT_NEAR(time_on(two_hosts(0, 0, 0), gather, 0), 160 * us, eps);
  // Of the two from the other host the second waits 100 us.
  EXPECT_NEAR(time_on(two_hosts(1e-9, 0, 0), gather, 0), 240 * us, eps);
  EXPECT_NEAR(time_on(two_hosts(0, 1e-9, 0), gather, 0), 240 * us, eps);
}

/// Each sends to the other three: 200 000 bytes go out of each host twice, 100 000 stay inside.
TEST(CollectivePrediction, AnAllToAllFillsTheLinks) {
  const auto time = [](const Model& model) {
    return time_on(model, schedule::Operation::alltoall, 0);
  };
  const double free = time(two_hosts(0, 0, 0));
  const double shared = time(two_hosts(2e-9, 2e-9, 0));
  EXPECT_GT(shared, 4 * 200 * us) << "four messages leave each host, 200 us each";
  EXPECT_LT(shared, free + 4 * 200 * us);
}

}  // namespace commgauge::simulate::on_machine_test
