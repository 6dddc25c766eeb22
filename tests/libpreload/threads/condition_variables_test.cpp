#include <pthread.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include "threads/other_thread.hpp"

namespace commgauge::virtual_time::condition_variables_test {

using namespace std::chrono_literals;

class ConditionVariable : public testing::Test {
 protected:
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return is_ready_; });
  }
  template <class Tell>
  void change(Tell&& tell) {
    const std::lock_guard lock(mutex_);
    is_ready_ = true;
    tell(changed_);
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_ready_{};
};

TEST_F(ConditionVariable, WhoWaitsGoesOnWhenItIsNotified) {
  const double time = wait_for(
      5 * ms, [&] { wait(); }, [&] { change([](auto& one) { one.notify_one(); }); });
  EXPECT_NEAR(time, 5 * ms, few_looks);
}

TEST_F(ConditionVariable, AllWhoWaitGoOnAtOnce) {
  const double start = MPI_Wtime();
  double other_end = 0;
  std::jthread another([&] {
    wait();
    other_end = MPI_Wtime();
  });
  wait_for(
      5 * ms, [&] { wait(); }, [&] { change([](auto& one) { one.notify_all(); }); });
  EXPECT_NEAR(MPI_Wtime() - start, 5 * ms, few_looks);
  another.join();
  EXPECT_NEAR(other_end - start, 5 * ms, few_looks);
}

TEST_F(ConditionVariable, ThatNobodyNotifiesItEndsAtItsDeadline) {
  std::unique_lock lock(mutex_);
  EXPECT_NEAR(time_of([&] { EXPECT_EQ(changed_.wait_for(lock, 7ms), std::cv_status::timeout); }),
              7 * ms, few_looks);
  EXPECT_NEAR(time_of([&] {
                EXPECT_EQ(changed_.wait_until(lock, std::chrono::system_clock::now() + 9ms),
                          std::cv_status::timeout);
              }),
              9 * ms, few_looks);
}

TEST_F(ConditionVariable, ADeadlineIsOnTheClockThatItWasMadeWith) {
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_t changed;
  pthread_cond_init(&changed, &attributes);
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&mutex);
  timespec end{};
  clock_gettime(CLOCK_MONOTONIC, &end);
  end.tv_sec += 1;
  const double start = MPI_Wtime();
  EXPECT_EQ(pthread_cond_timedwait(&changed, &mutex, &end), ETIMEDOUT);
  EXPECT_NEAR(MPI_Wtime() - start, 1, few_looks);
  pthread_mutex_unlock(&mutex);
  pthread_cond_destroy(&changed);
  pthread_condattr_destroy(&attributes);
}

}  // namespace commgauge::virtual_time::condition_variables_test
