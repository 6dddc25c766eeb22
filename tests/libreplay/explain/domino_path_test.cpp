#include "explain/domino_path.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "commgauge/replay/run/replay.hpp"
#include "made_program.hpp"

namespace commgauge::replay::domino_path_test {

using testing::ElementsAre;

/// Each of four ranks computes 1 ms, waits for the one before it, computes 10 ms, and sends on.
class FourDominoes : public testing::Test {
 protected:
  FourDominoes() {
    made.compute(0, 10).send(0, 1);
    for (int r = 1; r < 4; ++r) {
      made.compute(r, 1).receive(r, r - 1).compute(r, 10);
      if (r < 3) made.send(r, r + 1);
    }
    made.finish();
    Options options;
    options.causes = &causes;
    time = replay(made.trace, one_millisecond(4), options).time;
  }
  [[nodiscard]] Dominoes found(std::size_t most_waits, std::size_t most_sweeps) const {
    const Places places(made.trace);
    const LongestPaths paths(causes);
    return domino_paths(causes, places, paths, paths.without_each(), most_waits, most_sweeps);
  }
  static std::vector<int> partners(const DominoPath& path) {
    std::vector<int> all;
    for (const DominoPath::Step& step : path.steps) all.push_back(step.partner);
    return all;
  }
  Made made{4};
  simulate::Causes causes{4};
  double time{};
};

TEST_F(FourDominoes, AreFollowedFromEachRankBack) {
  const Dominoes all = found(100, 100);
  EXPECT_EQ(all.cut, 0U);
  ASSERT_EQ(all.paths.size(), 3U);
  EXPECT_NEAR(all.paths[0].time, 11 * ms, 1e-12);
  EXPECT_THAT(partners(all.paths[0]), ElementsAre(2, 1, 0));
  EXPECT_NEAR(all.paths[1].time, 22 * ms, 1e-12);
  EXPECT_THAT(partners(all.paths[1]), ElementsAre(1));
  EXPECT_NEAR(all.paths[2].time, 33 * ms, 1e-12);
  EXPECT_THAT(partners(all.paths[2]), ElementsAre(0));
  EXPECT_NEAR(time, 43 * ms, 1e-12);
}

TEST_F(FourDominoes, HaveNoMoreWaitsThanMay) {
  const Dominoes all = found(2, 100);
  ASSERT_EQ(all.paths.size(), 3U);
  EXPECT_EQ(all.cut, 1U) << "rank 3's, which would have three";
  EXPECT_EQ(all.paths[0].rank, 3);
  EXPECT_THAT(partners(all.paths[0]), ElementsAre(2, 1));
  EXPECT_NEAR(all.paths[0].time, 21 * ms, 1e-12) << "rank 1's, who still waits";
}

TEST_F(FourDominoes, AreCutWhereNoSweepIsLeft) {
  const Dominoes none = found(100, 0);
  EXPECT_EQ(none.cut, 3U);
  for (const DominoPath& path : none.paths) EXPECT_EQ(path.steps.size(), 1U);
  // Rank 2's, which gains most at once, is followed first, and ends there; then rank 3's.
  const Dominoes two = found(100, 2);
  ASSERT_EQ(two.paths.size(), 3U);
  EXPECT_EQ(two.cut, 2U);
  EXPECT_EQ(two.paths[0].rank, 3);
  EXPECT_EQ(two.paths[0].steps.size(), 2U);
  EXPECT_EQ(two.paths[1].rank, 2);
  EXPECT_EQ(two.paths[1].steps.size(), 1U);
}

TEST_F(FourDominoes, WithoutTheirWaitsTheRunHasTheirTime) {
  const LongestPaths paths(causes);
  for (const DominoPath& path : found(100, 100).paths) {
    const std::set<Awaited> gone = waits_of(path);
    EXPECT_EQ(gone.size(), path.steps.size());
    EXPECT_NEAR(paths.with(without(causes, gone)), path.time, 1e-12) << path.rank;
  }
}

TEST(DominoWaits, AreForMessagesOrEndAtAMoment) {
  DominoPath path;
  path.steps.resize(2);
  path.steps[0].where.rank = 3;
  path.steps[0].moment = 11;
  path.steps[0].message = 7;
  path.steps[1].where.rank = 2;
  path.steps[1].moment = 12;
  EXPECT_THAT(waits_of(path), ElementsAre(Awaited{2, simulate::no_message, 12},
                                          Awaited{3, 7, simulate::beginning}));
}

TEST(DominoPaths, AreNoneWhereNobodyWaits) {
  Made made(2);
  made.compute(0, 3).compute(1, 2).finish();
  simulate::Causes causes(2);
  Options options;
  options.causes = &causes;
  (void)replay(made.trace, one_millisecond(2), options);
  const LongestPaths paths(causes);
  const Dominoes all =
      domino_paths(causes, Places(made.trace), paths, paths.without_each(), 100, 100);
  EXPECT_TRUE(all.paths.empty());
  EXPECT_EQ(all.cut, 0U);
}

}  // namespace commgauge::replay::domino_path_test
