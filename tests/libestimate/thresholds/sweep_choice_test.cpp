#include "thresholds/sweep_choice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "threshold_sweeps.hpp"

namespace commgauge::sweep_choice_test {

using ::testing::Contains;
using ::testing::Field;
using testing::measured;
using ::testing::Not;
using testing::quiet_sweep;
using testing::scatter_sweep;
using testing::scatter_truth;
using testing::thresholds_of;

TEST(SweepChoice, TheLibrarysOwnWhereTheFlatOneIsMissing) {
  const Thresholds library = thresholds_of({scatter_sweep("scatter_library")});
  EXPECT_EQ(library.scatter_break.size, Bytes{scatter_truth});
  EXPECT_THAT(library.warnings,
              Contains(Diagnostic{.kind = "library_sweep",
                                  .problem = "no flat scatter was swept",
                                  .advice = "its thresholds are those of the MPI library's own"}));
  const Thresholds both = thresholds_of({quiet_sweep("scatter_library"), scatter_sweep()});
  EXPECT_EQ(both.scatter_break.size, Bytes{scatter_truth});
}

TEST(SweepChoice, SayWhichSweepTheyAreOf) {
  Measurements measurements = measured({scatter_sweep(), quiet_sweep("gather_library")}, 65536);
  measurements.launches[0].sweep_run = SweepRun{.timing = "root"};
  for (Sweep& sweep : measurements.sweeps) sweep.root = 2;
  const Thresholds found = find_thresholds(measurements, {});
  ASSERT_TRUE(found.scatter_sweep && found.gather_sweep);
  EXPECT_EQ(found.scatter_sweep->algorithm, "flat");
  EXPECT_EQ(found.scatter_sweep->timing, "root");
  EXPECT_EQ(found.scatter_sweep->root, 2);
  EXPECT_EQ(found.scatter_sweep->launches, (std::vector{0}));
  EXPECT_EQ(found.gather_sweep->algorithm, "library");
  EXPECT_THAT(found.warnings, Not(Contains(Field(&Diagnostic::kind, "joined_launches"))));

  const Thresholds csv = thresholds_of({scatter_sweep()});
  ASSERT_TRUE(csv.scatter_sweep);
  EXPECT_EQ(csv.scatter_sweep->root, std::nullopt);
  EXPECT_FALSE(csv.gather_sweep);
}

TEST(SweepChoice, OtherRootsAndTimingsAreNotJoinedAndNamed) {
  Measurements measurements = measured({scatter_sweep(), scatter_sweep(), scatter_sweep()}, 65536);
  measurements.launches.push_back(measurements.launches.front());
  measurements.launches[0].sweep_run = SweepRun{.timing = "global"};
  measurements.launches[1].sweep_run = SweepRun{.timing = "root"};
  measurements.sweeps[1].root = 3;
  measurements.sweeps[2].launch = 1;
  const Thresholds found = find_thresholds(measurements, {});
  EXPECT_EQ(found.sweeps.size(), 3U);
  EXPECT_EQ(found.scatter_sweep->root, 0);
  EXPECT_THAT(found.warnings,
              Contains(Diagnostic{
                  .kind = "several_sweeps",
                  .count = 3,
                  .problem = "the thresholds of scatter are those of root 0, timing global",
                  .advice = "it was swept as well with root 3, timing global; root 0, timing "
                            "root"}));
}

TEST(SweepChoice, IsNullWhereNothingWasSwept) {
  Thresholds thresholds;
  EXPECT_EQ(choose_sweep(thresholds, "scatter"), nullptr);
  thresholds.sweeps.resize(1);
  thresholds.sweeps[0].sweep = quiet_sweep("scatter_library");
  EXPECT_EQ(choose_sweep(thresholds, "scatter"), thresholds.sweeps.data());
  EXPECT_EQ(choose_sweep(thresholds, "gather"), nullptr);
}

}  // namespace commgauge::sweep_choice_test
