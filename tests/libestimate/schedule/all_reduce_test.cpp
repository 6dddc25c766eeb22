#include "symbolic.hpp"

namespace commgauge::schedule::all_reduce_test {

using namespace symbolic;

TEST(AllReduce, EveryoneHasEachContributionOnceAndInOrderWhereThatCounts) {
  for_each_case(Operation::allreduce, false, [](Collective what, Algorithm algorithm) {
    for (const std::uint64_t count : {0, 1, 37}) {
      what.counts = {count};
      for (const Values& result : results({what}, algorithm)) {
        EXPECT_EQ(what.is_commutative ? sorted(result) : result, reduced(what.ranks, 0, count));
      }
    }
  });
}

TEST(AllReduce, RabenseifnerSendsHalfAndThenAQuarter) {
  const Collective what{Operation::allreduce, 4, 0, {8}};
  std::vector<std::uint64_t> sent;
  for (const Step& s : schedule_of(what, Algorithm::reduce_scatter_allgather, 1).steps) {
    if (s.kind == Step::Kind::send) sent.push_back(s.here.count);
  }
  EXPECT_EQ(sent, (std::vector<std::uint64_t>{4, 2, 2, 4}));
}

TEST(AllReduce, ARanksScheduleIsCheapAmongManyRanks) {
  const Collective what{Operation::allreduce, 1 << 20, 0, {std::uint64_t{1} << 30}};
  const Schedule schedule = schedule_of(what, Algorithm::reduce_scatter_allgather, 12345);
  EXPECT_EQ(schedule.steps.size(), 100U);
}

}  // namespace commgauge::schedule::all_reduce_test
