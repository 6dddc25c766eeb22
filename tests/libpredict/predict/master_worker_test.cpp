#include "commgauge/predict/master_worker.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "certain.hpp"
#include "commgauge/base/error.hpp"
#include "logarithms.hpp"

namespace commgauge::master_worker_test {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
constexpr std::uint64_t tasks = 1048576;

OverheadGrowth growth(double a, double b) { return {a, b, a, b, a, b}; }

/// Fast Ethernet under MPICH (Mizutani, Ino, Hagihara 2004, Table 2); messages as small as can be.
Model cluster(double a, double b) {
  constexpr int n = 8;
  Model model;
  model.ranks = n;
  model.eager_limit = Bytes{1024};
  LogGpsParameters p;
  p.L = Matrix(n, 50 * us);
  p.o_prime_s = p.o_prime_r = Matrix(n, 13 * us);
  p.O_s = Matrix(n, 70.8 * ns);
  p.O_r = Matrix(n, 72.2 * ns);
  p.g = Matrix(n, 0.0);
  p.G_prime = p.G = Matrix(n, 26.8 * ns);
  p.s = unknown;
  model.loggps = certain(p);
  model.loggps->first = Bytes{0};
  model.overhead_growth = certain(growth(a, b));
  return model;
}

MasterWorkerQuery query(int processes, Seconds task_time = {0}) {
  return {"loggps", 0, tasks, task_time, processes, Bytes{0}, Bytes{0}};
}

double time_at(const Model& model, int processes) {
  return predict_master_worker(model, query(processes)).time.time.value;
}

/// The paper rounds 0.18167 to 0.182 and has 21.4 s.
TEST(MasterWorker, TheMasterSlowsDownWithP) {
  const Model rounded = cluster(12.1 * us, 0.182 * us);
  EXPECT_NEAR(time_at(rounded, 64) - time_at(rounded, 8), 21.374, 0.001);
  const double b = (13.57 - 12.48) / 6 * us;
  const Model exact = cluster(12.48 * us - 2 * b, b);
  EXPECT_NEAR(time_at(exact, 64) - time_at(exact, 8), 21.335, 0.001);
  // 2 · 13.57 us a task.
  EXPECT_NEAR(time_at(exact, 8), 28.458, 0.001);
}

TEST(MasterWorker, TheSlowerOneDecides) {
  const Model model = cluster(12 * us, 0.25 * us);
  // At P = 4 an overhead is 13 us: 26 for the master, 4 · 13 + 2 · 50 for a worker, of three, of
  // which one has a third of the tasks and one more.
  const MasterWorkerPrediction few = predict_master_worker(model, query(4, {1e-3}));
  EXPECT_NEAR(few.master.time.value, tasks * 26 * us, 1e-9);
  EXPECT_NEAR(few.workers.time.value, 349526 * 1152 * us, 1e-9);
  EXPECT_EQ(few.time.time, few.workers.time);
  EXPECT_NEAR(few.time.low.value, few.time.time.value, 1e-9);
  EXPECT_NEAR(few.time.high.value, few.time.time.value, 1e-9);
  // At P = 64 it is 28: 56 for the master, 1212 for one of 63 workers.
  const MasterWorkerPrediction many = predict_master_worker(model, query(64, {1e-3}));
  EXPECT_NEAR(many.master.time.value, tasks * 56 * us, 1e-9);
  EXPECT_NEAR(many.workers.time.value, 16645 * 1212 * us, 1e-9);
  EXPECT_EQ(many.time.time, many.master.time);
}

/// A task is not shared: the worker with most of them decides.
TEST(MasterWorker, TasksAreWhole) {
  const Model model = cluster(13 * us, 0);
  MasterWorkerQuery one = query(64, {1.0});
  const auto time_of = [&](std::uint64_t count) {
    one.tasks = count;
    return predict_master_worker(model, one).time.time.value;
  };
  EXPECT_NEAR(time_of(1), 1 + 152 * us, 1e-9);
  EXPECT_NEAR(time_of(63), 1 + 152 * us, 1e-9);
  EXPECT_NEAR(time_of(64), 2 * (1 + 152 * us), 1e-9);
}

/// Both bounds are the same there, with growing and with constant overheads.
TEST(MasterWorker, SaturatesWhereTheBoundsMeet) {
  Model model = cluster(12 * us, 0.25 * us);
  // 29 workers: (24 + 0.5 · 30) · 29 = 1131 = 911 + 4 · (12 + 7.5) + 100 + 42.
  const Seconds task_time{953 * us};
  MasterWorkerQuery even = query(30, task_time);
  even.tasks = 29000;
  const MasterWorkerPrediction there = predict_master_worker(model, even);
  EXPECT_NEAR(there.saturation.value, 30, 1e-9);
  EXPECT_NEAR(there.master.time.value, there.workers.time.value, 1e-9);
  model.overhead_growth.reset();
  // Overheads of 13: (1000 + 52 + 100) / 26 workers.
  const MasterWorkerPrediction constant = predict_master_worker(model, query(8, {1e-3}));
  EXPECT_FALSE(constant.has_growth);
  EXPECT_NEAR(constant.saturation.value, 1 + 1152.0 / 26, 1e-9);
  EXPECT_NEAR(constant.saturation.low, constant.saturation.value, 1e-9);
  EXPECT_NEAR(constant.saturation.high, constant.saturation.value, 1e-9);
}

TEST(MasterWorker, NeverSaturatesWhereOverheadsFall) {
  const Model model = cluster(12 * us, -1 * us);
  EXPECT_TRUE(std::isnan(predict_master_worker(model, query(4, {1.0})).saturation.value));
}

/// The bytes of a message count by O; a request is received, a task is sent.
TEST(MasterWorker, CountsTheBytes) {
  const Model model = cluster(12 * us, 0);
  MasterWorkerQuery sized = query(64);
  sized.request = Bytes{1000};
  sized.task = Bytes{500};
  EXPECT_NEAR(predict_master_worker(model, sized).master.time.value,
              tasks * (24 + 72.2 + 35.4) * us, 1e-9);
}

/// Logp's and plogp's overheads grow by the same law; without it they are their own.
TEST(MasterWorker, ByEveryModelWithOverheads) {
  Model model = cluster(12 * us, 0.25 * us);
  constexpr int n = 8;
  model.logp = certain(LogPParameters{Matrix(n, 10 * us), Matrix(n, 3 * us), Matrix(n, 8 * us)});
  model.loggp = certain(
      LogGpParameters{Matrix(n, 10 * us), Matrix(n, 3 * us), Matrix(n, 8 * us), Matrix(n, 1 * ns)});
  PLogPParameters p;
  p.sizes = {Bytes{0}, Bytes{1000}};
  p.L = Matrix(n, 10 * us);
  p.o_s = p.o_r = {Matrix(n, 3 * us), Matrix(n, 5 * us)};
  p.g = {Matrix(n, 6 * us), Matrix(n, 9 * us)};
  model.plogp = certain(p);
  const auto predicted = [&](const char* name, std::uint64_t bytes) {
    MasterWorkerQuery one = query(5, {0});
    one.model = name;
    one.tasks = 4;
    one.request = one.task = Bytes{bytes};
    return predict_master_worker(model, one);
  };
  // With o = 12 + 1.25: master 26.5 a task. A worker's round trip, each way:
  EXPECT_NEAR(predicted("logp", 1000).workers.time.value, 2 * (26.5 + 10) * us, 1e-12);
  EXPECT_NEAR(predicted("loggp", 1000).workers.time.value, 2 * (26.5 + 11) * us, 1e-12);
  // L + g(1000) = 19, of which two overheads of an empty message, 3, are now 13.25.
  EXPECT_NEAR(predicted("plogp", 1000).workers.time.value, 2 * (19 + 20.5) * us, 1e-12);
  EXPECT_NEAR(predicted("logp", 1000).master.time.value, 4 * 26.5 * us, 1e-12);
  EXPECT_NEAR(predicted("plogp", 1000).master.time.value, 4 * 30.5 * us, 1e-12);
  model.overhead_growth.reset();
  EXPECT_NEAR(predicted("logp", 1000).master.time.value, 4 * 6 * us, 1e-12);
  EXPECT_NEAR(predicted("plogp", 1000).master.time.value, 4 * 10 * us, 1e-12);
  EXPECT_NEAR(predicted("plogp", 1000).workers.time.value, 2 * 19 * us, 1e-12);
}

TEST(MasterWorker, TheMastersPairsStandForTheOthers) {
  Model model = cluster(12 * us, 0);
  model.overhead_growth.reset();
  Matrix& sends = model.loggps->value.o_prime_s;
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 8; ++j) {
      if (i != j) sends(i, j) = unknown;
    }
  }
  EXPECT_THROW((void)predict_master_worker(model, query(8)), InputError);
  sends.set_both(0, 1, 20 * us);
  sends.set_both(0, 2, 30 * us);
  model.loggps->replicates.assign(3, model.loggps->value);
  EXPECT_NEAR(predict_master_worker(model, query(64)).master.time.value, tasks * (25 + 13) * us,
              1e-9);
}

