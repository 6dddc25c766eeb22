#include "following/threads.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <functional>
#include <string>
#include <vector>

#include "threads/thread_events.hpp"

namespace {
std::vector<commgauge::preload::ThreadEvent> told;  // guarded by the lock of what is tested
}

// The recorder, as who follows threads finds it.
extern "C" [[gnu::visibility("default")]] void commgauge_record_thread_event(
    const commgauge::preload::ThreadEvent& event) {
  told.push_back(event);
}
extern "C" {
int commgauge_thread_number();
void commgauge_act_as(int first);
void commgauge_tell_threads();
}

namespace commgauge::record::following::threads_test {

using preload::ThreadEvent;
using testing::ElementsAre;
using testing::IsEmpty;
using What = ThreadEvent::What;

/// Where the program calls.
[[gnu::noinline]] const void* here() { return __builtin_return_address(0); }

class Followed : public testing::Test {
 protected:
  Followed() {
    static const bool is_recorded = [] {
      commgauge_tell_threads();
      return true;
    }();
    static_cast<void>(is_recorded);
    told.clear();
  }
  ~Followed() override {
    const Inside forgetting(Lock::always);
    for (const int& object : objects_) forget(&object);
  }

  /// A call of the program's. @param work  (Own&)
  static void call(const std::function<void(Own&)>& work, Before before = Before::computing) {
    const Following own({"pthread_cond_wait", here()}, before);
    ASSERT_TRUE(own);
    work(*own);
  }
  /// A thread that does this, up to its end.
  static void in_a_thread(std::function<void()> work) {
    pthread_t name{};
    {
      const Inside starting(Lock::always);
      auto* const start = new Start(
          [](void* what) -> void* {
            (*static_cast<std::function<void()>*>(what))();
            return nullptr;
          },
          &work);
      ASSERT_EQ(pthread_create(&name, nullptr, Start::run, start), 0);
      start->is_called(name);
    }
    ASSERT_EQ(pthread_join(name, nullptr), 0);
  }
  /// What is told of a thread, in words.
  static std::vector<std::string> of_thread(int thread) {
    static const char* const names[] = {"begin", "end",    "start", "enter", "release", "acquire",
                                        "sleep", "resume", "leave", "clock", "guess"};
    std::vector<std::string> words;
    for (const ThreadEvent& one : told) {
      if (one.thread == thread) words.emplace_back(names[static_cast<int>(one.what)]);
    }
    return words;
  }
  /// Of the last of that kind.
  static ThreadEvent last(What what) {
    ThreadEvent found{};
    for (const ThreadEvent& one : told) {
      if (one.what == what) found = one;
    }
    EXPECT_EQ(found.what, what);
    return found;
  }

  const void* one_ = &objects_[0];
  const void* other_ = &objects_[1];

