#include "commgauge/plan/rounds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "commgauge/base/error.hpp"

namespace commgauge::rounds_test {

long ceil_div(long a, long b) { return (a + b - 1) / b; }

/// Ranks in [0, n), rising within a group, none twice in a round, no round empty.
template <class Tuple>
void expect_disjoint(const std::vector<std::vector<Tuple>>& rounds, int n) {
  for (const auto& round : rounds) {
    EXPECT_FALSE(round.empty());
    std::set<int> seen;
    for (const auto& group : round) {
      EXPECT_TRUE(std::ranges::is_sorted(group));
      for (const int rank : group) {
        EXPECT_TRUE(rank >= 0 && rank < n) << rank;
        EXPECT_TRUE(seen.insert(rank).second) << rank;
      }
    }
  }
}

template <class Tuple>
std::map<Tuple, int> times_there(const std::vector<std::vector<Tuple>>& rounds) {
  std::map<Tuple, int> times;
  for (const auto& round : rounds)
    for (const auto& group : round) ++times[group];
  return times;
}

template <class Tuple>
void expect_each_once(const std::vector<std::vector<Tuple>>& rounds, long count) {
  const auto times = times_there(rounds);
  EXPECT_EQ(static_cast<long>(times.size()), count);
  for (const auto& [group, n] : times) EXPECT_EQ(n, 1);
}

class Ranks : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(From2To33, Ranks, ::testing::Range(2, 34),
                         ::testing::PrintToStringParamName());

TEST_P(Ranks, EveryPairOnceInTheFewestRounds) {
  const int n = GetParam();
  const auto rounds = pair_rounds(n);
  SCOPED_TRACE(n);
  EXPECT_EQ(static_cast<int>(rounds.size()), n % 2 == 0 ? n - 1 : n);
  expect_disjoint(rounds, n);
  expect_each_once(rounds, n * (n - 1L) / 2);
}

// Lower bound: C(n, 3) triples, n / 3 of them in a round.
TEST_P(Ranks, EveryTripleOnceInTheFewestRounds) {
  const int n = GetParam();
  const long triples = n * (n - 1L) * (n - 2L) / 6;
  const auto rounds = triple_rounds(n);
  EXPECT_EQ(static_cast<long>(rounds.size()), n < 3 ? 0 : ceil_div(triples, n / 3));
  expect_disjoint(rounds, n);
  expect_each_once(rounds, triples);
}

TEST(Rounds, OfTooFewRanksAreNone) {
  for (const int n : {0, 1}) EXPECT_TRUE(pair_rounds(n).empty());
  for (const int n : {0, 1, 2}) EXPECT_TRUE(triple_rounds(n).empty());
}

TEST(TripleRounds, KnownCounts) {
  EXPECT_EQ(triple_rounds(4).size(), 4U);
  EXPECT_EQ(triple_rounds(6).size(), 10U);
  EXPECT_EQ(triple_rounds(9).size(), 28U);
  EXPECT_EQ(triple_rounds(16).size(), 112U);
}

// Takes about 0.1 s optimised; the limit leaves room for sanitizers.
TEST(TripleRounds, OfFortyRanksAreReadySoon) {
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(triple_rounds(40).size(), 760U);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds{20});
}

struct Sparse {
  int least{1 << 30};  ///< triples of the rank that is in the fewest
  int most{};
  int repeated_pairs{};
  long triples{};
};

Sparse examine(const std::vector<std::vector<Triple>>& rounds, int n) {
  std::vector<int> count(static_cast<std::size_t>(n));
  std::map<Pair, int> met;
  Sparse result;
  for (const auto& round : rounds)
    for (const auto& [a, b, c] : round) {
      ++result.triples;
      for (const int rank : {a, b, c}) ++count[static_cast<std::size_t>(rank)];
      for (const auto& pair : {Pair{a, b}, Pair{a, c}, Pair{b, c}})
        result.repeated_pairs += ++met[pair] > 1;
    }
  result.least = std::ranges::min(count);
  result.most = std::ranges::max(count);
  return result;
}

// Lower bounds: n r / 3 triples, and n r places of which a round has 3 (n / 3, rounded down). The
// design reaches both, so it is exactly r rounds where 3 divides n, and for 64 ranks and r = 4
// 86 triples in 5 rounds (256 places, 63 a round).
TEST(SparseTriples, ReachTheLowerBounds) {
  for (const int n : {3, 4, 5, 6, 7, 8, 9, 10, 16, 17, 33, 64, 65, 66, 128, 500})
    for (const int r : {1, 2, 3, 4, 7}) {
      SCOPED_TRACE(::testing::Message() << n << " ranks, each in " << r);
      const auto rounds = sparse_triple_rounds(n, r, 1);
      const auto found = examine(rounds, n);
      expect_disjoint(rounds, n);
      EXPECT_EQ(static_cast<long>(rounds.size()), ceil_div(n * r, n / 3 * 3));
      EXPECT_EQ(found.triples, ceil_div(n * r, 3));
      EXPECT_GE(found.least, r);
      EXPECT_LE(found.most, n % 3 == 0 ? r : r + 1);
    }
}

