#include "campaign/harness.hpp"

#include <gtest/gtest.h>

#include "campaign/rounds.hpp"
#include "campaign/stop_rules.hpp"
#include "commgauge/base/error.hpp"
#include "made_harness.hpp"

namespace commgauge::bench::harness_test {

TEST(Harness, RefusesOptionsOnEveryRank) {
  Options options = quick_options();
  options.precision = -1;
  EXPECT_THROW(Harness(MPI_COMM_WORLD, options), InputError);
}

TEST(Harness, KnowsAllRanksAndTheWayOfWaiting) {
  for (const Wait asked : {Wait::automatic, Wait::blocking, Wait::yield}) {
    Options options = quick_options();
    options.wait = asked;
    const Harness harness(MPI_COMM_WORLD, options);
    EXPECT_EQ(static_cast<int>(harness.places.ranks.size()), harness.comm.size());
    EXPECT_EQ(harness.wait, decide_wait(asked, harness.places.cores_are_shared()));
    EXPECT_EQ(harness.transport.yielding(), harness.wait == WaitMode::yield);
  }
}

TEST(Harness, ARoundsRowsAreTheirRoots) {
  Harness harness(MPI_COMM_WORLD, quick_options());
  const Group group{{0, 1},
                    {round_trip(1, 0, Bytes{8}, Bytes{8}), round_trip(0, 1, Bytes{100}, Bytes{0})}};
  const std::vector<Observation> rows = harness.run_round({group}, pass_rule(harness.options), 2);
  if (harness.comm.rank() > 1) {
    EXPECT_TRUE(rows.empty());
    return;
  }
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].experiment, group.experiments[harness.comm.rank() == 0 ? 1 : 0]);
  EXPECT_EQ(rows[0].pass, 2);
  EXPECT_GT(rows[0].time_s, 0);
}

TEST(Harness, ARoundThatIsCancelledEndsOnEveryRank) {
  Options options = quick_options();
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  options.cancelled = [rank] { return rank == 1; };
  Harness harness(MPI_COMM_WORLD, options);
  const Round round{group_of(round_trip(0, 1, Bytes{8}, Bytes{8}))};
  EXPECT_THROW((void)harness.run_round(round, quick_rule(options)), FitError);
}

}  // namespace commgauge::bench::harness_test
