#include <threads.h>
#include <time.h>

#include "threads/other_thread.hpp"

namespace commgauge::virtual_time::c11_threads_test {

int sleep_and_tell(void* milliseconds) {
  const int length = *static_cast<int*>(milliseconds);
  const timespec pause{0, length * 1'000'000L};
  thrd_sleep(&pause, nullptr);
  return 10 * length;
}

TEST(C11Threads, OneIsJoinedWithItsResultWhenItHasEnded) {
  int length = 4;
  int result = 0;
  const double time = time_of([&] {
    thrd_t thread{};
    EXPECT_EQ(thrd_create(&thread, sleep_and_tell, &length), thrd_success);
    EXPECT_EQ(thrd_join(thread, &result), thrd_success);
  });
  EXPECT_EQ(result, 40);
  EXPECT_NEAR(time, 4 * ms, few_looks);
}

TEST(C11Threads, AMutexThatIsTakenIsBusyOrTimesOut) {
  struct Tried {
    mtx_t mutex;
    int at_once;
    int in_time;
    double time;

    static int run(void* of_all) {
      auto& all = *static_cast<Tried*>(of_all);
      all.at_once = mtx_trylock(&all.mutex);
      timespec end{};
      timespec_get(&end, TIME_UTC);
      end.tv_sec += 1;
      all.time = time_of([&] { all.in_time = mtx_timedlock(&all.mutex, &end); });
      return 0;
    }
  };
  Tried all{};
  mtx_init(&all.mutex, mtx_timed);
  EXPECT_EQ(mtx_lock(&all.mutex), thrd_success);
  thrd_t thread{};
  thrd_create(&thread, Tried::run, &all);
  thrd_join(thread, nullptr);
  EXPECT_EQ(mtx_unlock(&all.mutex), thrd_success);
  EXPECT_EQ(all.at_once, thrd_busy);
  EXPECT_EQ(all.in_time, thrd_timedout);
  EXPECT_NEAR(all.time, 1, few_looks);
  mtx_destroy(&all.mutex);
}

TEST(C11Threads, AConditionIsWaitedForInVirtualTime) {
  mtx_t mutex;
  cnd_t changed;
  mtx_init(&mutex, mtx_plain);
  cnd_init(&changed);
  bool is_ready = false;
  const double time = wait_for(
      5 * ms,
      [&] {
        mtx_lock(&mutex);
        while (!is_ready) cnd_wait(&changed, &mutex);
        mtx_unlock(&mutex);
      },
      [&] {
        mtx_lock(&mutex);
        is_ready = true;
        cnd_signal(&changed);
        mtx_unlock(&mutex);
      });
  EXPECT_NEAR(time, 5 * ms, few_looks);
  cnd_destroy(&changed);
  mtx_destroy(&mutex);
}

TEST(C11Threads, TheClockIsVirtual) {
  timespec start{};
  EXPECT_EQ(timespec_get(&start, TIME_UTC), TIME_UTC);
  pass(100);
  timespec end{};
  timespec_get(&end, TIME_UTC);
  EXPECT_NEAR(static_cast<double>(end.tv_sec - start.tv_sec) +
                  1e-9 * static_cast<double>(end.tv_nsec - start.tv_nsec),
              100, few_looks);
  EXPECT_EQ(timespec_get(&end, TIME_UTC + 1), 0);
}

}  // namespace commgauge::virtual_time::c11_threads_test
