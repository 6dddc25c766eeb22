// Classes of machines whose truth is known: which hosts are alike, which one and which link aren't.

#include "commgauge/classes/find_classes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "clusters.hpp"
#include "commgauge/base/error.hpp"

namespace commgauge::find_classes_test {

using samples::Cluster;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string host_name(int host) { return "n" + std::to_string(host); }

/// "n3" of a host, "n2-n5" of a link, "in n3".
std::set<std::string> accused(const MachineClasses& classes) {
  std::set<std::string> names;
  for (const Deviation& deviation : classes.deviations) {
    std::string name = deviation.where == Deviation::Where::within_host ? "in " : "";
    for (const std::string& host : deviation.hosts)
      name += (name.empty() || name == "in " ? "" : "-") + host;
    names.insert(name);
  }
  return names;
}

TEST(FindClasses, AlikeHostsAreOfOneKind) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    for (const int hosts : {1, 2, 3, 4, 8, 9, 16, 32}) {
      const MachineClasses classes =
          find_classes(Cluster{.hosts = hosts, .spread = 0.03, .seed = seed}.survey());
      EXPECT_THAT(classes.kinds, SizeIs(1)) << hosts;
      EXPECT_THAT(classes.deviations, IsEmpty());
      EXPECT_EQ(classes.pairs->class_of(0, 1), classes.pairs->class_of(2, 1));
    }
  }
}

TEST(FindClasses, ASlowHostAndASlowLinkAreNamedAndNothingElse) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::mt19937_64 random(seed);
    for (const int hosts : {4, 8, 16, 32}) {
      Cluster cluster{
          .hosts = hosts, .spread = 0.01 * (1 + static_cast<double>(seed % 3)), .seed = seed};
      if (hosts >= 16) {
        cluster.two_kinds = seed % 2 == 0;
        cluster.two_switches = seed % 4 >= 2;
      }
      const auto draw = [&] {
        return static_cast<int>(random() % static_cast<std::uint64_t>(hosts));
      };
      cluster.slow_host = draw();
      do cluster.slow_link_of = draw();
      while (cluster.slow_link_of == cluster.slow_host);
      do cluster.slow_link_to = draw();
      while (cluster.slow_link_to == cluster.slow_host ||
             cluster.slow_link_to == cluster.slow_link_of);
      const auto [a, b] = std::minmax(cluster.slow_link_of, cluster.slow_link_to);
      EXPECT_THAT(accused(find_classes(cluster.survey())),
                  ::testing::UnorderedElementsAre(host_name(cluster.slow_host),
                                                  host_name(a) + "-" + host_name(b)))
          << hosts << " hosts, seed " << seed;
      // A link of a host, which slows it down with all others.
      cluster.slow_link_to = -1;
      EXPECT_THAT(accused(find_classes(cluster.survey())),
                  ::testing::UnorderedElementsAre(host_name(cluster.slow_host),
                                                  host_name(cluster.slow_link_of)))
          << hosts << " hosts, seed " << seed;
    }
  }
}

TEST(FindClasses, NoiseAccusesNobody) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    for (const double noise : {0.01, 0.03, 0.05}) {
      const MachineClasses classes =
          find_classes(Cluster{.hosts = 16, .noise = noise, .seed = seed}.survey());
      EXPECT_THAT(accused(classes), IsEmpty()) << noise << ", seed " << seed;
    }
  }
}

TEST(FindClasses, KindsAndSwitchesAreTold) {
  const MachineClasses kinds = find_classes(Cluster{.hosts = 16, .two_kinds = true}.survey());
  EXPECT_THAT(kinds.kinds, SizeIs(2));
  const MachineClasses switches = find_classes(Cluster{.hosts = 16, .two_switches = true}.survey());
  EXPECT_THAT(switches.kinds, SizeIs(2));
  EXPECT_THAT(switches.deviations, IsEmpty());
  const MachineClasses both =
      find_classes(Cluster{.hosts = 16, .two_kinds = true, .two_switches = true}.survey());
  EXPECT_THAT(both.kinds, SizeIs(4));
  EXPECT_EQ(both.kinds.front().hosts, 4);
}

TEST(FindClasses, SpreadIsThatOfTheHosts) {
  double sum = 0;
  constexpr int seeds = 50;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    sum += find_classes(Cluster{.hosts = 16, .spread = 0.03, .seed = seed}.survey())
               .kinds[0]
               .spread_fixed;
  }
  // A host's own part in its times is a half here.
  EXPECT_NEAR(sum / seeds, 0.03 / std::sqrt(3) / 2, 0.0006);
}

TEST(FindClasses, RanksThatAreFartherAwayAreAKind) {
  Survey survey = Cluster{.hosts = 4, .per_host = 8}.survey();
  for (SurveyedTrip& trip : survey.trips) {
    if (trip.from / 8 == trip.to / 8 && std::max(trip.from, trip.to) % 8 >= 4) trip.time_s *= 2;
  }
  const MachineClasses classes = find_classes(survey);
  ASSERT_THAT(classes.kinds, SizeIs(2));
  EXPECT_EQ(classes.pairs->of(3).kind, 0);
  EXPECT_EQ(classes.pairs->of(4).kind, 1);
  EXPECT_EQ(classes.kinds[1].name, "n0, far");
}

