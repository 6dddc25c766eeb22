#include "commgauge/tasks/sample.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "../libestimate/tries.hpp"
#include "task_sets.hpp"

namespace commgauge::tasks::sample_test {

using ::testing::Each;
using ::testing::IsEmpty;

double sum_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

MeasuredTasks measured_first(const Shape& shape, const std::vector<double>& times,
                             std::uint64_t seed, std::uint64_t n) {
  return sets::measured_of(shape, times, first_of_sample(shape, seed, n));
}

TEST(Sample, EachLargerOneHoldsTheSmaller) {
  for (const Shape& shape : {Shape({37}), Shape({6, 9}), Shape({3, 4, 5}), Shape({1, 50})}) {
    std::vector<std::uint64_t> before;
    for (std::uint64_t n = 1; n <= shape.size(); ++n) {
      const auto first = first_of_sample(shape, 7, n);
      ASSERT_EQ(first.size(), n);
      EXPECT_TRUE(std::ranges::is_sorted(first));
      EXPECT_TRUE(std::ranges::includes(first, before)) << to_text(shape) << ", " << n;
      before = first;
    }
    EXPECT_EQ(before.back(), shape.size() - 1);
  }
}

TEST(Sample, IsSpreadEvenly) {
  const Shape shape({64, 64});
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::vector<int> in_square(64);  // of 8 x 8 tasks
    for (const std::uint64_t number : first_of_sample(shape, seed, 320)) {
      ++in_square[number / 64 / 8 * 8 + number % 64 / 8];
    }
    EXPECT_THAT(in_square, Each(::testing::AllOf(::testing::Ge(3), ::testing::Le(7))));
  }
}

/// Whatever the others are: over seeds each task is among the first n in n of N.
TEST(Sample, EachTaskIsAsLikely) {
  const Shape shape({7, 5});
  constexpr int seeds = 20000;
  constexpr std::uint64_t n = 8;
  std::vector<int> count(shape.size());
  for (int seed = 0; seed < seeds; ++seed) {
    for (const auto number : first_of_sample(shape, static_cast<std::uint64_t>(seed), n)) {
      ++count[number];
    }
  }
  const double share = static_cast<double>(n) / static_cast<double>(shape.size());
  const double expected = seeds * share;
  const double spread = std::sqrt(expected * (1 - share));
  EXPECT_THAT(count, Each(::testing::AllOf(::testing::Gt(expected - 5 * spread),
                                           ::testing::Lt(expected + 5 * spread))));
}

TEST(Sample, KnowsHowManyOfItWereRun) {
  const Shape shape({20, 30});
  const std::vector<double> times(shape.size(), 1.0);
  for (const std::uint64_t n : {1, 17, 128, 599, 600}) {
    EXPECT_EQ(measured_of_sample(measured_first(shape, times, 5, n), 5), n);
  }
  MeasuredTasks lacking = measured_first(shape, times, 5, 128);
  const auto before = first_of_sample(shape, 5, 100);
  const auto after = first_of_sample(shape, 5, 101);
  std::vector<std::uint64_t> last;
  std::ranges::set_difference(after, before, std::back_inserter(last));
  ASSERT_EQ(last.size(), 1U);
  std::erase(lacking.numbers, last.front());
  lacking.times_s.pop_back();
  EXPECT_EQ(measured_of_sample(lacking, 5), 100U);
  EXPECT_LT(measured_of_sample(lacking, 6), 100U) << "another seed's";
}

TEST(TotalOfSample, OfAllTasksIsTheirSum) {
  const Shape shape({9, 9});
  const auto times = sets::times_of("heavy_tail", 9, 2);
  const Estimate total = total_of_sample(measured_first(shape, times, 3, 81), 3, 81, 0.95).total;
  EXPECT_NEAR(total.value, sum_of(times), 1e-12 * total.value);
  EXPECT_NEAR(total.high - total.low, 0, 1e-12 * total.value);
}

TEST(TotalOfSample, IsWithoutBias) {
  const Shape shape({32, 32});
  const auto times = sets::times_of("step", 32, 4);
  double sum = 0;
  double squares = 0;
  constexpr int seeds = 4000;
  for (int seed = 0; seed < seeds; ++seed) {
    const auto one = static_cast<std::uint64_t>(seed);
    const double value =
        total_of_sample(measured_first(shape, times, one, 48), one, 48, 0.95).total.value;
    sum += value;
    squares += value * value;
  }
  const double mean = sum / seeds;
  const double error = std::sqrt((squares / seeds - mean * mean) / seeds);
  EXPECT_NEAR(mean, sum_of(times), 5 * error + 1e-4 * mean);
}

TEST(StandIns, EachMeasuredOneStandsForAsMany) {
  const Shape shape({16, 16});
  const auto times = sets::times_of("noise", 16, 1);
  const MeasuredTasks measured = measured_first(shape, times, 9, 64);
  const auto stand_in = stand_ins(measured, 9, 64, 1);
  std::vector<int> count(measured.numbers.size());
  for (const std::uint32_t place : stand_in) ++count[place];
  EXPECT_THAT(count, Each(::testing::AllOf(::testing::Ge(1), ::testing::Le(8))));
  for (std::size_t i = 0; i < measured.numbers.size(); ++i) {
    EXPECT_EQ(stand_in[measured.numbers[i]], i) << "what was run stands for itself";
  }
  EXPECT_NE(stand_in, stand_ins(measured, 9, 64, 2)) << "another draw";
  EXPECT_EQ(stand_in, stand_ins(measured, 9, 64, 1));
}

