#include "commgauge/replay/paths/walked_marks.hpp"

#include <gtest/gtest.h>

#include "commgauge/replay/run/replay.hpp"
#include "made_machine.hpp"
#include "marked_rank.hpp"

namespace commgauge::replay::walked_marks_test {

using simulate::Cause;
using simulate::Moment;

simulate::Machine machine(double time_ratio) {
  simulate::Machine made = simulate::machine_of(simulate::lmo_model(2, 1000), "lmo");
  made.time_ratios.assign(2, {time_ratio, time_ratio, time_ratio});
  return made;
}

struct Replayed {
  simulate::Causes causes{2};
  Result result;

  explicit Replayed(double time_ratio) {
    Options options;
    options.keeps_timeline = true;
    options.causes = &causes;
    result = replay(one_message_in_a_region(), machine(time_ratio), options);
  }
};

void expect_same(const std::vector<std::vector<Mark>>& marks, const Result& result) {
  ASSERT_EQ(marks.size(), result.marks.size());
  for (std::size_t r = 0; r < marks.size(); ++r) {
    ASSERT_EQ(marks[r].size(), result.marks[r].size());
    for (std::size_t k = 0; k < marks[r].size(); ++k) {
      EXPECT_NEAR(marks[r][k].time, result.marks[r][k].time, 1e-15) << r << ", mark " << k;
    }
  }
}

TEST(WalkedMarks, ComputingHalfAsFastIsAReplayOnSlowerProcessors) {
  const Replayed fast(1);
  const Replayed slow(2);
  const auto doubled = [](Moment, const Cause& cause) {
    return cause.why == simulate::Why::computing ? 2 * cause.delay : cause.delay;
  };
  ASSERT_GT(slow.result.marks[0].back().time, fast.result.marks[0].back().time);
  expect_same(walked_marks(fast.result, LongestPaths(fast.causes), doubled), slow.result);
}

TEST(WalkedMarks, AReceiverThatNeedNotWaitIsDoneSooner) {
  const Replayed run(1);
  const auto without_waits = [](Moment, const Cause& cause) {
    return cause.why == simulate::Why::waiting ? never_delays : cause.delay;
  };
  const auto marks = walked_marks(run.result, LongestPaths(run.causes), without_waits);
  for (std::size_t k = 0; k < marks[0].size(); ++k) {
    EXPECT_EQ(marks[0][k].time, run.result.marks[0][k].time) << k;
  }
  EXPECT_NEAR(marks[1].back().time, 10e-6 + 100 * 1e-9, 1e-15);  // C + 100 t
}

}  // namespace commgauge::replay::walked_marks_test