/// Overheads of 12, 13 and 14 in the replicates of either fit: see PredictionInterval.
TEST(MasterWorkerInterval, JoinsModelAndGrowth) {
  constexpr double factor = 4.968276;
  Model model = cluster(13 * us, 0);
  model.overhead_growth->replicates = {growth(12 * us, 0), growth(13 * us, 0), growth(14 * us, 0)};
  MasterWorkerQuery one = query(64);
  one.tasks = 63;
  EXPECT_NEAR(predict_master_worker(model, one).time.high.value,
              63 * 26 * us * std::exp(factor * log_deviation({24, 26, 28})), 1e-9);
  EXPECT_NEAR(predict_master_worker(model, one).time.low.value,
              63 * 26 * us / std::exp(factor * log_deviation({24, 26, 28})), 1e-9);
  // The model's own o' is not used, its L is; together they vary more.
  for (int r : {0, 2})
    model.loggps->replicates[static_cast<std::size_t>(r)].L = Matrix(8, (49 + r) * us);
  MasterWorkerQuery few = one;
  few.processes = 2;
  few.tasks = 1;
  // 4 overheads and 2 latencies, all of a replicate lower or higher: 6 of each.
  EXPECT_NEAR(predict_master_worker(model, few).time.high.value,
              152 * us * std::exp(factor * log_deviation({146, 152, 158})), 1e-11);
  // Another number of replicates: they vary by themselves. Four like 12, 12, 14, 14.
  model.overhead_growth->replicates = {growth(12 * us, 0), growth(12 * us, 0), growth(14 * us, 0),
                                       growth(14 * us, 0)};
  // 3.182446 · sqrt(1 + 1/4), 1 + 0.036 + 1.75/16 for what is drawn in
  const double of_growth = 3.182446 * 1.118034 * 1.145375 * log_deviation({148, 148, 156, 156});
  const double of_model = factor * log_deviation({150, 152, 154});
  EXPECT_NEAR(predict_master_worker(model, few).time.high.value,
              152 * us * std::exp(std::hypot(of_growth, of_model)), 1e-11);
}

