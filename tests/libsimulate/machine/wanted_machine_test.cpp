#include "commgauge/simulate/machine/wanted_machine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "commgauge/base/error.hpp"
#include "made_machine.hpp"
#include "whole_model.hpp"

namespace commgauge::simulate::wanted_machine_test {

using testing::ElementsAre;
using testing::StartsWith;

std::string refusal_of(const Model& model, const WantedMachine& wanted) {
  try {
    (void)build(model, wanted);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

/// Of four ranks, each on a host of its own.
Model on_hosts() {
  Model model = lmo_model(4, 1 << 20);
  for (int rank = 0; rank < 4; ++rank) {
    model.launches.front().ranks[static_cast<std::size_t>(rank)].host = "h" + std::to_string(rank);
  }
  return model;
}

TimeRatios each(const std::vector<double>& ratios) {
  std::vector<Estimate> all;
  for (const double one : ratios) all.push_back({one, one, one});
  return all;
}

TEST(WantedMachine, NothingWantedIsTheModels) {
  const Model model = whole::whole_model();
  const Machine machine = build(model, {.kind = "loggps"});
  EXPECT_EQ(to_bytes(machine), to_bytes(machine_of(model, "loggps")));
}

TEST(WantedMachine, HasMoreHosts) {
  const WantedMachine wanted{.kind = "lmo", .hosts = HostGrid{6, 1}};
  const auto [larger, assumed] = model_for(on_hosts(), wanted);
  EXPECT_EQ(build(larger, wanted).ranks, 6);
  EXPECT_EQ(model_for(on_hosts(), {}).model.ranks, 4);
}

TEST(WantedMachine, ComputesAsFastAsIsSaid) {
  const Model model = on_hosts();
  WantedMachine wanted{.time_ratios = std::string{"1.5"}};
  EXPECT_TRUE(wanted.knows_speeds());
  EXPECT_EQ(build(model, wanted).time_ratios[3].value, 1.5);
  wanted.time_ratios = each({1, 2, 3, 4});
  EXPECT_EQ(build(model, wanted).time_ratios[3].value, 4);
  wanted.time_ratios = each({1});
  EXPECT_THAT(refusal_of(model, wanted), StartsWith("time_ratio has 1 numbers"));
  EXPECT_FALSE(WantedMachine{}.knows_speeds());
}

/// A rank's processor is that of its place; changes are of ranks of the job.
TEST(WantedMachine, PlacesThenChanges) {
  WantedMachine wanted;
  wanted.time_ratios = each({1, 2, 3, 4});
  wanted.placement = Placement{{3, 0}, "--placement 3,0"};
  wanted.computing = {10, {1}};
  wanted.disturbances = {parse_disturbance("rank=1,from=0.5,until=0.7,speed=0.5")};
  const Machine machine = build(on_hosts(), wanted);
  EXPECT_THAT(machine.hosts, ElementsAre("h3", "h0"));
  EXPECT_EQ(machine.time_ratios[0].value, 4);
  EXPECT_EQ(machine.time_ratios[1].value, 10);
  EXPECT_EQ(machine.disturbances.front().rank, 1);
  wanted.placement->places = {4};
  EXPECT_THAT(refusal_of(on_hosts(), wanted), StartsWith("--placement 3,0: "));
}

TEST(WantedMachine, OfNoPlacesHasNoRanks) {
  EXPECT_EQ(build(on_hosts(), {.placement = Placement{{}, "a file"}}).ranks, 0);
}

TEST(WantedMachine, MayIgnoreGrowth) {
  const Model model = whole::whole_model();
  EXPECT_TRUE(build(model, {.kind = "loggps"}).has_growth);
  EXPECT_FALSE(build(model, {.kind = "loggps", .ignores_growth = true}).has_growth);
}

TEST(WantedMachine, OfATopology) {
  LinkParameters links;
  links.start_up = Seconds{1e-5};
  const Machine machine = build(ring(4), links, {.placement = Placement{{2, 1}, "places"}});
  EXPECT_EQ(machine.ranks, 2);
  EXPECT_EQ(machine.kind, topology_kind);
}

TEST(WantedMachine, RequestsQueueBehindDataThatShareLinks) {
  const Machine machine =
      build(on_hosts(), {.requests_queue = true, .sharing = Sharing::rendezvous});
  EXPECT_TRUE(machine.requests_queue);
  EXPECT_EQ(machine.sharing, Sharing::rendezvous);
}

}  // namespace commgauge::simulate::wanted_machine_test
