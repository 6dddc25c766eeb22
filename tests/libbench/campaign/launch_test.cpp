#include "campaign/launch.hpp"

#include <gtest/gtest.h>

namespace commgauge::bench::launch_test {

TEST(DescribeOptions, SaysWhatPassesWereMadeOf) {
  Options options;
  options.models = {"lmo", "hockney"};
  options.precision = 0.02;
  options.passes = 9;
  options.min_reps = 4;
  options.receive_progress = true;
  const CampaignSizes sizes{{Bytes{1}, Bytes{1024}}, Bytes{512}, {Bytes{1024}}, {}};
  const auto described = describe_options(options, sizes);
  EXPECT_EQ(described.at("models"), "hockney,lmo");
  EXPECT_EQ(described.at("sizes"), "1,1024");
  EXPECT_EQ(described.at("one_to_two_size"), "512");
  EXPECT_EQ(described.at("bulk_sizes"), "1024");
  EXPECT_EQ(described.at("check_sizes"), "");
  EXPECT_EQ(described.at("passes"), "9");
  EXPECT_EQ(described.at("min_reps"), "4");
  EXPECT_EQ(described.at("receive_progress"), "yes");
  EXPECT_EQ(described.at("precision_of_a_pass"), "0.060000");
}

TEST(DescribeLaunch, HasWordsForScheduleAndWait) {
  EXPECT_EQ(to_text(ScheduleChoice{true, {}}), "serial");
  EXPECT_EQ(to_text(ScheduleChoice{false, {}}), "parallel");
  EXPECT_EQ(to_text(WaitMode::yield), "yield");
  EXPECT_EQ(to_text(WaitMode::blocking), "blocking");
}

}  // namespace commgauge::bench::launch_test