/// exp(1.959964 · 10 %) times the messages' share: the task's own time is exact.
TEST(MasterWorkerInterval, ContainsTheMisfitOfMessages) {
  Model model = cluster(13 * us, 0);
  model.loggps->residual = 0.1;
  MasterWorkerQuery one = query(2, {1e-3});
  one.tasks = 1;
  EXPECT_NEAR(predict_master_worker(model, one).time.high.value,
              (1000 + 152 * std::exp(0.1959964)) * us, 1e-11);
}

TEST(MasterWorkerInterval, OfTheSaturation) {
  Model model = cluster(13 * us, 0);
  model.overhead_growth->replicates = {growth(12 * us, 0), growth(13 * us, 0), growth(14 * us, 0)};
  const Estimate P = predict_master_worker(model, query(8, {1e-3})).saturation;
  EXPECT_NEAR(P.value, 1 + 1152.0 / 26, 1e-9);
  // 1 + 1148/24, 1 + 1152/26, 1 + 1156/28
  const double deviation = log_deviation({1 + 1148.0 / 24, 1 + 1152.0 / 26, 1 + 1156.0 / 28});
  EXPECT_NEAR(P.high / P.value, std::exp(4.968276 * deviation), 1e-6);
  EXPECT_NEAR(P.value / P.low, std::exp(4.968276 * deviation), 1e-6);
}

