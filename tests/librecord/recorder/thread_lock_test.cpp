#include "recorder/thread_lock.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace commgauge::record::threads::thread_lock_test {

class ThreadLock : public testing::Test {
 protected:
  ThreadLock() { set_several(true); }
  ~ThreadLock() override { set_several(false); }
};

TEST_F(ThreadLock, OneThreadAtATimeHasIt) {
  long count = 0;
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&count] {
      for (int i = 0; i < 10'000; ++i) {
        const Held counting;
        ++count;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(count, 40'000);
}

TEST_F(ThreadLock, WhoHasItMayAskAgain) {
  hold();
  {
    const Held within;
    hold();
  }
  let_go();
  let_go();  // nothing: it hasn't it any more
  bool was_free = false;
  std::jthread([&was_free] {
    const Held other;
    was_free = true;
  }).join();
  EXPECT_TRUE(was_free);
}

/// A child has one thread, whoever had the lock.
TEST_F(ThreadLock, IsFreeInAChild) {
  hold();
  begin_again_in_child();
  bool was_free = false;
  std::jthread([&was_free] {
    const Held other;
    was_free = true;
  }).join();
  EXPECT_TRUE(was_free);
}

}  // namespace commgauge::record::threads::thread_lock_test
