#include "base/system_waiting.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <thread>

namespace commgauge::emulate::system_waiting_test {

using namespace std::chrono_literals;

/// A thread that does some work until it is let go, and a pipe by which that may be told.
class Worker {
 public:
  template <class Work>
  explicit Worker(Work work) {
    if (pipe(ends_.data()) != 0) std::abort();
    thread_ = std::jthread([this, work] {
      tid_ = gettid();
      work(*this);
    });
    while (tid_ == 0) std::this_thread::yield();
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker() {
    let_go();
    thread_.join();
    close(ends_[0]);
    close(ends_[1]);
  }

  [[nodiscard]] int input() const { return ends_[0]; }
  std::atomic<int> word{};  ///< changes when it is let go

  /// Whether it comes to wait so, in 10 s.
  [[nodiscard]] bool comes_to_wait(Waits which) const {
    const auto end = std::chrono::steady_clock::now() + 10s;
    while (std::chrono::steady_clock::now() < end) {
      if (waits_for_another(tid_, which)) return true;
      std::this_thread::sleep_for(1ms);
    }
    return false;
  }
  [[nodiscard]] bool waits(Waits which) const { return waits_for_another(tid_, which); }

 private:
  void let_go() {
    if (write(ends_[1], "x", 1) != 1) std::abort();
    word = 1;
    word.notify_all();
  }

  std::array<int, 2> ends_{};
  std::atomic<pid_t> tid_{};
  std::jthread thread_;
};

TEST(WaitsForAnother, WhoReadsFromAPipe) {
  const Worker reader([](Worker& self) {
    char got = 0;
    if (read(self.input(), &got, 1) != 1) std::abort();
  });
  EXPECT_TRUE(reader.comes_to_wait(Waits::endless));
  EXPECT_TRUE(reader.waits(Waits::all));
}

TEST(WaitsForAnother, WhoSleepsOnAWord) {
  const Worker sleeper([](Worker& self) { self.word.wait(0); });
  EXPECT_TRUE(sleeper.comes_to_wait(Waits::endless));
}

TEST(WaitsForAnother, AWaitWithAnEndCountsIfAllDo) {
  const Worker asking([](Worker& self) {
    pollfd asked{self.input(), POLLIN, 0};
    constexpr int longest = 60'000;  // [ms]
    poll(&asked, 1, longest);
  });
  EXPECT_TRUE(asking.comes_to_wait(Waits::all));
  EXPECT_FALSE(asking.waits(Waits::endless));
}

TEST(WaitsForAnother, WhoSleepsForATimeDoesNot) {
  const Worker sleeper([](Worker&) { std::this_thread::sleep_for(20ms); });
  EXPECT_FALSE(sleeper.waits(Waits::all));
}

TEST(WaitsForAnother, WhoRunsDoesNot) {
  const Worker running([](Worker& self) {
    while (self.word == 0) {
    }
  });
  EXPECT_FALSE(running.waits(Waits::all));
}

}  // namespace commgauge::emulate::system_waiting_test
