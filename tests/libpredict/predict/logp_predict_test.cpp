#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "certain.hpp"
#include "commgauge/predict/predict.hpp"
#include "logarithms.hpp"
#include "predict/formulas.hpp"
#include "refused_prediction.hpp"

namespace commgauge::logp_predict_test {

/// The formulas of docs/models.md.
Prediction by_formula(const Model& model, const Query& query) {
  const auto told = formulas::predict(model, query);
  if (!told) formulas::refuse_unmeasured(model, query);
  return *told;
}

constexpr double close = 1e-15;
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
constexpr Bytes S{1000};
const std::vector<std::string> names{"logp", "loggp", "loggps", "plogp", "start_up"};

Matrix all(double value, int n = 3) { return Matrix(n, value); }

/// From 1 to 0 something else than between all others, so that directions matter.
Matrix but_back(double value, double back) {
  Matrix m = all(value);
  m(1, 0) = back;
  return m;
}

LogGpsParameters loggps() {
  LogGpsParameters p;
  p.L = but_back(10 * us, 11 * us);
  p.o_prime_s = but_back(2 * us, 3 * us);
  p.O_s = all(1 * ns);
  p.o_prime_r = but_back(4 * us, 5 * us);
  p.O_r = all(2 * ns);
  p.g = all(6 * us);
  p.G_prime = all(3 * ns);
  p.G = all(5 * ns);
  p.s = 600;
  return p;
}

/// g, o_s and o_r jump at the eager limit.
PLogPParameters plogp() {
  PLogPParameters p;
  p.sizes = {Bytes{0}, Bytes{400}, Bytes{1000}, Bytes{1001}, Bytes{2001}};
  p.L = all(10 * us);
  for (const double o : {1, 3, 6, 30, 40}) p.o_s.push_back(all(o * us));
  for (const double o : {2, 4, 7, 20, 24}) p.o_r.push_back(all(o * us));
  for (const double g : {4, 8, 11, 50, 70}) p.g.push_back(all(g * us));
  return p;
}

/// Three ranks, S = 1000.
Model machine() {
  Model model;
  model.ranks = 3;
  model.eager_limit = S;
  model.logp = certain(LogPParameters{all(10 * us), all(3 * us), all(8 * us), 0, 0, 0});
  model.loggp =
      certain(LogGpParameters{all(10 * us), all(3 * us), all(8 * us), all(2 * ns), 0, 0, 0, 0});
  model.loggps = certain(loggps());
  model.plogp = certain(plogp());
  model.start_up = certain(StartUpParameters{but_back(5 * us, 7 * us), all(4 * ns), 0, 0});
  return model;
}

double predicted(const Model& model, const Query& query) {
  const Prediction prediction = by_formula(model, query);
  EXPECT_NEAR(prediction.low.value, prediction.time.value, close);
  EXPECT_NEAR(prediction.high.value, prediction.time.value, close);
  return prediction.time.value;
}

double p2p(const std::string& name, std::uint64_t bytes, Side side = Side::receiver, int from = 0) {
  return predicted(machine(), {name, Operation::p2p, from, 1 - from, Bytes{bytes}, side});
}

double collective(const Model& model, const std::string& name, Operation operation,
                  std::uint64_t bytes, int root = 0) {
  return predicted(model, {name, operation, root, -1, Bytes{bytes}});
}

TEST(PredictLogP, ByHand) {
  // 3 + 10 + 3, whatever the size.
  EXPECT_NEAR(p2p("logp", 8), 16 * us, close);
  EXPECT_NEAR(p2p("logp", 1001), 16 * us, close);
  EXPECT_NEAR(p2p("logp", 8, Side::sender), 3 * us, close);
}

TEST(PredictLogGp, ByHand) {
  // 3 + 10 + 3 + 0.002 k, one line across S.
  EXPECT_NEAR(p2p("loggp", 0), 16 * us, close);
  EXPECT_NEAR(p2p("loggp", 1000), 18 * us, close);
  EXPECT_NEAR(p2p("loggp", 1500), 19 * us, close);
  EXPECT_NEAR(p2p("loggp", 1500, Side::sender), 3 * us, close);
}

TEST(PredictLogGps, BelowAtAndAboveS_s) {
  // (2 + 0.001 k) + 10 + 0.003 k + (4 + 0.002 k)
  EXPECT_NEAR(p2p("loggps", 0), 16 * us, close);
  EXPECT_NEAR(p2p("loggps", 500), 19 * us, close);
  EXPECT_NEAR(p2p("loggps", 600), 19.6 * us, close);
  // Beyond s 0.005 a byte: 2.7 + 10 + 1.8 + 0.5 + 5.4
  EXPECT_NEAR(p2p("loggps", 700), 20.4 * us, close);
}

TEST(PredictLogGps, BelowAtAndAboveTheEagerLimit) {
  // 3 + 10 + 1.8 + 2 + 6
  EXPECT_NEAR(p2p("loggps", 1000), 22.8 * us, close);
  EXPECT_NEAR(p2p("loggps", 1000, Side::sender), 3 * us, close);
  // First a request, 2 + 10, and its reply, 3 + 11; a byte more costs 0.001 + 0.005 + 0.002.
  EXPECT_NEAR(p2p("loggps", 1001), (26 + 22.808) * us, close);
  EXPECT_NEAR(p2p("loggps", 1001, Side::sender), (26 + 3.001) * us, close);
  // The other way 4.001 + 11 + 1.8 + 2.005 + 7.002 follow.
  EXPECT_NEAR(p2p("loggps", 1001, Side::receiver, 1), (26 + 25.808) * us, close);
}

/// The way back costs the same, as far as is known: 2 + 10 twice.
TEST(PredictLogGps, OfOneDirectionAlone) {
  Model model = machine();
  LogGpsParameters& p = model.loggps->value;
  p.L(1, 0) = p.o_prime_s(1, 0) = p.o_prime_r(1, 0) = unknown;
  model.loggps->replicates.assign(3, p);
  EXPECT_NEAR(predicted(model, {"loggps", Operation::p2p, 0, 1, Bytes{1001}}), (24 + 22.808) * us,
              close);
}

TEST(PredictLogGps, WithoutAnS_s) {
  Model model = machine();
  model.loggps->value.s = unknown;
  model.loggps->replicates.assign(3, model.loggps->value);
  // 2.7 + 10 + 2.1 + 5.4
  EXPECT_NEAR(predicted(model, {"loggps", Operation::p2p, 0, 1, Bytes{700}}), 20.2 * us, close);
}

TEST(PredictLogGps, WithoutAnEagerLimitIsAsynchronous) {
  Model model = machine();
  model.eager_limit.reset();
  EXPECT_NEAR(predicted(model, {"loggps", Operation::p2p, 0, 1, Bytes{1001}}), 22.808 * us, close);
}

TEST(PredictPLogP, BetweenItsSizes) {
  EXPECT_NEAR(p2p("plogp", 0), 14 * us, close);
  EXPECT_NEAR(p2p("plogp", 100), 15 * us, close);
  EXPECT_NEAR(p2p("plogp", 400), 18 * us, close);
  EXPECT_NEAR(p2p("plogp", 1000), 21 * us, close);
  EXPECT_NEAR(p2p("plogp", 1001), 60 * us, close);
  EXPECT_NEAR(p2p("plogp", 1501), 70 * us, close);
  EXPECT_NEAR(p2p("plogp", 700, Side::sender), 4.5 * us, close);
  EXPECT_NEAR(p2p("plogp", 1501, Side::sender), 35 * us, close);
}

TEST(PredictPLogP, GoesOnWithTheLastSlope) {
  Model model = machine();
  model.plogp->first = Bytes{0};
  model.plogp->last = Bytes{1 << 20};
  const Prediction beyond = by_formula(model, {"plogp", Operation::p2p, 0, 1, Bytes{2501}});
  EXPECT_NEAR(beyond.time.value, 90 * us, close);
  EXPECT_TRUE(beyond.extrapolated);
  EXPECT_FALSE(by_formula(model, {"plogp", Operation::p2p, 0, 1, Bytes{2001}}).extrapolated);
}

/// Sizes at the limit are missing: each side goes on by its own slope, and says so.
TEST(PredictPLogP, NeverReadsAcrossTheEagerLimit) {
  Model model = machine();
  model.eager_limit = Bytes{500};
  PLogPParameters p;
  p.sizes = {Bytes{0}, Bytes{400}, Bytes{1000}, Bytes{2000}};
  p.L = all(10 * us);
  for (const double g : {4, 8, 50, 70}) p.g.push_back(all(g * us));
  p.o_s = p.o_r = p.g;
  model.plogp = certain(p);
  const auto at = [&](std::uint64_t bytes) {
    return by_formula(model, {"plogp", Operation::p2p, 0, 1, Bytes{bytes}});
  };
  EXPECT_NEAR(at(500).time.value, 19 * us, close);
  EXPECT_TRUE(at(500).extrapolated);
  EXPECT_NEAR(at(900).time.value, 58 * us, close);
  EXPECT_TRUE(at(900).extrapolated);
  EXPECT_FALSE(at(1000).extrapolated);
  model.eager_limit = Bytes{1999};
  model.plogp->last = Bytes{9999};
  EXPECT_NEAR(at(2000).time.value, 80 * us, close);
  EXPECT_NE(refusal(model, {"plogp", Operation::p2p, 0, 1, Bytes{2001}}).find("two sizes"),
            std::string::npos);
}

/// A pair may lack sizes that others have: its line goes from the one before to the one after.
TEST(PredictPLogP, ReadsAPairsOwnSizes) {
  Model model = machine();
  model.plogp->value.o_s[1](0, 1) = unknown;
  model.plogp->value.o_s[0](0, 2) = unknown;
  model.plogp->replicates.assign(3, model.plogp->value);
  model.plogp->first = Bytes{0};
  const auto sender = [&](int to, std::uint64_t bytes) {
    return by_formula(model, {"plogp", Operation::p2p, 0, to, Bytes{bytes}, Side::sender});
  };
  EXPECT_NEAR(sender(1, 400).time.value, 3 * us, close);
  EXPECT_FALSE(sender(1, 400).extrapolated);
  EXPECT_NEAR(sender(2, 200).time.value, 2 * us, close);
  EXPECT_TRUE(sender(2, 200).extrapolated);
}

TEST(PredictStartUp, ByHand) {
  EXPECT_NEAR(p2p("start_up", 500), 7 * us, close);
  EXPECT_NEAR(p2p("start_up", 1500), 11 * us, close);
  EXPECT_NEAR(p2p("start_up", 500, Side::receiver, 1), 9 * us, close);
  const std::string words =
      refusal(machine(), {"start_up", Operation::p2p, 0, 1, Bytes{8}, Side::sender});
  EXPECT_NE(words.find("start_up knows no sender's time"), std::string::npos) << words;
}

/// o' of 5 + P / 4 us and of 6 + P / 2 us in place of 2 and 4 (back: 3).
Model growing_machine() {
  Model model = machine();
  model.overhead_growth =
      certain(OverheadGrowth{5 * us, 0.25 * us, 6 * us, 0.5 * us, 5.5 * us, 0.375 * us});
  return model;
}

double of_processes(const Model& model, const std::string& name, std::uint64_t bytes,
                    std::optional<int> processes, Side side = Side::receiver) {
  Query query{name, Operation::p2p, 0, 1, Bytes{bytes}, side};
  query.processes = processes;
  return predicted(model, query);
}

TEST(GrowingOverheads, TakeThePlaceOfThoseOfEmptyMessages) {
  const Model model = growing_machine();
  // Of 8 processes 7 and 10.
  EXPECT_NEAR(of_processes(model, "loggps", 500, 8), (19 - 2 - 4 + 7 + 10) * us, close);
  EXPECT_NEAR(of_processes(model, "loggps", 500, 8, Side::sender), 7.5 * us, close);
  EXPECT_NEAR(of_processes(model, "logp", 0, 8), (10 + 7 + 10) * us, close);
  EXPECT_NEAR(of_processes(model, "plogp", 0, 8), (14 + (7 - 1) + (10 - 2)) * us, close);
  EXPECT_NEAR(of_processes(model, "loggps", 500, {}), 19 * us, close) << "as it was measured";
  Query gather{"logp", Operation::gather, 0, -1, Bytes{0}};
  gather.processes = 8;
  EXPECT_NEAR(predicted(model, gather), (27 + 10) * us, close) << "the root takes in two";
}

TEST(GrowingOverheads, GrowInBothMessagesOfAHandshake) {
  const Model model = growing_machine();
  const double as_measured = p2p("loggps", 1001, Side::sender);
  EXPECT_NEAR(of_processes(model, "loggps", 1001, 8, Side::sender) - as_measured,
              ((7 - 2) + (7 - 2) + (7 - 3)) * us, close);
}

TEST(GrowingOverheads, BeyondTheRanksThatWereMeasuredAreMarked) {
  Query query{"loggp", Operation::p2p, 0, 1, Bytes{500}};
  query.processes = 3;
  EXPECT_FALSE(by_formula(growing_machine(), query).extrapolated);
  query.processes = 4;
  EXPECT_TRUE(by_formula(growing_machine(), query).extrapolated);
}

TEST(GrowingOverheads, VaryWithTheirReplicates) {
  Model model = growing_machine();
  const Query plain{"logp", Operation::p2p, 0, 1, Bytes{0}};
  Query query = plain;
  query.processes = 8;
  auto& growth = *model.overhead_growth;
  for (std::size_t k = 0; k < growth.replicates.size(); ++k) {
    growth.replicates[k].o_prime_a_s += static_cast<double>(k) * us;
  }
  const Prediction joint = by_formula(model, query);
  EXPECT_LT(joint.low.value, 27 * us * 0.98);
  growth.replicates.push_back(growth.value);
  const Prediction apart = by_formula(model, query);
  EXPECT_LT(apart.low.value, 27 * us * 0.98) << "each alone, and joined";
  EXPECT_NEAR(by_formula(model, plain).low.value, 16 * us, close);
}

TEST(GrowingOverheads, AreRefusedWhereNothingTellsThem) {
  Query query{"hockney", Operation::p2p, 0, 1, Bytes{500}};
  query.processes = 8;
  Model model = growing_machine();
  model.hockney = certain(HockneyParameters{all(5 * us), all(4 * ns), 0, 0});
  EXPECT_THAT(refusal(model, query), ::testing::HasSubstr("hockney has no overheads"));
  query.model = "loggps";
  EXPECT_THAT(refusal(machine(), query), ::testing::HasSubstr("was not measured"));
  for (const int too_few : {1, 0, -8}) {
    query.processes = too_few;
    EXPECT_THAT(refusal(model, query), ::testing::HasSubstr("at least 2"));
  }
}

TEST(GrowingOverheads, OfManyMessagesAsOfEach) {
  const Model model = growing_machine();
  const std::vector<PairMessage> messages{{0, 1, Bytes{500}}, {1, 0, Bytes{1001}}};
  const auto predictions = predict_messages(model, "loggps", Side::receiver, messages, 8);
  const auto times = predict_message_times(model, "loggps", Side::receiver, messages, 8);
  for (std::size_t k = 0; k < messages.size(); ++k) {
    Query query{"loggps", Operation::p2p, messages[k].from, messages[k].to, messages[k].size};
    query.processes = 8;
    const Prediction one = by_formula(model, query);
    EXPECT_EQ(predictions[k].time, one.time);
    EXPECT_EQ(predictions[k].low, one.low);
    EXPECT_EQ(times[k].time, one.time);
    EXPECT_TRUE(times[k].extrapolated) << "to more than the three ranks";
  }
  EXPECT_THROW((void)predict_messages(model, "loggps", Side::receiver, {}, 1), InputError);
}

TEST(GrowingOverheads, AreCheckedWithoutAQuestion) {
  EXPECT_NO_THROW(check_processes(growing_machine(), 2));
  EXPECT_THROW(check_processes(growing_machine(), 1), InputError);
  EXPECT_THROW(check_processes(machine(), 2), InputError);
}

TEST(SenderTime, IsNoLongerThanTheReceivers) {
  for (const char* name : {"logp", "loggp", "loggps", "plogp"}) {
    for (const std::uint64_t bytes : {0, 1, 400, 600, 601, 1000, 1001, 2001}) {
      EXPECT_LE(p2p(name, bytes, Side::sender), p2p(name, bytes)) << name << " " << bytes;
    }
  }
}

TEST(FlatCollectives, OfTheFamily) {
  const Model model = machine();
  // The second message leaves a gap later: max(3, 8) + 16.
  EXPECT_NEAR(collective(model, "logp", Operation::scatter, 8), 24 * us, close);
  EXPECT_NEAR(collective(model, "logp", Operation::gather, 8), 24 * us, close);
  // The gap is 8 + 1: 9 + 17.
  EXPECT_NEAR(collective(model, "loggp", Operation::scatter, 500), 26 * us, close);
  // The gap is 6 + 1.5: 7.5 + 19.
  EXPECT_NEAR(collective(model, "loggps", Operation::scatter, 500), 26.5 * us, close);
  // The first arrives after 3.5 + 11 + 1.5 + 6, the second has been there since 19.
  EXPECT_NEAR(collective(model, "loggps", Operation::gather, 500), 29.5 * us, close);
  // The gap is 8: 8 + 18.
  EXPECT_NEAR(collective(model, "plogp", Operation::scatter, 400), 26 * us, close);
  EXPECT_NEAR(collective(model, "plogp", Operation::gather, 400), 26 * us, close);
  // One after the other: 7 + 7, 9 + 7.
  EXPECT_NEAR(collective(model, "start_up", Operation::scatter, 500), 14 * us, close);
  EXPECT_NEAR(collective(model, "start_up", Operation::gather, 500), 16 * us, close);
}

/// An overhead longer than the gap keeps the root for itself.
TEST(FlatCollectives, WaitForTheOverhead) {
  Model model = machine();
  model.logp->value.o = all(20 * us);
  model.logp->replicates.assign(3, model.logp->value);
  EXPECT_NEAR(collective(model, "logp", Operation::scatter, 8), 70 * us, close);
  EXPECT_NEAR(collective(model, "logp", Operation::gather, 8), 70 * us, close);
}

TEST(FlatCollectives, OneAfterTheOtherAboveTheEagerLimit) {
  const Model model = machine();
  EXPECT_NEAR(collective(model, "logp", Operation::scatter, 1001), 32 * us, close);
  // Between 0 and 2 request and reply take 2 + 10 each.
  EXPECT_NEAR(collective(model, "loggps", Operation::scatter, 1001),
              (26 + 22.808 + 24 + 22.808) * us, close);
  EXPECT_NEAR(collective(model, "loggps", Operation::gather, 1001),
              (26 + 25.808 + 24 + 22.808) * us, close);
  EXPECT_NEAR(collective(model, "plogp", Operation::gather, 1001), 120 * us, close);
}

TEST(FlatBroadcast, IsAScatter) {
  for (const std::string& name : names) {
    for (const std::uint64_t bytes : {8, 1000, 1001}) {
      EXPECT_EQ(collective(machine(), name, Operation::bcast, bytes, 1),
                collective(machine(), name, Operation::scatter, bytes, 1));
    }
  }
}

Model homogeneous(int n, double o, double L, double g) {
  Model model;
  model.ranks = n;
  model.eager_limit = S;
  model.logp = certain(LogPParameters{all(L, n), all(o, n), all(g, n), o, L, g});
  model.start_up = certain(StartUpParameters{all(7 * us, n), all(0, n), 0, 0});
  return model;
}

double binomial(const Model& model, const std::string& name, int root, std::uint64_t bytes = 8) {
  return predicted(
      model, {name, Operation::bcast, root, -1, Bytes{bytes}, Side::receiver, Algorithm::binomial});
}

/// Three generations; with a gap as long as the way all ranks of one have it at the same time.
TEST(BinomialBroadcast, OfEightRanks) {
  for (const int root : {0, 5}) {
    EXPECT_NEAR(binomial(homogeneous(8, 2 * us, 5 * us, 3 * us), "logp", root), 27 * us, close);
    EXPECT_NEAR(binomial(homogeneous(8, 2 * us, 5 * us, 3 * us), "start_up", root), 21 * us, close);
    // The root's third message leaves after two gaps.
    EXPECT_NEAR(binomial(homogeneous(8, 2 * us, 5 * us, 50 * us), "logp", root), 109 * us, close);
    // Above the eager limit a message has to be over.
    EXPECT_NEAR(binomial(homogeneous(8, 2 * us, 5 * us, 50 * us), "logp", root, 1001), 27 * us,
                close);
  }
}

/// Six ranks, root 1, rank r at r - 1 from it: 0 sends to 4, 2, 1; 2 to 3; 4 to 5.
TEST(BinomialBroadcast, ServesTheLargestSubtreeFirst) {
  Model model = homogeneous(6, 2 * us, 5 * us, 4 * us);
  const auto slow = [&](int from, int to, double L) {
    model.logp->value.L(from, to) = L;
    model.logp->replicates.assign(3, model.logp->value);
    const double time = binomial(model, "logp", 1);
    model.logp->value.L(from, to) = 5 * us;
    return time;
  };
  // Each would take 9: 4 at 0, 2 at 4, 1 at 8.
  EXPECT_NEAR(slow(1, 5, 100 * us), (104 + 9) * us, close);
  EXPECT_NEAR(slow(1, 3, 100 * us), (4 + 104 + 9) * us, close);
  EXPECT_NEAR(slow(1, 2, 100 * us), (8 + 104) * us, close);
  EXPECT_NEAR(slow(5, 0, 100 * us), (9 + 104) * us, close);
  EXPECT_NEAR(slow(3, 4, 100 * us), (4 + 9 + 104) * us, close);
  // No branch of the tree.
  EXPECT_NEAR(slow(1, 4, 100 * us), 22 * us, close);
}

TEST(BinomialBroadcast, OfOneAndTwoRanks) {
  EXPECT_EQ(binomial(homogeneous(1, 2 * us, 5 * us, 4 * us), "logp", 0), 0);
  EXPECT_NEAR(binomial(homogeneous(2, 2 * us, 5 * us, 4 * us), "logp", 1), 9 * us, close);
}

TEST(UnmeasuredPairs, AreRefusedInOneLine) {
  Model model = machine();
  const auto forget = [](auto& fitted) {
    visit_fields(fitted->value, [](const FieldFacts&, auto& field) {
      if constexpr (std::is_same_v<std::decay_t<decltype(field)>, Matrix>) {
        field(0, 2) = unknown;
      } else if constexpr (!std::is_same_v<std::decay_t<decltype(field)>, double>) {
        for (Matrix& one : field) one(0, 2) = unknown;
      }
    });
  };
  forget(model.logp);
  forget(model.loggp);
  forget(model.loggps);
  forget(model.plogp);
  forget(model.start_up);
  for (const std::string& name : names) {
    for (const Query& query :
         {Query{name, Operation::p2p, 0, 2, Bytes{8}},
          Query{name, Operation::scatter, 0, -1, Bytes{8}},
          Query{name, Operation::gather, 2, -1, Bytes{8}},
          Query{name, Operation::bcast, 0, -1, Bytes{8}, Side::receiver, Algorithm::binomial}}) {
      const std::string words = refusal(model, query);
      EXPECT_NE(words.find("was not measured"), std::string::npos) << name << ": " << words;
      EXPECT_EQ(words.find('\n'), std::string::npos);
    }
    (void)predicted(model, {name, Operation::p2p, 0, 1, Bytes{8}});
  }
}

/// 18, 19 and 20: two degrees of freedom, 4.302653 · sqrt(1 + 1/3).
TEST(PredictionInterval, JoinsTheParametersOfAReplicate) {
  Model model = machine();
  model.loggps->replicates[0].L(0, 1) = 9 * us;
  model.loggps->replicates[2].L(0, 1) = 11 * us;
  const Query query{"loggps", Operation::p2p, 0, 1, Bytes{500}};
  EXPECT_NEAR(by_formula(model, query).high.value,
              19 * us * std::exp(4.968276 * log_deviation({18, 19, 20})), 1e-11);
  // What makes up for it in the same replicate leaves no doubt.
  model.loggps->replicates[0].o_prime_s(0, 1) = 3 * us;
  model.loggps->replicates[2].o_prime_s(0, 1) = 1 * us;
  EXPECT_NEAR(by_formula(model, query).high.value, 19 * us, 1e-11);
}

TEST(LogPPrediction, ASendersTimeIsMarkedWhereItsOverheadWasNotFitted) {
  const auto extrapolated = [](const std::string& name, std::uint64_t bytes, Side side) {
    return by_formula(machine(), {name, Operation::p2p, 0, 1, Bytes{bytes}, side}).extrapolated;
  };
  EXPECT_FALSE(extrapolated("loggp", 100, Side::sender)) << "the smallest size";
  EXPECT_TRUE(extrapolated("loggp", 101, Side::sender));
  EXPECT_FALSE(extrapolated("loggp", 101, Side::receiver));
  EXPECT_TRUE(extrapolated("logp", 101, Side::sender));
  EXPECT_FALSE(extrapolated("loggps", 1000, Side::sender)) << "the eager limit";
  EXPECT_TRUE(extrapolated("loggps", 1001, Side::sender));
  EXPECT_FALSE(extrapolated("loggps", 1001, Side::receiver));
}

}  // namespace commgauge::logp_predict_test
