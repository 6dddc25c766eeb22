#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "../testbeds/synthetic.hpp"
#include "commgauge/base/error.hpp"
#include "commgauge/costs/extended.hpp"
#include "commgauge/model/classed.hpp"
#include "commgauge/simulate/machine.hpp"
#include "made_machine.hpp"

namespace commgauge::simulate {
namespace {

using testing::HasSubstr;

/// Ranks on these hosts; messages inside a host start within 10 us, between hosts within 100, and a
/// little later for each rank further on.
Model model_on(const std::vector<std::string>& hosts) {
  Model model;
  model.ranks = static_cast<int>(hosts.size());
  model.launches.emplace_back();
  for (const std::string& host : hosts) model.launches.front().ranks.push_back({host, {0}});
  HockneyParameters p{Matrix(model.ranks), Matrix(model.ranks, 1e-9), 0, 0};
  for (int i = 0; i < model.ranks; ++i) {
    for (int j = 0; j < model.ranks; ++j) {
      const bool inside = hosts[static_cast<std::size_t>(i)] == hosts[static_cast<std::size_t>(j)];
      if (i != j) p.alpha(i, j) = ((inside ? 10 : 100) + i + 0.1 * j) * 1e-6;
    }
  }
  model.hockney = certain(p);
  return model;
}

Machine two_by_two() { return machine_of(model_on({"a", "a", "b", "b"}), "hockney"); }

double start_up(const Machine& machine, int from, int to) {
  return machine.pair(from, to).one_way.at(0) * 1e6;
}

TEST(Extend, TheModelItselfStaysAsItIs) {
  const Machine machine = two_by_two();
  const Machine same = extend(machine, 2, 2);
  for (int from = 0; from < 4; ++from) {
    for (int to = 0; to < 4; ++to) {
      if (from == to) continue;
      EXPECT_EQ(same.pair(from, to), machine.pair(from, to));
    }
  }
  EXPECT_FALSE(assumed_pairs(same).any());
  EXPECT_EQ(to_bytes(same), to_bytes(machine));
}

/// A model of classes is made larger before it becomes a machine, one of pairs afterwards.
TEST(Extend, TheModelItselfIsItsMachineWhereverItIsMadeLarger) {
  Model model = model_on({"a", "a", "b", "b"});
  for (const bool by_classes : {false, true}) {
    if (by_classes) model = pooled(model, placed_on_hosts(model));
    const LargerModel same = larger_model(model, 2, 2);
    EXPECT_TRUE(same.assumed.empty());
    EXPECT_EQ(to_bytes(larger_machine(same.model, "hockney", 2, 2)),
              to_bytes(machine_of(model, "hockney")));
  }
}

TEST(Extend, RanksCountHostByHost) {
  const Machine machine = machine_of(model_on({"a", "b", "a", "b"}), "hockney");
  const Machine sorted = extend(machine, 2, 2);
  EXPECT_EQ(sorted.hosts, (std::vector<std::string>{"a", "a", "b", "b"}));
  EXPECT_EQ(sorted.pair(0, 1), machine.pair(0, 2));
  EXPECT_EQ(sorted.pair(1, 2), machine.pair(2, 1));
}

TEST(Extend, NewHostsAreLikeTheModelsInTurn) {
  const Machine machine = two_by_two();
  const Machine more = extend(machine, 5, 2);
  EXPECT_EQ(more.ranks, 10);
  EXPECT_EQ(more.hosts[4], "a#2");
  EXPECT_EQ(more.hosts[8], "a#3");
  EXPECT_EQ(more.pair(4, 5), machine.pair(0, 1)) << "inside a copy of a";
  EXPECT_EQ(more.pair(4, 7), machine.pair(0, 3)) << "from a copy of a to one of b";
  EXPECT_EQ(more.pair(6, 9), machine.pair(2, 1));
}

/// What rank 0 pays to b (100.2, 100.3), and what b pays to rank 1 (102.1, 103.1).
TEST(Extend, BetweenCopiesOfAHostItIsTheMeanOfBothRanksMessagesToOthers) {
  const Machine more = extend(two_by_two(), 4, 2);
  EXPECT_NEAR(start_up(more, 0, 5), (100.25 + 102.6) / 2, 1e-9);
  EXPECT_NEAR(start_up(more, 0, 4), (100.25 + 102.5) / 2, 1e-9);
  EXPECT_TRUE(more.pair(0, 4).assumed);
}

TEST(Extend, MoreRanksOnAHostAreLikeThoseThatItHas) {
  const Machine more = extend(two_by_two(), 2, 3);
  EXPECT_EQ(more.pair(0, 1), more.pair(2, 1));
  EXPECT_NEAR(start_up(more, 0, 2), (10.1 + 11) / 2, 1e-9) << "the mean inside a";
  const Machine one_is_alone = machine_of(model_on({"a", "b", "b"}), "hockney");
  EXPECT_NEAR(start_up(extend(one_is_alone, 2, 2), 0, 1), (11.2 + 12.1) / 2, 1e-9)
      << "the mean inside b";
}

TEST(Extend, WhatWasMeasuredIsCounted) {
  const AssumedPairs pairs = assumed_pairs(extend(two_by_two(), 4, 2));
  EXPECT_EQ(pairs.all, 56);
  EXPECT_EQ(pairs.count, 2 * 2 * 4) << "between a and its copy, b and its";
  EXPECT_EQ(pairs.alike, 56 - 16 - 12);
  EXPECT_THAT(to_text(pairs), HasSubstr("44 of 56 pairs of ranks were not measured (28 cost what"));
  EXPECT_THAT(to_text(pairs), HasSubstr("16 the mean of such"));
  const Machine job = for_job(extend(two_by_two(), 4, 2), 5);
  EXPECT_EQ(assumed_pairs(job).count, 4);
  EXPECT_EQ(assumed_pairs(job).alike, 20 - 4 - 12);
}

TEST(Extend, WhatCannotBeKnownIsRefused) {
  const Machine one_host = machine_of(model_on({"a", "a"}), "hockney");
  const Machine one_each = machine_of(model_on({"a", "b"}), "hockney");
  const auto why = [](const Machine& machine, int hosts, int per_host) {
    try {
      (void)extend(machine, hosts, per_host);
    } catch (const InputError& error) {
      return std::string{error.what()};
    }
    return std::string{};
  };
  EXPECT_THAT(why(one_host, 2, 2), HasSubstr("all on one host"));
  EXPECT_THAT(why(one_each, 2, 2), HasSubstr("one rank on each host"));
  EXPECT_THAT(why(one_each, 0, 1), HasSubstr("at least 1"));
  EXPECT_EQ(why(one_host, 1, 5), "");
  EXPECT_EQ(why(one_each, 5, 1), "");
}

TEST(Extend, SixteenThousandRanksTakeLittleMemory) {
  const Machine large = extend(two_by_two(), 1024, 16);
  EXPECT_EQ(large.ranks, 16384);
  EXPECT_LE(large.pairs.distinct(), 2U * 16);
  EXPECT_LT(to_bytes(large).size(), 2U << 20U);
  const Machine job = for_job(large, 16384);
  EXPECT_EQ(job.pair(16383, 2), large.pair(16383, 2));
  EXPECT_GT(look_ahead(job, 0, 16383), 0);
  const std::string bytes = to_bytes(job);
  EXPECT_EQ(machine_from_bytes(bytes).pair(5000, 5001), job.pair(5000, 5001));
}

}  // namespace
}  // namespace commgauge::simulate
