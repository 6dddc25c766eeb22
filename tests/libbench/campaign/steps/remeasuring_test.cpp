#include "campaign/steps/remeasuring.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "campaign/rounds.hpp"
#include "campaign/stop_rules.hpp"
#include "made_harness.hpp"
#include "ranks/row_gathering.hpp"

namespace commgauge::bench::remeasuring_test {

/// Rows of six passes, on rank 0.
std::vector<Observation> measured(Harness& harness) {
  std::vector<Observation> mine;
  const Round round{group_of(round_trip(1, 0, Bytes{100}, Bytes{100}))};
  for (int pass = 0; pass < 6; ++pass) {
    std::ranges::move(harness.run_round(round, pass_rule(harness.options), pass),
                      std::back_inserter(mine));
  }
  return gather_rows(harness.comm, mine);
}

TEST(MeasureAgain, ReplacesWhatStandsOut) {
  Harness harness(MPI_COMM_WORLD, quick_options());
  std::vector<Observation> rows = measured(harness);
  constexpr std::size_t planted = 3;
  double odd = 0;
  if (harness.comm.rank() == 0) {
    const auto longest = std::ranges::max_element(rows, {}, &Observation::time_s);
    odd = 1000 * longest->time_s;
    rows[planted].time_s = rows[planted].low_s = rows[planted].high_s = odd;
  }
  const long again = measure_again(harness, rows);
  if (harness.comm.rank() != 0) {
    EXPECT_TRUE(rows.empty());
    return;
  }
  EXPECT_GE(again, 1);
  EXPECT_LT(rows[planted].time_s, odd);
  EXPECT_EQ(rows[planted].pass, static_cast<int>(planted)) << "in its place";
  EXPECT_EQ(rows.size(), 6u);
}

TEST(MeasureAgain, NothingIsNotMeasuredAgain) {
  Harness harness(MPI_COMM_WORLD, quick_options());
  std::vector<Observation> none;
  EXPECT_EQ(measure_again(harness, none), 0);
  EXPECT_TRUE(none.empty());
}

}  // namespace commgauge::bench::remeasuring_test
