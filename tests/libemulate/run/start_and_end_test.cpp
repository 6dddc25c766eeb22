#include <array>
#include <string>

#include "virtual_time.hpp"

namespace commgauge::virtual_time::start_and_end_test {

TEST(Start, EachRankIsOnItsProcessorOfTheTopology) {
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  int length = 0;
  MPI_Get_processor_name(name.data(), &length);
  EXPECT_EQ(std::string(name.data(), static_cast<std::size_t>(length)),
            "processor" + std::to_string(own_rank()));
}

TEST(Start, MpiIsThereUntilItsEnd) {
  int is_started = 0;
  int has_ended = -1;
  MPI_Initialized(&is_started);
  MPI_Finalized(&has_ended);
  EXPECT_EQ(is_started, 1);
  EXPECT_EQ(has_ended, 0);
}

TEST(Start, AThreadThatSaidNothingIsTheMainOne) {
  int is_main = 0;
  MPI_Is_thread_main(&is_main);
  EXPECT_EQ(is_main, 1);
}

TEST(VirtualClock, ItNeverStandsOrGoesBack) {
  double last = MPI_Wtime();
  for (int i = 0; i < 1000; ++i) {
    const double now = MPI_Wtime();
    EXPECT_GT(now, last);
    last = now;
  }
}

TEST(VirtualClock, ATickIsFinerThanAMessage) {
  EXPECT_GT(MPI_Wtick(), 0);
  EXPECT_LE(MPI_Wtick(), 1 * us);
}

TEST(VirtualClock, WithoutComputingALookIsAllThatPasses) {
  constexpr int looks = 1000;
  const double start = MPI_Wtime();
  volatile double sum = 0;
  for (int i = 0; i < 10'000'000; ++i) sum = sum + i;
  for (int i = 1; i < looks; ++i) (void)MPI_Wtime();
  EXPECT_NEAR(MPI_Wtime() - start, looks * 20e-9, 20e-9);
}

}  // namespace commgauge::virtual_time::start_and_end_test