TEST(FindClasses, AFileMaySayTheKinds) {
  Survey survey = Cluster{.hosts = 4, .per_host = 2}.survey();
  survey.kinds = {"a", "a", "a", "a", "b", "b", "b", "b"};
  const MachineClasses classes = find_classes(survey);
  EXPECT_THAT(classes.kinds, SizeIs(2));
  EXPECT_THAT(classes.deviations, IsEmpty());
}

TEST(FindClasses, AFilesKindsWithinAHostStay) {
  Survey survey = Cluster{.hosts = 4, .per_host = 4}.survey();
  for (int host = 0; host < 4; ++host) {
    survey.kinds.insert(survey.kinds.end(), {"first", "second", "first", "second"});
  }
  const MachineClasses classes = find_classes(survey);
  ASSERT_THAT(classes.kinds, SizeIs(2));
  EXPECT_EQ(classes.kinds[1].name, "second");
  for (int rank = 0; rank < 16; ++rank) EXPECT_EQ(classes.pairs->of(rank).kind, rank % 2) << rank;
}

/// One rank a little later than the next, all over a host: that is noise, and no socket.
TEST(FindClasses, TimesThatAreSpreadEvenlyHaveNoSides) {
  Survey survey = Cluster{.hosts = 4, .per_host = 8}.survey();
  for (SurveyedTrip& trip : survey.trips) {
    if (trip.from / 8 == trip.to / 8) trip.time_s *= std::pow(1.3, trip.from % 8 + trip.to % 8);
  }
  EXPECT_THAT(find_classes(survey).kinds, SizeIs(1));
}

TEST(FindClasses, WhatIsMissingIsRefused) {
  Survey survey = Cluster{}.survey();
  std::erase_if(survey.trips,
                [](const SurveyedTrip& trip) { return trip.from == 4 && trip.to == 8; });
  EXPECT_THROW((void)find_classes(survey), InputError);
  survey = Cluster{}.survey();
  survey.trips.front().to = 99;
  EXPECT_THROW((void)find_classes(survey), InputError);
  survey = Cluster{}.survey();
  survey.trips.front().time_s = 0;
  EXPECT_THROW((void)find_classes(survey), InputError);
}

TEST(ChooseSample, IsSmallWhateverTheNumberOfHosts) {
  for (const int hosts : {4, 16, 64, 256}) {
    const Survey survey = Cluster{.hosts = hosts, .per_host = 8}.survey();
    EXPECT_THAT(choose_sample(survey, find_classes(survey)), SizeIs(8)) << hosts;
  }
  const Survey survey = Cluster{.hosts = 4, .per_host = 4}.survey();
  EXPECT_THAT(choose_sample(survey, find_classes(survey)), ElementsAre(0, 2, 4, 6, 8, 10, 12, 14));
}

TEST(ChooseSample, OfASingleHostHasTriples) {
  const Survey survey = Cluster{.hosts = 1, .per_host = 16}.survey();
  EXPECT_THAT(choose_sample(survey, find_classes(survey)), ElementsAre(0, 4, 8, 12));
}

TEST(ChooseSample, HasEveryKindAndWhatDeviates) {
  const Survey survey =
      Cluster{.hosts = 16, .per_host = 8, .two_switches = true, .slow_host = 5}.survey();
  const MachineClasses classes = find_classes(survey);
  std::set<int> kinds;
  for (const int rank : choose_sample(survey, classes)) kinds.insert(classes.pairs->of(rank).kind);
  EXPECT_THAT(kinds, SizeIs(classes.kinds.size()));
}

TEST(ChooseSample, TakesAllWhereClassesSpareNothing) {
  const Survey survey = Cluster{.hosts = 3, .per_host = 2}.survey();
  EXPECT_THAT(choose_sample(survey, find_classes(survey)), SizeIs(6));
}

TEST(ClassFactors, BringTheSamplesMeanToTheMachines) {
  Survey survey = Cluster{.hosts = 16, .per_host = 4, .spread = 0.03}.survey();
  const MachineClasses classes = find_classes(survey);
  survey.sample = choose_sample(survey, classes);
  const ClassFactors factors = class_factors(survey, classes);
  double all = 0;
  double sampled = 0;
  int count = 0;
  int count_sampled = 0;
  const std::set<int> sample(survey.sample.begin(), survey.sample.end());
  for (const SurveyedTrip& trip : survey.trips) {
    if (trip.size.value > 0 || trip.from / 4 == trip.to / 4) continue;
    all += trip.time_s;
    ++count;
    if (!sample.contains(trip.from) || !sample.contains(trip.to)) continue;
    sampled += trip.time_s;
    ++count_sampled;
  }
  const auto across = static_cast<std::size_t>(classes.pairs->class_of(0, 63));
  EXPECT_NEAR(factors.fixed[across], all / count / (sampled / count_sampled), 1e-12);
  EXPECT_NEAR(factors.fixed[across], 1, 0.03);
  EXPECT_NE(factors.per_byte[across], 1);
}

}  // namespace commgauge::find_classes_test
