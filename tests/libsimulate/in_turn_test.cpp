// Exchanges with one rank after the other: which they are, and what they take out of step. By hand:
// an exchange takes 20 us and 1 ns a byte.

#include "commgauge/simulate/in_turn.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "commgauge/simulate/collective.hpp"
#include "commgauge/simulate/collective_prediction.hpp"
#include "commgauge/simulate/simulation.hpp"
#include "commgauge/simulate/topology.hpp"
#include "made_machine.hpp"

namespace commgauge::simulate {
namespace {

using schedule::Algorithm;
using schedule::Operation;

constexpr double ms = 1e-3;
constexpr double eps = 1e-12;
constexpr std::uint64_t megabyte = 1'000'000;

/// @param per_host  ranks
Machine machine_with(int ranks, int per_host, std::uint64_t eager_limit = 2 * megabyte) {
  Model model = hockney_model(ranks);
  model.eager_limit = Bytes{eager_limit};
  Machine machine = machine_of(model, "hockney");
  for (int rank = 0; rank < ranks; ++rank) {
    machine.hosts[static_cast<std::size_t>(rank)] = "h" + std::to_string(rank / per_host);
  }
  return machine;
}

std::vector<int> first_ranks(int count) {
  std::vector<int> ranks(static_cast<std::size_t>(count));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

ScheduledCollective all_to_all(int ranks, std::uint64_t size,
                               Algorithm algorithm = Algorithm::pairwise) {
  return {{.operation = Operation::alltoall, .ranks = ranks, .counts = {size}}, algorithm};
}

std::optional<InTurn> in_turn_on(const Machine& machine, Algorithm algorithm) {
  const std::vector<int> ranks = first_ranks(machine.ranks);
  const ScheduledCollective one = all_to_all(machine.ranks, 1, algorithm);
  return in_turn(machine, Operation::alltoall, schedule_of(one.what, algorithm, 0), ranks);
}

/// What a rank has of such an operation that begins when it has computed so long.
TakenInTurn taken_by(int rank, const Machine& machine, const ScheduledCollective& one,
                     const std::function<double(int)>& computed) {
  Simulation simulation(machine);
  simulation.run([&](CoroutineProcess& process) -> Task {
    process.compute(computed(process.rank()));
    Group all{first_ranks(machine.ranks), process.rank(), 1, 0};
    MessagesOnly messages(all, one.what.unit);
    schedule::Schedule steps = schedule_of(one.what, one.algorithm, process.rank());
    const auto turns = in_turn(machine, one.what.operation, steps, all.ranks);
    Request request;
    request.kind = Request::Kind::collective;
    process.start_collective(request, perform(std::move(steps), messages, turns));
    co_await process.one(request);
  });
  return simulation.process(rank).in_turn();
}

double of_all_to_all(const TakenInTurn& taken) {
  return taken.taken[static_cast<std::size_t>(Operation::alltoall)];
}

TEST(InTurn, NeedsThreeHosts) {
  EXPECT_EQ(in_turn_on(machine_with(3, 1), Algorithm::shift).value().hosts, 3);
  EXPECT_EQ(in_turn_on(machine_with(8, 2), Algorithm::pairwise).value().hosts, 4);
  EXPECT_FALSE(in_turn_on(machine_with(8, 4), Algorithm::pairwise)) << "two";
  EXPECT_FALSE(in_turn_on(machine_with(8, 8), Algorithm::pairwise)) << "one";
}

TEST(InTurn, HostsAreThoseOfTheRanksThatTakePart) {
  const Machine machine = machine_with(8, 2);
  const ScheduledCollective one = all_to_all(4, 1);
  const std::vector<int> near{0, 1, 2, 3};
  const std::vector<int> apart{0, 2, 4, 6};
  const schedule::Schedule steps = schedule_of(one.what, one.algorithm, 0);
  EXPECT_FALSE(in_turn(machine, Operation::alltoall, steps, near));
  EXPECT_TRUE(in_turn(machine, Operation::alltoall, steps, apart));
}

TEST(InTurn, NotWhereAllMessagesStartAtOnce) {
  EXPECT_FALSE(in_turn_on(machine_with(8, 1), Algorithm::scattered));
  EXPECT_FALSE(in_turn_on(machine_with(8, 1), Algorithm::flat));
  EXPECT_FALSE(in_turn_on(machine_with(8, 1), Algorithm::bruck));
}

TEST(InTurn, NotOnATopology) {
  const Machine machine = machine_of(ring(8), {Seconds{1e-6}, SecondsPerByte{1e-9}, std::nullopt});
  EXPECT_FALSE(in_turn_on(machine, Algorithm::pairwise));
}

TEST(InTurn, LongerOnMoreHosts) {
  EXPECT_EQ(most_times_as_long(3, false), 2);
  EXPECT_EQ(most_times_as_long(8, false), 2);
  EXPECT_EQ(most_times_as_long(32, false), 4);
  EXPECT_EQ(most_times_as_long(128, false), 8);
  EXPECT_EQ(most_times_as_long(3, true), 2.5);
  EXPECT_EQ(most_times_as_long(128, true), 2.5);
}

TEST(OutOfStep, EagerMessagesTakeTwice) {
  const Machine machine = machine_with(4, 1);
  const auto found = out_of_step(machine, all_to_all(4, megabyte)).value();
  EXPECT_NEAR(found.least.value, 3 * 1.02 * ms, eps);
  EXPECT_NEAR(found.most.value, (3 * 1.02 + 3) * ms, eps) << "three times a megabyte more";
  EXPECT_NEAR(found.share, 3 / 3.06, eps);
  EXPECT_EQ(found.operations, std::vector{Operation::alltoall});
}

TEST(OutOfStep, RendezvousTakeTwoAndAHalfTimes) {
  const Machine machine = machine_with(4, 1, 1000);
  const auto found = out_of_step(machine, all_to_all(4, megabyte)).value();
  EXPECT_NEAR(found.longer(), 3 * 1.5 * ms, eps);
}

TEST(OutOfStep, OnManyHostsLonger) {
  const Machine machine = machine_with(32, 1);
  const auto found = out_of_step(machine, all_to_all(32, megabyte)).value();
  EXPECT_NEAR(found.longer(), 31 * 3 * ms, 1e-9);
}

TEST(OutOfStep, MessagesWithinAHostStayAsTheyAre) {
  const auto found = out_of_step(machine_with(8, 2), all_to_all(8, megabyte)).value();
  EXPECT_NEAR(found.least.value, 7 * 1.02 * ms, eps);
  EXPECT_NEAR(found.longer(), 6 * ms, eps);
  EXPECT_FALSE(out_of_step(machine_with(8, 4), all_to_all(8, megabyte)));
}

TEST(OutOfStep, NothingOfShortMessages) {
  const Machine machine = machine_with(4, 1);
  EXPECT_FALSE(out_of_step(machine, all_to_all(4, 0)));
  // Of an exchange of 20 us a message's bytes are as many ns.
  EXPECT_FALSE(out_of_step(machine, all_to_all(4, 400))) << "1.96 %";
  EXPECT_TRUE(out_of_step(machine, all_to_all(4, 410))) << "2.01 %";
}

TEST(OutOfStep, NothingOfOtherAlgorithms) {
  const Machine machine = machine_with(4, 1);
  EXPECT_FALSE(out_of_step(machine, all_to_all(4, megabyte, Algorithm::scattered)));
  EXPECT_FALSE(out_of_step(machine, all_to_all(4, megabyte, Algorithm::bruck)));
}

TEST(OutOfStep, WaitingForALateRankIsNoTransfer) {
  for (const std::uint64_t limit : {2 * megabyte, std::uint64_t{1000}}) {
    const Machine with_limit = machine_with(4, 1, limit);
    const TakenInTurn taken = taken_by(1, with_limit, all_to_all(4, megabyte),
                                       [](int rank) { return rank == 0 ? 1.0 : 0.0; });
    EXPECT_GT(of_all_to_all(taken), 0);
    EXPECT_LE(of_all_to_all(taken), 3 * ms + eps) << limit;
  }
}

/// Two ranks a host; a byte takes its host's link, either way, as long as the message takes it.
TEST(OutOfStep, WhatRanksOfAHostWaitForTheirLinkCounts) {
  Machine machine = machine_with(6, 2);
  const std::vector<double> each(3, 1e-9);
  machine.host_links = {{0, 0, 1, 1, 2, 2}, each, each, {0, 0, 0}, {0, 0, 0}};
  const auto found = out_of_step(machine, all_to_all(6, megabyte, Algorithm::shift)).value();
  // Each host sends eight megabytes to others, one after the other.
  EXPECT_GE(found.least.value, 8 * ms);
  EXPECT_GT(found.longer(), 5 * ms) << "a rank's four megabytes alone take 4 ms";
  EXPECT_LE(found.longer(), found.least.value);
}

TakenInTurn some(Operation operation, double seconds) {
  TakenInTurn taken;
  taken.add({operation, 4}, false, seconds);
  return taken;
}

TEST(OutOfStep, TheRankWithMostCounts) {
  TakenInTurn most = some(Operation::reduce_scatter, 1);
  most += some(Operation::alltoall, 3);
  const std::vector<TakenInTurn> ranks{some(Operation::alltoallv, 2), most, TakenInTurn{}};
  const OutOfStep found = out_of_step(Seconds{10}, ranks).value();
  EXPECT_EQ(found.most, Seconds{14});
  EXPECT_NEAR(found.share, 0.4, eps);
  EXPECT_EQ(found.operations, (std::vector{Operation::alltoall, Operation::reduce_scatter}));
  EXPECT_FALSE(out_of_step(Seconds{10}, {}));
  EXPECT_FALSE(out_of_step(Seconds{0}, std::vector(3, TakenInTurn{})));
}

TEST(OutOfStep, FromTwoPercentOn) {
  EXPECT_FALSE(out_of_step(Seconds{10}, std::vector{some(Operation::alltoall, 0.199)}));
  EXPECT_TRUE(out_of_step(Seconds{10}, std::vector{some(Operation::alltoall, 0.2)}));
}

TEST(OutOfStep, IsSaid) {
  const std::vector<TakenInTurn> ranks{some(Operation::alltoall, 4)};
  EXPECT_EQ(
      diagnostic_of(out_of_step(Seconds{5}, ranks).value()).text(),
      "the time is between 5.00 s and 9.00 s (in alltoall ranks exchange with one after the other, "
      "for 80 % of the time; here they stay in step, which is the least time, and don't "
      "where packets of several messages share a link): compare --collectives "
      "alltoall=scattered, which doesn't exchange so");
}

TEST(OutOfStep, APredictionsIntervalHoldsIt) {
  Model model = hockney_model(4);
  model.eager_limit = Bytes{2 * megabyte};
  for (const double factor : {0.9, 1.1}) {
    model.hockney->replicates.push_back(model.hockney->value);
    model.hockney->replicates.back().beta = Matrix(4, factor * 1e-9);
  }
  const ScheduledCollective pairwise = all_to_all(4, megabyte);
  const ScheduledCollective scattered = all_to_all(4, megabyte, Algorithm::scattered);
  const std::vector<ScheduledCollective> both{pairwise, scattered};
  const std::vector<Prediction> told = predict_collectives(model, "hockney", both);
  EXPECT_NEAR((told[0].high.value - 3 * ms) / told[1].high.value, 1, 0.05);
  EXPECT_GT(told[0].high.value, 6.06 * ms);
}

}  // namespace
}  // namespace commgauge::simulate
