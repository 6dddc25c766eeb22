#include "system/futex_lock.hpp"

#include <gtest/gtest.h>

#include <mutex>
#include <thread>
#include <vector>

namespace commgauge::preload::futex_lock_test {

TEST(FutexLock, OneThreadAtATimeHasIt) {
  FutexLock lock;
  long count = 0;
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      for (int i = 0; i < 10'000; ++i) {
        const std::lock_guard counting(lock);
        ++count;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(count, 40'000);
}

TEST(SleepOn, AWordThatHasChangedIsNotWaitedFor) {
  std::atomic<std::uint32_t> word{1};
  sleep_on(word, 0);
  EXPECT_EQ(word, 1U);
}

TEST(SleepOn, ItEndsAfterTheLongestTime) {
  std::atomic<std::uint32_t> word{};
  sleep_on(word, 0, 1e-3);
  EXPECT_EQ(word, 0U);
}

TEST(SleepOn, WhoSleepsIsWoken) {
  std::atomic<std::uint32_t> word{};
  std::jthread sleeper([&] {
    while (word == 0) sleep_on(word, 0);
  });
  word = 1;
  wake_sleepers(word, 1);
  sleeper.join();
}

}  // namespace commgauge::preload::futex_lock_test
