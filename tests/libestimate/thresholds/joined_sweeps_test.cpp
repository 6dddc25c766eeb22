#include "thresholds/joined_sweeps.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace commgauge::joined_sweeps_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Two passes over sizes 1 and 2.
Sweep swept(int launch, int root = 0) {
  Sweep sweep{"scatter", root, launch, {}};
  for (const std::uint64_t size : {1, 2}) add_times(sweep, Bytes{size}, {{1e-5, 2e-5}}, {{0, 1}});
  return sweep;
}

Measurements measured(std::vector<Sweep> sweeps) {
  Measurements measurements;
  measurements.launches.resize(2);
  measurements.sweeps = std::move(sweeps);
  return measurements;
}

TEST(JoinedSweeps, PassesFollowOneAnother) {
  std::vector<Diagnostic> warnings;
  const auto joined = join_launches(measured({swept(0), swept(1)}), warnings);
  ASSERT_EQ(joined.size(), 1U);
  EXPECT_THAT(joined[0].launches, ElementsAre(0, 1));
  EXPECT_THAT(joined[0].ends, ElementsAre(2, 4));
  EXPECT_THAT(joined[0].sweep.points[1].passes, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(joined[0].sweep.points[1].times_s, ElementsAre(1e-5, 2e-5, 1e-5, 2e-5));
  EXPECT_THAT(warnings,
              ElementsAre(Diagnostic{.kind = "joined_launches",
                                     .count = 2,
                                     .problem = "sweeps of scatter from 2 launches are joined",
                                     .advice = "intervals hold what varies within a launch and "
                                               "miss what differs between launches"}));
}

TEST(JoinedSweeps, OtherRootsAndTimingsStayApart) {
  std::vector<Diagnostic> warnings;
  EXPECT_EQ(join_launches(measured({swept(0), swept(1, 1)}), warnings).size(), 2U);
  Measurements timings = measured({swept(0), swept(1)});
  timings.launches[1].sweep_run = SweepRun{.timing = "root"};
  EXPECT_EQ(timing_of(timings.launches, timings.sweeps[0]), "");
  EXPECT_EQ(timing_of(timings.launches, timings.sweeps[1]), "root");
  EXPECT_EQ(timing_of({}, timings.sweeps[1]), "");
  EXPECT_EQ(join_launches(timings, warnings).size(), 2U);
  EXPECT_THAT(warnings, IsEmpty());
}

TEST(JoinedSweeps, OtherSizesAreSaid) {
  std::vector<Diagnostic> warnings;
  Sweep shorter = swept(1);
  shorter.points.pop_back();
  EXPECT_EQ(join_launches(measured({swept(0), shorter}), warnings).size(), 1U);
  ASSERT_EQ(warnings.size(), 2U);
  EXPECT_EQ(warnings[0],
            (Diagnostic{.kind = "swept_at_different_sizes",
                        .problem = "launches swept scatter at different sizes",
                        .advice = "where one is slower than another, that can look like a break"}));
  EXPECT_EQ(warnings[1].kind, "joined_launches");
}

}  // namespace commgauge::joined_sweeps_test
