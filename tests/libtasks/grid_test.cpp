#include "grid.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "../libestimate/tries.hpp"
#include "commgauge/base/error.hpp"
#include "task_sets.hpp"

namespace commgauge::tasks::grid_test {

using ::testing::HasSubstr;

/// Every so many of each dimension, its last one too.
std::vector<std::uint64_t> grid_of(const Shape& shape, std::uint64_t step) {
  std::vector<std::uint64_t> numbers;
  for (std::uint64_t number = 0; number < shape.size(); ++number) {
    const std::vector<std::uint64_t> task = shape.task_of(number);
    bool is_on = true;
    for (std::size_t k = 0; k < task.size(); ++k) {
      is_on = is_on && ((task[k] - 1) % step == 0 || task[k] == shape.counts()[k]);
    }
    if (is_on) numbers.push_back(number);
  }
  return numbers;
}

std::string message_of(const MeasuredTasks& measured) {
  try {
    (void)Grid(measured);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Grid, MultilinearTimesAreInterpolatedExactly) {
  const Shape shape({7, 9, 9});
  std::vector<double> times;
  for (std::uint64_t number = 0; number < shape.size(); ++number) {
    const auto task = shape.task_of(number);
    const auto x = static_cast<double>(task[0]);
    const auto y = static_cast<double>(task[1]);
    const auto z = static_cast<double>(task[2]);
    times.push_back(1 + 2 * x + 3 * y + 5 * z + x * y - 0.5 * y * z + 0.25 * x * y * z);
  }
  const MeasuredTasks measured = sets::measured_of(shape, times, grid_of(shape, 4));
  const Grid grid(measured);
  const std::vector<double> all = grid.interpolated(measured.times_s);
  ASSERT_EQ(all.size(), times.size());
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_NEAR(all[i], times[i], 1e-12 * times[i]);
  const double sum = std::accumulate(times.begin(), times.end(), 0.0);
  const Estimate total = grid.total(measured.times_s, 0.95);
  EXPECT_NEAR(total.value, sum, 1e-12 * sum);
  EXPECT_NEAR(total.high, sum, 1e-9 * sum) << "nothing is left open";
}

/// Equation (1) of Mizutani, Ino and Hagihara in two dimensions, by hand: 1.25, from corners 1 and
/// 2 in one, 3 and 5 in the other.
TEST(Grid, BetweenFourTasks) {
  const MeasuredTasks measured{Shape({5, 3}), {0, 2, 12, 14}, {1, 3, 2, 5}, {}};
  const std::vector<double> all = Grid(measured).interpolated(measured.times_s);
  EXPECT_DOUBLE_EQ(all[1], 2);                                            // (1, 2)
  EXPECT_DOUBLE_EQ(all[3], 1.25);                                         // (2, 1)
  EXPECT_DOUBLE_EQ(all[4], 0.75 * 0.5 * (1 + 3) + 0.25 * 0.5 * (2 + 5));  // (2, 2)
}

TEST(Grid, TheTotalIsTheSumOfAll) {
  const std::vector<double> times = sets::times_of("mandelbrot", 40, 3);
  const Shape shape({40, 40});
  const MeasuredTasks measured = sets::measured_of(shape, times, grid_of(shape, 3));
  const Grid grid(measured);
  const std::vector<double> all = grid.interpolated(measured.times_s);
  const double sum = std::accumulate(all.begin(), all.end(), 0.0);
  EXPECT_NEAR(grid.total(measured.times_s, 0.95).value, sum, 1e-12 * sum);
}

TEST(Grid, RefusesGapsAndExtrapolation) {
  EXPECT_THAT(message_of({Shape({3, 3}), {0, 2, 6}, {1, 1, 1}, {}}),
              HasSubstr("task (3, 3) is missing"));
  EXPECT_THAT(message_of({Shape({3, 4}), {0, 2, 8, 10}, {1, 1, 1, 1}, {}}),
              HasSubstr("no task with i2 = 4 was run"));
  EXPECT_THAT(message_of({Shape({9}), {1, 8}, {1, 1}, {}}),
              HasSubstr("no task with i1 = 1 was run"));
}

TEST(Grid, TwoLinesTellNothingOfWhatIsBetween) {
  const MeasuredTasks measured{Shape({5}), {0, 4}, {1, 3}, {}};
  const Estimate total = Grid(measured).total(measured.times_s, 0.95);
  EXPECT_DOUBLE_EQ(total.value, 10);
  EXPECT_TRUE(std::isnan(total.low));
  EXPECT_TRUE(std::isnan(total.high));
}

TEST(Grid, EachDimensionHasToTellWhatIsBetween) {
  MeasuredTasks measured{Shape({100, 3}), {0, 1, 2, 297, 298, 299}, {1, 1, 1, 1, 1, 1}, {}};
  EXPECT_TRUE(std::isnan(Grid(measured).total(measured.times_s, 0.95).high)) << "two of i1";
}

class GridCoverage : public ::testing::TestWithParam<std::string> {};

/// How often the interval of a grid's total holds the true one, over grids of 2 to 16 steps.
TEST_P(GridCoverage, HoldsTheTrueTotal) {
  const Shape shape({128, 128});
  const int trials = testing::tries(200, 100, 5);
  for (const std::uint64_t step : {4, 8, 16}) {
    int held = 0;
    for (int seed = 0; seed < trials; ++seed) {
      const auto times = sets::times_of(GetParam(), 128, static_cast<std::uint64_t>(1000 + seed));
      const double truth = std::accumulate(times.begin(), times.end(), 0.0);
      const MeasuredTasks measured = sets::measured_of(shape, times, grid_of(shape, step));
      const Estimate total = Grid(measured).total(measured.times_s, 0.95);
      held += total.low <= truth && truth <= total.high;
    }
    EXPECT_GE(held, 0.9 * trials) << "every " << step << "th";
    RecordProperty("held_of_" + std::to_string(step), held);
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, GridCoverage, ::testing::ValuesIn(sets::kinds()),
                         [](const auto& kind) { return kind.param; });

}  // namespace commgauge::tasks::grid_test
