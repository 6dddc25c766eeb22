#include <array>

#include "virtual_time.hpp"

#if MPI_VERSION >= 4

namespace commgauge::virtual_time::large_counts_test {

constexpr MPI_Comm all = MPI_COMM_WORLD;

class LargeCounts : public Aligned {};

TEST_F(LargeCounts, AMessageTakesTheSameTime) {
  const std::array<int, 3> out{rank_, 1, 2};
  std::array<int, 3> in{-1, -1, -1};
  MPI_Status status;
  const double time = time_of([&] {
    MPI_Sendrecv_c(out.data(), 3, MPI_INT, next(), 0, in.data(), 3, MPI_INT, before(), 0, all,
                   &status);
  });
  MPI_Count count = 0;
  MPI_Get_count_c(&status, MPI_INT, &count);
  EXPECT_EQ(count, 3);
  EXPECT_EQ(in[0], before());
  EXPECT_NEAR(time, message(12), eps);
}

TEST_F(LargeCounts, NonblockingCallsTakeThemToo) {
  int got = -1;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv_c(&got, 1, MPI_INT, before(), 0, all, &request);
  MPI_Send_c(&rank_, 1, MPI_INT, next(), 0, all);
  EXPECT_NEAR(time_of([&] { MPI_Wait(&request, MPI_STATUS_IGNORE); }), message(4), eps);
  EXPECT_EQ(got, before());
}

TEST_F(LargeCounts, CollectiveOperationsTakeThemToo) {
  int sum = 0;
  const double time = time_of([&] { MPI_Allreduce_c(&rank_, &sum, 1, MPI_INT, MPI_SUM, all); });
  EXPECT_EQ(sum, 6);
  EXPECT_NEAR(time, 2 * message(4), eps);
}

TEST_F(LargeCounts, CountsAndPlacesOfRanksAreLarge) {
  const std::array<MPI_Count, 4> counts{1, 1, 1, 1};
  const std::array<MPI_Aint, 4> places{3, 2, 1, 0};
  std::array<int, 4> in{};
  MPI_Allgatherv_c(&rank_, 1, MPI_INT, in.data(), counts.data(), places.data(), MPI_INT, all);
  EXPECT_EQ(in, (std::array{3, 2, 1, 0}));
}

}  // namespace commgauge::virtual_time::large_counts_test

#endif
