#include "plan/host_cells.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <vector>

#include "commgauge/base/places.hpp"

namespace commgauge::host_cells_test {

/// Of equal hosts between which one link carries all that changes sides.
std::vector<int> cells(const std::vector<int>& side, double rate) {
  const auto n = static_cast<int>(side.size());
  const Matrix alone(n, 1.0);
  const std::vector<LoadedLink> links{{side, Passing::between, rate}};
  CellTask task;
  task.hosts.resize(side.size());
  std::iota(task.hosts.begin(), task.hosts.end(), 0);
  task.run = [&](const auto& pairs) { return times_at_once(pairs, alone, links); };
  task.expected = [&](const auto& pairs) { return times_at_once(pairs, alone, {}); };
  task.most_rounds = 3 * n;
  std::mt19937_64 random(1);
  return numbered(find_cells(task, alone, random));
}

TEST(FindCells, AreTheSidesOfTheLink) {
  const std::vector<int> side{0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2};
  EXPECT_EQ(cells(side, 2), side);
}

TEST(FindCells, MayDifferInSize) {
  const std::vector<int> side{0, 1, 0, 0, 1, 0, 0, 0, 2, 0, 2, 0};
  EXPECT_EQ(cells(side, 1), side);
}

TEST(FindCells, AreOfOneHostEachWhereAllMessagesPass) {
  std::vector<int> side(16);
  std::iota(side.begin(), side.end(), 0);
  EXPECT_EQ(cells(side, 4), side);
}

}  // namespace commgauge::host_cells_test
