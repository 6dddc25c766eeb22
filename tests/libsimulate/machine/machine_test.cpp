#include "commgauge/simulate/machine/machine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "../testbeds/synthetic.hpp"
#include "commgauge/base/error.hpp"
#include "commgauge/model/classed.hpp"
#include "commgauge/predict/predict.hpp"
#include "made_machine.hpp"
#include "note_of.hpp"

namespace commgauge::simulate::machine_test {

using commgauge::Operation;
using testing::HasSubstr;

Model lmo_model(int ranks) {
  Model model;
  model.ranks = ranks;
  model.launches.emplace_back();
  for (int i = 0; i < ranks; ++i) {
    model.launches.front().ranks.push_back({"h" + std::to_string(i), {0}});
  }
  model.lmo = exact(synthetic::lmo_parameters(ranks));
  model.lom = exact(synthetic::lom_parameters(ranks));
  model.bottleneck = exact(synthetic::bottleneck_parameters(ranks));
  model.hockney = exact(HockneyParameters{Matrix(ranks, 30e-6), Matrix(ranks, 2e-9), 0, 0});
  return model;
}

TEST(Machine, MessagesCostWhatPredictionsSay) {
  Model model = lmo_model(4);
  model.eager_limit = Bytes{5000};
  for (const std::string kind : {"lmo", "lom", "bottleneck", "hockney"}) {
    const Machine machine = machine_of(model, kind);
    for (const std::uint64_t size : {0, 1, 5000, 5001, 100000}) {
      const Query query{kind, Operation::p2p, 1, 3, Bytes{size}};
      const double predicted = predict_time(model, query).value;
      const PairCosts& costs = machine.pair(1, 3);
      const double cost = size > 5000 ? costs.rendezvous_receiver.at(static_cast<double>(size))
                                      : costs.one_way.at(static_cast<double>(size));
      EXPECT_NEAR(cost / predicted, 1, 1e-12) << kind << ", " << size;
    }
  }
}

TEST(Machine, ParametersOfAPairStayApart) {
  const Model model = lmo_model(3);
  const Machine machine = machine_of(model, "lmo");
  const PairCosts& costs = machine.pair(0, 2);
  const AdditiveParameters& p = model.lmo->value;
  EXPECT_DOUBLE_EQ(costs.send_overhead.at(1000), p.C[0] + 1000 * p.t[0]);
  EXPECT_DOUBLE_EQ(costs.receive_overhead.at(1000), p.C[2] + 1000 * p.t[2]);
  EXPECT_DOUBLE_EQ(costs.arrival.at(0), p.C[0] + p.L(0, 2));
}

TEST(Machine, TheBestModelThatCanBeEmulatedIsTaken) {
  Model model = lmo_model(3);
  model.ranking = {{"lmo", 0.1, {}}, {"bottleneck", 0.2, {}}};
  EXPECT_EQ(machine_of(model, "").kind, "lmo");
  // Times per byte don't add where a network pipelines.
  model.lmo->value.inverse_beta = model.lmo->high.inverse_beta = Matrix(3, -1e-6);
  const Machine machine = machine_of(model, "");
  EXPECT_EQ(machine.kind, "bottleneck");
  EXPECT_EQ(note_of(machine, "not_emulated").value().text(),
            "model lmo can't be emulated (a longer message would take less time from rank 0 to 1): "
            "bottleneck is used instead");
  EXPECT_THROW((void)machine_of(model, "lmo"), InputError);
}

/// As where a calibration was cut short.
TEST(Machine, SaysHowManyPairsHaveNoTimes) {
  Model model = lmo_model(4);
  model.ranking = {{"lmo", 0.1, {}}, {"bottleneck", 0.2, {}}};
  for (Matrix* const part : {&model.lmo->value.L, &model.lmo->high.L}) {
    (*part)(0, 2) = (*part)(2, 0) = (*part)(3, 1) = std::nan("");
  }
  const std::string why =
      "model lmo can't be emulated (it has no times of 3 of 12 pairs, such as that from rank 0 to "
      "2): ";
  try {
    (void)machine_of(model, "lmo");
    ADD_FAILURE() << "it was made";
  } catch (const InputError& error) {
    EXPECT_EQ(error.what(), why +
                                "go on with its calibration (--resume) if it was cut short, or "
                                "give another with --kind");
  }
  EXPECT_EQ(note_of(machine_of(model, ""), "not_emulated").value().text(),
            why + "bottleneck is used instead");
}

TEST(Machine, BytesKeepEverything) {
  Machine machine = machine_of(lmo_model(3), "lmo");
  machine.time_ratios = {{1, 1, 1}, {2, 1, 3}, {3, 3, 3}};
  const std::string bytes = to_bytes(machine);
  const Machine copy = machine_from_bytes(bytes);
  EXPECT_EQ(copy.kind, "lmo");
  EXPECT_EQ(copy.hosts, machine.hosts);
  EXPECT_EQ(copy.time_ratios, machine.time_ratios);
  EXPECT_EQ(copy.pair(2, 1).one_way.at(12345), machine.pair(2, 1).one_way.at(12345));
}

TEST(Machine, NothingHasAnEffectSoonerThanTheLookAhead) {
  const Machine machine = machine_of(lmo_model(4), "bottleneck");
  const PairCosts& there = machine.pair(0, 1);
  EXPECT_GT(look_ahead(machine, 0, 1), 0);
  EXPECT_LE(look_ahead(machine, 0, 1), there.arrival.at(0));
  EXPECT_LE(look_ahead(machine, 0, 1), machine.pair(1, 0).rendezvous_sender.at(0));
}

TEST(Machine, AJobHasTheFirstRanks) {
  const Machine machine = machine_of(lmo_model(4), "lmo");
  const Machine job = for_job(machine, 2);
  EXPECT_EQ(job.hosts.size(), 2U);
  EXPECT_EQ(job.pair(1, 0).one_way.at(10), machine.pair(1, 0).one_way.at(10));
  EXPECT_THROW((void)for_job(machine, 5), InputError);
}

TEST(Machine, PairsThatWereNotMeasuredAreCounted) {
  Model model = lmo_model(4);
  LogGpsParameters p = loggps_parameters(4);
  p.mean_L = 60e-6;
  p.L(0, 1) = 80e-6;
  p.L(2, 3) = p.L(3, 2) = std::numeric_limits<double>::quiet_NaN();
  model.loggps = exact(p);
  const Machine machine = machine_of(model, "loggps");
  EXPECT_NEAR(machine.pair(2, 3).one_way.at(0), (60 + 12 + 12) * 1e-6, 1e-15);
  const std::string bytes = to_bytes(machine);
  const AssumedPairs pairs = assumed_pairs(machine_from_bytes(bytes));
  EXPECT_EQ(pairs.count, 2);
  EXPECT_EQ(pairs.all, 12);
  EXPECT_NEAR(pairs.least, 74e-6, 1e-15);
  EXPECT_NEAR(pairs.most, 104e-6, 1e-15);
  EXPECT_THAT(to_text(pairs), AllOf(HasSubstr("2 of 12 pairs"), HasSubstr("74.0 \u00b5s to 104"),
                                    HasSubstr("--pairs all")));
  EXPECT_EQ(assumed_pairs(for_job(machine, 2)).count, 0);
  EXPECT_EQ(assumed_pairs(machine_of(model, "lmo")).count, 0);
}

/// The rule of predictions, docs/models.md.
TEST(Machine, AReplyOverAWayThatWasNotMeasuredIsLikeTheRequest) {
  Model model = lmo_model(3);
  LogGpsParameters p = loggps_parameters(3);
  p.mean_L = 200e-6;
  p.L(1, 0) = std::numeric_limits<double>::quiet_NaN();
  model.loggps = exact(p);
  model.eager_limit = Bytes{1000};
  const Machine machine = machine_of(model, "loggps");
  EXPECT_NEAR(machine.pair(0, 1).reply, 62e-6, 1e-15);
  EXPECT_NEAR(machine.pair(1, 0).request, 212e-6, 1e-15);
  const PairCosts& costs = machine.pair(0, 1);
  EXPECT_EQ(predict_time(model, {"loggps", Operation::p2p, 0, 1, Bytes{2000}}).value,
            costs.request + costs.reply + costs.rendezvous_receiver.at(2000));
}

TEST(Machine, AModelOfOneMessageSizeIsTakenOnlyIfItIsNamed) {
  Model model = lmo_model(3);
  model.logp = exact(LogPParameters{Matrix(3, 40e-6), Matrix(3, 10e-6), Matrix(3, 20e-6), 0, 0, 0});
  model.ranking = {{"logp", 0.1, {}}, {"hockney", 0.2, {}}};
  EXPECT_EQ(machine_of(model, "").kind, "hockney");
  EXPECT_EQ(machine_of(model, "logp").pair(0, 1).one_way.at(1e6), 60e-6);
}

PLogPParameters plogp_parameters(double slope) {
  PLogPParameters p;
  p.sizes = {Bytes{0}, Bytes{1000}, Bytes{2000}};
  p.L = Matrix(3, 40e-6);
  for (const double size : {0, 1000, 2000}) {
    p.g.emplace_back(3, 20e-6 + 2 * slope * size);
    p.o_s.emplace_back(3, 5e-6);
    p.o_r.emplace_back(3, 6e-6 + slope * size);
  }
  return p;
}

TEST(Machine, PLogPIsOneWhereNothingFallsAndEverythingIsKnown) {
  Model model = lmo_model(3);
  model.plogp = exact(plogp_parameters(1e-9));
  const Machine machine = machine_of(model, "plogp");
  EXPECT_NEAR(machine.pair(0, 1).arrival.at(1500), 54e-6 + 1.5e-6, 1e-15);
  EXPECT_NEAR(look_ahead(machine, 0, 1), 5e-6, 1e-15);
  const auto why = [&] {
    try {
      (void)machine_of(model, "plogp");
    } catch (const InputError& error) {
      return std::string{error.what()};
    }
    return std::string{};
  };
  model.eager_limit = Bytes{500};
  EXPECT_THAT(why(), HasSubstr("from rank 0 to 1")) << "one size up to the limit";
  model.eager_limit.reset();
  model.plogp = exact(plogp_parameters(-1e-9));
  EXPECT_THAT(why(), HasSubstr("a longer message would take less time"));
}

TEST(Machine, OverheadsGrowWithTheJob) {
  Model model = lmo_model(4);
  model.loggps = exact(loggps_parameters(4));
  OverheadGrowth growth;
  growth.o_prime_a_s = 10e-6;
  growth.o_prime_b_s = 1e-6;
  growth.o_prime_a_r = 11e-6;
  growth.o_prime_b_r = 2e-6;
  model.overhead_growth = exact(growth);
  const Machine job = for_job(machine_of(model, "loggps"), 3);
  const PairCosts& costs = job.pair(0, 1);
  EXPECT_NEAR(costs.send_overhead.at(1000), 13e-6 + 1e-6, 1e-15);
  EXPECT_NEAR(costs.receive_overhead.at(1000), 17e-6 + 1e-6, 1e-15);
  EXPECT_NEAR(costs.one_way.at(0), 13e-6 + 50e-6 + 17e-6, 1e-15);
  EXPECT_NEAR(costs.request, 63e-6, 1e-15);
  EXPECT_NEAR(costs.reply, 63e-6, 1e-15);
}

TEST(Machine, WhatIsNotThereIsRefused) {
  Model model = lmo_model(2);
  model.bottleneck.reset();
  try {
    (void)machine_of(model, "bottleneck");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("no model bottleneck"));
  }
  EXPECT_THROW((void)machine_of(model, "plogp"), InputError);
  model.lmo->value.L.set_both(0, 1, -1);
  model.lmo->high = model.lmo->value;
  EXPECT_THROW((void)machine_of(model, "lmo"), InputError);
}

