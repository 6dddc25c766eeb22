#include "fit/additive/solver.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "../testbeds/synthetic.hpp"

namespace commgauge::solver_test {

const Bytes size{65536};

TimeTable table_of(const AdditiveParameters& truth) {
  const auto machine = synthetic::lmo_machine(truth);
  return {synthetic::measure(machine,
                             synthetic::campaign(machine, choose_sizes(std::nullopt, {}, size))),
          0.95};
}

/// A round trip costs each of its ranks C twice, and each way L.
TEST(AdditiveSolver, EmptyMessagesTellFixedDelaysAndRoundTrips) {
  const AdditiveParameters truth = synthetic::lmo_parameters(4);
  const TimeTable table = table_of(truth);
  const AdditiveSolver solver(table, Bytes{0});
  ASSERT_EQ(solver.undetermined(), "");
  EXPECT_TRUE(solver.root_bound().empty());
  const auto [root_cost, round_trip] = solver.solve(table.times());
  for (int i = 0; i < 4; ++i) {
    const auto at = [&](int rank) { return truth.C[static_cast<std::size_t>(rank)]; };
    EXPECT_NEAR(root_cost[static_cast<std::size_t>(i)], at(i), 1e-13);
    for (int j = i + 1; j < 4; ++j) {
      EXPECT_NEAR(round_trip(i, j), 2 * (at(i) + truth.L(i, j) + at(j)), 1e-13);
    }
  }
  EXPECT_NEAR(solver.squared_residuals({root_cost, round_trip}, table.times()), 0, 1e-15);
}

TEST(AdditiveSolver, LargerMessagesTellTheTimePerByte) {
  const AdditiveParameters truth = synthetic::lmo_parameters(4);
  const TimeTable table = table_of(truth);
  const AdditiveSolver solver(table, size, truth.C);
  ASSERT_EQ(solver.undetermined(), "");
  const std::vector<double> cost = solver.solve(table.times(), truth.C).root_cost;
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(cost[i], truth.C[i] + 65536 * truth.t[i], 1e-12);
  }
}

TEST(AdditiveSolver, SaysWhichRanksAreAlwaysBusy) {
  AdditiveParameters truth = synthetic::lmo_parameters(4);
  truth.C[1] = 400e-6;
  const TimeTable table = table_of(truth);
  const AdditiveSolver solver(table, Bytes{0});
  EXPECT_EQ(solver.root_bound(), std::vector{1});
  EXPECT_NEAR(solver.solve(table.times()).root_cost[1], 400e-6, 1e-12);
}

TEST(AdditiveSolver, NeedsOneToTwosOfEveryRank) {
  const AdditiveParameters truth = synthetic::lmo_parameters(4);
  const auto machine = synthetic::lmo_machine(truth);
  Measurements m = synthetic::measure(
      machine, synthetic::campaign(machine, choose_sizes(std::nullopt, {}, size)));
  std::erase_if(m.observations, [](const Observation& row) {
    return row.experiment.kind == Kind::one_to_k && row.experiment.root == 2;
  });
  EXPECT_NE(AdditiveSolver(TimeTable(m, 0.95), Bytes{0}).undetermined(), "");
}

}  // namespace commgauge::solver_test
