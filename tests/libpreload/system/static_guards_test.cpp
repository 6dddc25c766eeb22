#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <thread>
#include <vector>

extern "C" {
int __cxa_guard_acquire(std::uint64_t*);
void __cxa_guard_release(std::uint64_t*);
void __cxa_guard_abort(std::uint64_t*);
}

namespace commgauge::preload::static_guards_test {

bool is_there(const std::uint64_t& guard) {
  return *reinterpret_cast<const unsigned char*>(&guard) != 0;
}

TEST(StaticGuards, TheFirstMakesItAndOthersFindIt) {
  std::uint64_t guard = 0;
  EXPECT_EQ(__cxa_guard_acquire(&guard), 1);
  EXPECT_FALSE(is_there(guard));
  __cxa_guard_release(&guard);
  EXPECT_TRUE(is_there(guard));
  EXPECT_EQ(__cxa_guard_acquire(&guard), 0);
}

TEST(StaticGuards, WhoFailsLeavesItToTheNext) {
  std::uint64_t guard = 0;
  EXPECT_EQ(__cxa_guard_acquire(&guard), 1);
  __cxa_guard_abort(&guard);
  EXPECT_FALSE(is_there(guard));
  EXPECT_EQ(__cxa_guard_acquire(&guard), 1);
  __cxa_guard_release(&guard);
}

TEST(StaticGuards, OfManyThreadsOneMakesItAndTheOthersWaitForThat) {
  for (int turn = 0; turn < 200; ++turn) {
    std::uint64_t guard = 0;
    int value = 0;
    std::atomic<int> makers{0};
    std::atomic<int> right{0};
    {
      std::vector<std::jthread> threads;
      for (int thread = 0; thread < 4; ++thread) {
        threads.emplace_back([&] {
          if (__cxa_guard_acquire(&guard) == 1) {
            ++makers;
            value = 7;
            __cxa_guard_release(&guard);
          }
          if (value == 7) ++right;
        });
      }
    }
    EXPECT_EQ(makers, 1);
    EXPECT_EQ(right, 4);
  }
}

TEST(StaticGuards, AStaticVariableIsMadeAgainAfterAnException) {
  int attempts = 0;
  const auto value = [&] {
    static const int made = [&] {
      if (++attempts == 1) throw std::runtime_error("not yet");
      return 5;
    }();
    return made;
  };
  EXPECT_THROW(value(), std::runtime_error);
  EXPECT_EQ(value(), 5);
  EXPECT_EQ(value(), 5);
  EXPECT_EQ(attempts, 2);
}

}  // namespace commgauge::preload::static_guards_test
