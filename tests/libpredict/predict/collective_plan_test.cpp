#include "commgauge/predict/collective_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <climits>
#include <functional>
#include <limits>
#include <random>

#include "certain.hpp"
#include "commgauge/base/error.hpp"

namespace commgauge::collective_plan_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr double close = 1e-15;

/// Ranks that are alike: C [us] and t [ns/B] of each, L [us] and 1/beta [ns/B] of each link.
Model alike(int ranks, double C, double t, double L, double inverse_beta) {
  const auto n = static_cast<std::size_t>(ranks);
  const AdditiveParameters p{std::vector<double>(n, C * us), std::vector<double>(n, t * ns),
                             Matrix(ranks, L * us), Matrix(ranks, inverse_beta * ns)};
  Model model;
  model.ranks = ranks;
  model.lmo = certain(p);
  return model;
}

void slow_down_link(Model& model, int i, int j, double L) {
  model.lmo->value.L.set_both(i, j, L * us);
  model.lmo->replicates.assign(3, model.lmo->value);
}

Model with_thresholds(Model model, std::optional<Bytes> m1, std::optional<Bytes> m1_low,
                      std::optional<Bytes> m2, std::optional<Bytes> m2_high) {
  model.thresholds.emplace();
  model.thresholds->gather_sweep.emplace();
  model.thresholds->gather_m1.size = m1;
  model.thresholds->gather_m1.low = m1_low;
  model.thresholds->gather_m2.size = m2;
  model.thresholds->gather_m2.high = m2_high;
  return model;
}

/// Slow ranks on fast links: each message costs the root much.
Model costly_sends(int ranks) { return alike(ranks, 10, 0, 1, 0); }
/// Slow links: a message's way takes longer than all the sends.
Model long_ways(int ranks) { return alike(ranks, 1, 0, 1000, 0); }

double scatter_time(const Model& model, std::vector<int> order) {
  Query query{"lmo", Operation::scatter, 0, -1, Bytes{1000}};
  query.order = std::move(order);
  return predict_time(model, query).value;
}

TEST(PredictTime, IsThatOfPredictWithoutTheInterval) {
  Model model = costly_sends(5);
  model.eager_limit = Bytes{1500};
  for (const Operation operation : {Operation::scatter, Operation::gather, Operation::bcast}) {
    for (const Algorithm algorithm : {Algorithm::flat, Algorithm::binomial}) {
      for (const Bytes size : {Bytes{1000}, Bytes{2000}}) {
        const Query query{"lmo", operation, 2, -1, size, Side::receiver, algorithm};
        EXPECT_EQ(predict_time(model, query), predict(model, query).time);
      }
    }
  }
}

TEST(PredictTime, AnOrderLeadsToItsOwnTime) {
  Model model = alike(4, 10, 0, 1, 0);
  slow_down_link(model, 0, 3, 100);
  // The last message leaves at 30 and takes 110.
  EXPECT_NEAR(scatter_time(model, {}), 140 * us, close);
  EXPECT_NEAR(scatter_time(model, {1, 2, 3}), 140 * us, close);
  // It leaves at 10; the others are over by then.
  EXPECT_NEAR(scatter_time(model, {3, 1, 2}), 120 * us, close);
}

TEST(PredictTime, RefusesAnOrderThatIsNone) {
  const Model model = costly_sends(4);
  for (const std::vector<int>& order :
       {std::vector{1, 2}, {1, 1, 2}, {0, 1, 2}, {1, 2, 4}, {1, 2, 3, 3}}) {
    EXPECT_THROW(scatter_time(model, order), InputError);
  }
}

TEST(PredictTime, MessagesAboveTheEagerLimitOverlapWhereAllAreStartedAtOnce) {
  Model model = alike(4, 10, 0, 100, 0);
  model.eager_limit = Bytes{500};
  Query query{"lmo", Operation::scatter, 0, -1, Bytes{1000}};
  // Three messages of 10 + 100 + 10.
  EXPECT_NEAR(predict_time(model, query).value, 360 * us, close);
  query.algorithm = Algorithm::at_once;
  EXPECT_NEAR(predict_time(model, query).value, 140 * us, close);
}

