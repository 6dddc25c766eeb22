#include "thresholds/joined_sweeps.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace commgauge {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

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
  std::vector<std::string> warnings;
  const auto joined = join_launches(measured({swept(0), swept(1)}), warnings);
  ASSERT_EQ(joined.size(), 1U);
  EXPECT_THAT(joined[0].launches, ElementsAre(0, 1));
  EXPECT_THAT(joined[0].ends, ElementsAre(2, 4));
  EXPECT_THAT(joined[0].sweep.points[1].passes, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(joined[0].sweep.points[1].times_s, ElementsAre(1e-5, 2e-5, 1e-5, 2e-5));
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("from 2 launches are joined")));
}

TEST(JoinedSweeps, OtherRootsAndTimingsStayApart) {
  std::vector<std::string> warnings;
  EXPECT_EQ(join_launches(measured({swept(0), swept(1, 1)}), warnings).size(), 2U);
  Measurements timings = measured({swept(0), swept(1)});
  timings.launches[1].sweep_run = SweepRun{"root", 0, ""};
  EXPECT_EQ(timing_of(timings.launches, timings.sweeps[0]), "");
  EXPECT_EQ(timing_of(timings.launches, timings.sweeps[1]), "root");
  EXPECT_EQ(timing_of({}, timings.sweeps[1]), "");
  EXPECT_EQ(join_launches(timings, warnings).size(), 2U);
  EXPECT_THAT(warnings, IsEmpty());
}

TEST(JoinedSweeps, OtherSizesAreSaid) {
  std::vector<std::string> warnings;
  Sweep shorter = swept(1);
  shorter.points.pop_back();
  EXPECT_EQ(join_launches(measured({swept(0), shorter}), warnings).size(), 1U);
  EXPECT_THAT(warnings, Contains(HasSubstr("at different sizes")));
}

}  // namespace
}  // namespace commgauge
