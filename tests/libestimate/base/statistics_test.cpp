#include "commgauge/base/statistics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numbers>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "commgauge/base/error.hpp"

namespace commgauge::statistics_test {

const std::vector<double> nothing;

TEST(Moments, OfNumbersThatAPersonCanCheck) {
  const std::vector<double> values{2, 4, 4, 4, 5, 5, 7, 9};
  EXPECT_DOUBLE_EQ(mean(values), 5);
  EXPECT_DOUBLE_EQ(variance(values), 32.0 / 7);
  EXPECT_DOUBLE_EQ(mean(std::vector{3.5}), 3.5);
}

TEST(Moments, VarianceKeepsItsDigitsFarFromZero) {
  const std::vector<double> values{1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16};
  EXPECT_NEAR(variance(values), 30, 1e-6);
}

TEST(Moments, OfTooLittleThrow) {
  EXPECT_THROW((void)mean(nothing), InputError);
  EXPECT_THROW((void)variance(nothing), InputError);
  EXPECT_THROW((void)variance(std::vector{1.0}), InputError);
}

// R: mad(c(1, 2, 3, 4, 1e9)), mad(c(1, 2, 4, 8))
TEST(RobustDeviation, HalfOfItMayBeAnything) {
  EXPECT_NEAR(robust_deviation(std::vector{1.0, 2.0, 3.0, 4.0, 1e9}), 1.4826, 1e-12);
  EXPECT_NEAR(robust_deviation(std::vector{1.0, 2.0, 4.0, 8.0}), 2.2239, 1e-12);
  EXPECT_THROW((void)robust_deviation({}), InputError);
}

TEST(Median, OfOddAndEvenCounts) {
  EXPECT_DOUBLE_EQ(median(std::vector{3.0, 1.0, 2.0}), 2);
  EXPECT_DOUBLE_EQ(median(std::vector{4.0, 1.0, 2.0, 3.0}), 2.5);
  EXPECT_DOUBLE_EQ(median(std::vector{7.0}), 7);
  EXPECT_THROW((void)median(nothing), InputError);
  EXPECT_THROW((void)median(std::vector{1.0, std::nan("")}), InputError);
}

// R: quantile(c(15, 20, 35, 40, 50), q)
TEST(Quantile, InterpolatesAsRDoes) {
  const std::vector<double> values{40, 15, 50, 20, 35};
  EXPECT_DOUBLE_EQ(quantile(values, 0), 15);
  EXPECT_DOUBLE_EQ(quantile(values, 0.05), 16);
  EXPECT_DOUBLE_EQ(quantile(values, 0.4), 29);
  EXPECT_DOUBLE_EQ(quantile(values, 0.5), 35);
  EXPECT_DOUBLE_EQ(quantile(values, 1), 50);
}

TEST(Quantile, RefusesBadArguments) {
  EXPECT_THROW((void)quantile(nothing, 0.5), InputError);
  for (const double q : {-0.1, 1.1, std::nan("")})
    EXPECT_THROW((void)quantile(std::vector{1.0}, q), InputError) << q;
}

// R: qt((1 + confidence) / 2, dof); also in any printed table.
TEST(StudentQuantile, AgreesWithTables) {
  EXPECT_NEAR(student_quantile(0.95, 1), 12.706205, 1e-6);
  EXPECT_NEAR(student_quantile(0.95, 2), 4.302653, 1e-6);
  EXPECT_NEAR(student_quantile(0.95, 4), 2.776445, 1e-6);
  EXPECT_NEAR(student_quantile(0.95, 30), 2.042272, 1e-6);
  EXPECT_NEAR(student_quantile(0.90, 10), 1.812461, 1e-6);
  EXPECT_NEAR(student_quantile(0.99, 5), 4.032143, 1e-6);
  EXPECT_NEAR(student_quantile(0.50, 1), 1, 1e-9);
}

TEST(StudentQuantile, OfInfinitelyManyDegreesIsNormal) {
  EXPECT_NEAR(student_quantile(0.95, 1e7), normal_quantile(0.95), 1e-6);
  EXPECT_DOUBLE_EQ(student_quantile(0.95, std::numeric_limits<double>::infinity()),
                   normal_quantile(0.95));
}

TEST(NormalQuantile, AgreesWithTables) {
  EXPECT_NEAR(normal_quantile(0.95), 1.959964, 1e-6);
  EXPECT_NEAR(normal_quantile(0.99), 2.575829, 1e-6);
  EXPECT_NEAR(normal_quantile(0.6826895), 1, 1e-6);
}

TEST(Quantiles, RefuseBadArgumentsWithoutAborting) {
  for (const double confidence : {-0.5, 0.0, 1.0, 95.0, std::nan("")}) {
    EXPECT_THROW((void)student_quantile(confidence, 4), InputError) << confidence;
    EXPECT_THROW((void)normal_quantile(confidence), InputError) << confidence;
    EXPECT_THROW((void)median_interval(std::vector{1.0, 2.0}, confidence), InputError);
    EXPECT_THROW((void)least_count_for_order_statistics(confidence), InputError);
  }
  for (const double dof : {-1.0, 0.0, std::nan("")})
    EXPECT_THROW((void)student_quantile(0.95, dof), InputError) << dof;
}

TEST(Quantiles, ExtremesGiveANumberOrAnErrorButNeverAbort) {
  for (const double confidence : {1e-300, 1e-12, 0.5, 1 - 1e-15})
    for (const double dof : {1e-300, 1e-3, 0.5, 1.0, 3.7, 1e5, 1e300}) {
      double x = 0;
      try {
        x = student_quantile(confidence, dof);
      } catch (const InputError&) {
      }
      EXPECT_TRUE(std::isfinite(x) && x >= 0) << confidence << ' ' << dof;
    }
}

TEST(OrderStatistics, LeastCount) {
  EXPECT_EQ(least_count_for_order_statistics(0.50), 2U);
  EXPECT_EQ(least_count_for_order_statistics(0.90), 5U);    // 1 - 2/2^5 = 0.9375
  EXPECT_EQ(least_count_for_order_statistics(0.95), 6U);    // 1 - 2/2^6 = 0.96875
  EXPECT_EQ(least_count_for_order_statistics(0.99), 8U);    // 1 - 2/2^8 = 0.9922
  EXPECT_EQ(least_count_for_order_statistics(0.999), 11U);  // 1 - 2/2^11 = 0.99902
}

struct Level {
  std::size_t count;
  std::size_t rank;  ///< from either end
  double level;
};

// Conover, Practical Nonparametric Statistics: 1 - 2 P(B < rank), B binomial (count, 1/2).
TEST(OrderStatistics, RanksAndLevels) {
  for (const auto& [count, rank, level] : std::vector<Level>{{6, 1, 62.0 / 64},
                                                             {7, 1, 126.0 / 128},
                                                             {8, 1, 254.0 / 256},
                                                             {9, 2, 492.0 / 512},
                                                             {10, 2, 1002.0 / 1024},
                                                             {12, 3, 3938.0 / 4096},
                                                             {15, 4, 0.964844},
                                                             {20, 6, 0.958611},
                                                             {30, 10, 0.957226},
                                                             {100, 40, 0.964800}}) {
    std::vector<double> values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<double>(count - i);
    const auto interval = median_interval(values, 0.95);
    EXPECT_EQ(interval.kind, IntervalKind::order_statistics);
    EXPECT_EQ(interval.low, static_cast<double>(rank)) << count;
    EXPECT_EQ(interval.high, static_cast<double>(count + 1 - rank)) << count;
    EXPECT_NEAR(interval.level, level, 1e-6) << count;
    EXPECT_DOUBLE_EQ(interval.value, static_cast<double>(count + 1) / 2);
  }
}

/// 1 - 2 P(B < rank), summed term by term: exact in double for the counts used here.
double level_by_sum(int count, int rank) {
  double term = std::exp2(-count);
  double below = 0;
  for (int i = 0; i < rank; ++i) {
    below += term;
    term = term * (count - i) / (i + 1);
  }
  return 1 - 2 * below;
}

TEST(OrderStatistics, TheNextRankWouldBeTooNarrow) {
  for (int count = 2; count <= 200; ++count) {
    std::vector<double> values(static_cast<std::size_t>(count));
    std::iota(values.begin(), values.end(), 1);
    for (const double confidence : {0.6, 0.9, 0.95, 0.99}) {
      const auto interval = median_interval(values, confidence);
      if (interval.kind == IntervalKind::student) continue;
      const auto rank = static_cast<int>(interval.low);
      EXPECT_EQ(interval.high, count + 1 - rank);
      EXPECT_NEAR(interval.level, level_by_sum(count, rank), 1e-9);
      EXPECT_GE(interval.level, confidence) << count;
      EXPECT_LT(level_by_sum(count, rank + 1), confidence) << count;
    }
  }
}

TEST(OrderStatistics, OfAHundredThousandValues) {
  std::vector<double> values(100'000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
  const auto interval = median_interval(values, 0.95);
  EXPECT_NEAR(interval.half_width(), 1.96 * std::sqrt(100'000) / 2, 2);
  EXPECT_NEAR(interval.level, 0.95, 1e-3);
}

TEST(MedianInterval, OfEqualValuesHasNoWidth) {
  for (const std::size_t n : {2U, 5U, 6U, 20U}) {
    const auto interval = median_interval(std::vector<double>(n, 1.5), 0.95);
    EXPECT_EQ(interval.value, 1.5);
    EXPECT_EQ(interval.half_width(), 0);
  }
}

// Of 1, 2, 3: s = 1, so 4.302653 sqrt(pi / 2) / sqrt(3).
TEST(MedianInterval, OfFewValuesIsStudents) {
  const auto interval = median_interval(std::vector{3.0, 1.0, 2.0}, 0.95);
  EXPECT_EQ(interval.kind, IntervalKind::student);
  EXPECT_EQ(interval.level, 0.95);
  EXPECT_EQ(interval.value, 2);
  EXPECT_NEAR(interval.half_width(), 3.113405, 1e-5);
  EXPECT_NEAR(interval.high - interval.value, interval.value - interval.low, 1e-12);
}

TEST(MedianInterval, OfTooLittleThrows) {
  EXPECT_THROW((void)median_interval(nothing, 0.95), InputError);
  EXPECT_THROW((void)median_interval(std::vector{1.0}, 0.95), InputError);
  EXPECT_THROW((void)median_interval(std::vector{1.0, std::nan("")}, 0.95), InputError);
}

/// The same numbers with every standard library, unlike std::normal_distribution.
class Noise {
 public:
  [[nodiscard]] double uniform() { return (static_cast<double>(engine_() >> 11) + 0.5) * 0x1p-53; }
  [[nodiscard]] double gaussian() {
    return std::sqrt(-2 * std::log(uniform())) * std::cos(2 * std::numbers::pi * uniform());
  }
  [[nodiscard]] double exponential() { return -std::log(uniform()); }
  /// 70 % near 1, 30 % near 2, each with a deviation of 0.05.
  [[nodiscard]] double bimodal() { return (uniform() < 0.7 ? 1 : 2) + 0.05 * gaussian(); }

 private:
  std::mt19937_64 engine_{20240229};
};

constexpr int draws = 2000;

double coverage(const std::function<double()>& draw, double truth, std::size_t count) {
  int hits = 0;
  std::vector<double> values(count);
  for (int i = 0; i < draws; ++i) {
    std::ranges::generate(values, draw);
    const auto interval = median_interval(values, 0.95);
    hits += interval.low <= truth && truth <= interval.high;
  }
  return static_cast<double>(hits) / draws;
}

struct Case {
  std::string noise;
  double median;
  std::function<double(Noise&)> draw;
};

const std::vector<Case>& cases() {
  // The bimodal median is the first mode's 0.5 / 0.7 quantile: z = 0.565949.
  static const std::vector<Case> all{{"gaussian", 0, &Noise::gaussian},
                                     {"exponential", std::numbers::ln2, &Noise::exponential},
                                     {"bimodal", 1 + 0.05 * 0.565949, &Noise::bimodal}};
  return all;
}

TEST(Coverage, OfOrderStatisticsIsTheStatedLevelWhateverTheNoise) {
  for (const auto& [name, truth, draw] : cases()) {
    Noise noise;
    for (const std::size_t count : {6U, 8U, 9U, 12U, 15U, 31U}) {
      const double level = median_interval(std::vector<double>(count), 0.95).level;
      const double reached = coverage([&] { return draw(noise); }, truth, count);
      const double standard_error = std::sqrt(level * (1 - level) / draws);
      EXPECT_NEAR(reached, level, 4 * standard_error) << name << ' ' << count;
      EXPECT_GE(reached, 0.95) << name << ' ' << count;
    }
  }
}

TEST(Coverage, OfStudentsIntervalIsNominalForGaussianNoise) {
  Noise noise;
  for (const std::size_t count : {2U, 3U, 4U, 5U})
    EXPECT_GE(coverage([&] { return noise.gaussian(); }, 0, count), 0.95) << count;
}

TEST(FitLine, IsExactOnALine) {
  std::vector<double> x, y, weights;
  for (double size = 8; size <= 16 * 1024 * 1024; size *= 2) {
    x.push_back(size);
    y.push_back(3e-6 + 2e-10 * size);
    weights.push_back(1 / (y.back() * y.back()));
  }
  const auto line = fit_line(x, y, weights);
  EXPECT_NEAR(line.intercept, 3e-6, 3e-6 * 1e-12);
  EXPECT_NEAR(line.slope, 2e-10, 2e-10 * 1e-12);
}

TEST(FitLine, KeepsItsDigitsFarFromZero) {
  const std::vector<double> x{1e9, 1e9 + 1, 1e9 + 2};
  const auto line = fit_line(x, std::vector{5.0, 7.0, 9.0}, std::vector{1.0, 1.0, 1.0});
  EXPECT_NEAR(line.slope, 2, 1e-9);
}

// Weights 1, 1, 2: the weighted means are 5/4 of x and 10/4 of y; S_xx = 2.75, S_xy = 4.5.
TEST(FitLine, WeighsItsPoints) {
  const auto line =
      fit_line(std::vector{0.0, 1.0, 2.0}, std::vector{1.0, 1.0, 4.0}, std::vector{1.0, 1.0, 2.0});
  EXPECT_NEAR(line.slope, 4.5 / 2.75, 1e-12);
  EXPECT_NEAR(line.intercept, 2.5 - 1.25 * 4.5 / 2.75, 1e-12);
}

TEST(FitLine, NeedsTwoDistinctPlaces) {
  const std::vector<double> same{2, 2, 2};
  EXPECT_THROW((void)fit_line(same, same, same), FitError);
  EXPECT_THROW((void)fit_line(nothing, nothing, nothing), FitError);
}

}  // namespace commgauge::statistics_test
