#include "commgauge/replay/explain/efficiency.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "commgauge/replay/paths/longest_paths.hpp"
#include "commgauge/replay/run/replay.hpp"
#include "made_machine.hpp"
#include "marked_rank.hpp"
#include "recorded_program.hpp"

namespace commgauge::replay::efficiency_test {

constexpr std::int64_t second = 1'000'000'000;
constexpr double nearly_free = 1e-10;

/// A message takes one second.
simulate::Machine machine_of_seconds() {
  Model model = simulate::hockney_model(2);
  model.hockney->value.alpha = Matrix(2, 1.0);
  model.hockney->value.beta = Matrix(2, 0.0);
  return simulate::machine_of(model, "hockney");
}

/// Rank 0 computes for 3 s and sends; rank 1 computes for 1 s, receives, and computes for 1 s. What
/// rank 0 computes and what rank 1 computes afterwards is the region "phase".
trace::Trace waiting_for_work() {
  using namespace trace::event;
  trace::Trace trace = two_ranks();
  trace.names.emplace_back("MPI_Finalize");
  trace::Event message = Send{.peer = 1};
  trace.ranks[0].events = {border<RegionBegin>(2, 0),    border<RegionEnd>(2, 3 * second),
                           border<Enter>(0, 3 * second), message,
                           border<Leave>(0, 3 * second), border<Enter>(3, 3 * second),
                           border<Leave>(3, 3 * second)};
  message = Receive{.peer = 0, .found = {.peer = 0, .tag = 0}};
  trace.ranks[1].events = {border<Enter>(1, second),         message,
                           border<Leave>(1, second),         border<RegionBegin>(2, second),
                           border<RegionEnd>(2, 2 * second), border<Enter>(3, 2 * second),
                           border<Leave>(3, 2 * second)};
  return trace;
}

Efficiencies efficiency_of(const trace::Trace& trace, Options options = {}) {
  options.keeps_marks = true;
  const simulate::Machine machine = machine_of_seconds();
  return efficiency(trace, machine, replay(trace, machine, options), options);
}

/// By hand: useful 3 s and 2 s; 3 + 1 + 1 s, without the message's second 3 + 1 s.
TEST(Efficiency, OfARunByHand) {
  const Efficiency run = efficiency_of(waiting_for_work()).run;
  EXPECT_EQ(run.mean_useful, 2.5);
  EXPECT_EQ(run.most_useful, 3);
  EXPECT_EQ(run.time, 5);
  EXPECT_NEAR(run.free_time, 4, nearly_free);
  EXPECT_EQ(run.load_balance(), 2.5 / 3);
  EXPECT_NEAR(run.serialisation(), 3 / 4.0, nearly_free);
  EXPECT_NEAR(run.transfer(), 4 / 5.0, nearly_free);
  EXPECT_EQ(run.communication(), 3 / 5.0);
  EXPECT_EQ(run.parallel(), 1 / 2.0);
}

TEST(Efficiency, FactorsMultiplyToTheParallelEfficiency) {
  const Efficiency run = efficiency_of(waiting_for_work()).run;
  EXPECT_DOUBLE_EQ(run.serialisation() * run.transfer(), run.communication());
  EXPECT_DOUBLE_EQ(run.load_balance() * run.communication(), run.parallel());
}

/// By hand: useful 3 s and 1 s; from 0 s until 5 s, or until 4 s.
TEST(Efficiency, OfARegionByHand) {
  const Efficiencies all = efficiency_of(waiting_for_work());
  ASSERT_EQ(all.regions.size(), 1U);
  const RegionEfficiency& phase = all.regions.front();
  EXPECT_EQ(phase.name, "phase");
  EXPECT_EQ(phase.instances, 1U);
  EXPECT_EQ(phase.mean_useful, 2);
  EXPECT_EQ(phase.most_useful, 3);
  EXPECT_EQ(phase.time, 5);
  EXPECT_NEAR(phase.free_time, 4, nearly_free);
}

TEST(Efficiency, InstancesAreCountedFromTheFirstToEnterToTheLastToLeave) {
  using namespace trace::event;
  trace::Trace trace = two_ranks();
  // Rank 0: 1 s, and 2 s a second later; within itself it isn't another. Rank 1: 3 s, left open.
  trace.ranks[0].events = {border<RegionBegin>(2, 0),          border<RegionEnd>(2, second),
                           border<RegionBegin>(2, 2 * second), border<RegionBegin>(2, 3 * second),
                           border<RegionEnd>(2, 3 * second),   border<RegionEnd>(2, 4 * second)};
  trace.ranks[1].events = {border<RegionBegin>(2, 0), border<Enter>(0, 3 * second),
                           border<Leave>(0, 3 * second)};
  const Efficiencies all = efficiency_of(trace);
  const RegionEfficiency& phase = all.regions.at(0);
  EXPECT_EQ(phase.instances, 2U);
  EXPECT_EQ(phase.time, 3 + 2);
  EXPECT_EQ(phase.free_time, phase.time);
  EXPECT_EQ(phase.mean_useful, 3);
  EXPECT_EQ(phase.load_balance(), 1);
  EXPECT_EQ(all.run.mean_useful, 3.5);
}

TEST(Efficiency, NothingComputedIsNoShare) {
  Options options;
  options.computes = false;
  const Efficiency run = efficiency_of(waiting_for_work(), options).run;
  EXPECT_TRUE(std::isnan(run.load_balance()));
  EXPECT_EQ(run.parallel(), 0);
}

using simulate::Why;

/// The other way to a free network: the longest path on which nothing but computing takes time. It
/// keeps the order in which messages passed ports, so it may be longer; a rank that asks again and
/// again does so every 100 ns.
TEST(Efficiency, AFreeNetworkIsAWalkOverComputingAlone) {
  const std::vector<simulate::Machine> machines = {
      simulate::machine_of(simulate::hockney_model(4), "hockney"),
      simulate::machine_of(simulate::lmo_model(4, 300), "lmo")};
  constexpr int programs = 200;
  int equal = 0;
  for (std::uint64_t seed = 1; seed <= programs; ++seed) {
    const simulate::Machine& machine = machines[seed % machines.size()];
    const trace::Trace trace = record_random(machine, seed).trace;
    simulate::Causes causes(machine.ranks);
    Options options;
    options.causes = &causes;
    const double time = replay(trace, machine, options).time;
    double asking = 0;
    const double walked =
        LongestPaths(causes).with([&](simulate::Moment, const simulate::Cause& cause) {
          if (cause.why == Why::asking) asking += 100e-9;
          return cause.why == Why::computing || cause.why == Why::sleeping ? cause.delay : 0;
        });
    const double freed = replay(trace, with_free_network(machine, 1e-12 * time)).time;
    EXPECT_LE(freed, walked + asking + 1e-9 * time) << seed;
    equal += std::abs(freed - walked) <= 1e-9 * time ? 1 : 0;
  }
  EXPECT_GT(equal, programs / 2);
}

/// Nor is a message, or an answer to an access, late by chance.
TEST(FreeNetwork, HasNoJitter) {
  const simulate::Machine late = simulate::with_jitter(machine_of_seconds(), {.mean = 0.1});
  EXPECT_EQ(late.pair(0, 1).jitter, 0.1);
  EXPECT_EQ(with_free_network(late, 1e-9).pair(0, 1).jitter, 0);
}

}  // namespace commgauge::replay::efficiency_test
