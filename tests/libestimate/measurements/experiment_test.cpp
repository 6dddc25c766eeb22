#include "commgauge/measurements/experiment.hpp"

#include <gtest/gtest.h>

namespace commgauge::experiment_test {

TEST(Experiment, KindsHaveNames) {
  EXPECT_EQ(to_text(Kind::round_trip), "round_trip");
  EXPECT_EQ(to_text(Kind::gather), "gather");
  EXPECT_EQ(to_text(Kind::bcast_binomial), "bcast_binomial");
  for (int i = 0; i <= static_cast<int>(Kind::ring); ++i) {
    const auto kind = static_cast<Kind>(i);
    EXPECT_EQ(parse_kind(to_text(kind)), kind);
  }
  EXPECT_EQ(parse_kind("ping_pong"), std::nullopt);
  EXPECT_EQ(parse_kind(""), std::nullopt);
}

TEST(Experiment, PeersOfCollectives) {
  EXPECT_EQ(flat_bcast(4, 2, Bytes{8}).peers, (std::vector<int>{0, 1, 3}));
  EXPECT_EQ(binomial_scatter(4, 2, Bytes{8}).peers, (std::vector<int>{3, 0, 1}));
  EXPECT_EQ(binomial_bcast(4, 0, Bytes{8}).peers, (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(binomial_scatter(4, 2, Bytes{8}).out, Bytes{8});
  const Experiment gather = binomial_gather(4, 3, Bytes{8});
  EXPECT_EQ(gather.reply_order, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(gather.out, Bytes{0});
  EXPECT_EQ(gather.back, Bytes{8});
}

TEST(Experiment, OfCollectivesTheClockIsGlobal) {
  for (const Experiment& e :
       {flat_scatter(3, 0, Bytes{8}), flat_gather(3, 0, Bytes{8}), flat_bcast(3, 0, Bytes{8}),
        binomial_scatter(3, 0, Bytes{8}), binomial_gather(3, 0, Bytes{8}),
        binomial_bcast(3, 0, Bytes{8}), exchange(0, 1, Bytes{8})}) {
    EXPECT_TRUE(is_collective(e.kind));
    EXPECT_EQ(ends_at_root(e.kind), e.back.value > 0);
  }
  EXPECT_FALSE(is_collective(Kind::k_to_one));
  EXPECT_FALSE(is_collective(Kind::flood));
}

TEST(Experiment, ARingComesToAllRanks) {
  EXPECT_EQ(ring_order(5, 1, 2), (std::vector<int>{2, 3, 4, 0}));
  EXPECT_EQ(ring_order(5, 1, 3), (std::vector<int>{3, 0, 2, 4}));
  EXPECT_EQ(ring_order(8, 3, 0), (std::vector<int>{0, 5, 2, 7, 4, 1, 6}));
  EXPECT_EQ(exchange(3, 1, Bytes{8}), ring(3, {1}, Bytes{8}));
}

TEST(Experiment, RoundTripHasOnePeer) {
  const Experiment e = round_trip(3, 1, Bytes{8}, Bytes{4});
  EXPECT_EQ(e, (Experiment{Kind::round_trip, 3, {1}, {1}, Bytes{8}, Bytes{4}, false}));
}

TEST(Experiment, OneToTwoServesAndTakesTheSlowPeerLast) {
  const Experiment e = one_to_two(0, 2, 1, Bytes{8});
  EXPECT_EQ(e, (Experiment{Kind::one_to_k, 0, {2, 1}, {2, 1}, Bytes{8}, Bytes{0}, false}));
}

}  // namespace commgauge::experiment_test
