#include "symbolic.hpp"

namespace commgauge::schedule::all_gather_test {

using namespace symbolic;

void expect_gathered(const Collective& what, Algorithm algorithm) {
  Values expected;
  for (int rank = 0; rank < what.ranks; ++rank) {
    for (std::uint64_t i = 0; i < what.count(rank); ++i) expected.push_back({symbol(rank, 0, i)});
  }
  for (const Values& result : results({what}, algorithm)) EXPECT_EQ(result, expected);
}

TEST(AllGather, EveryoneHasAllBlocks) {
  for_each_case(Operation::allgather, false, [](Collective what, Algorithm algorithm) {
    for (const std::uint64_t count : {0, 3}) {
      what.counts = {count};
      expect_gathered(what, algorithm);
    }
  });
}

TEST(AllGather, EveryoneHasAllBlocksOfDifferentSizes) {
  for_each_case(Operation::allgatherv, false, [](Collective what, Algorithm algorithm) {
    what.counts = uneven(what.ranks);
    expect_gathered(what, algorithm);
    what.extent = {20000};  // chunks of one element
    expect_gathered(what, algorithm);
  });
}

TEST(AllGather, ChunksAreOfWholeElements) {
  Collective what{Operation::allgatherv, 3, 0, {30000, 0, 10}};
  what.element = {10};
  what.extent = {16};  // 30 000 bytes of data lie in 48 000
  std::vector<std::uint64_t> sent;
  for (const Step& step : schedule_of(what, Algorithm::ring_in_chunks, 0).steps) {
    if (step.kind == Step::Kind::send) sent.push_back(step.here.count);
  }
  EXPECT_EQ(sent, (std::vector<std::uint64_t>{20480, 9520, 10}));
}

}  // namespace commgauge::schedule::all_gather_test
