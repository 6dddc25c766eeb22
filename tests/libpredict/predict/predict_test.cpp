// By hand: ranks 0 and 1, and 2 and 3, are on one host each; a message takes 20 us and 1 ns a byte,
// and so does a byte on a host's link, either way.

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "commgauge/base/error.hpp"
#include "commgauge/judge/judgement.hpp"
#include "commgauge/judge/ranking.hpp"
#include "commgauge/predict/predict.hpp"
#include "made_machine.hpp"
#include "predict/formulas.hpp"

namespace commgauge::simulate::predict_test {

constexpr int ranks = 4;

HostLinks links_of(double per_byte) {
  const std::vector<double> all(ranks, per_byte);
  return {all, all, all, std::vector<double>(ranks, std::numeric_limits<double>::quiet_NaN())};
}

/// Of two replicates one has faster links, the other slower ones, and messages likewise.
Model on_two_hosts() {
  Model model = hockney_model(ranks);
  for (int rank = 0; rank < ranks; ++rank) {
    model.launches.front().ranks[static_cast<std::size_t>(rank)].host = rank < 2 ? "a" : "b";
  }
  model.host_links = exact(links_of(1e-9));
  model.host_links->replicates = {links_of(0.9e-9), links_of(1.1e-9)};
  model.hockney->replicates = {{Matrix(ranks, 18e-6), Matrix(ranks, 0.9e-9), 0, 0},
                               {Matrix(ranks, 22e-6), Matrix(ranks, 1.1e-9), 0, 0}};
  model.hockney->last = Bytes{50'000};
  return model;
}

void expect_same(const Prediction& one, const Prediction& other, const std::string& what) {
  EXPECT_EQ(one.time, other.time) << what;
  EXPECT_EQ(one.low, other.low) << what;
  EXPECT_EQ(one.high, other.high) << what;
  EXPECT_EQ(one.extrapolated, other.extrapolated) << what;
}

TEST(PredictCollectives, SeveralTogetherTakeWhatEachTakesByItself) {
  const Model model = on_two_hosts();
  std::vector<ScheduledCollective> all;
  for (const std::uint64_t size : {0U, 1000U, 100'000U}) {
    schedule::Collective what;
    what.operation = schedule::Operation::alltoall;
    what.ranks = ranks;
    what.counts = {size};
    all.push_back({what, schedule::Algorithm::pairwise});
  }
  all.push_back({all.back().what, schedule::Algorithm::flat});
  const std::vector<PredictedCollective> together = predict_collectives(model, "hockney", all);
  ASSERT_EQ(together.size(), all.size());
  for (std::size_t k = 0; k < all.size(); ++k) {
    const auto& [what, algorithm] = all[k];
    EXPECT_LT(together[k].low, together[k].time);
    expect_same(together[k], predict_collective(model, "hockney", {what, algorithm}),
                std::to_string(k));
  }
  EXPECT_FALSE(together[1].extrapolated);
  EXPECT_TRUE(together[2].extrapolated);
  EXPECT_TRUE(predict_collectives(model, "hockney", {}).empty());
}

Prediction by_formula(const Model& model, const Query& query) {
  return formulas::predict(model, query).value();
}

Query query_of(commgauge::Operation operation, std::uint64_t size, int root = 0) {
  Query query;
  query.model = "hockney";
  query.operation = operation;
  query.from = root;
  query.size = Bytes{size};
  return query;
}

TEST(Predict, RunsCollectivesOnTheMachineWhereHostsShareLinks) {
  Model model = on_two_hosts();
  model.host_links->value = links_of(3e-9);
  schedule::Collective what;
  what.ranks = ranks;
  what.counts = {100'000};
  for (const auto& [operation, same] :
       {std::pair{commgauge::Operation::scatter, schedule::Operation::scatter},
        {commgauge::Operation::gather, schedule::Operation::gather},
        {commgauge::Operation::bcast, schedule::Operation::bcast}}) {
    for (const bool is_flat : {true, false}) {
      Query query = query_of(operation, 100'000, 1);
      query.algorithm = is_flat ? commgauge::Algorithm::flat : commgauge::Algorithm::binomial;
      what.operation = same;
      what.root = 1;
      const Prediction found = predict(model, query);
      const Prediction formula = by_formula(model, query);
      const std::string text = std::string{to_text(operation)} + (is_flat ? " flat" : " tree");
      expect_same(found, predict_collective(model, "hockney", {what, query.algorithm}), text);
      EXPECT_TRUE(found.on_machine) << text;
      EXPECT_FALSE(formula.on_machine) << text;
    }
  }
}

/// On links that are never full the root's ports decide, as in formulas: of messages beyond the
/// eager limit, too, where the root starts all at once, and of empty ones.
TEST(Predict, StartsAllMessagesAtOnceWhereThatIsAsked) {
  Model model = lmo_model(ranks, 1000);
  model.host_links = exact(links_of(1e-15));
  for (const auto operation :
       {commgauge::Operation::scatter, commgauge::Operation::gather, commgauge::Operation::bcast}) {
    for (const std::uint64_t size : {0U, 1000U, 1001U, 100'000U}) {
      Query query = query_of(operation, size, 1);
      query.model = "lmo";
      query.algorithm = Algorithm::at_once;
      const Prediction found = predict(model, query);
      const std::string text = std::string{to_text(operation)} + " " + std::to_string(size);
      EXPECT_TRUE(found.on_machine) << text;
      const double formula = by_formula(model, query).time.value;
      EXPECT_NEAR(found.time.value, formula, 1e-9 * formula) << text;
      if (size <= 1000) continue;
      query.algorithm = Algorithm::flat;
      EXPECT_GT(predict(model, query).time.value, 1.1 * formula) << text;
    }
  }
}

/// A gather: ranks 2 and 3 send at once, and share their host's way out.
TEST(Predict, SaysWhatTheFormulaCant) {
  Model model = on_two_hosts();
  model.host_links->value = links_of(3e-9);
  const Query query = query_of(commgauge::Operation::gather, 100'000);
  EXPECT_GT(predict(model, query).time.value, 1.5 * by_formula(model, query).time.value);
}

/// Ranks 2 and 3 are behind one uplink, which takes as long for a byte as three pairs do.
TEST(Predict, SaysWhatLinksBetweenHostsDo) {
  Model model = hockney_model(ranks);
  model.hockney->replicates = {model.hockney->value, model.hockney->value};
  model.hockney->last = Bytes{100'000};
  Fabric fabric;
  fabric.groups = {{{"h2", "h3"}, {}}};
  fabric.value = {{3e-9}, {std::numeric_limits<double>::quiet_NaN()}, 0};
  model.fabric = fabric;
  const Query query = query_of(commgauge::Operation::gather, 100'000);
  const Prediction found = predict(model, query);
  EXPECT_TRUE(found.on_machine);
  EXPECT_GT(found.time.value, 1.5 * by_formula(model, query).time.value);
  EXPECT_NEAR(found.high.value, found.low.value, 1e-12) << "certain";
  const FabricLinks& value = fabric.value;
  model.fabric->replicates = {{{2.7e-9}, value.in, 0}, {{3.3e-9}, value.in, 0}};
  EXPECT_GT(predict(model, query).high.value, 1.1 * found.time.value);
}

TEST(Predict, IsTheFormulaOfAMessageAndWhereNothingIsShared) {
  Model model = on_two_hosts();
  Query message = query_of(commgauge::Operation::p2p, 1000);
  message.to = 3;
  expect_same(predict(model, message), by_formula(model, message), "a message");
  model.host_links.reset();
  const Query gather = query_of(commgauge::Operation::gather, 100'000);
  expect_same(predict(model, gather), by_formula(model, gather), "no links");
}

/// Rank 1 is on the root's host. Behind a message to each of the others it waits for nobody.
TEST(Predict, ServesInTheOrderThatIsAsked) {
  const Model model = on_two_hosts();
  Query query = query_of(commgauge::Operation::scatter, 1000);
  query.algorithm = Algorithm::at_once;
  const double ascending = predict(model, query).time.value;
  query.order = {1, 2, 3};
  EXPECT_EQ(predict(model, query).time.value, ascending);
  query.order = {2, 3, 1};
  const Prediction found = predict(model, query);
  EXPECT_TRUE(found.on_machine);
  EXPECT_EQ(found.time, time_of(machine_of(model, "hockney"), collective_of(query, ranks),
                                schedule::Algorithm::at_once));
}

/// An empty message would take less than no time, whatever the intervals say.
TEST(Predict, IsTheFormulaWhereTheModelCantBeEmulated) {
  Model model = on_two_hosts();
  model.hockney = exact(HockneyParameters{Matrix(ranks, -1e-6), Matrix(ranks, 1e-9), 0, 0});
  EXPECT_THROW((void)machine_of(model, "hockney"), InputError);
  const Query query = query_of(commgauge::Operation::gather, 100'000);
  const Prediction found = predict(model, query);
  EXPECT_EQ(found.time, by_formula(model, query).time);
  EXPECT_FALSE(found.on_machine);
}

TEST(Predict, RefusesWhatTheFormulaRefuses) {
  const Model model = on_two_hosts();
  Query query = query_of(commgauge::Operation::gather, 1000, ranks);
  EXPECT_THROW((void)predict(model, query), InputError);
  query.from = -1;
  EXPECT_THROW((void)predict(model, query), InputError);
  query.from = 0;
  query.side = Side::sender;
  EXPECT_THROW((void)predict(model, query), InputError);
  query = query_of(commgauge::Operation::gather, 1000);
  query.model = "lmo";
  EXPECT_THROW((void)predict(model, query), InputError);
}

TEST(PredictWithReplicates, AreTheMachinesOfEachReplicate) {
  const Model model = on_two_hosts();
  Query message = query_of(commgauge::Operation::p2p, 1000);
  message.to = 3;
  const std::vector<Query> queries{message, query_of(commgauge::Operation::gather, 1000),
                                   query_of(commgauge::Operation::gather, 100'000, 3)};
  const auto all = predict_with_replicates(model, queries);
  const std::vector<Prediction> predictions = predict(model, queries);
  ASSERT_EQ(all.size(), queries.size());
  for (std::size_t k = 0; k < queries.size(); ++k) {
    ASSERT_TRUE(all[k]);
    expect_same(all[k]->prediction, predictions[k], std::to_string(k));
    const std::vector<double>& times = all[k]->replicates.times_s;
    ASSERT_EQ(times.size(), 2U);
    EXPECT_NEAR(times[0], 0.9 * predictions[k].time.value, 1e-12);
    EXPECT_NEAR(times[1], 1.1 * predictions[k].time.value, 1e-12);
  }
}

/// Times as the machine has them are missed by a model without the links, and not by one with them.
TEST(PredictWithReplicates, JudgesAsItPredicts) {
  Model model = on_two_hosts();
  model.host_links->value = links_of(3e-9);
  std::vector<OneWayTime> times;
  for (int root = 0; root < ranks; ++root) {
    OneWayTime time;
    time.operation = commgauge::Operation::gather;
    time.from = root;
    time.size = Bytes{50'000};
    time.time_s = predict(model, query_of(time.operation, 50'000, root)).time.value;
    time.repeats_s = {time.time_s, time.time_s};
    times.push_back(time);
  }
  const auto errors = [&](const Model& by) {
    const Comparisons found = against_predictions(by, times);
    EXPECT_EQ(found.all.size(), times.size());
    const double judged = judge(by, times, Occasion::fresh_launch).front().error;
    EXPECT_DOUBLE_EQ(ranking_of(found.all).front().error, judged);
    return judged;
  };
  EXPECT_EQ(errors(model), 0);
  model.host_links.reset();
  EXPECT_GT(errors(model), 0.3);
}

/// By both a message of 1 MB takes 1.04 ms. By LMO it is its sender's and its receiver's own time,
/// as on a network that pipelines.
Model model_of_two_minds() {
  Model model = lmo_model(ranks, 10'000'000);
  model.lmo->value.inverse_beta = Matrix(ranks, -1e-9);
  model.lmo->last = Bytes{1'000'000};
  model.hockney = exact(HockneyParameters{Matrix(ranks, 40e-6), Matrix(ranks, 1e-9), 0, 0});
  model.hockney->last = Bytes{1'000'000};
  return model;
}

Query exchange_of(const std::string& model, std::uint64_t size, int from = 0, int to = 3) {
  Query query = query_of(commgauge::Operation::exchange, size, from);
  query.model = model;
  query.to = to;
  return query;
}

TEST(PredictMeetings, TakeWhatAModelSays) {
  const Model model = model_of_two_minds();
  EXPECT_NEAR(predict_time(model, exchange_of("hockney", 1'000'000)).value, 1.04e-3, 1e-12);
  // Each processor is busy with its own message, then with the other's.
  EXPECT_NEAR(predict_time(model, exchange_of("lmo", 1'000'000)).value, 2.02e-3, 1e-12);
  Query ring = query_of(commgauge::Operation::ring, 1'000'000);
  EXPECT_NEAR(predict_time(model, ring).value, 1.04e-3, 1e-12);
  ring.model = "lmo";
  EXPECT_NEAR(predict_time(model, ring).value, 2.02e-3, 1e-12);
}

/// One link of the ring is slow, and only where one rank follows another in it.
TEST(PredictMeetings, ARingGoesTheWayThatIsAsked) {
  Model model = hockney_model(5);
  model.hockney->last = Bytes{1'000'000};
  model.hockney->value.beta(0, 2) = 3e-9;
  Query ring = query_of(commgauge::Operation::ring, 1'000'000);
  EXPECT_NEAR(predict_time(model, ring).value, 1.02e-3, 1e-12);
  ring.to = 2;
  EXPECT_NEAR(predict_time(model, ring).value, 3.02e-3, 1e-12);
}

TEST(PredictMeetings, AreAmongOtherQueriesToo) {
  Model model = on_two_hosts();
  model.eager_limit = Bytes{2000};
  Query message = query_of(commgauge::Operation::p2p, 1000);
  message.to = 3;
  const std::vector<Query> queries{message, exchange_of("hockney", 1000),
                                   query_of(commgauge::Operation::gather, 100'000),
                                   query_of(commgauge::Operation::ring, 1000)};
  const std::vector<Prediction> together = predict(model, queries);
  for (std::size_t k = 0; k < queries.size(); ++k) {
    expect_same(together[k], predict(model, queries[k]), std::to_string(k));
    EXPECT_EQ(predict_time(model, queries[k]), together[k].time);
    EXPECT_LT(together[k].low, together[k].time) << k;
  }
  expect_same(predict_meetings(model, {&queries[1], 1}).front(), together[1], "with its draws");
  EXPECT_FALSE(together[1].extrapolated);
  EXPECT_TRUE(predict(model, exchange_of("hockney", 100'000)).extrapolated);
}

/// Of two ranks that begin together each has sent its request before the other's comes: no answer
/// is behind data, however late the messages are. Nobody then begins with a third rank too soon.
TEST(PredictMeetings, TakeOnceAMessagesTimeWhateverChanceDoes) {
  Model model = hockney_model(ranks);
  model.hockney->last = Bytes{1'000'000};
  model.hockney->replicates = {model.hockney->value, model.hockney->value};
  model.eager_limit = Bytes{1000};
  model.jitter = exact(MessageJitter{15e-6, 0});
  const Query query = exchange_of("hockney", 1'000'000);
  const PredictedCollective found = predict_meetings(model, std::vector{query}).front();
  ASSERT_FALSE(found.draws.empty());
  EXPECT_LT(found.draws.back(), 1.2e-3);
  EXPECT_LE(found.low.value, found.draws.front());
  EXPECT_GE(found.high.value, found.draws.back());
  const auto judged = predict_with_replicates(model, std::vector{query}).front();
  ASSERT_TRUE(judged);
  EXPECT_NEAR(judged->replicates.times_s.front(), judged->prediction.time.value, 1e-9)
      << "what is certain has no spread";
  const double later = judged->replicates.chance_s;
  EXPECT_GT(later, 0);
  EXPECT_LT(later, 0.1e-3);
}

TEST(PredictMeetings, OfAPairThatWasNotMeasuredNothingIsSaid) {
  Model model = loggps_model(ranks, 100'000);
  LogGpsParameters& p = model.loggps->value;
  for (Matrix* const one :
       {&p.L, &p.o_prime_s, &p.o_prime_r, &p.O_s, &p.O_r, &p.g, &p.G, &p.G_prime}) {
    one->set_both(0, 1, std::numeric_limits<double>::quiet_NaN());
  }
  EXPECT_FALSE(predict_if_measured(model, exchange_of("loggps", 1000, 0, 1)));
  EXPECT_TRUE(predict_if_measured(model, exchange_of("loggps", 1000, 0, 2)));
  Query ring = query_of(commgauge::Operation::ring, 1000);
  ring.model = "loggps";
  EXPECT_FALSE(predict_if_measured(model, ring));
  EXPECT_THROW((void)predict(model, exchange_of("loggps", 1000, 0, 1)), InputError);
}

TEST(PredictMeetings, AreNothingOfAModelThatIsNoMachine) {
  Model model = hockney_model(ranks);
  model.hockney = exact(HockneyParameters{Matrix(ranks, -1e-6), Matrix(ranks, 1e-9), 0, 0});
  EXPECT_FALSE(predict_if_measured(model, exchange_of("hockney", 1000)));
  EXPECT_THROW((void)predict(model, exchange_of("hockney", 1000)), InputError);
}

TEST(PredictMeetings, RefuseWhatTheyAreNot) {
  const Model model = hockney_model(ranks);
  const auto refuses = [&](const Query& query) {
    EXPECT_THROW((void)predict(model, query), InputError);
  };
  refuses(exchange_of("hockney", 1000, 1, 1));
  refuses(exchange_of("hockney", 1000, 0, ranks));
  refuses(exchange_of("hockney", 1000, 0, -1));
  Query query = exchange_of("hockney", 1000);
  query.side = Side::sender;
  refuses(query);
  query = exchange_of("hockney", 1000);
  query.algorithm = Algorithm::binomial;
  refuses(query);
  query = query_of(commgauge::Operation::ring, 1000);
  query.to = 2;
  refuses(query);
  query = query_of(commgauge::Operation::ring, 1000);
  query.order = {1, 2, 3};
  refuses(query);
}

}  // namespace commgauge::simulate::predict_test
