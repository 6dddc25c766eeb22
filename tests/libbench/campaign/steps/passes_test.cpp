#include "campaign/steps/passes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "campaign/rounds.hpp"
#include "made_harness.hpp"

namespace commgauge::bench::passes_test {

/// Round trips between ranks 0 and 1: the roots take turns.
std::vector<Round> four_rounds() {
  std::vector<Round> rounds;
  for (int k = 0; k < 4; ++k) {
    const auto size = Bytes{static_cast<std::uint64_t>(10 + k)};
    rounds.push_back({group_of(round_trip(k % 2, 1 - k % 2, size, Bytes{0}))});
  }
  return rounds;
}

Keeping keeping_nothing() {
  return {[](bool) { return false; }, [](PassResults&) {}};
}

std::map<int, int> rows_by_pass(const std::vector<Observation>& rows) {
  std::map<int, int> count;
  for (const Observation& row : rows) ++count[row.pass];
  return count;
}

TEST(Passes, MeasureEachRoundInEachPass) {
  for (const bool is_thin : {false, true}) {
    Harness harness(MPI_COMM_WORLD, quick_options());
    const PassResults results = Passes(harness, four_rounds(), 0, is_thin, keeping_nothing()).run();
    EXPECT_EQ(results.passes, 3);
    EXPECT_EQ(results.rounds, 12);
    EXPECT_EQ(results.out_of_time, "");
    if (harness.comm.rank() > 1) {
      EXPECT_TRUE(results.rows.empty());
    } else {
      EXPECT_EQ(rows_by_pass(results.rows), (std::map<int, int>{{0, 2}, {1, 2}, {2, 2}}));
    }
  }
}

/// Six of twelve were done before: the first pass and half of the second.
TEST(Passes, GoOnBehindTheRoundsThatAreDone) {
  Harness harness(MPI_COMM_WORLD, quick_options());
  const PassResults results = Passes(harness, four_rounds(), 6, false, keeping_nothing()).run();
  EXPECT_EQ(results.passes, 3);
  EXPECT_EQ(results.rounds, 12);
  int mine = static_cast<int>(results.rows.size());
  int all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_EQ(all, 6);
  EXPECT_FALSE(rows_by_pass(results.rows).contains(0));
}

TEST(Passes, KeepWhatIsDoneWhenRank0Wishes) {
  Harness harness(MPI_COMM_WORLD, quick_options());
  std::vector<long> kept;
  std::size_t rows = 0;
  const Keeping at_ends{[](bool pass_is_over) { return pass_is_over; },
                        [&](PassResults& so_far) {
                          kept.push_back(so_far.rounds);
                          rows += so_far.rows.size();
                          so_far.rows.clear();
                        }};
  const PassResults results = Passes(harness, four_rounds(), 0, false, at_ends).run();
  EXPECT_EQ(kept, (std::vector<long>{4, 8, 12}));
  EXPECT_EQ(rows, harness.comm.rank() > 1 ? 0u : 6u);
  EXPECT_TRUE(results.rows.empty()) << "they were taken";
}

TEST(Passes, EndWithTheTimeBudget) {
  Options options = quick_options();
  options.time_budget = Seconds{1e-9};
  Harness harness(MPI_COMM_WORLD, options);
  const PassResults results = Passes(harness, four_rounds(), 0, false, keeping_nothing()).run();
  EXPECT_EQ(harness.timekeeper.verdict(), Verdict::out_of_time);
  EXPECT_EQ(results.passes, 1);
  EXPECT_EQ(results.rounds, 1);
  EXPECT_EQ(results.out_of_time, "the time budget ended it in pass 1 of 3");
}

}  // namespace commgauge::bench::passes_test
