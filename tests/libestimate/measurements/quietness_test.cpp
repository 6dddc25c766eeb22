#include "commgauge/measurements/quietness.hpp"

#include <gtest/gtest.h>

#include "commgauge/judge/fit.hpp"
#include "commgauge/measurements/measurements.hpp"
#include "samples.hpp"

namespace commgauge::quietness_test {

constexpr std::uint64_t here = 7;
constexpr std::uint64_t there = 8;

CoreUse use(double wall_us, double cpu_us, int first, int last, std::uint64_t machine = here) {
  return {wall_us * 1e-6, cpu_us * 1e-6, machine, first, last};
}

double lost(std::vector<CoreUse> uses) { return lost_share(uses); }

TEST(LostShare, OfRanksWithCoresOfTheirOwn) {
  EXPECT_EQ(lost({}), 0);
  EXPECT_EQ(lost({use(100, 100, 0, 0), use(100, 100, 1, 1)}), 0);
  // A slice of 4 ms, and whichever rank it is.
  EXPECT_NEAR(lost({use(4100, 100, 0, 0), use(4100, 4100, 1, 1)}), 40. / 41, 1e-12);
  EXPECT_NEAR(lost({use(4100, 4100, 0, 0), use(4100, 100, 1, 1)}), 40. / 41, 1e-12);
  // The worst counts.
  EXPECT_NEAR(lost({use(100, 80, 0, 0), use(100, 60, 1, 1)}), 0.4, 1e-12);
}

TEST(LostShare, ReadingsOfClocksAreNoLoss) {
  EXPECT_EQ(lost({use(10, 7.5, 0, 0)}), 0);
  EXPECT_GT(lost({use(10, 5, 0, 0)}), 0);
  EXPECT_EQ(lost({use(10, 10.5, 0, 0)}), 0);
  EXPECT_EQ(lost({use(0, 0, 0, 0)}), 0);
}

TEST(LostShare, RanksThatTakeTurnsOnACoreLoseNothing) {
  EXPECT_EQ(lost({use(100, 50, 0, 0), use(100, 50, 0, 0)}), 0);
  EXPECT_EQ(lost({use(300, 100, 1, 1), use(300, 100, 1, 1), use(300, 100, 1, 1)}), 0);
  // A program beside them takes a third.
  EXPECT_NEAR(lost({use(300, 100, 0, 0), use(300, 100, 0, 0)}), 1. / 3, 1e-12);
  // Theirs is one core, another one is lost.
  EXPECT_NEAR(lost({use(100, 50, 0, 0), use(100, 50, 0, 0), use(100, 20, 1, 1)}), 0.8, 1e-12);
}

TEST(LostShare, OfRanksThatMovedNothingIsClaimedThatTurnsExplain) {
  EXPECT_EQ(lost({use(100, 60, 0, 1), use(100, 40, 0, 0)}), 0);
  // Connected through a third, in any order.
  EXPECT_EQ(lost({use(100, 40, 0, 0), use(100, 30, 1, 1), use(100, 30, 0, 1)}), 0);
  EXPECT_EQ(lost({use(100, 30, 0, 1), use(100, 40, 0, 0), use(100, 30, 1, 1)}), 0);
}

TEST(LostShare, CoresOfDifferentMachinesAreDifferent) {
  EXPECT_NEAR(lost({use(100, 50, 0, 0), use(100, 50, 0, 0, there)}), 0.5, 1e-12);
}

Disturbance watched(long blocks, long lost, long rows = 100, long disturbed = 0) {
  return {"", blocks, lost, rows, disturbed, 0, 0};
}

TEST(Quietness, GoesByBlocksAndRows) {
  EXPECT_EQ(quietness(watched(1000, 0)), Quietness::quiet);
  EXPECT_EQ(quietness(watched(1000, 10)), Quietness::quiet);
  EXPECT_EQ(quietness(watched(1000, 11)), Quietness::busy);
  EXPECT_EQ(quietness(watched(1000, 500)), Quietness::busy);
  EXPECT_EQ(quietness(watched(1000, 501)), Quietness::too_busy);
  EXPECT_EQ(quietness(watched(1000, 5, 100, 2)), Quietness::busy);
  EXPECT_EQ(quietness(watched(1000, 5, 100, 11)), Quietness::too_busy);
  EXPECT_EQ(quietness(watched(0, 0, 0)), Quietness::quiet);
}

TEST(Quietness, IsNotClaimedWhereNobodyLooked) {
  Disturbance disturbance = watched(1000, 900);
  disturbance.not_watched = "time is simulated";
  EXPECT_EQ(quietness(disturbance), Quietness::unknown);
  Launch launch;
  EXPECT_EQ(quietness(std::vector{launch}), Quietness::unknown);
  EXPECT_EQ(busy_line(std::vector{launch}), "");
}

TEST(Quietness, OfLaunchesTheWorstCounts) {
  std::vector<Launch> launches(3);
  launches[0].disturbance = watched(1000, 1);
  launches[1].disturbance = watched(1000, 310);
  EXPECT_EQ(quietness(launches), Quietness::busy);
  EXPECT_EQ(busy_line(launches),
            "the machine was busy: 31 % of the timed blocks lost their core (the worst of 3 "
            "launches)");
  launches[2].disturbance = watched(1000, 20, 100, 30);
  EXPECT_EQ(quietness(launches), Quietness::too_busy);
}

TEST(BusyLine, SaysWhatWasLost) {
  std::vector<Launch> launches(1);
  launches[0].disturbance = watched(1000, 2);
  EXPECT_EQ(busy_line(launches), "");
  launches[0].disturbance = watched(1000, 310);
  EXPECT_EQ(busy_line(launches), "the machine was busy: 31 % of the timed blocks lost their core");
  launches[0].disturbance = watched(1000, 600, 100, 12);
  EXPECT_EQ(busy_line(launches),
            "the machine was busy: 60 % of the timed blocks lost their core, and 12 of 100 times "
            "rest on such blocks: too much to trust these numbers; measure again when it is quiet");
  launches[0].disturbance = watched(1000, 0);
  launches[0].disturbance->stolen_share = 0.05;
  EXPECT_EQ(
      busy_line(launches),
      "the machine was busy: 0 % of the timed blocks lost their core; its hypervisor took 5 % "
      "of the cores' time");
}

TEST(CountBlocks, SumsRows) {
  Observation clean;
  clean.blocks = 7;
  Observation repeated = clean;
  repeated.lost_blocks = repeated.repeated_blocks = 3;
  Observation resting_on_lost = clean;
  resting_on_lost.lost_blocks = 14;
  resting_on_lost.repeated_blocks = 12;
  Disturbance disturbance = watched(10, 1, 0);
  count_blocks(std::vector{clean, repeated, resting_on_lost}, disturbance);
  EXPECT_EQ(disturbance.blocks, 10 + 7 + (7 + 3) + (7 + 12));
  EXPECT_EQ(disturbance.lost_blocks, 1 + 3 + 14);
  EXPECT_EQ(disturbance.rows, 3);
  EXPECT_EQ(disturbance.disturbed_rows, 1);
}

TEST(Disturbance, IsKeptInTheFile) {
  const Measurements m = samples::measurements();
  const Measurements back = measurements_from_json(to_json(m), "m.json");
  const Disturbance& kept = back.launches.front().disturbance.value();
  EXPECT_EQ(kept.blocks, 4321);
  EXPECT_EQ(kept.lost_blocks, 98);
  EXPECT_EQ(kept.rows, 14);
  EXPECT_EQ(kept.disturbed_rows, 1);
  EXPECT_EQ(kept.remeasured_rows, 3);
  EXPECT_EQ(kept.stolen_share, 0.015625);
  EXPECT_EQ(kept.not_watched, "");
  EXPECT_EQ(back.observations.back().lost_blocks, 9);
  EXPECT_EQ(back.observations.back().repeated_blocks, 7);
  EXPECT_EQ(back.observations.front().lost_blocks, 0);
}

TEST(Disturbance, OlderFilesDoNotTell) {
  Measurements m = samples::measurements();
  m.launches.front().disturbance.reset();
  m.observations.back().lost_blocks = m.observations.back().repeated_blocks = 0;
  const std::string text = to_json(m);
  EXPECT_EQ(text.find("disturbance"), std::string::npos);
  EXPECT_EQ(text.find("lost_blocks"), std::string::npos);
  EXPECT_EQ(measurements_from_json(text, "m.json").launches.front().disturbance, std::nullopt);
}

}  // namespace commgauge::quietness_test
