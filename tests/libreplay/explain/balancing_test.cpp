#include "explain/balancing.hpp"

#include <gtest/gtest.h>

#include "commgauge/replay/run/replay.hpp"
#include "made_machine.hpp"
#include "marked_rank.hpp"

namespace commgauge::replay::balancing_test {

using namespace trace::event;

constexpr std::int64_t second = 1'000'000'000;

/// Rank 0 computes for 3 s in "phase", rank 1 for 1 s; each for 1 s behind it.
trace::Trace uneven() {
  trace::Trace trace = two_ranks();
  for (const std::int64_t own : {0, 1}) {
    const std::int64_t within = (3 - 2 * own) * second;
    trace.ranks[static_cast<std::size_t>(own)].events = {
        border<RegionBegin>(2, 0), border<RegionEnd>(2, within), border<Enter>(0, within + second),
        border<Leave>(0, within + second)};
  }
  return trace;
}

class UnevenRanks : public testing::Test {
 protected:
  UnevenRanks() {
    Options options;
    options.causes = &causes;
    static_cast<void>(
        replay(trace, simulate::machine_of(simulate::hockney_model(2), "hockney"), options));
  }
  trace::Trace trace = uneven();
  simulate::Causes causes{2};
  Places places{trace};
};

TEST_F(UnevenRanks, AreToldByRegion) {
  const Balancing balancing(causes, places);
  ASSERT_EQ(balancing.regions().size(), 2U);
  EXPECT_EQ(balancing.regions().front(), places.whole()) << "that with the most computing";
  const Balance phase = balancing.of(2);
  EXPECT_EQ(phase.region, "phase");
  EXPECT_EQ(phase.instances, 1U);
  EXPECT_NEAR(phase.computing, 4, 1e-9);
  EXPECT_NEAR(phase.mean_over_max, 2.0 / 3, 1e-9);
  EXPECT_NEAR(phase.sigma, 1, 1e-9);
  EXPECT_EQ(phase.slowest, 0);
  EXPECT_EQ(phase.sleeping, 0);
}

TEST_F(UnevenRanks, TakeTheMeanIfTheyDivideEvenly) {
  const Balancing balancing(causes, places);
  const LongestPaths paths(causes);
  EXPECT_NEAR(paths.time(), 4, 1e-9);
  EXPECT_NEAR(paths.with(balancing.balanced(causes, 2)), 3, 1e-9);
  EXPECT_NEAR(paths.with(balancing.all_balanced(causes)), 3, 1e-9);
}

}  // namespace commgauge::replay::balancing_test
