#include "commgauge/replay/run/result.hpp"

#include <gtest/gtest.h>

namespace commgauge::replay::result_test {

/// Two ranks in 10 s; one of them has a further thread for 5 s.
Result two_ranks() {
  Result result;
  result.time = 10;
  result.ranks.resize(2);
  result.ranks[0].work = 4;
  result.ranks[0].shares.computing = 6;
  result.ranks[1].work = 2;
  result.ranks[1].shares.computing = 4;
  result.ranks[1].further_threads = 5;
  return result;
}

TEST(Result, SumsAreOfAllRanks) {
  EXPECT_EQ(two_ranks().work(), 6);
  EXPECT_EQ(two_ranks().computing(), 10);
}

TEST(Result, UtilisationIsOfAllThreads) {
  const Result result = two_ranks();
  EXPECT_EQ(result.whole(result.ranks[1]), 15);
  EXPECT_DOUBLE_EQ(result.utilisation(), 10.0 / 25);
  EXPECT_DOUBLE_EQ(result.utilisation(result.ranks[0]), 0.6);
  EXPECT_DOUBLE_EQ(result.utilisation(result.ranks[1]), 4.0 / 15);
}

TEST(Result, UtilisationOfNoTimeIsNone) {
  Result result;
  result.ranks.resize(1);
  EXPECT_EQ(result.utilisation(), 0);
  EXPECT_EQ(result.utilisation(result.ranks[0]), 0);
}

}  // namespace commgauge::replay::result_test
