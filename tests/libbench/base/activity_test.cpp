#include "base/activity.hpp"

#include <gtest/gtest.h>

#include <string>

namespace commgauge::bench::activity_test {

TEST(Activity, SaysWhatExperimentIsUnderWay) {
  const std::uint64_t before = activity().steps;
  EXPECT_STREQ(activity().experiment, "");
  {
    const ExperimentUnderWay under_way{round_trip(2, 5, Bytes{65536}, Bytes{0})};
    EXPECT_STREQ(activity().experiment, "round_trip of rank 2 with rank 5, 64 KiB");
  }
  EXPECT_STREQ(activity().experiment, "");
  EXPECT_GT(activity().steps, before);
}

TEST(Activity, NamesTheFirstOfManyPeers) {
  Experiment experiment;
  experiment.kind = Kind::gather;
  for (int peer = 1; peer <= 1000; ++peer) experiment.peers.push_back(peer);
  experiment.back = Bytes{8};
  const ExperimentUnderWay under_way{experiment};
  EXPECT_STREQ(activity().experiment, "gather of rank 0 with ranks 1, 2, 3, 4, ..., 8 B");
}

TEST(Activity, EachStepCounts) {
  const std::uint64_t before = activity().steps;
  note_step();
  note_step();
  EXPECT_EQ(activity().steps, before + 2);
}

TEST(Activity, KnowsWhetherWhatWasMeasuredIsKept) {
  for (const bool is_kept : {true, false}) {
    note_kept(is_kept);
    EXPECT_EQ(activity().is_kept, is_kept);
  }
}

TEST(Activity, SleepsWhileOthersMeasure) {
  {
    const Asleep asleep;
    EXPECT_TRUE(activity().is_asleep);
  }
  EXPECT_FALSE(activity().is_asleep);
}

}  // namespace commgauge::bench::activity_test
