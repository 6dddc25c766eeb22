#include "commgauge/bench/calibrate/for_communicator.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "../ranks_of.hpp"
#include "commgauge/base/error.hpp"

namespace commgauge::bench::for_communicator_test {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

std::string this_host() {
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  int length = 0;
  MPI_Get_processor_name(name.data(), &length);
  return name.data();
}

/// Two other ranks, then three on this host. Times of messages tell which pair they are of.
Model two_hosts() {
  Model model;
  model.ranks = 5;
  model.launches.emplace_back();
  for (int rank = 0; rank < model.ranks; ++rank) {
    model.launches.front().ranks.push_back({rank < 2 ? "another" : this_host(), {rank}});
  }
  HockneyParameters p{Matrix(5), Matrix(5, 1e-9), 0, 0};
  for (int i = 0; i < 5; ++i) {
    for (int j = 0; j < 5; ++j) {
      if (i != j) p.alpha(i, j) = 1e-6 * (10 * i + j);
    }
  }
  model.hockney.emplace();
  model.hockney->value = model.hockney->low = model.hockney->high = p;
  model.hockney->replicates.assign(5, p);
  return model;
}

TEST(ForCommunicator, RanksAreLikeThoseOfTheirHost) {
  const auto [job, assumed] = for_communicator(two_hosts(), MPI_COMM_WORLD);
  EXPECT_EQ(job.ranks, ranks_of(MPI_COMM_WORLD));
  EXPECT_EQ(job.host(1), this_host());
  EXPECT_EQ(job.hockney->value.alpha(0, 1), 1e-6 * 23);
  EXPECT_EQ(job.hockney->value.alpha(1, 0), 1e-6 * 32);
  EXPECT_TRUE(assumed.empty());
}

TEST(ForCommunicator, RanksCountAsInTheCommunicator) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm one = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &one);
  EXPECT_EQ(for_communicator(two_hosts(), one).model.ranks, 1);
  MPI_Comm_free(&one);
}

TEST(ForCommunicator, AHostThatTheModelHasNotIsRefusedOnEveryRank) {
  Model elsewhere = two_hosts();
  for (RankPlace& place : elsewhere.launches.front().ranks) place.host = "another";
  EXPECT_THAT([&] { (void)for_communicator(elsewhere, MPI_COMM_WORLD); },
              ThrowsMessage<InputError>(HasSubstr(this_host())));
}

}  // namespace commgauge::bench::for_communicator_test
