#include "commgauge/simulate/machine/measured_rules.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "commgauge/simulate/machine/wanted_machine.hpp"
#include "made_machine.hpp"

namespace commgauge::simulate::measured_rules_test {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// Four ranks, each on a host of its own.
Model on_hosts() { return lmo_model(4, 1 << 20); }

Model that_scatters() {
  Model model = on_hosts();
  model.jitter = exact(MessageJitter{30e-6});
  return model;
}

/// What a file says of messages that meet, each with 0.05 to both sides.
Model that_shares(const FairSharing& shares) {
  Model model = on_hosts();
  Fitted<FairSharing> fit;
  fit.value = fit.low = fit.high = shares;
  visit_fields(fit.low, [](const FieldFacts&, double& low) { low -= 0.05; });
  visit_fields(fit.high, [](const FieldFacts&, double& high) { high += 0.05; });
  model.sharing = fit;
  return model;
}

TEST(MeasuredSharing, IsOfEachProtocol) {
  const auto told = [](const FairSharing& shares) { return measured_sharing(that_shares(shares)); };
  EXPECT_EQ(told({0, 1}), Sharing::rendezvous);
  EXPECT_EQ(told({1, 1}), Sharing::all);
  EXPECT_EQ(told({0, 0}), Sharing::none);
  EXPECT_EQ(told({1, unknown}), Sharing::all) << "nothing is above a limit";
  EXPECT_EQ(told({unknown, 1}), Sharing::rendezvous) << "nothing is below it";
  EXPECT_EQ(told({0, unknown}), Sharing::none);
}

TEST(MeasuredSharing, DifferentPairsMayShareWhereThoseOfAPairDoNot) {
  const auto told = [](const FairSharing& shares) { return measured_sharing(that_shares(shares)); };
  EXPECT_EQ(told({0, unknown, 1, 1}), Sharing::rendezvous);
  EXPECT_EQ(told({0, unknown, 1, unknown}), Sharing::none) << "senders may do otherwise";
  EXPECT_EQ(told({0, unknown, 1, 0.5}), Sharing::none);
  EXPECT_EQ(told({0, 0, 1, 1, 1, 1}), Sharing::none) << "large ones of a pair would share, too";
  EXPECT_FALSE(told({0, unknown, 1, 1, 0, 0})) << "it isn't known what large ones of a pair do";
}

TEST(MeasuredSharing, AnIntervalThatHoldsBothTellsNothing) {
  EXPECT_FALSE(measured_sharing(on_hosts()));
  EXPECT_FALSE(measured_sharing(that_shares({0, 0.5})));
  EXPECT_FALSE(measured_sharing(that_shares({0.5, 1})));
  Model without_interval = that_shares({0, 1});
  without_interval.sharing->low.rendezvous = without_interval.sharing->high.rendezvous = unknown;
  EXPECT_FALSE(measured_sharing(without_interval));
}

TEST(MeasuredRules, AreTheMachines) {
  const Machine machine = machine_of(that_shares({0, 1}), "");
  EXPECT_EQ(machine.sharing, Sharing::rendezvous);
  EXPECT_FALSE(machine.requests_queue);
  EXPECT_TRUE(machine_of(that_scatters(), "").requests_queue);
  EXPECT_EQ(machine_of(on_hosts(), "").sharing, Sharing::none);
}

TEST(MeasuredRules, RequestsQueueBetweenHostsOnly) {
  Model model = that_scatters();
  for (RankPlace& place : model.launches.front().ranks) place.host = "h0";
  EXPECT_FALSE(machine_of(model, "").requests_queue);
}

TEST(MeasuredRules, GiveWayToThoseThatAreWanted) {
  EXPECT_EQ(build(that_shares({0, 1}), {}).sharing, Sharing::rendezvous);
  EXPECT_EQ(build(that_shares({0, 1}), {.sharing = Sharing::none}).sharing, Sharing::none);
  EXPECT_EQ(build(on_hosts(), {.sharing = Sharing::all}).sharing, Sharing::all);
  EXPECT_FALSE(build(that_scatters(), {.requests_queue = false}).requests_queue);
}

TEST(MeasuredRules, OfAJobOnOneHostChanceDecidesNothing) {
  Model model = that_scatters();
  model.launches.front().ranks[1].host = "h0";
  const Machine job = build(model, {.placement = Placement{{0, 1}, "places"}});
  EXPECT_FALSE(job.requests_queue);
  EXPECT_FALSE(chance_of(model, for_job(machine_of(model, ""), 2)));
}

TEST(MeasuredRules, OfAnOlderFileLatenessDoesNotGrow) {
  Model model = that_scatters();
  model.jitter->value.per_byte = unknown;
  EXPECT_EQ(measured_jitter(model).value().per_byte, 0);
}

TEST(MeasuredRules, ChanceCountsWhereRequestsQueue) {
  EXPECT_EQ(chance_of(that_scatters(), machine_of(that_scatters(), "")).value().mean, 30e-6);
  EXPECT_FALSE(chance_of(that_scatters(), build(that_scatters(), {.requests_queue = false})));
  EXPECT_FALSE(chance_of(on_hosts(), build(on_hosts(), {.requests_queue = true})));
}

}  // namespace commgauge::simulate::measured_rules_test
