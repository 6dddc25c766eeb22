// Measurements that the time budget is too short for, on an emulated machine: its time is the same
// each time.

#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <string>
#include <vector>

#include "commgauge/assemble/fit.hpp"
#include "commgauge/bench/calibrate.hpp"

namespace commgauge::bench {
namespace {

const std::vector<std::string> asked = {"hockney", "lmo", "bottleneck"};

Options with_budget(double seconds) {
  Options options;
  options.models = asked;
  options.sizes = {Bytes{1 << 10}, Bytes{1 << 18}, Bytes{1 << 20}, Bytes{1 << 22}};
  options.probe_eager_limit = false;
  options.sweeps.enabled = false;
  options.passes = 8;
  options.time_budget = Seconds{seconds};
  return options;
}

/// What the line of an incomplete measurement says of models.
bool is_said_to_be_left_out(const Launch& launch, const std::string& name) {
  const auto without = launch.incomplete_reason.find("without ");
  return without != std::string::npos && launch.incomplete_reason.find(name, without) != std::string::npos;
}

bool is_of_all_pairs(const HockneyParameters& p) {
  const int n = p.alpha.size();
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      if (i != j && !(p.beta(i, j) > 0)) return false;
    }
  }
  return true;
}

/// @return how many models were left out
long check(const Measurements& measured) {
  const Launch& launch = measured.launches.front();
  const Model model = fit(measured, {{}, 0.95});
  EXPECT_TRUE(model.hockney && is_of_all_pairs(model.hockney->value));
  long left_out = 0;
  for (const std::string& name : asked) {
    const bool is_told = is_said_to_be_left_out(launch, name);
    EXPECT_EQ(model.has(name), !is_told) << name << ": " << launch.incomplete_reason;
    if (is_told) ++left_out;
  }
  EXPECT_FALSE(launch.complete);
  return left_out;
}

/// From one that holds a model to one that holds passes of all of them.
TEST(TimeBudget, GoesToTheModelsBeforeItGoesToPasses) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::vector<long> left_out;
  for (const double seconds : {4.0, 8.0, 12.0, 16.0, 32.0}) {
    const double start = MPI_Wtime();
    const Measurements measured = measure(MPI_COMM_WORLD, with_budget(seconds));
    if (rank != 0) continue;
    EXPECT_LT(MPI_Wtime() - start, 1.5 * seconds);
    left_out.push_back(check(measured));
    std::cout << seconds << " s: " << measured.launches.front().incomplete_reason << "\n";
  }
  if (rank != 0) return;
  EXPECT_TRUE(std::ranges::is_sorted(left_out, std::greater{}));
  EXPECT_GT(left_out.front(), 0) << "the shortest is too short";
  EXPECT_EQ(left_out.back(), 0);
}

}  // namespace
}  // namespace commgauge::bench
