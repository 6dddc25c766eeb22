#include "thresholds/sweep_warnings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "threshold_sweeps.hpp"

namespace commgauge {
namespace {

using ::testing::ElementsAre;
using testing::half_octaves;
using testing::measured;
using testing::quiet_sweep;

TEST(SweepWarnings, OfLateRepetitionsAndOfSizesLeftOut) {
  Measurements measurements = measured({quiet_sweep("scatter"), quiet_sweep("gather")}, 65536);
  const auto repetitions = static_cast<double>(20 * half_octaves().size());
  SweepRun& run = measurements.launches[0].sweep_run.emplace();
  const auto warned_of = [&](const std::string& text) {
    const std::vector<std::string> warnings = find_thresholds(measurements, {}).warnings;
    return std::ranges::any_of(warnings, [&](const std::string& warning) {
      return warning.find(text) != std::string::npos;
    });
  };
  EXPECT_FALSE(warned_of("started late"));
  run.late = std::lround(0.09 * repetitions);
  EXPECT_FALSE(warned_of("started late"));
  run.late = std::lround(0.25 * repetitions);
  EXPECT_TRUE(warned_of("in 25 % of the sweeps' repetitions a rank started late"));
  EXPECT_FALSE(warned_of("the sweeps stop"));
  run.limited = "stop at 1 KiB";
  EXPECT_TRUE(warned_of("the sweeps stop at 1 KiB"));
}

TEST(SweepWarnings, NameTheLaunchWhereThereAreSeveral) {
  Measurements measurements = measured({quiet_sweep("scatter")}, 65536);
  measurements.launches.push_back(measurements.launches.front());
  measurements.launches[1].sweep_run = SweepRun{"", 0, "stop at 1 KiB"};
  EXPECT_THAT(sweep_warnings(measurements), ElementsAre("the sweeps of launch 1 stop at 1 KiB"));
}

}  // namespace
}  // namespace commgauge
