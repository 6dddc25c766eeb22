#include "thresholds/sweep_warnings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "threshold_sweeps.hpp"

namespace commgauge::sweep_warnings_test {

using ::testing::ElementsAre;
using testing::half_octaves;
using ::testing::IsEmpty;
using testing::measured;
using testing::quiet_sweep;

const Diagnostic cut_short{.kind = "sweeps_cut_short",
                           .problem = "stop at 1 KiB",
                           .reason = "memory",
                           .advice = "start fewer ranks"};

TEST(SweepWarnings, OfLateRepetitionsAndOfSizesLeftOut) {
  Measurements measurements = measured({quiet_sweep("scatter"), quiet_sweep("gather")}, 65536);
  const auto repetitions = static_cast<double>(20 * half_octaves().size());
  SweepRun& run = measurements.launches[0].sweep_run.emplace();
  const auto warnings = [&] { return find_thresholds(measurements, {}).warnings; };
  EXPECT_THAT(warnings(), IsEmpty());
  run.late = std::lround(0.09 * repetitions);
  EXPECT_THAT(warnings(), IsEmpty());
  run.late = std::lround(0.25 * repetitions);
  const Diagnostic late{.kind = "late_starts",
                        .count = run.late,
                        .problem =
                            "in 25 % of the sweeps' repetitions a rank started late (its "
                            "core was busy), so their times are too long",
                        .advice =
                            "give each rank a core of its own, or measure with --timing "
                            "longest"};
  EXPECT_THAT(warnings(), ElementsAre(late));
  run.limited = cut_short;
  EXPECT_THAT(warnings(), ElementsAre(late, Diagnostic{.kind = "sweeps_cut_short",
                                                       .problem = "the sweeps stop at 1 KiB",
                                                       .reason = "memory",
                                                       .advice = "start fewer ranks"}));
}

TEST(SweepWarnings, NameTheLaunchWhereThereAreSeveral) {
  Measurements measurements = measured({quiet_sweep("scatter")}, 65536);
  measurements.launches.push_back(measurements.launches.front());
  measurements.launches[1].sweep_run = SweepRun{.limited = cut_short};
  EXPECT_THAT(texts_of(sweep_warnings(measurements)),
              ElementsAre("the sweeps of launch 1 stop at 1 KiB (memory): start fewer ranks"));
}

}  // namespace commgauge::sweep_warnings_test
