#include "symbolic.hpp"

namespace commgauge::schedule::all_to_all_test {

using namespace symbolic;

/// @param count  (from, to) → units
template <class Count>
void expect_exchanged(const std::vector<Collective>& calls, Algorithm algorithm, Count&& count) {
  const std::vector<Values> all = results(calls, algorithm);
  const int n = calls.front().ranks;
  for (int to = 0; to < n; ++to) {
    Values expected;
    for (int from = 0; from < n; ++from) {
      for (std::uint64_t i = 0; i < count(from, to); ++i) expected.push_back({symbol(from, to, i)});
    }
    EXPECT_EQ(all[static_cast<std::size_t>(to)], expected) << "rank " << to;
  }
}

TEST(AllToAll, EveryoneHasABlockOfEveryone) {
  for_each_case(Operation::alltoall, false, [](Collective what, Algorithm algorithm) {
    for (const std::uint64_t count : {0, 2}) {
      what.counts = {count};
      expect_exchanged({what}, algorithm, [&](int, int) { return count; });
    }
  });
}

TEST(AllToAll, EveryoneHasABlockOfAnotherSizeOfEveryone) {
  const auto count = [](int from, int to) {
    return static_cast<std::uint64_t>((from + 2 * to) % 3);
  };
  for_each_case(Operation::alltoallv, false, [&](Collective what, Algorithm algorithm) {
    std::vector<Collective> calls;
    for (int rank = 0; rank < what.ranks; ++rank) {
      what.counts.clear();
      what.counts_in.clear();
      for (int peer = 0; peer < what.ranks; ++peer) {
        what.counts.push_back(count(rank, peer));
        what.counts_in.push_back(count(peer, rank));
      }
      calls.push_back(what);
    }
    expect_exchanged(calls, algorithm, count);
  });
}

TEST(AllToAll, ScatteredStartsMessagesWith32RanksAtATimeItselfAmongThem) {
  const Collective what{Operation::alltoall, 40, 0, {2}};
  std::map<int, int> messages;  // by round
  for (const Step& step : schedule_of(what, Algorithm::scattered, 7).steps) {
    if (step.is_message()) ++messages[step.round];
  }
  ASSERT_EQ(messages.size(), 2U);
  EXPECT_EQ(messages.begin()->second, 2 * 31);
  EXPECT_EQ(messages.rbegin()->second, 2 * 8);
}

TEST(AllToAll, PairsOfAPowerOfTwoExchange) {
  const Collective what{Operation::alltoall, 4, 0, {2}};
  for (const Step& step : schedule_of(what, Algorithm::pairwise, 1).steps) {
    if (step.is_message()) {
      EXPECT_EQ(step.peer, 1 ^ step.round);
    }
  }
}

}  // namespace commgauge::schedule::all_to_all_test
