#include "write/record_writer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "commgauge/base/error.hpp"
#include "commgauge/trace/write/writer.hpp"
#include "random_trace.hpp"

namespace commgauge::trace::record_writer_test {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Requests, AreThoseThatAreStartedAndNotOver) {
  Requests requests;
  for (const std::uint32_t number : {0U, 5U, 70'000U}) {
    EXPECT_EQ(requests.find(number), nullptr);
    requests.start(number, {.kind = Pending::Kind::receive, .tag = 3});
    ASSERT_NE(requests.find(number), nullptr);
    EXPECT_EQ(requests.find(number)->tag, 3);
    requests.end(number);
    EXPECT_EQ(requests.find(number), nullptr);
  }
  EXPECT_EQ(requests.find(4), nullptr) << "beside one that was used";
}

class RecordWriterTest : public testing::Test {
 protected:
  RecordWriterTest() {
    static_cast<void>(writer_.communicator({"MPI_COMM_WORLD", {0}, {}}));
    static_cast<void>(writer_.communicator({"window", {0}, {}, true}));
  }
  void refuses(int thread, const Event& one, const std::string& why) {
    EXPECT_THAT([&] { writer_.thread(0, thread).write(one); },
                ThrowsMessage<InputError>(HasSubstr(why)));
  }
  void write(int thread, const Event& one) { writer_.thread(0, thread).write(one); }

 private:
  Folder folder_;
  Alone alone_;
  Writer writer_{folder_ / "trace", {}, {{0, "node"}}, alone_};
};

TEST_F(RecordWriterTest, ThreadsBeginAndEndOnce) {
  refuses(0, event::ThreadBegin{}, "rank 0's event 1 cannot be written");
  refuses(0, event::ThreadEnd{}, "first thread has no end");
  refuses(3, event::Sleep{}, "rank 0's thread 3's event 1 cannot be written");
  write(1, {event::ThreadBegin{1}, 1});
  refuses(1, event::ThreadBegin{}, "the thread before it hasn't ended");
  write(1, {event::ThreadEnd{}, 2});
  refuses(1, event::Sleep{}, "its thread hasn't begun");
  write(1, {event::ThreadBegin{2}, 3});
}

TEST_F(RecordWriterTest, WhatIsWrongWithAnEventIsSaid) {
  refuses(0, event::Enter{.name = 9}, "its name isn't there");
  refuses(0, event::Send{.peer = 1}, "rank 1 isn't in the communicator");
  refuses(0, event::Meet{7}, "its communicator isn't there");
  refuses(0, event::Wait{}, "it needs its list");
  refuses(0, event::Access{.request = 0}, "its communicator isn't a window's");
  refuses(0, event::Access{.context = 1}, "an access has no request");
  refuses(0, event::MatchedReceive{.message = 4}, "a request that it waits for isn't there");
  write(0, event::Send{.request = 4});
  refuses(0, event::MatchedReceive{.message = 4}, "isn't a probe's message");
  refuses(0, event::Cancel{4}, "what is cancelled isn't a receive");
}

TEST_F(RecordWriterTest, CallsDontGoBackInTime) {
  refuses(0, {event::Enter{}, -1}, "its time is before that of the one before");
  refuses(0, {event::Leave{}, 5}, "its name isn't there");
  refuses(0, {event::RegionBegin{}, 4}, "its time is before that of the one before");
}

}  // namespace commgauge::trace::record_writer_test
