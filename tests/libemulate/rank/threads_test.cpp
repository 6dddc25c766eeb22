#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include "virtual_time.hpp"

namespace commgauge::virtual_time::threads_test {

constexpr double ms = 1e-3;

double processor_time() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

/// Threads that call MPI for nothing but its clock.
class ThreadsOfARank : public Aligned {};

TEST_F(ThreadsOfARank, EachHasAClockOfItsOwn) {
  const double start = MPI_Wtime();
  std::array<double, 3> ends{};
  {
    std::vector<std::jthread> all;
    for (std::size_t i = 0; i < 3; ++i) {
      all.emplace_back([&, i] {
        pass(static_cast<double>(3 - i) * ms);
        ends[i] = MPI_Wtime() - start;
      });
    }
  }
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(ends[i], static_cast<double>(3 - i) * ms, 5 * eps);
  }
}

TEST_F(ThreadsOfARank, TheFirstGoesOnWithoutTheOthers) {
  const double start = MPI_Wtime();
  std::jthread other([] { pass(100 * ms); });
  EXPECT_NEAR(MPI_Wtime() - start, 0, 5 * eps);
  other.join();
  EXPECT_NEAR(MPI_Wtime() - start, 100 * ms, 5 * eps);
}

TEST_F(ThreadsOfARank, AMessagesTimeIsNoneOfASleepingThreads) {
  std::jthread other([] { pass(100 * ms); });
  int got = -1;
  const double time = time_of([&] {
    MPI_Sendrecv(&rank_, 1, MPI_INT, next(), 0, &got, 1, MPI_INT, before(), 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  });
  EXPECT_EQ(got, before());
  EXPECT_NEAR(time, message(4), eps);
}

TEST_F(ThreadsOfARank, TheirProcessorTimesAreTheirOwn) {
  std::array<double, 2> used{-1, -1};
  std::thread([&] {
    const double start = processor_time();
    pass(5 * ms);
    used[0] = processor_time() - start;
  }).join();
  const double start = processor_time();
  for (int i = 0; i < 100; ++i) (void)MPI_Wtime();
  used[1] = processor_time() - start;
  EXPECT_NEAR(used[0], 0, eps);
  EXPECT_NEAR(used[1], 2 * us, eps);
}

TEST_F(ThreadsOfARank, ThoseThatAreStartedByOthersBeginWithThem) {
  double begun = -1;
  const double start = MPI_Wtime();
  std::thread([&] {
    pass(7 * ms);
    std::thread([&] { begun = MPI_Wtime() - start; }).join();
  }).join();
  EXPECT_NEAR(begun, 7 * ms, 5 * eps);
}

}  // namespace commgauge::virtual_time::threads_test
