#include "symbolic.hpp"

namespace commgauge::schedule::reduce_scatter_test {

using namespace symbolic;

void expect_reduced(const Collective& what, Algorithm algorithm) {
  std::vector<Schedule> schedules;
  for (int rank = 0; rank < what.ranks; ++rank) {
    schedules.push_back(schedule_of(what, algorithm, rank));
  }
  const bool in_blocks = schedules[0].gives.size() > 1;
  const std::vector<Values> all = results({what}, algorithm);
  std::uint64_t first = 0;
  for (int rank = 0; rank < what.ranks; ++rank) {
    const std::uint64_t count = what.count(rank);
    Values expected;
    for (std::uint64_t i = 0; i < count; ++i) {
      Value& value = expected.emplace_back();
      for (int from = 0; from < what.ranks; ++from) {
        value.push_back(in_blocks ? symbol(from, rank, i) : symbol(from, 0, first + i));
      }
    }
    const Values& result = all[static_cast<std::size_t>(rank)];
    EXPECT_EQ(what.is_commutative ? sorted(result) : result, expected) << "rank " << rank;
    first += count;
  }
}

TEST(ReduceScatter, EveryoneHasItsBlockOfTheSum) {
  for_each_case(Operation::reduce_scatter_block, false, [](Collective what, Algorithm algorithm) {
    for (const std::uint64_t count : {0, 1, 3}) {
      what.counts = {count};
      expect_reduced(what, algorithm);
    }
  });
}

TEST(ReduceScatter, EveryoneHasItsBlockOfAnotherSize) {
  for_each_case(Operation::reduce_scatter, false, [](Collective what, Algorithm algorithm) {
    what.counts = uneven(what.ranks);
    if (!is_possible(what, algorithm)) return;
    expect_reduced(what, algorithm);
  });
}

TEST(ReduceScatter, ButterfliesNeedAPowerOfTwoOfEqualBlocks) {
  Collective what{Operation::reduce_scatter, 4, 0, {2}};
  EXPECT_TRUE(is_possible(what, Algorithm::butterfly));
  what.counts = {2, 2, 2, 1};
  EXPECT_FALSE(is_possible(what, Algorithm::butterfly));
  what = {Operation::reduce_scatter, 6, 0, {2}};
  EXPECT_FALSE(is_possible(what, Algorithm::butterfly));
}

}  // namespace commgauge::schedule::reduce_scatter_test
