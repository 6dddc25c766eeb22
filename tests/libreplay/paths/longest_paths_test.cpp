#include "commgauge/replay/paths/longest_paths.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "explained.hpp"

namespace commgauge::replay::longest_paths_test {

using simulate::Cause;
using simulate::Causes;
using simulate::Moment;

void expect_right(const Causes& causes, const std::string& which) {
  const LongestPaths paths(causes);
  double sum = 0;
  Moment before = simulate::beginning;
  for (const auto& step : paths.critical_path()) {
    // It may begin with a wait that is over at once.
    if (sum > 0) {
      EXPECT_EQ(step.cause.after, before) << which;
    }
    before = step.to;
    sum += step.cause.delay;
  }
  EXPECT_NEAR(sum, paths.time(), 1e-12 * (1 + sum)) << which;
  const auto all = [](Moment, const Cause& cause) { return cause.delay; };
  EXPECT_EQ(paths.with(all), paths.time()) << which;
  const std::vector<double> swept = paths.without_each();
  // Ranks that ask again and again have thousands of steps.
  const std::size_t every = 1 + swept.size() / 40;
  for (std::size_t k = 0; k < swept.size(); ++k) {
    const bool is_wait = paths.critical_path()[k].cause.why == simulate::Why::waiting;
    if (!is_wait && k % every != 0) continue;
    const auto& step = paths.critical_path()[k];
    const Cause* const left_out = &causes.of(step.to)[step.which];
    const auto others = [&](Moment, const Cause& cause) {
      return &cause == left_out ? never_delays : cause.delay;
    };
    const double walked = paths.with(others);
    ASSERT_NEAR(swept[k], walked, 1e-12 * (1 + walked)) << which << ", step " << k;
    ASSERT_LE(swept[k], paths.time()) << which;
  }
}

TEST(LongestPaths, OfARunWithoutOneStepAreThoseOfAWalk) {
  const std::vector<simulate::Machine> machines = simulate::machines_of_all_kinds();
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    const simulate::Machine& machine = machines[seed % machines.size()];
    const simulate::Explained explained(machine, seed);
    expect_right(explained.causes, machine.kind + ", program " + std::to_string(seed));
  }
}

TEST(LongestPaths, OfRandomGraphs) {
  std::mt19937_64 random(1);
  const auto draw = [&](std::uint64_t most) { return random() % (most + 1); };
  for (int graph = 0; graph < 500; ++graph) {
    Causes causes(3);
    const std::size_t moments = 2 + draw(60);
    const auto cause = [&](std::size_t below) {
      return Cause{static_cast<Moment>(draw(below)), 1e-3 * static_cast<double>(draw(9)),
                   simulate::Why::waiting};
    };
    for (std::size_t m = 1; m < moments; ++m) {
      causes.happens(0, 0, {cause(m - 1), cause(m - 1), cause(m - 1)});
    }
    for (int r = 0; r < 3; ++r) causes.set_end(r, static_cast<Moment>(draw(causes.size() - 1)));
    expect_right(causes, "graph " + std::to_string(graph));
  }
}

TEST(LongestPaths, OfNothing) {
  const Causes causes(2);
  const LongestPaths paths(causes);
  EXPECT_EQ(paths.time(), 0);
  EXPECT_TRUE(paths.critical_path().empty());
  EXPECT_TRUE(paths.without_each().empty());
}

}  // namespace commgauge::replay::longest_paths_test
