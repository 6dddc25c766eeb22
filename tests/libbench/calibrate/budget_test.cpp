// Measurements that the time budget is too short for, on an emulated machine: its time is the same
// each time.

#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iostream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "commgauge/bench/calibrate/calibrate.hpp"
#include "commgauge/judge/fit.hpp"
#include "commgauge/model/model.hpp"
#include "commgauge/model/model_list.hpp"

namespace commgauge::bench::budget_test {

const std::vector<std::string> asked = {"hockney", "lmo", "bottleneck"};

Options with_budget(double seconds) {
  Options options;
  options.models = asked;
  options.sizes = {Bytes{1 << 10}, Bytes{1 << 18}, Bytes{1 << 20}, Bytes{1 << 22}};
  options.probe_eager_limit = false;
  options.sweeps.enabled = false;
  options.fabric = false;
  options.passes = 8;
  options.time_budget = Seconds{seconds};
  return options;
}

/// What the line of an incomplete measurement says of models.
bool is_said_to_be_missing(const Launch& launch, const std::string& name) {
  const std::string& text = launch.incomplete_reason;
  const auto missing = text.find("before it had all for ");
  return missing != std::string::npos && text.find(name, missing) != std::string::npos;
}

/// How many of the pairs' parameters the model has, without those that times may leave open.
long known_of_pairs(const Model& model, const std::string& name) {
  long known = 0;
  for_each_fit(
      [&](const FitFacts& facts, const auto& fitted) {
        if (facts.name != name || !fitted) return;
        visit_fields(fitted->value, [&](const FieldFacts& parameter, const auto& field) {
          if (parameter.name == std::string_view{"inverse_beta"}) return;
          if constexpr (std::is_same_v<std::decay_t<decltype(field)>, Matrix>) {
            known += std::ranges::count_if(field.values(), [](double x) { return !std::isnan(x); });
          }
        });
      },
      model);
  return known;
}

/// With as much time as a pass takes.
Model unhurried() {
  Options options = with_budget(1e6);
  options.passes = 1;
  const Measurements measured = measure(MPI_COMM_WORLD, options);
  return measured.launches.empty() ? Model{} : fit(measured, {asked, 0.95});
}

/// @return how many models were not come to
long check(const Measurements& measured, const Model& whole) {
  const Launch& launch = measured.launches.front();
  const Model model = fit(measured, {{}, 0.95});
  long missing = 0;
  for (const std::string& name : asked) {
    const bool is_told = is_said_to_be_missing(launch, name);
    if (is_told) ++missing;
    if (is_told) continue;
    EXPECT_TRUE(model.has(name)) << name << ": " << launch.incomplete_reason;
    EXPECT_EQ(known_of_pairs(model, name), known_of_pairs(whole, name)) << name;
  }
  EXPECT_EQ(missing > 0, launch.passes == 1);
  EXPECT_FALSE(launch.complete);
  return missing;
}

/// From one that holds a model to one that holds passes of all of them.
TEST(TimeBudget, GoesToTheModelsBeforeItGoesToPasses) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const Model whole = unhurried();
  std::vector<long> missing;
  for (const double seconds : {6.0, 8.0, 12.0, 16.0}) {
    const double start = MPI_Wtime();
    const Measurements measured = measure(MPI_COMM_WORLD, with_budget(seconds));
    if (rank != 0) continue;
    EXPECT_LT(MPI_Wtime() - start, 1.5 * seconds);
    missing.push_back(check(measured, whole));
    std::cout << seconds << " s: " << measured.launches.front().incomplete_reason << "\n";
  }
  if (rank != 0) return;
  EXPECT_TRUE(std::ranges::is_sorted(missing, std::greater{}));
  EXPECT_GT(missing.front(), 0) << "the shortest is too short";
  EXPECT_LT(missing.front(), std::ssize(asked));
  EXPECT_EQ(missing.back(), 0);
}

/// It goes on with the first pass in its own order.
TEST(TimeBudget, IsGoneOnWith) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const Model whole = unhurried();
  Options options = with_budget(6);
  Measurements measured = measure(MPI_COMM_WORLD, options);
  if (rank == 0) {
    EXPECT_FALSE(measured.complete());
    EXPECT_GT(check(measured, whole), 0);
  }
  Options more;
  more.time_budget = Seconds{20};
  measured = resume(MPI_COMM_WORLD, std::move(measured), more);
  if (rank != 0) return;
  EXPECT_GT(measured.launches.front().passes, 1);
  const Model model = fit(measured, {asked, 0.95});
  for (const std::string& name : asked) {
    EXPECT_EQ(known_of_pairs(model, name), known_of_pairs(whole, name)) << name;
  }
}

}  // namespace commgauge::bench::budget_test