/// Hosts of two ranks, one kind.
Model by_hosts(const Model& dense) {
  std::vector<PairClasses::Rank> ranks;
  for (int rank = 0; rank < dense.ranks; ++rank) ranks.push_back({0, rank / 2});
  return pooled(dense,
                {std::make_shared<const PairClasses>(ranks, 1), {{"h0", 2, 0, 0}}, {}, {}, ""});
}

TEST(Machine, OfAModelByClassesPairsOfAClassCostTheSame) {
  const Model model = by_hosts(lmo_model(6));
  for (const std::string kind : {"lmo", "lom", "bottleneck", "hockney"}) {
    const Machine machine = machine_of(model, kind);
    EXPECT_LE(machine.pairs.distinct(), 2U);
    const CostsOfPairs costs = costs_of_pairs(model, kind);
    for (int i = 0; i < 6; ++i) {
      for (int j = 0; j < 6; ++j) {
        if (i == j) continue;
        EXPECT_EQ(machine.pair(i, j), costs(i, j)) << kind << " " << i << " " << j;
      }
    }
  }
}

TEST(Machine, OfClassesThatCannotBeAllPairsAreMoved) {
  Model model = lmo_model(6);
  for (double& gap : model.lmo->value.inverse_beta.values()) gap = -1e-6;
  model.lmo->replicates.clear();
  model = by_hosts(model);
  model.lmo->high = model.lmo->value;
  model.lmo->high.inverse_beta.values() = {1e-9, 1e-9};
  const auto moved = note_of(machine_of(model, "lmo"), "moved_costs");
  ASSERT_TRUE(moved);
  EXPECT_EQ(moved->count, 30);
  EXPECT_THAT(moved->text(), HasSubstr("30 of 30 pairs"));
}

}  // namespace commgauge::simulate::machine_test
