#include "commgauge/tasks/task_times.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <vector>

#include "commgauge/base/error.hpp"
#include "commgauge/tasks/sample.hpp"
#include "task_sets.hpp"

namespace commgauge::tasks::task_times_test {

using ::testing::HasSubstr;

double sum_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

TEST(TaskTimes, AllThatWereRun) {
  const TaskTimes tasks({Shape({3}), {0, 1, 2}, {1, 2, 3}, {}});
  EXPECT_EQ(tasks.source(), Source::all);
  EXPECT_EQ(tasks.total().value, 6);
  EXPECT_EQ(tasks.total().low, 6);
  EXPECT_EQ(tasks.times_s(6), (std::vector<double>{1, 2, 3}));
  EXPECT_THAT(tasks.text(), HasSubstr("all 3 tasks were run"));
}

TEST(TaskTimes, OfAGridAddUpToATotal) {
  const TaskTimes tasks({Shape({5}), {0, 2, 4}, {1, 3, 2}, {4, 8, 4}});
  EXPECT_EQ(tasks.source(), Source::grid);
  EXPECT_DOUBLE_EQ(tasks.total().value, 10.5);
  EXPECT_EQ(tasks.times_s(10.5), (std::vector<double>{1, 2, 3, 2.5, 2}));
  EXPECT_EQ(tasks.result_bytes(), (std::vector<std::uint32_t>{4, 6, 8, 6, 4}));
  const std::vector<double> more = tasks.times_s(12);
  EXPECT_DOUBLE_EQ(sum_of(more), 12);
  EXPECT_EQ(more[2], 3) << "what was run stays";
}

TEST(TaskTimes, OfASampleAddUpToATotal) {
  const Shape shape({64, 64});
  const auto times = sets::times_of("mandelbrot", 64, 3);
  const TaskTimes tasks(sets::measured_of(shape, times, first_of_sample(shape, 8, 200)),
                        {.seed = 8});
  EXPECT_EQ(tasks.source(), Source::sample);
  for (const std::uint64_t draw : {0, 1, 2}) {
    for (const double total : {tasks.total().low, tasks.total().value, tasks.total().high}) {
      const std::vector<double> all = tasks.times_s(total, draw);
      EXPECT_NEAR(sum_of(all), total, 1e-12 * total);
    }
  }
  const auto first = first_of_sample(shape, 8, 200);
  const std::vector<double> all = tasks.times_s(tasks.total().value);
  for (const std::uint64_t number : first) EXPECT_EQ(all[number], times[number]);
}

TEST(TaskTimes, OfNoTimeAtAll) {
  const Shape shape({64, 64});
  const std::vector<double> none(shape.size());
  const TaskTimes tasks(sets::measured_of(shape, none, first_of_sample(shape, 1, 200)));
  EXPECT_EQ(sum_of(tasks.times_s(tasks.total().value)), 0);
}

TEST(TaskTimes, AreOfTheSampleThatTheirFileSays) {
  const Shape shape({64, 64});
  const auto times = sets::times_of("mandelbrot", 64, 3);
  MeasuredTasks measured = sets::measured_of(shape, times, first_of_sample(shape, 8, 200));
  measured.seed = 8;
  EXPECT_EQ(TaskTimes(measured).source(), Source::sample);
  EXPECT_THROW((void)TaskTimes(measured, {.seed = 1}), InputError);
  EXPECT_THAT(TaskTimes(measured).text(), HasSubstr("rarer than 1 in 67 may have been missed"));
}

TEST(TaskTimes, OfASampleAmongOthers) {
  const Shape shape({64, 64});
  const auto times = sets::times_of("mandelbrot", 64, 3);
  std::vector<std::uint64_t> both = first_of_sample(shape, 8, 200);
  const auto others = first_of_sample(shape, 9, 900);
  std::vector<std::uint64_t> all;
  std::ranges::set_union(both, others, std::back_inserter(all));
  const TaskTimes tasks(sets::measured_of(shape, times, all), {.seed = 8});
  EXPECT_EQ(tasks.source(), Source::sample);
}

/// What interpolation smooths away comes back in other draws: as much spread, the same total.
TEST(TaskTimes, DrawsOfAGridAreAsUnevenAsItsTasks) {
  const Shape shape({64, 64});
  const auto times = sets::times_of("noise", 64, 3);
  std::vector<std::uint64_t> lines;
  for (std::uint64_t i = 0; i < shape.size(); ++i) {
    const bool is_on = (i % 64 % 4 == 0 || i % 64 == 63) && (i / 64 % 4 == 0 || i / 64 == 63);
    if (is_on) lines.push_back(i);
  }
  const TaskTimes tasks(sets::measured_of(shape, times, lines));
  const double total = tasks.total().value;
  const double smooth = commgauge::variance(tasks.times_s(total, 0));
  const double drawn = commgauge::variance(tasks.times_s(total, 1));
  const double real = commgauge::variance(times);
  EXPECT_LT(smooth, 0.6 * real);
  EXPECT_GT(drawn, 0.8 * real);
  EXPECT_NEAR(sum_of(tasks.times_s(total, 1)), total, 1e-9 * total);
}

TEST(TaskTimes, RefuseWhatIsNeitherGridNorSample) {
  const Shape shape({10, 10});
  EXPECT_THROW((void)TaskTimes({shape, {0, 1, 10, 13, 40}, {1, 1, 1, 1, 1}, {}}), InputError);
  EXPECT_THROW((void)TaskTimes({Shape({3}), {0, 1, 2}, {1e308, 1e308, 1e308}, {}}), InputError);
  const std::vector<double> times(shape.size(), 1.0);
  const auto of_another_seed = sets::measured_of(shape, times, first_of_sample(shape, 4, 20));
  EXPECT_THROW((void)TaskTimes(of_another_seed, {.seed = 5}), InputError);
}

}  // namespace commgauge::tasks::task_times_test
