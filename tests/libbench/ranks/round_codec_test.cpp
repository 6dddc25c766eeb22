#include "ranks/round_codec.hpp"

#include <gtest/gtest.h>

namespace commgauge::bench::round_codec_test {

bool same(const Group& a, const Group& b) {
  return a.ranks == b.ranks && a.experiments == b.experiments;
}

TEST(RoundCodec, GivesBackWhatItTook) {
  Experiment check = flat_scatter(5, 2, Bytes{1000});
  check.check = true;
  const std::vector<Round> rounds{
      {{{0, 1}, {round_trip(1, 0, Bytes{1ull << 40}, Bytes{7})}},
       {{2, 3, 4}, {one_to_two(3, 4, 2, Bytes{64}), one_to_two(2, 3, 4, Bytes{0})}}},
      {},
      {{{0, 1, 2, 3, 4}, {check}}, {{}, {}}}};
  const std::vector<Round> back = decode(encode(rounds));
  ASSERT_EQ(back.size(), rounds.size());
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    ASSERT_EQ(back[i].size(), rounds[i].size());
    for (std::size_t k = 0; k < rounds[i].size(); ++k) {
      EXPECT_TRUE(same(back[i][k], rounds[i][k])) << "round " << i << ", group " << k;
    }
  }
}

TEST(RoundCodec, TakesNothing) { EXPECT_TRUE(decode(encode({})).empty()); }

}  // namespace commgauge::bench::round_codec_test