/// Messages of the master that are all too long by a factor of exp(0.196) and of the round trip
/// that are too short.
TEST(MasterWorkerInterval, OfTheSaturationContainsTheMisfit) {
  Model model = cluster(13 * us, 0);
  model.loggps->residual = 0.1;
  const double more = std::exp(0.1959964);
  Estimate P = predict_master_worker(model, query(8, {1e-3})).saturation;
  EXPECT_NEAR(P.value, 1 + 1152.0 / 26, 1e-9);
  EXPECT_NEAR(P.low, 1 + (1000 + 152 / more) / (26 * more), 1e-5);
  EXPECT_NEAR(P.high, 1 + (1000 + 152 * more) / (26 / more), 1e-5);
  // 29 workers where overheads grow: both sides of the equation at the ends of the interval.
  model.overhead_growth = certain(growth(12 * us, 0.25 * us));
  P = predict_master_worker(model, query(8, {953 * us})).saturation;
  EXPECT_NEAR(P.value, 30, 1e-9);
  const auto of_master = [](double p) { return (p - 1) * (24 + 0.5 * p); };
  const auto of_trip = [](double p) { return 4 * (12 + 0.25 * p) + 100; };
  EXPECT_NEAR(more * of_master(P.low), 953 + of_trip(P.low) / more, 1e-3);
  EXPECT_NEAR(of_master(P.high) / more, 953 + more * of_trip(P.high), 1e-3);
  // A misfit takes no message's time away.
  model.loggps->residual = 0.6;
  const double much_more = std::exp(0.6 * 1.959964);
  P = predict_master_worker(model, query(8, {953 * us})).saturation;
  EXPECT_NEAR(of_master(P.high) / much_more, 953 + much_more * of_trip(P.high), 0.1);
}

TEST(MasterWorker, SaysWhereItExtrapolates) {
  const Model model = cluster(12 * us, 0.25 * us);
  EXPECT_FALSE(predict_master_worker(model, query(8)).time.extrapolated);
  EXPECT_TRUE(predict_master_worker(model, query(9)).time.extrapolated);
}

TEST(MasterWorkerErrors, SayWhatIsWrong) {
  const Model model = cluster(12 * us, 0.25 * us);
  const auto expect = [&](const MasterWorkerQuery& wrong, const std::string& words) {
    try {
      (void)predict_master_worker(model, wrong);
      FAIL() << words;
    } catch (const InputError& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find(words), std::string::npos) << text;
      EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    }
  };
  MasterWorkerQuery wrong = query(8);
  wrong.model = "hockney";
  expect(wrong, "has no overheads");
  wrong.model = "plogp";
  expect(wrong, "the file has no model plogp");
  wrong = query(1);
  expect(wrong, "without workers");
  expect(query(8, {-1}), "negative");
  expect(query(8, {unknown}), "negative or no number");
  wrong = query(8);
  wrong.tasks = 0;
  expect(wrong, "no tasks");
  wrong = query(8);
  wrong.master = 8;
  expect(wrong, "rank 8 is out of range");
  wrong = query(8);
  wrong.task = Bytes{1025};
  expect(wrong, "above the eager limit");
}

TEST(MasterWorker, PrefersByRankThenByDetail) {
  Model model = cluster(12 * us, 0);
  constexpr int n = 8;
  model.logp = certain(LogPParameters{Matrix(n, 10 * us), Matrix(n, 3 * us), Matrix(n, 8 * us)});
  EXPECT_EQ(preferred_for_master_worker(model), "loggps");
  model.ranking = {{"hockney", 0.1, {}}, {"logp", 0.2, {}}, {"loggps", 0.3, {}}};
  EXPECT_EQ(preferred_for_master_worker(model), "logp");
  EXPECT_THROW((void)preferred_for_master_worker(Model{}), InputError);
}

}  // namespace commgauge::master_worker_test