TEST(SparseTriples, SixtyFourRanksInFiveRounds) {
  const auto rounds = sparse_triple_rounds(64, 4, 1);
  EXPECT_EQ(rounds.size(), 5U);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(rounds[i].size(), 21U);
  EXPECT_EQ(rounds[4].size(), 2U);
}

// Each rank meets 2 r others, so from n = 2 r + 1 on repeats may be avoidable; 9 ranks in 4 rounds
// leave no slack at all (the lines of the affine plane of order 3).
TEST(SparseTriples, RepeatNoPair) {
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U}) {
    EXPECT_EQ(examine(sparse_triple_rounds(9, 4, seed), 9).repeated_pairs, 0);
    for (const int r : {3, 4, 5})
      for (int n = 3 * r; n <= 40; ++n)
        EXPECT_EQ(examine(sparse_triple_rounds(n, r, seed), n).repeated_pairs, 0)
            << n << " ranks, each in " << r << ", seed " << seed;
  }
}

TEST(SparseTriples, DependOnTheSeedAlone) {
  EXPECT_EQ(sparse_triple_rounds(20, 3, 7), sparse_triple_rounds(20, 3, 7));
  EXPECT_NE(sparse_triple_rounds(20, 3, 7), sparse_triple_rounds(20, 3, 8));
}

TEST(SparseTriples, RefuseWhatCannotBe) {
  EXPECT_THROW((void)sparse_triple_rounds(2, 3, 1), InputError);
  EXPECT_THROW((void)sparse_triple_rounds(-1, 3, 1), InputError);
  EXPECT_THROW((void)sparse_triple_rounds(9, 0, 1), InputError);
}

Group group_of(std::vector<int> ranks) { return {std::move(ranks), {}}; }

/// Rounds of tuples as rounds of groups.
template <class Tuple>
std::vector<Round> as_groups(const std::vector<std::vector<Tuple>>& rounds) {
  std::vector<Round> result;
  for (const auto& round : rounds) {
    auto& groups = result.emplace_back();
    for (const auto& tuple : round) groups.push_back(group_of({tuple.begin(), tuple.end()}));
  }
  return result;
}

TEST(Serialised, KeepsOrderAndExperiments) {
  Group first = group_of({0, 1});
  first.experiments = {round_trip(0, 1, Bytes{8}, Bytes{0})};
  const std::vector<Round> rounds{{first, group_of({2, 3})}, {}, {group_of({0, 2})}};
  const auto serial = serialised(rounds);
  ASSERT_EQ(serial.size(), 3U);
  for (const auto& round : serial) ASSERT_EQ(round.size(), 1U);
  EXPECT_EQ(serial[0][0].ranks, (std::vector{0, 1}));
  EXPECT_EQ(serial[0][0].experiments, first.experiments);
  EXPECT_EQ(serial[1][0].ranks, (std::vector{2, 3}));
  EXPECT_EQ(serial[2][0].ranks, (std::vector{0, 2}));
  EXPECT_TRUE(serialised({}).empty());
}

TEST_P(Ranks, PairAndTripleRoundsAreAtTheirLowerBound) {
  const int n = GetParam();
  const auto pairs = as_groups(pair_rounds(n));
  const auto triples = as_groups(triple_rounds(n));
  EXPECT_EQ(lower_bound_rounds(pairs, n), static_cast<long>(pairs.size()));
  EXPECT_EQ(lower_bound_rounds(serialised(pairs), n), static_cast<long>(pairs.size()));
  EXPECT_EQ(lower_bound_rounds(triples, n), static_cast<long>(triples.size()));
}

TEST(LowerBound, OfGroupsThatAPersonCanCount) {
  EXPECT_EQ(lower_bound_rounds({}, 4), 0);
  // Rank 0 is in three groups.
  EXPECT_EQ(lower_bound_rounds({{group_of({0, 1})}, {group_of({0, 2})}, {group_of({0, 3})}}, 8), 3);
  // Three disjoint pairs fit into one round of 6 ranks.
  EXPECT_EQ(lower_bound_rounds({{group_of({0, 1})}, {group_of({2, 3})}, {group_of({4, 5})}}, 6), 1);
  // Of 5 ranks two triples never fit into one round, whichever they are.
  EXPECT_EQ(lower_bound_rounds({{group_of({0, 1, 2})}, {group_of({2, 3, 4})}}, 5), 2);
  // A group of everybody, and a pair.
  EXPECT_EQ(lower_bound_rounds({{group_of({0, 1, 2, 3})}, {group_of({0, 1})}}, 4), 2);
}

TEST(RingSteps, AreCoprimeAndFarApart) {
  EXPECT_EQ(ring_steps(3), (std::vector<int>{1}));
  EXPECT_EQ(ring_steps(5), (std::vector<int>{1, 2}));
  EXPECT_EQ(ring_steps(6), (std::vector<int>{1}));
  EXPECT_EQ(ring_steps(16), (std::vector<int>{1, 7}));
}

}  // namespace commgauge::rounds_test
