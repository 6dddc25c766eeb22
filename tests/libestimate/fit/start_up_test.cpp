#include "commgauge/fit/start_up.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "commgauge/base/error.hpp"
#include "commgauge/base/statistics.hpp"
#include "commgauge/judge/fit.hpp"
#include "commgauge/thresholds/thresholds.hpp"

namespace commgauge::start_up_test {

using ::testing::Contains;
using ::testing::HasSubstr;

constexpr double start_s = 50e-6;
constexpr double per_byte_s = 1e-9;

double one_way(double size) { return start_s + per_byte_s * size; }

/// 0, and 19 sizes from 64 bytes to 4 MiB.
std::vector<Bytes> many_sizes() {
  std::vector<Bytes> sizes{Bytes{0}};
  for (int k = 0; k < 19; ++k) {
    sizes.push_back({static_cast<std::uint64_t>(64 * std::pow(65536.0, k / 18.0))});
  }
  return sizes;
}

double number(Bytes size) { return static_cast<double>(size.value); }

/// Two ranks, eight passes with noise of 1 %; at the sizes of `off` all times are wrong.
Measurements measured(unsigned seed, const std::vector<std::pair<std::size_t, double>>& off = {}) {
  Measurements m;
  m.launches.resize(1);
  m.launches[0].ranks.resize(2);
  const std::vector<Bytes> sizes = many_sizes();
  std::mt19937_64 random(seed);
  std::normal_distribution<double> noise(1, 0.01);
  for (int pass = 0; pass < 8; ++pass) {
    for (const auto& [i, j] : {std::pair{0, 1}, std::pair{1, 0}}) {
      for (std::size_t k = 0; k < sizes.size(); ++k) {
        double time = one_way(number(sizes[k]));
        for (const auto& [which, factor] : off) {
          if (which == k) time *= factor;
        }
        // So that the round trip less half an empty one is this one-way time.
        Observation o;
        o.experiment = round_trip(i, j, sizes[k], {});
        o.pass = pass;
        o.time_s = k == 0 ? 2 * time : start_s + time * noise(random);
        o.low_s = 0.99 * o.time_s;
        o.high_s = 1.01 * o.time_s;
        o.level = 0.95;
        o.blocks = 7;
        o.block_length = 1;
        o.converged = true;
        m.observations.push_back(o);
      }
    }
  }
  return m;
}

struct Ends {
  double value, low, high;
  [[nodiscard]] double half_width() const { return high - value; }
};

Ends start_of(const Model& model) {
  const auto& f = *model.start_up;
  return {f.value.i(0, 1), f.low.i(0, 1), f.high.i(0, 1)};
}

Ends per_byte_of(const Model& model) {
  const auto& f = *model.start_up;
  return {f.value.t(0, 1), f.low.t(0, 1), f.high.t(0, 1)};
}

TEST(StartUp, IsExactWithoutNoise) {
  std::vector<Seconds> times;
  for (const Bytes size : many_sizes()) times.push_back({one_way(number(size))});
  const StartUpLine line = fit_start_up(many_sizes(), times);
  EXPECT_NEAR(line.i.value / start_s, 1, 1e-9);
  EXPECT_NEAR(line.t.value / per_byte_s, 1, 1e-9);
  EXPECT_NEAR(line.at(Bytes{1000000}).value, 1.05e-3, 1e-12);
}

/// A tenth of the sizes, wherever they are and in whichever direction.
TEST(StartUp, NoTwoOutliersMoveIt) {
  const std::vector<Bytes> sizes = many_sizes();
  for (std::size_t a = 0; a < sizes.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      for (const auto& [up, down] : {std::pair{10.0, 10.0}, {10.0, 0.1}, {0.1, 0.1}}) {
        std::vector<Seconds> times;
        for (std::size_t k = 0; k < sizes.size(); ++k) {
          // 1 % up and down, the same for every choice of outliers.
          const double noise = 1 + 0.01 * std::sin(37.0 * static_cast<double>(k * k));
          const double factor = k == a ? up : k == b ? down : 1;
          times.push_back({one_way(number(sizes[k])) * noise * factor});
        }
        const StartUpLine line = fit_start_up(sizes, times);
        EXPECT_NEAR(line.i.value / start_s, 1, 0.02) << a << ' ' << b << ' ' << up << ' ' << down;
        EXPECT_NEAR(line.t.value / per_byte_s, 1, 0.02)
            << a << ' ' << b << ' ' << up << ' ' << down;
        EXPECT_LT(line.weights[a], 1e-9);
        EXPECT_LT(line.weights[b], 1e-9);
      }
    }
  }
}