TEST(ServingOrder, NoOrderIsFaster) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> cost(0, 50);
  for (int machine = 0; machine < 50; ++machine) {
    Model model = alike(6, cost(random), cost(random), 0, 0);
    for (int i = 1; i < 6; ++i) slow_down_link(model, 0, i, cost(random));
    const std::vector<int> best =
        serving_order(model, {"lmo", Operation::scatter, 0, -1, Bytes{1000}});
    const double least = scatter_time(model, best);
    std::vector<int> order{1, 2, 3, 4, 5};
    do {
      EXPECT_GE(scatter_time(model, order), least - close);
    } while (std::ranges::next_permutation(order).found);
  }
}

TEST(ServingOrder, OfAGather) {
  Model model = alike(4, 10, 0, 1, 0);
  slow_down_link(model, 0, 1, 100);
  slow_down_link(model, 0, 2, 50);
  EXPECT_THAT(serving_order(model, {"lmo", Operation::gather, 0, -1, Bytes{1000}}),
              ElementsAre(3, 2, 1));
}

TEST(PlanScatter, LongestWayFirst) {
  Model model = long_ways(5);
  slow_down_link(model, 2, 4, 3000);
  slow_down_link(model, 2, 0, 2000);
  const CollectivePlan plan = plan_scatter(model, 2, Bytes{1000});
  EXPECT_EQ(plan.algorithm, Algorithm::at_once);
  EXPECT_THAT(plan.order, ElementsAre(4, 0, 1, 3));
  EXPECT_EQ(plan.model, "lmo");
  EXPECT_EQ(plan.root, 2);
  EXPECT_EQ(plan.ranks, 5);
  EXPECT_EQ(plan.size, Bytes{1000});
  EXPECT_EQ(plan.pieces(), 1u);
  EXPECT_NEAR(plan.time.value, 3002 * us, close);
}

TEST(PlanScatter, TheTreeWhereSendsCostMost) {
  const Model model = costly_sends(16);
  const CollectivePlan plan = plan_scatter(model, 3, Bytes{1000});
  EXPECT_EQ(plan.algorithm, Algorithm::binomial);
  EXPECT_THAT(plan.order, IsEmpty());
  const Query tree{"lmo",          Operation::scatter, 3, -1, Bytes{1000},
                   Side::receiver, Algorithm::binomial};
  EXPECT_EQ(plan.time, predict_time(model, tree));
}

/// Four ranks: flat 3C + L + C; the tree C + L + C, passed on: C + L + C more.
TEST(PlanScatter, TheTreeOnlyWhereItIsFaster) {
  const auto algorithm = [](double C, double L) {
    return plan_scatter(alike(4, C, 0, L, 0), 0, Bytes{1000}).algorithm;
  };
  EXPECT_EQ(algorithm(100, 0), Algorithm::at_once) << "equal";
  EXPECT_EQ(algorithm(100, 1), Algorithm::at_once);
  EXPECT_EQ(plan_scatter(alike(8, 100, 0, 90, 0), 0, Bytes{1000}).algorithm, Algorithm::binomial);
  EXPECT_EQ(plan_scatter(alike(8, 100, 0, 110, 0), 0, Bytes{1000}).algorithm, Algorithm::at_once);
}

Check check_of(Operation operation, Bytes size, int root, double ratio) {
  Check check;
  check.model = "lmo";
  check.operation = operation;
  check.size = size;
  check.from = root;
  check.predicted_s = 0.001;
  check.measured_s = 0.001 * ratio;
  return check;
}