TEST(NextTasks, BeginWithARound) {
  EXPECT_EQ(plan(Shape({1000, 1000}), {}).next.size(), 256U);
  EXPECT_EQ(plan(Shape({5, 5}), {}).next.size(), 25U);
}

TEST(NextTasks, EndWhenAllWereRun) {
  const Shape shape({6, 6});
  const auto times = sets::times_of("heavy_tail", 6, 5);
  PlanOptions options;
  options.precision = 1e-9;
  const Plan end = plan(shape, measured_first(shape, times, 1, 36), options);
  EXPECT_TRUE(end.is_precise);
  EXPECT_THAT(end.next, IsEmpty());
  EXPECT_NEAR(end.total->value, sum_of(times), 1e-12 * end.total->value);
}

TEST(NextTasks, TasksOfTheSameTimeTakeOneRound) {
  const Shape shape({100, 100});
  const Plan end = plan(shape, measured_first(shape, std::vector<double>(10000, 2.0), 1, 256));
  EXPECT_TRUE(end.is_precise);
  EXPECT_DOUBLE_EQ(end.total->value, 20000);
}

TEST(NextTasks, TasksOfNoTimeAreToldFromOthers) {
  const Shape shape({100, 100});
  const Plan end = plan(shape, measured_first(shape, std::vector<double>(10000, 0.0), 1, 256));
  EXPECT_TRUE(end.is_precise);
  EXPECT_EQ(end.total->value, 0);
}

TEST(NextTasks, NameTheOneThatAloneLeavesMostOpen) {
  const Shape shape({100, 100});
  std::vector<double> times = sets::times_of("noise", 100, 1);
  EXPECT_FALSE(plan(shape, measured_first(shape, times, 1, 512)).doubtful);
  const std::uint64_t disturbed = first_of_sample(shape, 1, 512)[77];
  times[disturbed] = 4e-3;
  const Plan next = plan(shape, measured_first(shape, times, 1, 512));
  ASSERT_TRUE(next.doubtful);
  EXPECT_EQ(next.doubtful->number, disturbed);
  EXPECT_EQ(next.doubtful->time_s, 4e-3);
  EXPECT_LT(next.doubtful->others_s, 1e-5);
}

TEST(NextTasks, AreNoMoreThanAsked) {
  const Shape shape({100, 100});
  const std::vector<double> times = sets::times_of("heavy_tail", 100, 1);
  PlanOptions options;
  options.most = 300;
  EXPECT_EQ(plan(shape, measured_first(shape, times, 1, 256), options).next.size(), 44U);
  const Plan end = plan(shape, measured_first(shape, times, 1, 300), options);
  EXPECT_THAT(end.next, IsEmpty());
  EXPECT_FALSE(end.is_precise);
  options.most = 50;
  EXPECT_EQ(plan(shape, {}, options).next.size(), 50U);
  EXPECT_FALSE(plan(shape, measured_first(shape, times, 1, 50), options).is_precise);
}

/// One task in a hundred takes a hundred times as long: the interval is narrow enough before so
/// many of these were seen that it can be trusted.
TEST(NextTasks, GoOnWhileAFewLongOnesDecide) {
  const Shape shape({20000});
  std::vector<double> times(20000, 1e-3);
  for (std::size_t i = 50; i < times.size(); i += 100) times[i] = 0.1;
  PlanOptions options;
  options.precision = 0.5;
  std::optional<MeasuredTasks> measured = measured_first(shape, times, 3, 256);
  Plan next = plan(shape, measured, options);
  while (!next.is_precise) {
    measured = merged(*measured, sets::measured_of(shape, times, next.next));
    next = plan(shape, measured, options);
  }
  const auto is_long = [](double time) { return time > 0.01; };
  EXPECT_GE(std::ranges::count_if(measured->times_s, is_long), 10);
}

TEST(RarestSeen, IsTheRuleOfThree) { EXPECT_NEAR(rarest_seen(300, 0.95), 100, 1); }

/// Runs what is planned until the total is known well enough.
struct Campaign {
  MeasuredTasks measured;
  Plan end;
};

Campaign campaign(const Shape& shape, const std::vector<double>& times,
                  const PlanOptions& options) {
  std::optional<MeasuredTasks> measured;
  for (;;) {
    Plan next = plan(shape, measured, options);
    if (next.is_precise) return {*measured, next};
    const MeasuredTasks run = sets::measured_of(shape, times, next.next);
    measured = measured ? merged(*measured, run) : run;
  }
}

class SampleCoverage : public ::testing::TestWithParam<std::string> {};

TEST_P(SampleCoverage, HoldsTheTrueTotalAndIsAsNarrowAsAsked) {
  const Shape shape({128, 128});
  const int trials = testing::tries(200, 100, 5);
  int held = 0;
  std::vector<double> run;
  for (int seed = 0; seed < trials; ++seed) {
    PlanOptions options;
    options.seed = static_cast<std::uint64_t>(seed);
    const auto times = sets::times_of(GetParam(), 128, 1000 + options.seed);
    const Campaign all = campaign(shape, times, options);
    const Estimate& total = *all.end.total;
    const double truth = sum_of(times);
    held += total.low <= truth && truth <= total.high;
    EXPECT_LE(total.high - total.value, 0.02 * total.value);
    run.push_back(static_cast<double>(all.measured.numbers.size()));
  }
  EXPECT_GE(held, 0.9 * trials);
  RecordProperty("held", held);
  RecordProperty("median_run", static_cast<int>(commgauge::median(run)));
}

INSTANTIATE_TEST_SUITE_P(Kinds, SampleCoverage, ::testing::ValuesIn(sets::kinds()),
                         [](const auto& kind) { return kind.param; });

}  // namespace commgauge::tasks::sample_test
