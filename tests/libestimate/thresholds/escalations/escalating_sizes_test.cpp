#include "thresholds/escalations/escalating_sizes.hpp"
#include "commgauge/thresholds/thresholds.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>

namespace commgauge::escalating_sizes_test {

/// Sizes 1, 2, 4, ... 32 B, of which 4 and 8 escalate, maybe 2 as well.
SweepAnalysis four_and_eight(const std::string& kind = "gather") {
  SweepAnalysis analysis;
  analysis.sweep.kind = kind;
  for (std::uint64_t size = 1; size <= 32; size *= 2) {
    analysis.sweep.points.push_back({Bytes{size}, {1e-5}});
  }
  Escalations& found = analysis.escalations;
  found.found = found.ends = true;
  found.first_high = found.first = 2;
  found.first_low = 1;
  found.last_low = found.last_high = found.last = 3;
  return analysis;
}

void expect_threshold(const Threshold& found, std::optional<Bytes> size, std::optional<Bytes> low,
                      std::optional<Bytes> high, const std::string& reason) {
  EXPECT_EQ(found.size, size);
  EXPECT_EQ(found.low, low);
  EXPECT_EQ(found.high, high);
  EXPECT_EQ(found.reason, reason);
}

TEST(GatherM1, LiesBelowTheEscalations) {
  SweepAnalysis analysis = four_and_eight();
  expect_threshold(gather_m1(analysis), Bytes{2}, Bytes{1}, Bytes{4}, "");
  analysis.escalations.first_low = 0;
  expect_threshold(gather_m1(analysis), Bytes{2}, {}, Bytes{4},
                   "escalations may begin at the smallest size: measure smaller ones");
  analysis.escalations.first = 0;
  expect_threshold(gather_m1(analysis), {}, {}, {},
                   "escalations from the smallest size on (1 B): measure smaller ones");
}

TEST(GatherM2, IsTheLastThatEscalates) {
  SweepAnalysis analysis = four_and_eight();
  expect_threshold(gather_m2(analysis), Bytes{8}, Bytes{8}, Bytes{16}, "");
  analysis.escalations.last_high = 5;
  expect_threshold(gather_m2(analysis), Bytes{8}, Bytes{8}, {},
                   "escalations may go on up to the largest size: measure larger ones");
  analysis.escalations.ends = false;
  expect_threshold(gather_m2(analysis), {}, {}, {},
                   "escalations up to 8 B (larger sizes take so long that as much more would not "
                   "stand out there)");
  analysis.escalations.last = 5;
  expect_threshold(gather_m2(analysis), {}, {}, {},
                   "escalations up to the largest size measured (32 B): measure larger ones");
}

TEST(GatherThresholds, AreNoneWithoutEscalations) {
  SweepAnalysis analysis = four_and_eight();
  analysis.escalations = {};
  analysis.escalations.reason = "quiet";
  expect_threshold(gather_m1(analysis), {}, {}, {}, "quiet");
  expect_threshold(gather_m2(analysis), {}, {}, {}, "quiet");
}

TEST(EscalatingSizes, AreThoseOfScatterAndGather) {
  Thresholds thresholds;
  EXPECT_FALSE(escalating_sizes(thresholds));
  thresholds.sweeps = {four_and_eight("gather"), four_and_eight("scatter_library")};
  ASSERT_TRUE(escalating_sizes(thresholds));
  EXPECT_EQ(escalating_sizes(thresholds)->above, Bytes{1});
  EXPECT_EQ(escalating_sizes(thresholds)->regular_from, Bytes{16});

  SweepAnalysis scatter = four_and_eight("scatter");
  scatter.escalations.first_low = 2;
  scatter.escalations.last_high = 4;
  thresholds.sweeps.push_back(scatter);
  EXPECT_EQ(escalating_sizes(thresholds)->above, Bytes{1}) << "of the gather";
  EXPECT_EQ(escalating_sizes(thresholds)->regular_from, Bytes{32}) << "of the scatter";
  thresholds.sweeps[0].escalations.ends = false;
  EXPECT_EQ(escalating_sizes(thresholds)->regular_from, std::nullopt);
}

}  // namespace commgauge::escalating_sizes_test
