#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <future>
#include <latch>

#include "threads/other_thread.hpp"

namespace commgauge::virtual_time::futexes_test {

using namespace std::chrono_literals;

TEST(Futexes, AnAtomicIsWaitedForInVirtualTime) {
  std::atomic<int> word{0};
  const double time = wait_for(
      5 * ms, [&] { word.wait(0); },
      [&] {
        word = 1;
        word.notify_one();
      });
  EXPECT_NEAR(time, 5 * ms, few_looks);
}

TEST(Futexes, AFutureIsThereWhenItsPromiseIsKept) {
  std::promise<int> promise;
  std::future<int> future = promise.get_future();
  int got = 0;
  const double time = wait_for(
      5 * ms, [&] { got = future.get(); }, [&] { promise.set_value(8); });
  EXPECT_EQ(got, 8);
  EXPECT_NEAR(time, 5 * ms, few_looks);
}

TEST(Futexes, AFutureThatIsNotThereIsGivenUpAtItsTime) {
  std::promise<void> late;
  const std::future<void> future = late.get_future();
  const double time =
      time_of([&] { EXPECT_EQ(future.wait_for(5ms), std::future_status::timeout); });
  EXPECT_NEAR(time, 5 * ms, few_looks);
}

TEST(Futexes, ALatchOpensForAll) {
  std::latch latch(1);
  EXPECT_NEAR(wait_for(
                  5 * ms, [&] { latch.wait(); }, [&] { latch.count_down(); }),
              5 * ms, few_looks);
}

TEST(Futexes, AWordThatHasChangedIsNotWaitedFor) {
  std::uint32_t word = 1;
  const double time = time_of([&] {
    EXPECT_EQ(syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0), -1);
    EXPECT_EQ(errno, EAGAIN);
  });
  EXPECT_NEAR(time, 0, few_looks);
}

TEST(Futexes, WhoWakesIsToldHowManyWaited) {
  std::uint32_t word = 0;
  long count = -1;
  const double time = wait_for(
      5 * ms, [&] { syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0); },
      [&] {
        const auto wake = [&] {
          return syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 10, nullptr, nullptr, 0);
        };
        for (int turn = 0; turn < 1000 && count < 1; ++turn) {
          count = wake();
          if (count == 0) poll(nullptr, 0, 10);  // real time: it hasn't come to wait yet
        }
      });
  EXPECT_EQ(count, 1);
  EXPECT_NEAR(time, 5 * ms, few_looks);
}

TEST(Futexes, OtherCallsOfTheSystemArePassedOn) { EXPECT_EQ(syscall(SYS_getpid), getpid()); }

}  // namespace commgauge::virtual_time::futexes_test