TEST(StartUp, OutliersMoveLeastSquaresOnly) {
  const std::vector<Bytes> sizes = many_sizes();
  const Model clean = fit(measured(3));
  const std::vector<std::pair<std::size_t, double>> off{{6, 10.0}, {18, 10.0}};
  const Model disturbed = fit(measured(3, off));
  ASSERT_TRUE(clean.start_up && disturbed.start_up);
  EXPECT_LT(std::abs(start_of(disturbed).value - start_of(clean).value),
            start_of(disturbed).half_width());
  EXPECT_LT(std::abs(per_byte_of(disturbed).value - per_byte_of(clean).value),
            per_byte_of(disturbed).half_width());
  EXPECT_LE(start_of(disturbed).low, start_s);
  EXPECT_GE(start_of(disturbed).high, start_s);
  EXPECT_LE(per_byte_of(disturbed).low, per_byte_s);
  EXPECT_GE(per_byte_of(disturbed).high, per_byte_s);
  EXPECT_THAT(texts_of(disturbed.start_up->warnings),
              Contains(HasSubstr("4 of 40 times are left out as outliers")));
  // Hockney's line through the same times is least squares.
  EXPECT_GT(std::abs(disturbed.hockney->value.beta(0, 1) - per_byte_s),
            3 * per_byte_of(disturbed).half_width());
}

TEST(StartUp, IntervalsCoverAsTheyPromise) {
  int covered = 0;
  constexpr int runs = 200;
  for (unsigned seed = 0; seed < runs; ++seed) {
    const Model all = fit(measured(100 + seed, {{3, 10.0}, {12, 10.0}}));
    const Ends t = per_byte_of(all);
    covered += t.low <= per_byte_s && per_byte_s <= t.high;
  }
  // 95 % of 200, less three standard deviations.
  EXPECT_GE(covered, 181);
}

TEST(StartUp, TooFewSizesTellNoOutlier) {
  const std::vector<Bytes> sizes{Bytes{0}, Bytes{1}, Bytes{2}, Bytes{3}};
  const std::vector<Seconds> times{{1}, {2}, {3}, {4}};
  EXPECT_THROW((void)fit_start_up(sizes, times), FitError);
  EXPECT_THROW((void)fit_start_up(many_sizes(), times), InputError);
  Measurements m = measured(1);
  std::erase_if(m.observations, [](const Observation& o) { return o.experiment.out > Bytes{200}; });
  const Model model = fit(m);
  EXPECT_FALSE(model.start_up);
  EXPECT_THAT(model.not_determined, HasSubstr("start_up: no pair has an empty round trip and 4"));
}

/// Like the FDDI of the paper: 2 ms more from 16 KiB on.
std::vector<Seconds> with_jump(const std::vector<Bytes>& sizes, double jump_s, double bend) {
  std::vector<Seconds> times;
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    const double m = number(sizes[k]);
    const double noise = 1 + 0.003 * std::sin(29.0 * static_cast<double>(k * k));
    const bool beyond = m > 16384;
    const double more = beyond ? jump_s + bend * (m - 16384) : 0;
    times.push_back({(1e-3 + 80e-9 * m + more) * noise});
  }
  return times;
}

std::vector<Bytes> even_sizes() {
  std::vector<Bytes> sizes;
  for (std::uint64_t k = 0; k < 48; ++k) sizes.push_back({k * 1024});
  return sizes;
}

TEST(BlockSize, IsWhereTheTimeJumps) {
  const Threshold found = find_block_size(even_sizes(), with_jump(even_sizes(), 2e-3, 0));
  ASSERT_TRUE(found.size) << found.reason;
  EXPECT_EQ(*found.size, Bytes{16384});
  ASSERT_TRUE(found.low && found.high);
  EXPECT_LE(*found.low, *found.size);
  EXPECT_GT(*found.high, *found.size);
}

TEST(BlockSize, IsNothingOnALineAndAtABend) {
  const Threshold line = find_block_size(even_sizes(), with_jump(even_sizes(), 0, 0));
  EXPECT_FALSE(line.size);
  EXPECT_EQ(line.reason, "one line explains all sizes");
  for (const double more : {200e-9, -60e-9}) {
    const Threshold bend = find_block_size(even_sizes(), with_jump(even_sizes(), 0, more));
    EXPECT_FALSE(bend.size) << more;
    EXPECT_THAT(bend.reason, HasSubstr("no time jumps"));
  }
}

TEST(BlockSize, RefusesWhatIsNoSeries) {
  std::vector<Seconds> times = with_jump(even_sizes(), 0, 0);
  times.pop_back();
  EXPECT_THROW((void)find_block_size(even_sizes(), times), InputError);
  times.push_back({0});
  EXPECT_THROW((void)find_block_size(even_sizes(), times), InputError);
  std::vector<Bytes> sizes = even_sizes();
  std::swap(sizes[3], sizes[4]);
  EXPECT_THROW((void)find_block_size(sizes, with_jump(even_sizes(), 0, 0)), InputError);
}

}  // namespace commgauge::start_up_test