TEST(PlanScatter, WhatWasMeasuredCountsMoreThanThePrediction) {
  Model model = long_ways(4);
  const double fast = plan_scatter(model, 0, Bytes{1000}).time.value;
  model.checks = {check_of(Operation::scatter, Bytes{1000}, 0, 1.6),
                  check_of(Operation::scatter, Bytes{1000}, 0, 1.5),
                  check_of(Operation::scatter, Bytes{1000}, 0, 1.4),
                  check_of(Operation::scatter, Bytes{1000}, 1, 30),
                  check_of(Operation::gather, Bytes{1000}, 0, 30)};
  const auto time = [&](Bytes size) { return plan_scatter(model, 0, size).time.value; };
  EXPECT_NEAR(time(Bytes{1000}), 1.5 * fast, close);
  EXPECT_NEAR(time(Bytes{2000}), 1.5 * fast, close);
  EXPECT_NEAR(time(Bytes{100}), 1.05 * fast, close) << "a tenth of the size, a tenth of the excess";
  EXPECT_EQ(plan_scatter(model, 0, Bytes{1000}).algorithm, Algorithm::at_once);
  EXPECT_EQ(plan_scatter(model, 1, Bytes{1000}).algorithm, Algorithm::binomial);
  // No check has rank 2 as its root: the median of all.
  EXPECT_NEAR(plan_scatter(model, 2, Bytes{1000}).time.value, 1.55 * fast, close);
}

TEST(PlanScatter, ChecksOfTheSameSideOfTheEagerLimit) {
  Model model = long_ways(4);
  model.eager_limit = Bytes{5000};
  model.checks = {check_of(Operation::scatter, Bytes{4000}, 0, 30),
                  check_of(Operation::scatter, Bytes{8000}, 0, 1)};
  // Messages above the limit that are sent at once are what the check below it saw.
  const CollectivePlan plan = plan_scatter(model, 0, Bytes{8000}, "lmo");
  EXPECT_EQ(plan.algorithm, Algorithm::binomial);
}

TEST(PlanScatter, NoMessageOfATreeBeyondInt) {
  const Model model = costly_sends(16);
  // The largest subtree has eight ranks.
  EXPECT_EQ(plan_scatter(model, 0, Bytes{INT_MAX / 8}).algorithm, Algorithm::binomial);
  EXPECT_EQ(plan_scatter(model, 0, Bytes{INT_MAX / 8 + 1}).algorithm, Algorithm::at_once);
}

