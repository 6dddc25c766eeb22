#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "commgauge/base/error.hpp"
#include "commgauge/thresholds/sweep_plan.hpp"
#include "commgauge/thresholds/thresholds.hpp"
#include "sweeps.hpp"

namespace commgauge::sweep_plan_test {

using testing::chance;
using testing::Clock;
using testing::doubling_sizes;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::jitter;
using testing::make_sweep;
using testing::normal;

using Random = std::mt19937_64;

std::vector<std::uint64_t> values(const std::vector<Bytes>& sizes) {
  std::vector<std::uint64_t> result;
  for (const Bytes size : sizes) result.push_back(size.value);
  return result;
}

TEST(FirstSizes, OctavesFromPowersOfTwoArePowersOfTwo) {
  SweepPlan plan;
  EXPECT_EQ(first_sizes(plan), doubling_sizes(1, 1 << 20));
}

TEST(FirstSizes, BothEndsAndEverySizeOnce) {
  SweepPlan plan;
  plan.first = Bytes{3};
  plan.last = Bytes{100};
  EXPECT_THAT(values(first_sizes(plan)), ElementsAre(3, 5, 10, 17, 31, 56, 100));
  plan.first = Bytes{1};
  plan.last = Bytes{6};
  plan.per_octave = 8;
  EXPECT_THAT(values(first_sizes(plan)), ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(FirstSizes, NoMoreThanAllowed) {
  SweepPlan plan;
  plan.per_octave = 10;
  plan.most_sizes = 12;
  const std::vector<Bytes> sizes = first_sizes(plan);
  EXPECT_LE(sizes.size(), 12U);
  EXPECT_EQ(sizes.front(), plan.first);
  EXPECT_EQ(sizes.back(), plan.last);
}

TEST(FirstSizes, BadPlansAreRefused) {
  const auto sizes = [](std::uint64_t first, std::uint64_t last, int per_octave, int most) {
    return first_sizes({Bytes{first}, Bytes{last}, per_octave, 0.05, most});
  };
  EXPECT_THROW((void)sizes(0, 10, 1, 64), InputError);
  EXPECT_THROW((void)sizes(10, 10, 1, 64), InputError);
  EXPECT_THROW((void)sizes(1, 10, 0, 64), InputError);
  EXPECT_THROW((void)sizes(1, 10, 1, 1), InputError);
}

/// Measures until nothing is worth measuring any more.
Sweep measured(const SweepPlan& plan, const Clock& clock, int repetitions = 10,
               std::uint64_t seed = 11) {
  Random random{seed};
  Sweep sweep;
  sweep.kind = "gather";
  std::vector<Bytes> sizes = first_sizes(plan);
  while (!sizes.empty()) {
    EXPECT_TRUE(std::ranges::is_sorted(sizes));
    for (const Bytes size : sizes) {
      EXPECT_EQ(std::ranges::count(sweep.points, size, &SweepPoint::size), 0);
      std::vector<double> times;
      for (int r = 0; r < repetitions; ++r) times.push_back(clock(size, random));
      add_times(sweep, size, times);
    }
    sizes = next_sizes(sweep, plan);
  }
  EXPECT_LE(sweep.points.size(), static_cast<std::size_t>(plan.most_sizes));
  return sweep;
}

/// Largest size up to and smallest size beyond a truth.
std::pair<double, double> bracket(const Sweep& sweep, std::uint64_t truth) {
  double below = 0;
  double above = 0;
  for (const SweepPoint& point : sweep.points) {
    const auto size = static_cast<double>(point.size.value);
    if (point.size.value <= truth) below = size;
    if (point.size.value > truth && above == 0) above = size;
  }
  return {below, above};
}

long sizes_near(const Sweep& sweep, std::uint64_t truth) {
  return std::ranges::count_if(sweep.points, [&](const SweepPoint& point) {
    return point.size.value > truth / 2 && point.size.value < 2 * truth;
  });
}

Clock stepped(std::uint64_t last_below, double step) {
  return [=](Bytes size, Random& r) {
    const double time = 20e-6 + 1e-9 * static_cast<double>(size.value);
    return (time + (size.value > last_below ? step : 0)) * (1 + 0.02 * normal(r));
  };
}

TEST(NextSizes, CloseInOnAStep) {
  constexpr int runs = 25;
  for (const std::uint64_t truth : {1000U, 19493U, 65536U, 300001U}) {
    for (const double precision : {0.1, 0.01}) {
      SweepPlan plan;
      plan.precision = precision;
      int close = 0;
      long near = 0;
      long added = 0;
      for (int run = 0; run < runs; ++run) {
        const Sweep sweep =
            measured(plan, stepped(truth, 100e-6), 10, static_cast<std::uint64_t>(run));
        const auto [below, above] = bracket(sweep, truth);
        close += above / below <= 1 + precision ? 1 : 0;
        near += sizes_near(sweep, truth);
        added += static_cast<long>(sweep.points.size() - first_sizes(plan).size());
        EXPECT_LE(sweep.points.size(), 48U) << truth;
      }
      EXPECT_GE(close, 0.9 * runs) << truth << ", " << precision;
      EXPECT_GE(3 * near, 2 * added) << truth << ", " << precision;
    }
  }
}

TEST(Unresolved, WhereSizesWereToldToBeFew) {
  SweepPlan plan;
  const Sweep fine = measured(plan, stepped(19493, 100e-6));
  EXPECT_THAT(unresolved(analyse(fine, {}), plan), IsEmpty());
  plan.most_sizes = 22;
  const Sweep coarse = measured(plan, stepped(19493, 100e-6));
  const std::vector<std::size_t> gaps = unresolved(analyse(coarse, {}), plan);
  ASSERT_EQ(gaps.size(), 1U);
  EXPECT_LE(coarse.points[gaps[0]].size.value, 19493U);
  EXPECT_GT(coarse.points[gaps[0] + 1].size.value, 19493U);
  plan.precision = 0.99;
  EXPECT_THAT(unresolved(analyse(coarse, {}), plan), IsEmpty());
}

TEST(Unresolved, NotWhereNoSizeLiesBetween) {
  SweepPlan plan;
  plan.first = Bytes{1};
  plan.last = Bytes{16};
  const Sweep sweep = measured(plan, stepped(5, 100e-6));
  const SweepAnalysis analysis = analyse(sweep, {});
  ASSERT_EQ(analysis.segmentation.breaks.size(), 1U);
  EXPECT_THAT(unresolved(analysis, plan), IsEmpty());
}

TEST(NextSizes, OneLineNeedsNoMore) {
  SweepPlan plan;
  EXPECT_EQ(measured(plan, stepped(1 << 30, 0)).points.size(), first_sizes(plan).size());
}

TEST(NextSizes, CloseInOnEscalations) {
  SweepPlan plan;
  plan.first = Bytes{64};
  const auto clock = [](Bytes size, Random& r) {
    const bool medium = size.value >= 7000 && size.value <= 60000;
    return 1e-4 + 5e-8 * static_cast<double>(size.value) + jitter(r, 5e-6) +
           (medium && chance(r, 0.5) ? 0.2 : 0);
  };
  const Sweep sweep = measured(plan, clock, 20);
  const Escalations found = find_escalations(sweep, 0.95);
  ASSERT_TRUE(found.found);
  const auto size = [&](std::size_t p) { return static_cast<double>(sweep.points[p].size.value); };
  EXPECT_LE(size(found.first_low - 1), 7000);
  EXPECT_GE(size(found.first_high), 7000);
  EXPECT_LE(size(found.first) / size(found.first - 1), 1.05);
  EXPECT_LE(size(found.last_low), 60000);
  EXPECT_GE(size(found.last_high + 1), 60000);
  EXPECT_LE(size(found.last + 1) / size(found.last), 1.05);
}

TEST(NextSizes, FewSizesAreDensifiedEverywhere) {
  const Sweep sweep = make_sweep("scatter", doubling_sizes(1024, 4096), 5, 1, stepped(2048, 1));
  EXPECT_THAT(values(next_sizes(sweep, {})), ElementsAre(1448, 2896));
}

TEST(NextSizes, NeverMoreThanAllowedNorBetweenNeighbours) {
  SweepPlan plan;
  plan.most_sizes = 22;
  const Sweep sweep =
      make_sweep("scatter", doubling_sizes(1, 1 << 20), 5, 1, stepped(65536, 500e-6));
  EXPECT_EQ(next_sizes(sweep, plan).size(), 1U);
  plan.most_sizes = 21;
  EXPECT_THAT(next_sizes(sweep, plan), IsEmpty());

  const Sweep close =
      make_sweep("scatter", {Bytes{1}, Bytes{2}, Bytes{3}, Bytes{4}}, 5, 1, stepped(2, 1));
  EXPECT_THAT(next_sizes(close, {}), IsEmpty());
}

TEST(NextSizes, ZeroBytesAreASizeToo) {
  const Sweep sweep =
      make_sweep("scatter", {Bytes{0}, Bytes{1}, Bytes{8}, Bytes{64}}, 5, 1, stepped(2, 1));
  EXPECT_THAT(values(next_sizes(sweep, {})), ElementsAre(3, 23));
}

TEST(NextSizes, NothingToRefineInNothing) { EXPECT_THAT(next_sizes(Sweep{}, {}), IsEmpty()); }

}  // namespace commgauge::sweep_plan_test
