#include "commgauge/tasks/prediction.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "../libsimulate/made_machine.hpp"
#include "../libsimulate/whole_model.hpp"
#include "commgauge/base/error.hpp"
#include "commgauge/simulate/time_ratio.hpp"
#include "commgauge/tasks/sample.hpp"
#include "task_sets.hpp"

namespace commgauge::tasks {
namespace {

using testing::Contains;
using testing::Field;
using testing::HasSubstr;
using testing::Not;

MeasuredTasks all_of(const Shape& shape, const std::vector<double>& times) {
  std::vector<std::uint64_t> numbers(shape.size());
  std::iota(numbers.begin(), numbers.end(), std::uint64_t{0});
  return sets::measured_of(shape, times, numbers);
}

/// Times long enough that messages don't decide.
std::vector<double> mandelbrot_times(int side, std::uint64_t seed) {
  std::vector<double> times = sets::times_of("mandelbrot", side, seed);
  for (double& time : times) time *= 100;
  return times;
}

/// With replicates that differ in their latency.
Model model_with_replicates(int ranks) {
  Model model = simulate::lmo_model(ranks, 100000);
  for (int i = 0; i < 20; ++i) {
    AdditiveParameters one = model.lmo->value;
    one.L = Matrix(ranks, 20e-6 * (1 + 0.01 * (i - 9.5)));
    model.lmo->replicates.push_back(one);
  }
  return model;
}

TEST(TaskPrediction, CentralTimesAreTheRuns) {
  const auto times = mandelbrot_times(32, 1);
  const TaskTimes tasks(all_of(Shape({32, 32}), times));
  const Model model = simulate::lmo_model(8, 100000);
  const PredictedRuns all = predicted(tasks, model, {2, 5, 8});
  ASSERT_EQ(all.runs.size(), 3U);
  EXPECT_EQ(all.kind, "lmo");
  for (const Predicted& one : all.runs) {
    const simulate::Machine machine =
        simulate::for_job(simulate::machine_of(model, "lmo"), one.processes);
    EXPECT_EQ(one.time.time.value, run(machine, {times, {}}, {}).time);
  }
}

TEST(TaskPrediction, WithoutReplicatesThereIsNoInterval) {
  const TaskTimes tasks(all_of(Shape({32, 32}), mandelbrot_times(32, 1)));
  const PredictedRuns all = predicted(tasks, simulate::lmo_model(4, 100000), {4});
  EXPECT_FALSE(all.runs[0].time.has_interval());
  EXPECT_THAT(all.notes, Contains(Field(&Diagnostic::kind, "no_interval")));
}

TEST(TaskPrediction, TheIntervalHoldsModelAndTasks) {
  const Model model = model_with_replicates(8);
  const Shape shape({64, 64});
  const auto times = mandelbrot_times(64, 2);
  const TaskTimes all_run(all_of(shape, times));
  const TaskTimes some(sets::measured_of(shape, times, first_of_sample(shape, 1, 400)));
  const Predicted exact = predicted(all_run, model, {8}).runs[0];
  const Predicted sampled = predicted(some, model, {8}).runs[0];
  ASSERT_TRUE(exact.time.has_interval());
  ASSERT_TRUE(sampled.time.has_interval());
  const auto width = [](const Predicted& one) { return one.time.high.value / one.time.low.value; };
  EXPECT_GT(width(exact), 1);
  EXPECT_GT(width(sampled), width(exact));
  const Estimate& total = some.total();
  EXPECT_GE(width(sampled), 0.98 * total.high / total.low) << "workers are the limit";
  EXPECT_LE(sampled.time.low.value, exact.time.time.value);
  EXPECT_GE(sampled.time.high.value, exact.time.time.value);
}

/// Of a hundred sets of tasks of each kind, sampled until the total is known within 5 %, how often
/// the predicted time's interval holds the time of all tasks.
class PredictionCoverage : public testing::TestWithParam<std::string> {};

TEST_P(PredictionCoverage, HoldsTheTimeOfAllTasks) {
  Model model = model_with_replicates(16);
  for (AdditiveParameters& one : model.lmo->replicates) one = model.lmo->value;  // it is exact
  const Shape shape({64, 64});
  int held = 0;
  constexpr int trials = 100;
  const simulate::Machine machine = simulate::machine_of(model, "lmo");
  for (std::uint64_t seed = 0; seed < trials; ++seed) {
    auto times = sets::times_of(GetParam(), 64, 500 + seed);
    for (double& time : times) time *= 1000;
    std::optional<MeasuredTasks> measured;
    for (;;) {
      const Plan next = plan(shape, measured, {.precision = 0.05, .seed = seed});
      if (next.is_precise) break;
      const MeasuredTasks run = sets::measured_of(shape, times, next.next);
      measured = measured ? merged(*measured, run) : run;
    }
    const TaskTimes tasks(*measured, {.seed = seed});
    const Prediction time = predicted(tasks, model, {16}).runs[0].time;
    const double truth = run(machine, {times, {}}, {}).time;
    held += time.low.value <= truth && truth <= time.high.value;
  }
  EXPECT_GE(held, 90);
  RecordProperty("held", held);
}

INSTANTIATE_TEST_SUITE_P(Kinds, PredictionCoverage, testing::ValuesIn(sets::kinds()),
                         [](const auto& kind) { return kind.param; });

TEST(TaskPrediction, UncertainSpeedsWidenIt) {
  const TaskTimes tasks(all_of(Shape({32, 32}), mandelbrot_times(32, 1)));
  const Model model = model_with_replicates(4);
  PredictionOptions options;
  options.knows_speeds = true;
  options.furnish = [](simulate::Machine& machine) {
    machine.time_ratios.assign(4, Estimate{1, 0.9, 1.2});
  };
  const Prediction time = predicted(tasks, model, {4}, options).runs[0].time;
  EXPECT_NEAR(time.low.value / time.time.value, 0.9, 0.02);
  EXPECT_NEAR(time.high.value / time.time.value, 1.2, 0.02);
}

TEST(TaskPrediction, MoreProcessesThanTheModelHasRanks) {
  const TaskTimes tasks(all_of(Shape({32, 32}), mandelbrot_times(32, 1)));
  Model model = simulate::lmo_model(4, 100000);
  model.lmo->last = Bytes{1000};
  const PredictedRuns all = predicted(tasks, model, {4, 32});
  EXPECT_FALSE(all.runs[0].time.extrapolated);
  EXPECT_TRUE(all.runs[1].time.extrapolated);
  EXPECT_THAT(all.notes, Contains(Field(&Diagnostic::kind, "larger_job")));
  EXPECT_NEAR(all.runs[0].time.time.value / all.runs[1].time.time.value, 31.0 / 3, 0.5);
  EXPECT_THAT(predicted(tasks, model, {4}).notes,
              Not(Contains(Field(&Diagnostic::kind, "larger_job"))));
}

TEST(TaskPrediction, OverheadsGrowWithProcesses) {
  const TaskTimes tasks(all_of(Shape({32, 32}), std::vector<double>(1024, 1e-6)));
  const Model model = simulate::whole::whole_model();
  PredictionOptions options;
  options.kind = "loggps";
  options.has_interval = false;
  const PredictedRuns all = predicted(tasks, model, {4, 16, 32}, options);
  EXPECT_THAT(all.notes, Not(Contains(Field(&Diagnostic::kind, "no_growth"))));
  // The master is the limit: o_r + o_s of each request, which grow with P, the last ones included.
  const auto at_the_master = [](int P) { return (1024 + P - 1) * (17e-6 + 3e-6 * P); };
  for (const Predicted& one : {all.runs[1], all.runs[2]}) {
    EXPECT_NEAR(one.time.time.value / at_the_master(one.processes), 1, 0.01);
  }
  options.furnish = [](simulate::Machine& machine) { machine.has_growth = false; };
  const PredictedRuns same = predicted(tasks, model, {16, 32}, options);
  EXPECT_NEAR(same.runs[1].time.time.value, same.runs[0].time.time.value,
              0.03 * same.runs[0].time.time.value);
  EXPECT_THAT(same.notes, Contains(Field(&Diagnostic::kind, "no_growth")));
}

TEST(TaskPrediction, TellsHowFarItHasCome) {
  const TaskTimes tasks(all_of(Shape({8, 8}), std::vector<double>(64, 1e-3)));
  std::size_t last = 0;
  std::size_t expected = 0;
  PredictionOptions options;
  options.progress = [&](std::size_t done, std::size_t all) {
    EXPECT_EQ(done, last + 1);
    last = done;
    expected = all;
  };
  (void)predicted(tasks, model_with_replicates(4), {2, 4}, options);
  EXPECT_EQ(last, expected);
}

TEST(BestOf, IsTheShortestAndTheFewestThatAreAsGood) {
  std::vector<Predicted> runs;
  for (const auto& [processes, seconds] :
       {std::pair{8, 4.0}, std::pair{16, 2.02}, std::pair{32, 2.0}, std::pair{64, 2.5}}) {
    const double none = std::nan("");
    runs.push_back({processes, {Seconds{seconds}, Seconds{none}, Seconds{none}}, {}});
  }
  const Best best = best_of(runs);
  EXPECT_EQ(best.shortest.processes, 32);
  EXPECT_EQ(best.fewest.processes, 16);
  EXPECT_EQ(to_text(best, {}),
            "shortest with 32 processes (1 master, 31 workers): 2.00 s; 16 processes (1 master, 15 "
            "workers) are within 2 % of it: 2.02 s");
}

TEST(TaskPrediction, RefusesNothing) {
  const TaskTimes tasks(all_of(Shape({8}), std::vector<double>(8, 1e-3)));
  EXPECT_THROW((void)predicted(tasks, simulate::lmo_model(4, 1), {}), InputError);
  EXPECT_THROW((void)predicted(tasks, simulate::lmo_model(4, 1), {1}), InputError);
}

}  // namespace
}  // namespace commgauge::tasks
