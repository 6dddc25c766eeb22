#include "job/own_thread.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace commgauge::record::threads::own_thread_test {

class OwnThreads : public testing::Test {
 protected:
  OwnThreads() { current_session = &session_; }
  ~OwnThreads() override {
    current_session = nullptr;
    own_thread() = {};
  }
  Session session_;
};

TEST_F(OwnThreads, TheSlotIsTheFirstUntilTheThreadIsKnown) { EXPECT_EQ(own_slot(), 0); }

TEST_F(OwnThreads, EachThreadHasASlotOfItsOwn) {
  own_thread() = {&session_, nullptr, 2};
  int others = -1;
  std::jthread([&] {
    own_thread() = {session(), nullptr, 5};
    others = own_slot();
  }).join();
  EXPECT_EQ(others, 5);
  EXPECT_EQ(own_slot(), 2);
}

TEST_F(OwnThreads, ASlotIsOfOneSession) {
  own_thread() = {&session_, nullptr, 2};
  Session next;
  current_session = &next;
  EXPECT_EQ(own_slot(), 0);
}

}  // namespace commgauge::record::threads::own_thread_test
