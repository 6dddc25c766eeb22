#include "ranks/provenance.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace commgauge::bench::provenance_test {

using ::testing::MatchesRegex;

TEST(Places, SharedAreCoresOfAHostWithMoreRanks) {
  const Places own{{{"a", {0, 1}}, {"a", {0, 1}}, {"b", {0}}}};
  EXPECT_FALSE(own.cores_are_shared());
  EXPECT_EQ(own.ranks_on_host_of(0), 2);
  EXPECT_EQ(own.ranks_on_host_of(2), 1);
  const Places shared{{{"a", {0}}, {"a", {0}}, {"b", {0}}}};
  EXPECT_TRUE(shared.cores_are_shared());
  EXPECT_EQ(own.cores_of({0, 1, 2}), 3);
  EXPECT_EQ(own.cores_of({0}), 2);
  EXPECT_EQ(shared.cores_of({0, 1}), 1);
}

TEST(FindPlaces, EveryRankHasThoseOfAll) {
  const Communicator comm(MPI_COMM_WORLD);
  const Places places = find_places(comm);
  ASSERT_EQ(places.ranks.size(), static_cast<std::size_t>(comm.size()));
  char name[MPI_MAX_PROCESSOR_NAME] = "";
  int length = 0;
  MPI_Get_processor_name(name, &length);
  EXPECT_EQ(places.ranks[static_cast<std::size_t>(comm.rank())].host, name);
  for (const RankPlace& place : places.ranks) {
    ASSERT_FALSE(place.cores.empty());
    EXPECT_TRUE(std::ranges::is_sorted(place.cores));
  }
  EXPECT_EQ(places.ranks_on_host_of(0), comm.size()) << "of one machine";
}

TEST(DescribeProcess, HasTheTimeAndWhatConcernsMpi) {
  setenv("UCX_COMMGAUGE_TEST", "17=18", 1);
  setenv("COMMGAUGE_TEST", "19", 1);
  const Launch launch = describe_process();
  unsetenv("UCX_COMMGAUGE_TEST");
  unsetenv("COMMGAUGE_TEST");
  EXPECT_EQ(launch.environment.at("UCX_COMMGAUGE_TEST"), "17=18");
  EXPECT_FALSE(launch.environment.contains("COMMGAUGE_TEST"));
  EXPECT_THAT(launch.time_utc,
              MatchesRegex("20[0-9][0-9]-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-6][0-9]Z"));
  EXPECT_THAT(launch.mpi_standard, MatchesRegex("[0-9]\\.[0-9]"));
  EXPECT_FALSE(launch.mpi_library.empty());
  EXPECT_EQ(launch.mpi_library.find('\n'), std::string::npos) << "one line";
  EXPECT_EQ(launch.mpi_library.find("  "), std::string::npos);
}

}  // namespace commgauge::bench::provenance_test
