#include <set>

#include "symbolic.hpp"

namespace commgauge::schedule::barrier_test {

using namespace symbolic;

/// The same with messages that carry what their sender knows: who has come.
Schedule with_knowledge(Schedule schedule) {
  const Block known{0, 0, 1};
  Schedule result{{1, 0}, {known}, {known}, {}};
  std::vector<Step> heard;
  for (Step step : schedule.steps) {
    if (!result.steps.empty() && result.steps.back().round != 2 * step.round) {
      result.steps.insert(result.steps.end(), heard.begin(), heard.end());
      heard.clear();
    }
    step.round *= 2;
    step.here = known;
    if (step.kind == Step::Kind::receive) {
      step.here = {1, result.buffers[1]++, 1};
      heard.push_back({Step::Kind::reduce, step.round + 1, -1, step.here, known});
    }
    result.steps.push_back(step);
  }
  result.steps.insert(result.steps.end(), heard.begin(), heard.end());
  return result;
}

TEST(Barrier, NobodyLeavesBeforeAllAreThere) {
  for_each_case(Operation::barrier, false, [](const Collective& what, Algorithm algorithm) {
    std::vector<Schedule> schedules;
    for (int rank = 0; rank < what.ranks; ++rank) {
      schedules.push_back(with_knowledge(schedule_of(what, algorithm, rank)));
    }
    Machine machine(schedules);
    machine.run();
    for (int rank = 0; rank < what.ranks; ++rank) {
      const Value come = machine.results(rank).front();
      EXPECT_EQ(std::set<int>(come.begin(), come.end()).size(),
                static_cast<std::size_t>(what.ranks));
    }
  });
}

TEST(Barrier, DisseminationReachesTwiceAsManyInEachRound) {
  const Schedule schedule = schedule_of({Operation::barrier, 6}, Algorithm::dissemination, 1);
  ASSERT_EQ(schedule.steps.size(), 6U);
  const std::vector<int> peers{0, 2, 5, 3, 3, 5};  // from, to
  for (std::size_t k = 0; k < peers.size(); ++k) {
    EXPECT_EQ(schedule.steps[k].peer, peers[k]);
    EXPECT_EQ(schedule.steps[k].round, static_cast<int>(k / 2));
    EXPECT_EQ(schedule.steps[k].kind, k % 2 == 0 ? Step::Kind::receive : Step::Kind::send);
  }
}

TEST(Barrier, FlatGoesThroughTheFirstRank) {
  EXPECT_EQ(schedule_of({Operation::barrier, 5}, Algorithm::flat, 0).steps.size(), 8U);
  EXPECT_EQ(schedule_of({Operation::barrier, 5}, Algorithm::flat, 3).steps.size(), 2U);
}

}  // namespace commgauge::schedule::barrier_test