 private:
  int objects_[2]{};
};

TEST_F(Followed, TheMainThreadIsNumberZero) { EXPECT_EQ(commgauge_thread_number(), 0); }

TEST_F(Followed, ACallIsToldWithItsNameAndPlace) {
  const void* const from = here();
  {
    const Following own({"sem_post", from});
    release(*own, one_);
  }
  ASSERT_THAT(of_thread(0), ElementsAre("release", "leave"));
  EXPECT_STREQ(told[0].call, "sem_post");
  EXPECT_EQ(told[0].from, from);
  EXPECT_FALSE(told[0].has_moment);
}

TEST_F(Followed, AnObjectIsNumberedAndWhatHappensToItIsCounted) {
  call([&](Own& own) {
    release(own, one_);
    release(own, other_);
    release(own, one_);
    acquire(own, one_);
  });
  EXPECT_EQ(told[1].number, told[0].number + 1);
  EXPECT_EQ(told[2].number, told[0].number);
  EXPECT_EQ(last(What::acquire).number, told[0].number);
  EXPECT_EQ(last(What::acquire).count, 2U);
}

TEST_F(Followed, OfAnObjectThatNothingHasHappenedToNothingIsTold) {
  call([&](Own& own) { acquire(own, one_); });
  EXPECT_THAT(of_thread(0), ElementsAre("leave"));
}

TEST_F(Followed, AnObjectThatIsForgottenIsAnother) {
  call([&](Own& own) { release(own, one_); });
  const std::uint32_t before = last(What::release).number;
  {
    const Inside forgetting(Lock::always);
    forget(one_);
  }
  call([&](Own& own) {
    release(own, one_);
    acquire(own, one_);
  });
  EXPECT_NE(last(What::release).number, before);
  EXPECT_EQ(last(What::acquire).count, 1U);
}

TEST_F(Followed, AThreadThatSleepsIsInItsCallUntilItGoesOn) {
  call([&](Own& own) { sleep_on(own, one_); });
  EXPECT_THAT(of_thread(0), ElementsAre("enter"));
  call([](Own&) {}, Before::sleeping);
  EXPECT_THAT(of_thread(0), ElementsAre("enter", "resume", "leave"));
}

/// What happens to the object between its being woken and its going on isn't why it goes on.
TEST_F(Followed, WhoIsWokenGoesOnWithWhatHadHappenedThen) {
  call([&](Own& own) { sleep_on(own, one_); });
  in_a_thread([&] {
    call([&](Own& own) {
      release(own, one_);
      wake(own, one_, Wakes::first);
      release(own, one_);
      wake(own, one_, Wakes::first);
    });
  });
  call([](Own&) {}, Before::sleeping);
  EXPECT_THAT(of_thread(0), ElementsAre("enter", "start", "resume", "acquire", "leave"));
  EXPECT_EQ(last(What::acquire).count, 1U);
}

TEST_F(Followed, WhoWaitsForAnotherObjectIsNotWoken) {
  call([&](Own& own) { sleep_on(own, one_); });
  in_a_thread([&] {
    call([&](Own& own) {
      release(own, other_);
      wake(own, other_, Wakes::all);
    });
  });
  call([](Own&) {}, Before::sleeping);
  EXPECT_THAT(of_thread(0), ElementsAre("enter", "start", "resume", "leave"));
}

TEST_F(Followed, WhoGivesUpHasSlept) {
  call([](Own& own) { give_up_at(own, own.clock() + 0.25); });
  EXPECT_THAT(of_thread(0), ElementsAre("sleep", "leave"));
  EXPECT_NEAR(static_cast<double>(last(What::sleep).count), 250e6, 1.0);
  told.clear();
  call([](Own& own) { give_up_at(own, own.clock() - 1); });
  EXPECT_THAT(of_thread(0), ElementsAre("leave"));
}

TEST_F(Followed, AThreadIsToldFromItsBeginningToItsEnd) {
  int number = 0;
  pthread_t name{};
  in_a_thread([&] {
    number = commgauge_thread_number();
    name = pthread_self();
    EXPECT_TRUE(runs(name));
  });
  EXPECT_GT(number, 0);
  EXPECT_EQ(last(What::start).number, static_cast<std::uint32_t>(number));
  EXPECT_THAT(of_thread(number), ElementsAre("begin", "release", "leave", "end"));
  EXPECT_FALSE(runs(name));
  EXPECT_TRUE(runs(pthread_self()));
}

TEST_F(Followed, EachThreadHasANumberOfItsOwn) {
  int first = 0;
  int second = 0;
  in_a_thread([&] { first = commgauge_thread_number(); });
  in_a_thread([&] { second = commgauge_thread_number(); });
  EXPECT_EQ(second, first + 1);
}

TEST_F(Followed, WhoEndsMpiGoesOnAsTheFirst) {
  int before = 0;
  int then = 0;
  in_a_thread([&] {
    before = commgauge_thread_number();
    commgauge_act_as(0);
    then = commgauge_thread_number();
  });
  EXPECT_GT(before, 0);
  EXPECT_EQ(then, 0);
  EXPECT_THAT(of_thread(before), ElementsAre("begin", "release", "leave"));
  EXPECT_STREQ(last(What::acquire).call, "MPI_Session_finalize");
  EXPECT_EQ(last(What::acquire).thread, 0);
}

TEST_F(Followed, WhatMpiCallsIsNotTheProgram) {
  const void* const within = reinterpret_cast<const void*>(&PMPI_Get_version);
  EXPECT_TRUE(is_of_program(here()));
  EXPECT_FALSE(is_of_program(within));
  {
    const Following own({"pthread_mutex_lock", within});
    EXPECT_FALSE(own);
  }
  EXPECT_THAT(told, IsEmpty());
}

}  // namespace commgauge::record::following::threads_test