TEST(PlanScatter, ByTheModelThatIsNamedOrTheBestThatCanSay) {
  Model model = long_ways(3);
  model.lom = certain(AdditiveParameters{
      model.lmo->value.C, model.lmo->value.t, {}, model.lmo->value.inverse_beta});
  model.ranking = {{"lom", 0.1, {}}, {"lmo", 0.2, {}}};
  EXPECT_EQ(plan_scatter(model, 0, Bytes{10}).model, "lom");
  EXPECT_EQ(plan_scatter(model, 0, Bytes{10}, "lmo").model, "lmo");
  model.lom->value.inverse_beta(0, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(plan_scatter(model, 0, Bytes{10}).model, "lmo");
  EXPECT_THROW((void)plan_scatter(model, 0, Bytes{10}, "lom"), InputError);
  EXPECT_THROW((void)plan_scatter(model, 0, Bytes{10}, "plogp"), InputError);
  EXPECT_THROW((void)plan_scatter(model, 3, Bytes{10}), InputError);
  EXPECT_THROW((void)plan_scatter(model, -1, Bytes{10}), InputError);
}

TEST(PlanScatter, OfFewRanks) {
  const CollectivePlan alone = plan_scatter(long_ways(1), 0, Bytes{1000});
  EXPECT_THAT(alone.order, IsEmpty());
  EXPECT_EQ(alone.time.value, 0);
  EXPECT_EQ(plan_scatter(long_ways(2), 1, Bytes{1000}).ranks, 2);
  EXPECT_EQ(plan_scatter(long_ways(2), 1, Bytes{0}).pieces(), 0u);
}

TEST(PlanGather, WholeWhereNothingIsKnownToEscalate) {
  const CollectivePlan plan = plan_gather(long_ways(4), 0, Bytes{100000});
  EXPECT_EQ(plan.algorithm, Algorithm::at_once);
  EXPECT_EQ(plan.pieces(), 1u);
}

TEST(PlanGather, InPiecesBelowM1WhereItEscalates) {
  const Model model =
      with_thresholds(long_ways(4), Bytes{9000}, Bytes{6000}, Bytes{50000}, Bytes{60000});
  const CollectivePlan below = plan_gather(model, 0, Bytes{6000});
  EXPECT_EQ(below.pieces(), 1u);
  const CollectivePlan above = plan_gather(model, 0, Bytes{6001});
  EXPECT_EQ(above.algorithm, Algorithm::at_once);
  EXPECT_EQ(above.size, Bytes{6001});
  EXPECT_EQ(above.pieces(), 3u);
  EXPECT_EQ(above.piece, Bytes{2001});
  EXPECT_NEAR(above.time.value, 3 * plan_gather(model, 0, Bytes{2001}).time.value, close);
  EXPECT_EQ(plan_gather(model, 0, Bytes{60000}).pieces(), 20u);
  // Beyond M2 it is regular only where the senders wait for their turn: above the eager limit.
  EXPECT_EQ(plan_gather(model, 0, Bytes{600000}).pieces(), 200u);
}

TEST(PlanGather, AnOpenM1IsTakenAsItIs) {
  const Model model = with_thresholds(long_ways(4), Bytes{9000}, {}, {}, {});
  EXPECT_EQ(plan_gather(model, 0, Bytes{9000}).pieces(), 1u);
  EXPECT_EQ(plan_gather(model, 0, Bytes{9001}).pieces(), 3u);
  EXPECT_EQ(plan_gather(model, 0, Bytes{900000}).pieces(), 200u);
}

TEST(PlanGather, BeyondM2InTurnWhereThatIsFaster) {
  Model model = with_thresholds(long_ways(4), Bytes{9000}, Bytes{6000}, Bytes{50000}, Bytes{60000});
  model.eager_limit = Bytes{40000};
  EXPECT_EQ(plan_gather(model, 0, Bytes{60000}).pieces(), 20u);
  // Twenty pieces and more of a way each, or three ways.
  const CollectivePlan plan = plan_gather(model, 0, Bytes{60001});
  EXPECT_EQ(plan.algorithm, Algorithm::flat);
  EXPECT_EQ(plan.pieces(), 1u);
  model.thresholds->gather_m2.high.reset();
  EXPECT_EQ(plan_gather(model, 0, Bytes{60001}).pieces(), 21u) << "M2 is open";
}

TEST(PlanGather, NeverATreeWhereItEscalates) {
  const Model regular = costly_sends(16);
  EXPECT_EQ(plan_gather(regular, 0, Bytes{10000}).algorithm, Algorithm::binomial);
  const Model model = with_thresholds(regular, Bytes{9000}, Bytes{6000}, {}, {});
  EXPECT_EQ(plan_gather(model, 0, Bytes{6000}).algorithm, Algorithm::binomial);
  EXPECT_EQ(plan_gather(model, 0, Bytes{6001}).algorithm, Algorithm::at_once);
}

TEST(PlanGather, EscalationsFromTheSmallestSizeOnLeaveTheTree) {
  const Model model = with_thresholds(long_ways(4), {}, {}, Bytes{50000}, Bytes{60000});
  EXPECT_EQ(plan_gather(model, 0, Bytes{1}).algorithm, Algorithm::binomial);
}

/// What was shown to be regular are messages that come all at once up to the eager limit.
TEST(PlanGather, AboveTheEagerLimit) {
  Model model = alike(4, 1, 0, 10, 100);
  model.eager_limit = Bytes{5000};
  EXPECT_EQ(plan_gather(model, 0, Bytes{5000}).algorithm, Algorithm::at_once);
  const auto is_cut = [&](const Model& one) {
    return plan_gather(one, 0, Bytes{5001}).pieces() > 1;
  };
  EXPECT_FALSE(is_cut(model)) << "was not swept";
  EXPECT_TRUE(is_cut(with_thresholds(model, {}, {}, {}, {})));
}

TEST(PlanScatter, EmptyMessagesAreNoSlowerWhereLargeOnesAre) {
  Model model = long_ways(4);
  const double fast = plan_scatter(model, 0, Bytes{0}).time.value;
  model.checks = {check_of(Operation::scatter, Bytes{1000}, 0, 30)};
  EXPECT_NEAR(plan_scatter(model, 0, Bytes{0}).time.value, fast, close);
}

Query collective(Operation operation, Bytes size) { return {"lmo", operation, 0, -1, size}; }

/// The largest message of the tree holds four blocks, which the fit covers.
TEST(FasterAlgorithm, TheTreeWhereSendsCostMost) {
  const Model trees = alike(8, 100, 0, 90, 0);
  const Model stars = alike(8, 100, 0, 110, 0);
  for (const Operation operation : {Operation::scatter, Operation::bcast}) {
    const FasterAlgorithm tree = faster_algorithm(trees, collective(operation, Bytes{500}));
    EXPECT_EQ(tree.algorithm, Algorithm::binomial);
    EXPECT_TRUE(tree.certain);
    const FasterAlgorithm star = faster_algorithm(stars, collective(operation, Bytes{500}));
    EXPECT_EQ(star.algorithm, Algorithm::flat);
    EXPECT_TRUE(star.certain);
  }
}

TEST(FasterAlgorithm, NotCertainWhereTheIntervalsMeet) {
  Model model = alike(8, 100, 0, 90, 0);
  // Flat 7C + L + C = 890 us, the tree 870 us.
  model.lmo->residual = 0.1;
  const FasterAlgorithm faster =
      faster_algorithm(model, collective(Operation::scatter, Bytes{1000}));
  EXPECT_EQ(faster.algorithm, Algorithm::binomial);
  EXPECT_FALSE(faster.certain);
}

TEST(FasterAlgorithm, EqualTimesAreFlatAndNotCertain) {
  const FasterAlgorithm faster =
      faster_algorithm(long_ways(2), collective(Operation::scatter, Bytes{1000}));
  EXPECT_EQ(faster.algorithm, Algorithm::flat);
  EXPECT_FALSE(faster.certain);
}

TEST(FasterAlgorithm, NotCertainWhereTheModelWasNotFitted) {
  const Model model = costly_sends(16);
  EXPECT_TRUE(faster_algorithm(model, collective(Operation::bcast, Bytes{2000})).certain);
  EXPECT_FALSE(faster_algorithm(model, collective(Operation::bcast, Bytes{2001})).certain);
}

TEST(FasterAlgorithm, WhatWasMeasuredCountsMoreThanThePrediction) {
  Model model = long_ways(4);
  model.checks = {check_of(Operation::scatter, Bytes{1000}, 0, 30)};
  const FasterAlgorithm faster =
      faster_algorithm(model, collective(Operation::scatter, Bytes{1000}));
  EXPECT_EQ(faster.algorithm, Algorithm::binomial);
}

TEST(FasterAlgorithm, NotCertainWhereAGatherEscalates) {
  const Model model = with_thresholds(long_ways(4), Bytes{900}, Bytes{800}, {}, {});
  EXPECT_TRUE(faster_algorithm(model, collective(Operation::gather, Bytes{800})).certain);
  EXPECT_FALSE(faster_algorithm(model, collective(Operation::gather, Bytes{801})).certain);
}

TEST(FasterAlgorithm, RefusesWhatPredictDoes) {
  Query query = collective(Operation::scatter, Bytes{10});
  query.from = 4;
  EXPECT_THROW((void)faster_algorithm(long_ways(4), query), InputError);
}

TEST(GatherEscalates, WithinBothIntervals) {
  Model model = long_ways(4);
  EXPECT_FALSE(gather_escalates(model, Bytes{1000}));
  model.thresholds = MachineThresholds{};
  EXPECT_FALSE(gather_escalates(model, Bytes{1000}));
  model.thresholds->gather_m1 = {Bytes{1000}, Bytes{900}, Bytes{1001}, ""};
  model.thresholds->gather_m2 = {Bytes{5000}, Bytes{5000}, Bytes{6000}, ""};
  EXPECT_FALSE(gather_escalates(model, Bytes{900}));
  EXPECT_TRUE(gather_escalates(model, Bytes{901}));
  EXPECT_TRUE(gather_escalates(model, Bytes{6000}));
  EXPECT_FALSE(gather_escalates(model, Bytes{6001}));
  model.thresholds->gather_m2.high.reset();
  EXPECT_TRUE(gather_escalates(model, Bytes{1U << 30U}));
}

}  // namespace commgauge::collective_plan_test
