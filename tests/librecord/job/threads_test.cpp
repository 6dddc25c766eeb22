#include "job/threads.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

#include "commgauge/trace/read/reader.hpp"
#include "job/own_thread.hpp"
#include "recorder/thread_lock.hpp"
#include "told.hpp"

namespace {
thread_local int own_number = 0;  ///< of the calling thread, by who follows threads
int acts_as = -1;
bool is_asked_for_threads = false;
}  // namespace

// Who follows threads; the recorder looks for these names.
extern "C" {
[[gnu::visibility("default")]] int commgauge_thread_number();
[[gnu::visibility("default")]] void commgauge_act_as(int first);
[[gnu::visibility("default")]] void commgauge_tell_threads();
int commgauge_thread_number() { return own_number; }
void commgauge_act_as(int first) { acts_as = first; }
void commgauge_tell_threads() { is_asked_for_threads = true; }
}

namespace commgauge::record::threads::threads_test {

using preload::ThreadEvent;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using What = ThreadEvent::What;

/// A recording of one rank, from its beginning to its end.
class Threads : public testing::Test {
 protected:
  Threads() {
    here_.together = std::make_unique<trace::Alone>();
    here_.size = 1;
    here_.writer = std::make_unique<trace::Writer>(
        folder_ / "trace", trace::About{}, std::vector{trace::Place{0, "node"}}, *here_.together);
    static_cast<void>(here_.writer->communicator({"MPI_COMM_WORLD", {0}, {}}));
    here_.recorder =
        std::make_unique<Recorder>(*here_.writer, here_.writer->rank(0), Clocks(false), 0);
    current_session = &here_;
    is_asked_for_threads = false;
    acts_as = -1;
    begin(*here_.recorder);
  }
  ~Threads() override {
    if (current_session != nullptr) stop();
    own_thread() = {};
    std::filesystem::remove_all(folder_);
  }
  void stop() {
    finish();
    current_session = nullptr;
    end();
    let_go();
  }
  [[nodiscard]] trace::Trace recording() {
    stop();
    here_.writer->close();
    return trace::read(folder_ / "trace");
  }
  /// What is told of a thread. @param number  of an object or another thread
  static void tell(What what, int thread, std::uint32_t number = 0, std::uint64_t count = 0) {
    commgauge_record_thread_event(
        {.what = what, .thread = thread, .number = number, .count = count, .call = "pthread_join"});
  }

  std::filesystem::path folder_ = testing::TempDir() + "threads-" + std::to_string(getpid());
  Session here_;
};

TEST_F(Threads, WhoFollowsThemIsAskedWhichThereAre) {
  EXPECT_TRUE(is_asked_for_threads);
  EXPECT_EQ(unrecorded(), 0);
}

TEST_F(Threads, WhatIsToldOfThemIsRecordedInAStreamOfEach) {
  tell(What::start, 0, 3);
  tell(What::leave, 0);
  tell(What::begin, 3);
  tell(What::release, 3, 77);
  tell(What::leave, 3);
  tell(What::end, 3);
  tell(What::acquire, 0, 77, 1);
  tell(What::leave, 0);
  const trace::Trace recorded = recording();
  // Objects are numbered as they come.
  EXPECT_THAT(told(recorded, 0, 0),
              ElementsAre("pthread_join: start 3", "pthread_join: acquire 1 after 1"));
  EXPECT_THAT(told(recorded, 0, 1),
              ElementsAre("thread 3 begins", "pthread_join: release 1", "thread ends"));
}

TEST_F(Threads, AnObjectHasOneNumberAndNoOtherHasIt) {
  tell(What::release, 0, 77);
  tell(What::release, 0, 78);
  tell(What::release, 0, 77);
  tell(What::leave, 0);
  EXPECT_EQ(new_object(), 3U);
  EXPECT_THAT(told(recording(), 0, 0),
              ElementsAre("pthread_join: release 1; release 2; release 1"));
}

TEST_F(Threads, EachFindsItsOwnRecorderByItsNumber) {
  EXPECT_EQ(own(), here_.recorder.get());
  Recorder* others = nullptr;
  int slot = -1;
  std::jthread([&] {
    own_number = 4;
    others = own();
    slot = own_slot();
    own_thread() = {};
  }).join();
  EXPECT_NE(others, nullptr);
  EXPECT_NE(others, here_.recorder.get());
  EXPECT_EQ(slot, 1);
}

TEST_F(Threads, ASlotIsUsedAgainByWhoBeginsAfterItsEnd) {
  tell(What::begin, 1);
  tell(What::begin, 2);
  tell(What::end, 1);
  std::vector<int> slots;
  for (const int number : {5, 6}) {
    std::jthread([&slots, number] {
      own_number = number;
      EXPECT_NE(own(), nullptr);
      slots.push_back(own_slot());
      own_thread() = {};
    }).join();
  }
  EXPECT_THAT(slots, ElementsAre(1, 3));
}

TEST_F(Threads, ThatNobodyKnowsAreNotRecorded) {
  Recorder* others = here_.recorder.get();
  std::jthread([&] {
    own_number = -1;
    others = own();
  }).join();
  EXPECT_EQ(others, nullptr);
  EXPECT_TRUE(have_others_called());
}

TEST_F(Threads, WhatOneThatEndedLeftOutIsTheSessions) {
  EXPECT_THAT(here_.left_out, IsEmpty());
  tell(What::begin, 1);
  tell(What::guess, 1);
  tell(What::end, 1);
  EXPECT_THAT(here_.left_out,
              ElementsAre("waits of threads for each other in ways that aren't seen"));
}

TEST_F(Threads, WhoEndsMpiGoesOnAsTheOneThatStartedIt) {
  act_as_first();
  EXPECT_EQ(acts_as, -1) << "it is the first itself";
  std::jthread([&] {
    own_number = 4;
    act_as_first();
    own_thread() = {};
  }).join();
  EXPECT_EQ(acts_as, 0);
}

TEST_F(Threads, WithoutASessionNothingIsRecorded) {
  current_session = nullptr;
  EXPECT_EQ(own(), nullptr);
  tell(What::begin, 1);
  current_session = &here_;
  EXPECT_THAT(recording().ranks.at(0).further_threads, IsEmpty());
}

}  // namespace commgauge::record::threads::threads_test
