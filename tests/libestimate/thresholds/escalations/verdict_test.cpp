#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "commgauge/base/error.hpp"
#include "commgauge/thresholds/thresholds.hpp"
#include "sweeps.hpp"

namespace commgauge::verdict_test {

using testing::chance;
using testing::Clock;
using testing::doubling_sizes;
using ::testing::HasSubstr;
using testing::jitter;
using testing::make_sweep;
using testing::make_sweep_in_passes;
using testing::normal;
using testing::uniform;

#ifdef NDEBUG
constexpr int runs = 200;
#else
constexpr int runs = 60;
#endif
constexpr double slack = runs < 100 ? 0.05 : 0;  ///< what so few runs scatter

using Random = std::mt19937_64;

double line(Bytes size, double fixed, double per_byte) {
  return fixed + per_byte * static_cast<double>(size.value);
}

/// Fewest and most repetitions that sweeps of a machine are tried with.
constexpr int repetition_counts[] = {5, 20};

struct NoisyMachine {
  std::string name;
  Clock clock;
};

/// Machines that disturb, but all sizes alike.
std::vector<NoisyMachine> machines_without_escalations() {
  const auto time = [](Bytes size) { return line(size, 20e-6, 2e-9); };  // 20 us to 2 ms
  return {{"quiet", [=](Bytes size, Random& r) { return time(size) + jitter(r, 1e-6); }},
          {"rare spikes of 1 to 10 ms",
           [=](Bytes size, Random& r) {
             const double spike = chance(r, 0.05) ? uniform(r, 1e-3, 1e-2) : 0;
             return time(size) + jitter(r, 2e-6) + spike;
           }},
          {"spikes of a scheduler's slice, sizes that take longer than they",
           [=](Bytes size, Random& r) {
             const double spike = chance(r, 0.2) ? 4e-3 : 0;
             return line(size, 20e-6, 60e-9) + jitter(r, 2e-6) + spike;
           }},
          {"spikes without a scale",
           [=](Bytes size, Random& r) { return time(size) + 1e-6 / uniform(r, 1e-4, 1); }},
          {"two modes",
           [=](Bytes size, Random& r) {
             return time(size) * (chance(r, 0.3) ? 3 : 1) * (1 + 0.02 * std::abs(normal(r)));
           }},
          {"two modes, the upper one rare",
           [=](Bytes size, Random& r) {
             return time(size) * (chance(r, 0.05) ? 3 : 1) * (1 + 0.02 * std::abs(normal(r)));
           }},
          {"two modes of one distance",
           [=](Bytes size, Random& r) {
             return time(size) + (chance(r, 0.4) ? 60e-6 : 0) + jitter(r, 1e-6);
           }},
          {"in proportion to the time",
           [=](Bytes size, Random& r) { return time(size) * std::exp(0.5 * normal(r)); }},
          {"clock of 1 us",
           [=](Bytes size, Random& r) {
             return std::ceil((time(size) + jitter(r, 1e-6)) * 1e6) * 1e-6;
           }},
          {"larger sizes noisier in proportion", [=](Bytes size, Random& r) {
             const double share = 0.01 + 0.2 * static_cast<double>(size.value) / (1 << 20);
             return time(size) * (1 + share * std::abs(normal(r)));
           }}};
}

TEST(Escalations, NoiseIsNone) {
  for (const NoisyMachine& machine : machines_without_escalations()) {
    for (const int repetitions : repetition_counts) {
      int found = 0;
      for (int run = 0; run < runs; ++run) {
        const Sweep sweep = make_sweep("gather", doubling_sizes(1, 1 << 20), repetitions,
                                       static_cast<std::uint64_t>(run), machine.clock);
        const Escalations result = find_escalations(sweep, 0.95);
        EXPECT_NE(result.found, !result.reason.empty());
        found += result.found ? 1 : 0;
      }
      EXPECT_LE(found, (0.05 + slack) * runs) << machine.name << ", " << repetitions;
    }
  }
}

TEST(Escalations, DisturbancesOfWholeSizesAreNone) {
  for (const double disturbed : {0.02, 0.1, 0.2}) {
    for (const int repetitions : repetition_counts) {
      int found = 0;
      for (int run = 0; run < runs; ++run) {
        std::optional<Bytes> current;
        bool busy = false;
        const auto clock = [&](Bytes size, Random& r) {
          if (current != size) busy = chance(r, disturbed);
          current = size;
          const double spike = busy && chance(r, 0.6) ? uniform(r, 1e-3, 1e-2) : 0;
          return line(size, 20e-6, 2e-9) + jitter(r, 2e-6) + spike;
        };
        const Sweep sweep = make_sweep("gather", doubling_sizes(1, 1 << 20), repetitions,
                                       static_cast<std::uint64_t>(run), clock);
        found += find_escalations(sweep, 0.95).found ? 1 : 0;
      }
      EXPECT_LE(found, (0.05 + slack) * runs) << disturbed << ", " << repetitions;
    }
  }
}

/// Something that runs for a while beside the sweep and makes it wait, whichever size it is at.
Clock disturbed_for_a_while(double share) {
  return [=, busy = false](Bytes size, Random& r) mutable {
    constexpr double ends = 0.05;
    busy = busy ? !chance(r, ends) : chance(r, ends * share / (1 - share));
    const double spike = busy && chance(r, 0.6) ? uniform(r, 1e-3, 1e-2) : 0;
    return line(size, 20e-6, 2e-9) + jitter(r, 2e-6) + spike;
  };
}

TEST(Escalations, PassingDisturbancesAreNone) {
  for (const double share : {0.02, 0.1, 0.3}) {
    for (const int passes : repetition_counts) {
      int found = 0;
      for (int run = 0; run < runs; ++run) {
        const Sweep sweep =
            make_sweep_in_passes("gather", doubling_sizes(1, 1 << 20), passes,
                                 static_cast<std::uint64_t>(run), disturbed_for_a_while(share));
        found += find_escalations(sweep, 0.95).found ? 1 : 0;
      }
      EXPECT_LE(found, (0.05 + slack) * runs) << share << ", " << passes;
    }
  }
}

TEST(Escalations, NoiseInPassesIsNone) {
  for (const NoisyMachine& machine : machines_without_escalations()) {
    for (const int passes : repetition_counts) {
      int found = 0;
      for (int run = 0; run < runs; ++run) {
        found +=
            find_escalations(make_sweep_in_passes("gather", doubling_sizes(1, 1 << 20), passes,
                                                  static_cast<std::uint64_t>(run), machine.clock),
                             0.95)
                .found;
      }
      EXPECT_LE(found, (0.05 + slack) * runs) << machine.name << ", " << passes;
    }
  }
}

/// Two sizes of the sweep escalate, each in three of ten repetitions.
TEST(Escalations, PassesTellAShortRangeFromADisturbance) {
  int in_passes = 0;
  int without = 0;
  for (int run = 0; run < runs; ++run) {
    Sweep sweep = make_sweep_in_passes(
        "gather", doubling_sizes(64, 1 << 20), 10, static_cast<std::uint64_t>(run),
        [](Bytes size, Random& r) {
          const bool medium = size.value == 16384 || size.value == 32768;
          return line(size, 1e-4, 57e-9) + jitter(r, 5e-6) + (medium && chance(r, 0.3) ? 0.2 : 0);
        });
    in_passes += find_escalations(sweep, 0.95).found ? 1 : 0;
    for (SweepPoint& point : sweep.points) point.passes.clear();
    without += find_escalations(sweep, 0.95).found ? 1 : 0;
  }
  EXPECT_GE(in_passes, (0.9 - slack) * runs);
  EXPECT_EQ(without, 0) << "105 pairs of sizes, 14 of neighbours";
}

TEST(Escalations, OneSizeIsOnlySuspectedInPassesToo) {
  const Sweep sweep =
      make_sweep_in_passes("gather", doubling_sizes(64, 1 << 20), 12, 7, [](Bytes size, Random& r) {
        const bool escalated = size.value == 16384 && chance(r, 0.4);
        return line(size, 1e-4, 57e-9) + jitter(r, 5e-6) + (escalated ? 0.2 : 0);
      });
  EXPECT_FALSE(find_escalations(sweep, 0.95).found);
  EXPECT_TRUE(suspects_escalations(sweep, 0.95));
}

constexpr std::uint64_t first_escalated = 8 << 10;
constexpr std::uint64_t last_escalated = 64 << 10;

/// 0.2 to 0.9 of the repetitions from 8 to 64 KiB take 200 ms more; undisturbed 0.1 to 60 ms.
Clock escalating(double rate, double background = 0) {
  return [=](Bytes size, Random& r) {
    const bool medium = size.value >= first_escalated && size.value <= last_escalated;
    const double spike = chance(r, background) ? uniform(r, 1e-3, 1e-2) : 0;
    const double extra = medium && chance(r, rate) ? 0.2 : 0;
    return line(size, 1e-4, 57e-9) + jitter(r, 5e-6) + spike + extra;
  };
}

TEST(Escalations, TheirRangeIsFoundAndItsIntervalsHold) {
  std::vector<Bytes> sizes;
  for (std::uint64_t octave = 64; octave < (1 << 20); octave *= 2) {
    sizes.push_back(Bytes{octave});
    sizes.push_back(Bytes{octave * 3 / 2});
  }
  for (const double background : {0.0, 0.03}) {
    for (const double rate : {0.2, 0.5, 0.9}) {
      for (const int repetitions : {10, 20}) {
        int found = 0;
        int first_held = 0;
        int last_held = 0;
        for (int run = 0; run < runs; ++run) {
          const Sweep sweep =
              make_sweep("gather", sizes, repetitions, static_cast<std::uint64_t>(run),
                         escalating(rate, background));
          const Escalations result = find_escalations(sweep, 0.95);
          if (!result.found) continue;
          ++found;
          EXPECT_LE(result.first_low, result.first);
          EXPECT_LE(result.first, result.first_high);
          EXPECT_LE(result.last_low, result.last);
          EXPECT_LE(result.last, result.last_high);
          const auto size = [&](std::size_t p) { return sweep.points[p].size.value; };
          first_held += size(result.first_low) <= first_escalated &&
                        first_escalated <= size(result.first_high);
          last_held +=
              size(result.last_low) <= last_escalated && last_escalated <= size(result.last_high);
        }
        const std::string what = "rate " + std::to_string(rate) + " background " +
                                 std::to_string(background) + ", " + std::to_string(repetitions);
        const bool weak = rate < 0.3 && background > 0 && repetitions < 20;
        EXPECT_GE(found, ((weak ? 0.85 : 0.95) - slack) * runs) << what;
        EXPECT_GE(first_held, (0.9 - slack) * found) << what;
        EXPECT_GE(last_held, (0.9 - slack) * found) << what;
      }
    }
  }
}

/// Undisturbed but where `escalated` says so; every third repetition then takes 200 ms more.
Sweep plain_sweep(const std::function<bool(Bytes)>& escalated, int repetitions = 12) {
  int turn = 0;
  return make_sweep("gather", doubling_sizes(64, 1 << 20), repetitions, 7,
                    [&](Bytes size, Random& r) {
                      const bool extra = escalated(size) && ++turn % 3 == 0;
                      return line(size, 1e-4, 57e-9) + jitter(r, 5e-6) + (extra ? 0.2 : 0);
                    });
}

TEST(Escalations, RatesAndLimit) {
  const Escalations found = find_escalations(
      plain_sweep([](Bytes size) { return size.value >= 8192 && size.value <= 65536; }), 0.95);
  ASSERT_TRUE(found.found);
  EXPECT_EQ(found.reason, "");
  EXPECT_EQ(found.first, 7U);
  EXPECT_EQ(found.last, 10U);
  EXPECT_TRUE(found.ends);
  EXPECT_NEAR(found.rate_inside, 1 / 3.0, 0.02);
  EXPECT_EQ(found.rate_outside, 0);
  EXPECT_EQ(found.limit_s, 1e-3);
  EXPECT_EQ(found.limit_ratio, 1);
}

TEST(Escalations, ToTheEndsOfTheSweep) {
  const Escalations at_begin =
      find_escalations(plain_sweep([](Bytes size) { return size.value <= 2048; }), 0.95);
  ASSERT_TRUE(at_begin.found);
  EXPECT_EQ(at_begin.first, 0U);
  EXPECT_EQ(at_begin.last, 5U);

  const Escalations at_end =
      find_escalations(plain_sweep([](Bytes size) { return size.value >= 65536; }), 0.95);
  ASSERT_TRUE(at_end.found);
  EXPECT_EQ(at_end.first, 10U);
  EXPECT_EQ(at_end.last, 14U);
  EXPECT_FALSE(at_end.ends);
}

/// Escalations of 200 ms from 8 to 64 KiB; from 128 KiB on a gather takes more than 400 ms.
Sweep with_long_large_sizes(double noise_of_large) {
  int turn = 0;
  return make_sweep("gather", doubling_sizes(64, 1 << 20), 12, 7, [&](Bytes size, Random& r) {
    const bool medium = size.value >= 8192 && size.value <= 65536;
    const double time = line(size, 1e-4, medium ? 1e-7 : 3e-6) * (size.value < 8192 ? 0.01 : 1);
    const double noise = size.value > 65536 ? noise_of_large * std::abs(normal(r)) : 0;
    return time * (1 + noise) + jitter(r, 5e-6) + (medium && ++turn % 3 == 0 ? 0.2 : 0);
  });
}

TEST(Escalations, LargerSizesThatCouldNotShowThemSayNothing) {
  const Escalations found = find_escalations(with_long_large_sizes(0.3), 0.95);
  ASSERT_TRUE(found.found);
  EXPECT_EQ(found.last, 10U);
  EXPECT_FALSE(found.ends);
  EXPECT_EQ(found.last_high, 14U);
}

TEST(Escalations, LargerSizesThatAreQuietHaveNone) {
  const Escalations found = find_escalations(with_long_large_sizes(0.001), 0.95);
  ASSERT_TRUE(found.found);
  EXPECT_EQ(found.last, 10U);
  EXPECT_TRUE(found.ends);
  EXPECT_EQ(found.last_high, 10U);
}

/// Escalations of 20 ms at medium sizes; the largest, which take 300 ms, vary by 3 ms.
TEST(Escalations, SteadyLargeSizesHaveNoneThoughOthersAreNoisier) {
  const Sweep sweep =
      make_sweep_in_passes("gather", doubling_sizes(64, 1 << 20), 10, 7, [](Bytes size, Random& r) {
        const bool medium = size.value >= 8192 && size.value <= 65536;
        const double large = size.value > 65536 ? 0.3 + 3e-3 * uniform(r, 0, 1) : 0;
        const double noise = size.value <= 65536 ? 1 + 0.03 * std::abs(normal(r)) : 1;
        const double extra = medium && chance(r, 0.5) ? 0.02 : 0;
        return (large + line(size, 1e-3, 57e-9)) * noise + extra;
      });
  const Escalations found = find_escalations(sweep, 0.95);
  ASSERT_TRUE(found.found);
  EXPECT_EQ(sweep.points[found.last].size, Bytes{65536});
  EXPECT_TRUE(found.ends);
}

TEST(Escalations, ADisturbanceOfOneSizeIsOnlySuspected) {
  const Escalations found =
      find_escalations(plain_sweep([](Bytes size) { return size.value == 16384; }), 0.95);
  EXPECT_FALSE(found.found);
  EXPECT_EQ(found.first, 8U);
  EXPECT_EQ(found.last, 8U);
  EXPECT_GT(found.rate_inside, 0);
  EXPECT_THAT(found.reason, HasSubstr("scatter at 16 KiB, but"));
}

TEST(Escalations, AStepDownIsNone) {
  const Sweep sweep =
      make_sweep("gather", doubling_sizes(64, 1 << 20), 12, 7, [](Bytes size, Random& r) {
        const bool slow = size.value >= 4096 && size.value <= 32768;
        return line(size, 1e-4, 1e-9) + jitter(r, 5e-6) + (slow ? 5e-3 : 0);
      });
  const Escalations found = find_escalations(sweep, 0.95);
  EXPECT_FALSE(found.found);
  EXPECT_THAT(found.reason, HasSubstr("step down"));
}

TEST(Escalations, AStepUpIsNone) {
  const Sweep sweep =
      make_sweep("gather", doubling_sizes(64, 1 << 20), 12, 7, [](Bytes size, Random& r) {
        return line(size, 1e-4, 1e-9) + jitter(r, 5e-6) + (size.value >= 4096 ? 5e-3 : 0);
      });
  EXPECT_FALSE(find_escalations(sweep, 0.95).found);
}

TEST(Escalations, AStepUpThatSoonMattersLittleIsNone) {
  for (int run = 0; run < runs; ++run) {
    const Sweep sweep =
        make_sweep("gather", doubling_sizes(1, 1 << 20), 10, static_cast<std::uint64_t>(run),
                   [](Bytes size, Random& r) {
                     const double step = size.value > 65536 ? 100e-6 : 0;
                     return (line(size, 20e-6, 1e-9) + step) * (1 + 0.02 * normal(r));
                   });
    EXPECT_FALSE(find_escalations(sweep, 0.95).found) << run;
  }
}

struct Noise {
  std::string name;
  std::function<double(Random&)> factor;  ///< of the time
};

const std::vector<Noise>& noises() {
  static const std::vector<Noise> all{
      {"normal 1 %", [](Random& r) { return 1 + 0.01 * normal(r); }},
      {"normal 5 %", [](Random& r) { return 1 + 0.05 * normal(r); }},
      {"lognormal 3 %", [](Random& r) { return std::exp(0.03 * normal(r)); }},
      {"lognormal 10 %", [](Random& r) { return std::exp(0.1 * normal(r)); }},
      {"lognormal 30 %", [](Random& r) { return std::exp(0.3 * normal(r)); }},
      {"exponential 20 %", [](Random& r) { return 1 + jitter(r, 0.2); }},
      {"uniform 20 %", [](Random& r) { return uniform(r, 0.8, 1.2); }}};
  return all;
}

constexpr int densities[] = {1, 2, 4, 8};  ///< sizes in an octave
constexpr int repeated[] = {7, 10, 20};

/// 1 B to 1 MiB.
std::vector<Bytes> dense_sizes(int per_octave) {
  std::vector<Bytes> sizes;
  for (int k = 0; k <= 20 * per_octave; ++k) {
    const Bytes size{static_cast<std::uint64_t>(std::llround(std::exp2(1.0 * k / per_octave)))};
    if (sizes.empty() || size > sizes.back()) sizes.push_back(size);
  }
  return sizes;
}

/// By so much more above a size, or up to it.
struct Step {
  double time{};
  std::uint64_t size{};
  bool down{};
  [[nodiscard]] double at(Bytes other) const { return (other.value > size) != down ? time : 0; }
};
constexpr Step steps[] = {{0, 0, false},
                          {30e-6, 1000, false},
                          {100e-6, 8192, false},
                          {30e-6, 1000, true},
                          {100e-6, 8192, true}};

#ifdef NDEBUG
constexpr int grid_runs = 40;
#else
constexpr int grid_runs = 2;
#endif

/// False alarms of one cell of the grid, all times `scale` times longer.
int false_alarms(double scale, const Step& step, const Noise& noise, int per_octave,
                 int repetitions, std::uint64_t& seed) {
  const std::vector<Bytes> sizes = dense_sizes(per_octave);
  int found = 0;
  for (int run = 0; run < grid_runs; ++run) {
    const Sweep sweep =
        make_sweep("gather", sizes, repetitions, ++seed, [&](Bytes size, Random& r) {
          return scale * (line(size, 10e-6, 1e-9) + step.at(size)) * noise.factor(r);
        });
    found += find_escalations(sweep, 0.95).found ? 1 : 0;
  }
  return found;
}

/// Of 10 ms to 1 s, at which the shortest escalation plays no part.
TEST(Escalations, StepsWithNoiseAreNone) {
  std::uint64_t seed = 0;
  int worst = 0;
  int sum = 0;
  for (const Step& step : steps) {
    for (const Noise& noise : noises()) {
      for (const int per_octave : densities) {
        for (const int repetitions : repeated) {
          const int found = false_alarms(1000, step, noise, per_octave, repetitions, seed);
          EXPECT_LE(found, std::max(1.0, 0.05 * grid_runs))
              << noise.name << ", step of " << step.time << " at " << step.size << ", "
              << per_octave << " sizes an octave, " << repetitions << " repetitions";
          worst = std::max(worst, found);
          sum += found;
        }
      }
    }
  }
  RecordProperty("worst_cell", worst);
  RecordProperty("all_cells", sum);
}

TEST(Escalations, StepsOfMicrosecondsAreNone) {
  std::uint64_t seed = 0;
  for (const Step& step : steps) {
    for (const Noise& noise : noises()) {
      EXPECT_EQ(false_alarms(1, step, noise, 4, 10, seed), 0) << noise.name << ", " << step.size;
    }
  }
}

/// What became of planted ranges.
struct Tally {
  int all{};
  int found{};
  int first_held{};
  int ends{};
  int last_held{};
};

constexpr double planted_m1 = 5000;
constexpr double planted_m2 = 70000;

/// 10 us to 1 ms with a step of 100 us, and escalations between the two sizes.
Sweep planted(const Noise& noise, double leap, double rate, int per_octave, int repetitions,
              std::uint64_t seed) {
  return make_sweep("gather", dense_sizes(per_octave), repetitions, seed,
                    [&](Bytes size, Random& r) {
                      const auto bytes = static_cast<double>(size.value);
                      const bool medium = bytes > planted_m1 && bytes <= planted_m2;
                      const double time = line(size, 10e-6, 1e-9) + steps[2].at(size);
                      return time * noise.factor(r) + (medium && chance(r, rate) ? leap : 0);
                    });
}

void count(const Sweep& sweep, Tally& tally) {
  const Escalations result = find_escalations(sweep, 0.95);
  ++tally.all;
  if (!result.found) return;
  ++tally.found;
  const auto size = [&](std::size_t p) {
    return p < sweep.points.size() ? static_cast<double>(sweep.points[p].size.value) : HUGE_VAL;
  };
  const double below = result.first_low > 0 ? size(result.first_low - 1) : 0;
  tally.first_held += below <= planted_m1 && planted_m1 < size(result.first_high) ? 1 : 0;
  if (!result.ends) return;
  ++tally.ends;
  const bool held = size(result.last_low) <= planted_m2 && planted_m2 < size(result.last_high + 1);
  tally.last_held += held ? 1 : 0;
}

/// One cell, over all kinds of noise.
Tally count_planted(double rate, int per_octave, int repetitions, std::uint64_t& seed) {
  Tally tally;
  for (const Noise& noise : noises()) {
    for (const double leap : {0.02, 0.2}) {
      for (int run = 0; run < std::max(1, grid_runs / 10 / per_octave); ++run) {
        count(planted(noise, leap, rate, per_octave, repetitions, ++seed), tally);
      }
    }
  }
  return tally;
}

TEST(Escalations, PlantedRangesAreHeldUnderNoise) {
  constexpr double enough = 13;  ///< escalated repetitions, expected
  std::uint64_t seed = 0;
  for (const int per_octave : densities) {
    Tally sum;
    for (const int repetitions : repeated) {
      for (const double rate : {0.1, 0.2, 0.5}) {
        const Tally tally = count_planted(rate, per_octave, repetitions, seed);
        const std::string what = std::to_string(per_octave) + " sizes an octave, rate " +
                                 std::to_string(rate) + ", " + std::to_string(repetitions) +
                                 " repetitions";
        const double octaves = std::log2(planted_m2 / planted_m1);
        if (rate * repetitions * per_octave * octaves > enough) {
          EXPECT_GE(tally.found, 0.9 * tally.all) << what;
        }
        sum.found += tally.found;
        sum.first_held += tally.first_held;
        sum.ends += tally.ends;
        sum.last_held += tally.last_held;
        RecordProperty(what, std::to_string(tally.found) + " of " + std::to_string(tally.all));
      }
    }
    EXPECT_GE(sum.first_held, 0.95 * sum.found) << per_octave;
    EXPECT_GE(sum.last_held, 0.95 * sum.ends) << per_octave;
    RecordProperty(std::to_string(per_octave) + " sizes an octave",
                   std::to_string(sum.found) + " found, M1 held in " +
                       std::to_string(sum.first_held) + ", M2 in " + std::to_string(sum.last_held) +
                       " of " + std::to_string(sum.ends));
  }
}

TEST(Escalations, NoiseOfLargeSizesDoesNotHideThem) {
  std::vector<Bytes> sizes;
  for (const Bytes size : dense_sizes(8)) sizes.push_back(Bytes{size.value * 1000});
  const Sweep sweep = make_sweep("gather", sizes, 20, 7, [](Bytes size, Random& r) {
    const bool medium = size.value > 3000000 && size.value <= 60000000;
    return line(size, 10e-6, 1e-9) * std::exp(0.3 * normal(r)) +
           (medium && chance(r, 0.2) ? 0.2 : 0);
  });
  const Escalations found = find_escalations(sweep, 0.95);
  ASSERT_TRUE(found.found) << found.reason;
  EXPECT_LE(sizes[found.first_low - 1].value, 3000000U);
  EXPECT_GT(sizes[found.first_high].value, 3000000U);
}

/// As scatter does from 128 B to 8 KiB with four ranks on two cores.
TEST(Escalations, TwoModesOfACrowdedMachineAreNone) {
  const Sweep sweep = make_sweep("scatter", dense_sizes(2), 15, 7, [](Bytes size, Random& r) {
    const bool crowded = size.value >= 128 && size.value <= 8192;
    const double slow = crowded && chance(r, 0.4) ? 17e-6 : 0;
    return (line(size, 7e-6, 1e-9) + slow) * (1 + 0.1 * std::abs(normal(r)));
  });
  const Escalations found = find_escalations(sweep, 0.95);
  EXPECT_FALSE(found.found);
  EXPECT_EQ(found.rate_inside, 0);
  EXPECT_THAT(found.reason, HasSubstr("as on a crowded machine"));
  EXPECT_THAT(found.reason, HasSubstr("at least 1.00 ms longer"));
}

/// The sizes that a sweep adds where it suspects something are timed in one go.
TEST(Escalations, ADisturbanceOfAddedSizesIsOnlySuspected) {
  std::vector<Bytes> sizes = dense_sizes(1);
  for (const std::uint64_t added : {76, 91, 108}) sizes.push_back(Bytes{added});
  std::ranges::sort(sizes);
  const Sweep sweep = make_sweep("scatter", sizes, 7, 7, [](Bytes size, Random& r) {
    const bool disturbed = size.value > 64 && size.value < 128;
    return line(size, 7e-6, 1e-9) + jitter(r, 1e-6) + (disturbed && chance(r, 0.5) ? 3e-3 : 0);
  });
  const Escalations found = find_escalations(sweep, 0.95);
  EXPECT_FALSE(found.found);
  EXPECT_THAT(found.reason, HasSubstr("no escalations for certain"));
}

/// Up to 4 KiB regular, then some, at 32 and 64 KiB all repetitions escalate, from 128 KiB on none.
TEST(Escalations, SizesAtWhichAllRepetitionsEscalateBelongToThem) {
  int turn = 0;
  const Sweep sweep =
      make_sweep("gather", doubling_sizes(64, 1 << 20), 10, 7, [&](Bytes size, Random& r) {
        const bool some = size.value >= 8192 && size.value < 32768 && ++turn % 2 == 0;
        const bool all = size.value >= 32768 && size.value <= 65536;
        return line(size, 1e-4, 3e-6) * (1 + 0.01 * std::abs(normal(r))) + (some || all ? 0.4 : 0);
      });
  const Escalations found = find_escalations(sweep, 0.95);
  ASSERT_TRUE(found.found) << found.reason;
  EXPECT_EQ(found.first, 7U);
  EXPECT_EQ(found.last, 10U);
  EXPECT_TRUE(found.ends);
}

TEST(Escalations, TooManySizesAreSaid) {
  std::vector<Bytes> sizes;
  for (std::uint64_t size = 1; size <= 20000; ++size) sizes.push_back(Bytes{size});
  const Sweep sweep = make_sweep("gather", sizes, 2, 7, [](Bytes size, Random& r) {
    return line(size, 1e-4, 1e-9) + jitter(r, 5e-6);
  });
  const Escalations found = find_escalations(sweep, 0.95);
  EXPECT_FALSE(found.found);
  EXPECT_THAT(found.reason, ::testing::HasSubstr("more than 1000 sizes"));
}

TEST(Escalations, SingleTimesCannotShowThem) {
  const Escalations found = find_escalations(
      testing::single_times(plain_sweep([](Bytes size) { return size.value == 16384; })), 0.95);
  EXPECT_FALSE(found.found);
  EXPECT_THAT(found.reason, HasSubstr("every size has a single time"));
}

TEST(Escalations, NoiseFreeTimesHaveNone) {
  const Sweep sweep = make_sweep("gather", doubling_sizes(1, 1 << 20), 5, 1,
                                 [](Bytes size, Random&) { return line(size, 1e-4, 1e-9); });
  const Escalations found = find_escalations(sweep, 0.95);
  EXPECT_FALSE(found.found);
  EXPECT_THAT(found.reason, HasSubstr("no escalations"));
}

TEST(Escalations, BadInputIsRefused) {
  EXPECT_THROW((void)find_escalations(Sweep{}, 0.95), InputError);
  EXPECT_THROW((void)find_escalations(plain_sweep([](Bytes) { return false; }), 1), InputError);
}

}  // namespace commgauge::verdict_test
