#include "commgauge/judge/telling_pairs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "commgauge/base/index.hpp"
#include "job_now.hpp"

namespace commgauge::telling_pairs_test {

using namespace job_now;

TEST(PairsThatTell, EachHostMeetsTwoOthersInThreeRounds) {
  for (const int hosts : {3, 4, 7, 64}) {
    const Model model = machine(hosts, 2);
    const auto rounds = pairs_that_tell(model, 3);
    EXPECT_LE(rounds.size(), 4U);
    std::vector<std::set<int>> met(at(hosts));
    for (const auto& round : rounds) {
      std::set<int> busy;
      for (const auto& [a, b] : round) {
        EXPECT_TRUE(busy.insert(a).second);
        EXPECT_TRUE(busy.insert(b).second);
        met[at(a / 2)].insert(b / 2);
        met[at(b / 2)].insert(a / 2);
      }
    }
    // Two others, and itself.
    for (const std::set<int>& one : met) EXPECT_EQ(one.size(), 3U);
  }
}

TEST(SizeThatTells, IsTheLargestThatTheTimeAllows) {
  const Model model = machine(4, 1);
  EXPECT_EQ(size_that_tells(model, pairs_that_tell(model, 1), Seconds{1}), Bytes{1 << 20});
  EXPECT_EQ(size_that_tells(model, pairs_that_tell(model, 1), Seconds{100e-6}), Bytes{65536});
  Model limited = model;
  limited.eager_limit = Bytes{5000};
  EXPECT_EQ(size_that_tells(limited, pairs_that_tell(limited, 1), Seconds{1}), Bytes{5000});
}

}  // namespace commgauge::telling_pairs_test
