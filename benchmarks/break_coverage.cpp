// How often the intervals of breaks at 95 % hold them, and how wide they are: a table for
// docs/accuracy.md.
//
//   benchmark-break-coverage [series for each cell]

#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "break_series.hpp"

namespace {

using commgauge::BreakVariance;
using commgauge::testing::BreakCase;
using commgauge::testing::Change;
using commgauge::testing::count_covered;
using commgauge::testing::Grid;

void print_row(BreakCase one, const std::vector<double>& strengths, int series) {
  const char* const grids[] = {"uniform", "geometric", "refined"};
  std::printf("| %s | %zu | %zu | %s |", grids[static_cast<int>(one.grid)], one.sizes, one.breaks,
              one.weighted ? "1/t^2" : "none");
  for (const double strength : strengths) {
    one.strength = strength;
    const auto found = count_covered(one, series);
    const auto bai = count_covered(one, series, BreakVariance::equal);
    std::printf(" %.1f (%.0f), %.1f |", 100.0 * found.covered / found.breaks,
                100.0 * bai.covered / bai.breaks, found.mean_width);
  }
  std::printf("\n");
  std::fflush(stdout);
}

/// Fewer series of many sizes, which take longer.
void print_table(Change change, const std::vector<double>& strengths, int series) {
  for (const std::size_t sizes : {20U, 60U, 200U})
    for (const auto& [breaks, weighted] : {std::pair{1U, false}, {2U, false}, {1U, true}})
      for (const auto grid : {Grid::uniform, Grid::geometric, Grid::refined})
        print_row({grid, sizes, breaks, change, 0, weighted}, strengths,
                  60 * series / (static_cast<int>(sizes) + 40));
}

}  // namespace

int main(int argc, char** argv) {
  const int series = argc > 1 ? std::atoi(argv[1]) : 400;
  print_table(Change::jump, {0.5, 2, 5, 10}, series);
  print_table(Change::kink, {1, 10, 30, 100}, series);
  return 0;
}
