#include <pthread.h>
#include <semaphore.h>

#include <array>
#include <atomic>
#include <barrier>
#include <cerrno>
#include <latch>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

#include "threads/other_thread.hpp"

namespace commgauge::virtual_time::synchronising_test {

TEST(Threads, OneIsJoinedWhenItHasEnded) {
  EXPECT_NEAR(time_of([] { std::thread([] { pass(3 * ms); }).join(); }), 3 * ms, few_looks);
}

TEST(Threads, OneBeginsWhereItsMakerIs) {
  pass(5 * ms);
  const double start = MPI_Wtime();
  double begun = 0;
  std::thread([&] { begun = MPI_Wtime(); }).join();
  EXPECT_NEAR(begun, start, few_looks);
}

TEST(Threads, TheySleepAtTheSameTime) {
  const double time = time_of([] {
    std::vector<std::jthread> all;
    for (const int length : {4, 9, 2}) all.emplace_back([length] { pass(length * ms); });
  });
  EXPECT_NEAR(time, 9 * ms, few_looks);
}

TEST(Mutex, WhoTakesItGoesOnWhenItWasLetGo) {
  std::mutex mutex;
  std::atomic<bool> is_taken{false};
  const double start = MPI_Wtime();
  std::jthread other([&] {
    const std::lock_guard lock(mutex);
    is_taken = true;
    pass(6 * ms);
  });
  while (!is_taken) poll(nullptr, 0, 1);
  mutex.lock();
  EXPECT_NEAR(MPI_Wtime() - start, 6 * ms, few_looks);
  mutex.unlock();
}

TEST(Mutex, OneThatIsTakenIsNotTriedInVain) {
  std::mutex mutex;
  mutex.lock();
  bool is_taken = true;
  std::thread([&] { is_taken = mutex.try_lock(); }).join();
  EXPECT_FALSE(is_taken);
  mutex.unlock();
  EXPECT_TRUE(mutex.try_lock());
  mutex.unlock();
}

/// Those that have it at once in real time, too. A reader that comes when another has just left is
/// known to be told that one's end as its own beginning.
TEST(SharedMutex, ReadersHaveItTogether) {
  std::shared_mutex mutex;
  std::latch all_have_it(3);
  const double time = time_of([&] {
    std::vector<std::jthread> readers;
    for (int reader = 0; reader < 3; ++reader) {
      readers.emplace_back([&] {
        const std::shared_lock lock(mutex);
        all_have_it.arrive_and_wait();
        pass(2 * ms);
      });
    }
  });
  EXPECT_NEAR(time, 2 * ms, few_looks);
}

TEST(SharedMutex, WritersHaveItOneAfterTheOther) {
  std::shared_mutex mutex;
  const double time = time_of([&] {
    std::vector<std::jthread> writers;
    for (int writer = 0; writer < 3; ++writer) {
      writers.emplace_back([&] {
        const std::unique_lock lock(mutex);
        pass(2 * ms);
      });
    }
  });
  EXPECT_NEAR(time, 6 * ms, few_looks);
}

TEST(Barrier, AllGoOnWithTheLast) {
  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, nullptr, 3);
  std::array<double, 3> ends{};
  std::atomic<int> serial{0};
  const double start = MPI_Wtime();
  {
    std::vector<std::jthread> all;
    for (std::size_t i = 0; i < 3; ++i) {
      all.emplace_back([&, i] {
        pass(static_cast<double>(i + 1) * ms);
        if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) ++serial;
        ends[i] = MPI_Wtime() - start;
      });
    }
  }
  pthread_barrier_destroy(&barrier);
  for (const double end : ends) EXPECT_NEAR(end, 3 * ms, few_looks);
  EXPECT_EQ(serial, 1);
}

TEST(Semaphore, WhoWaitsGoesOnWhenItIsPosted) {
  sem_t semaphore;
  sem_init(&semaphore, 0, 0);
  const double time = wait_for(
      4 * ms, [&] { sem_wait(&semaphore); }, [&] { sem_post(&semaphore); });
  EXPECT_NEAR(time, 4 * ms, few_looks);
  EXPECT_EQ(sem_trywait(&semaphore), -1);
  EXPECT_EQ(errno, EAGAIN);
  sem_destroy(&semaphore);
}

}  // namespace commgauge::virtual_time::synchronising_test
