#include "thresholds/eager_limit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "threshold_sweeps.hpp"

namespace commgauge::eager_limit_test {

using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;
using testing::measured;
using ::testing::Not;
using testing::scatter_sweep;

const Diagnostic disagreement{.kind = "eager_limits_differ",
                              .problem = "the launches disagree about the eager limit",
                              .advice = "the smallest is used"};

/// Launches with a limit and the largest size probed.
using Probes = std::vector<std::pair<std::optional<std::uint64_t>, std::optional<std::uint64_t>>>;

Thresholds probed(const Probes& probes) {
  Measurements measurements = measured({scatter_sweep()}, std::nullopt);
  measurements.launches.clear();
  for (const auto& [limit, largest] : probes) {
    measurements.launches.push_back(samples::launch(4));
    measurements.launches.back().eager_limit_bytes = limit;
    measurements.launches.back().eager_probed_bytes = largest;
  }
  return find_thresholds(measurements, {});
}

void expect_limit(const Threshold& limit, std::optional<Bytes> size, std::optional<Bytes> low,
                  std::optional<Bytes> high, const std::string& reason) {
  EXPECT_EQ(limit.size, size);
  EXPECT_EQ(limit.low, low);
  EXPECT_EQ(limit.high, high);
  EXPECT_EQ(limit.reason, reason);
}

TEST(EagerLimit, HoldsWhatTheLaunchesFound) {
  const Thresholds found = probed({{65536, 1 << 20}, {8192, 1 << 20}, {16384, 1 << 20}});
  expect_limit(found.eager_limit, Bytes{8192}, Bytes{8192}, Bytes{65537}, "");
  EXPECT_THAT(found.warnings, Contains(disagreement));
  // Scatter breaks where one of them says.
  EXPECT_THAT(found.warnings, Not(Contains(Field(&Diagnostic::kind, "break_not_at_eager_limit"))));
}

TEST(EagerLimit, IsOpenWhereALaunchFoundNone) {
  const Thresholds found = probed({{65536, 1 << 20}, {std::nullopt, 32768}});
  expect_limit(found.eager_limit, Bytes{65536}, Bytes{32768}, std::nullopt,
               "in 1 of 2 launches messages of all probed sizes are eager (up to 32 KiB)");
  EXPECT_THAT(found.warnings, Contains(disagreement));
}

TEST(EagerLimit, OfTheUserHasNoInterval) {
  const Thresholds found = probed({{8192, 0}, {8192, 0}});
  expect_limit(found.eager_limit, Bytes{8192}, {}, {}, "given, not probed");
  EXPECT_THAT(
      found.warnings,
      Contains(Field(&Diagnostic::advice,
                     "the break has another cause, or the limit is another (given, not probed)")));
  expect_limit(probed({{8192, 0}, {8192, 1 << 20}}).eager_limit, Bytes{8192}, {}, {},
               "in some launches given, not probed");
}

TEST(EagerLimit, OfAnOldFileHasNoInterval) {
  expect_limit(probed({{8192, {}}}).eager_limit, Bytes{8192}, {}, {},
               "not known to be probed (a file of an older version does not say)");
  EXPECT_THAT(probed({{{}, {}}}).eager_limit.reason,
              HasSubstr("messages of all probed sizes are eager, or it was not probed"));
}

TEST(EagerLimit, NotProbedIsNotAllEager) {
  expect_limit(probed({{{}, 0}}).eager_limit, {}, {}, {}, "not probed");
  expect_limit(probed({{{}, 1 << 20}, {{}, 65536}}).eager_limit, {}, {}, {},
               "messages of all probed sizes are eager (up to 64 KiB)");
  expect_limit(probed({{{}, 0}, {8192, 1 << 20}}).eager_limit, Bytes{8192}, Bytes{8192},
               Bytes{8193}, "");
}

TEST(EagerLimit, NobodyDisagreesWhereAllFoundTheSame) {
  Launch launch = samples::launch(4);
  launch.eager_limit_bytes = 8192;
  launch.eager_probed_bytes = 1 << 20;
  std::vector<Launch> launches{launch, launch};
  EXPECT_FALSE(eager_limit_of(launches).disagreement);
  launches[1].eager_limit_bytes = 4096;
  EXPECT_EQ(eager_limit_of(launches).disagreement, disagreement);
}

}  // namespace commgauge::eager_limit_test
