#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <string>

#include "commgauge/trace/events/crossings.hpp"
#include "commgauge/trace/read/reader.hpp"
#include "commgauge/trace/write/writer.hpp"
#include "random_trace.hpp"

namespace commgauge::trace::threads_test {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;
template <class Kind>
const std::size_t kind = event::Any{Kind{}}.index();

/// An archive of one rank.
class Archive {
 public:
  Archive() {
    static_cast<void>(writer_.communicator({"MPI_COMM_WORLD", {0}, {}}));
    static_cast<void>(writer_.communicator({"window", {0}, {}, true}));
  }
  RankWriter& thread(int number) { return writer_.thread(0, number); }
  void begin(int thread, std::uint32_t number, std::int64_t time) {
    this->thread(thread).write({event::ThreadBegin{.number = number}, time});
  }
  void end(int thread, std::int64_t time) {
    this->thread(thread).write({event::ThreadEnd{}, time});
  }
  void receive(int thread, std::uint32_t request, std::int64_t time) {
    this->thread(thread).write(
        {event::Receive{.request = request, .peer = any, .tag = any, .bytes = 100}, time});
  }
  /// What its receives got has as many bytes as its time.
  void wait(int thread, const std::vector<std::uint32_t>& requests, std::int64_t time) {
    std::vector<Over> over;
    for (const auto one : requests) over.push_back({one, {0, 7, static_cast<std::uint64_t>(time)}});
    this->thread(thread).write({event::Wait{}, time}, over);
  }
  void close() { writer_.close(); }
  Trace read() {
    close();
    return trace::read(folder_ / "trace");
  }
  /// As another program, or damage, might have it: without checksums.
  void replace(const std::string& file, const std::string& what, const std::string& by) {
    ASSERT_EQ(what.size(), by.size());
    std::filesystem::remove(folder_ / "trace/checksums");
    const auto path = folder_ / ("trace/" + file);
    std::ifstream in{path, std::ios::binary};
    std::string text{std::istreambuf_iterator<char>{in}, {}};
    const auto at = text.find(what);
    ASSERT_LT(at, text.size());
    text.replace(at, what.size(), by);
    std::ofstream{path, std::ios::binary} << text;
  }
  Trace read_again() { return trace::read(folder_ / "trace"); }

 private:
  Folder folder_;
  Alone alone_;
  Writer writer_{folder_ / "trace", {}, {{0, "node"}}, alone_};
};

/// Numbers of kinds.
std::vector<std::size_t> kinds(std::span<const Event> events) {
  std::vector<std::size_t> all;
  for (const auto& one : events) all.push_back(one.what.index());
  return all;
}

TEST(Threads, FollowEachOtherUnderANumber) {
  Archive archive;
  archive.thread(0).write({event::ThreadStart{.number = 1}, 1});
  archive.begin(2, 1, 2);
  archive.thread(2).write({event::Release{.object = 4}, 3});
  archive.end(2, 4);
  archive.begin(1, 3, 5);
  archive.begin(2, 2, 6);
  archive.thread(2).write({event::Acquire{.object = 4, .count = 9}, 7});
  const auto trace = archive.read();
  const auto& rank = trace.ranks.front();
  ASSERT_THAT(rank.further_threads, ElementsAre(1, 2, 5));
  EXPECT_THAT(kinds(events_of(rank, 0)), ElementsAre(kind<event::ThreadStart>));
  EXPECT_THAT(kinds(events_of(rank, 1)), ElementsAre(kind<event::ThreadBegin>));
  EXPECT_THAT(kinds(events_of(rank, 2)),
              ElementsAre(kind<event::ThreadBegin>, kind<event::Release>, kind<event::ThreadEnd>));
  EXPECT_THAT(kinds(events_of(rank, 3)),
              ElementsAre(kind<event::ThreadBegin>, kind<event::Acquire>));
  EXPECT_EQ(std::get<event::ThreadBegin>(events_of(rank, 1)[0].what).number, 3U);
  EXPECT_EQ(std::get<event::Release>(events_of(rank, 2)[1].what).object, 4U);
  EXPECT_EQ(std::get<event::Acquire>(events_of(rank, 3)[1].what).count, 9U);
  EXPECT_EQ(events_of(rank, 3)[1].time, 7);
}

TEST(Threads, EndWhatOthersHaveStarted) {
  Archive archive;
  archive.begin(1, 1, 1);
  archive.begin(2, 2, 1);
  // Number 0 is used by the first thread and by thread 2 itself before thread 1 waits for it.
  archive.receive(0, 0, 2);
  archive.wait(0, {0}, 10);
  archive.receive(2, 0, 11);
  archive.wait(2, {0}, 12);
  archive.receive(2, 0, 13);
  archive.receive(0, 1, 14);
  archive.wait(1, {1, 0}, 20);
  archive.receive(0, 2, 21);
  archive.wait(0, {2}, 22);
  const auto trace = archive.read();
  const auto& rank = trace.ranks.front();
  const auto found = [&](std::size_t thread, std::size_t event) {
    const auto& one = events_of(rank, thread)[event];
    const auto& receive = std::get<event::Receive>(one.what);
    EXPECT_EQ(receive.found.tag, 7);
    return receive.found.bytes;
  };
  EXPECT_EQ(found(0, 0), 10U);
  EXPECT_EQ(found(0, 2), 20U);
  EXPECT_EQ(found(0, 3), 22U);
  EXPECT_EQ(found(2, 1), 12U);
  EXPECT_EQ(found(2, 3), 20U);
  const auto all = crossings(rank);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].start, 2U);
  EXPECT_EQ(rank.requests[all[0].entry], 1U);
  EXPECT_EQ(all[1].start, rank.further_threads[1] + 3);
  EXPECT_EQ(all[0].end, rank.further_threads[0] + 1);
}

/// The clocks of two threads that take turns with a message's way don't differ.
TEST(Threads, SendAndReceiveInTheOrderOfTime) {
  Archive archive;
  archive.begin(1, 1, 1);
  const auto send = [&](int thread, std::int64_t time) {
    archive.thread(thread).write({event::Send{.peer = 0, .tag = 7}, time});
  };
  send(1, 10);
  send(0, 20);
  archive.receive(1, 0, 11);
  archive.receive(0, 1, 12);
  archive.wait(0, {0}, 15);
  archive.wait(0, {1}, 21);
  EXPECT_TRUE(archive.read().remarks.empty());
}

TEST(Threads, ThatReceiveWhatIsSentLaterAreCounted) {
  Archive archive;
  archive.begin(1, 1, 1);
  archive.thread(0).write({event::Send{.peer = 0, .tag = 7}, 10});
  archive.thread(0).write({event::Send{.peer = 0, .tag = 7}, 30});
  archive.receive(1, 0, 2);
  archive.receive(1, 1, 3);
  archive.wait(0, {0, 1}, 31);
  archive.receive(1, 2, 32);
  archive.wait(1, {2}, 33);
  archive.thread(0).write({event::Send{.peer = 0, .tag = 7}, 34});
  const auto remarks = archive.read().remarks;
  ASSERT_EQ(remarks.size(), 1U);
  EXPECT_THAT(remarks.front().text, HasSubstr("before they were sent"));
  EXPECT_EQ(remarks.front().count, 1U);
}

TEST(Threads, MayCancelAnothersReceive) {
  Archive archive;
  archive.begin(1, 1, 1);
  archive.receive(0, 0, 2);
  archive.thread(1).write({event::Cancel{.request = 0}, 3});
  const auto trace = archive.read();
  EXPECT_THAT(
      kinds(trace.ranks.front().events),
      ElementsAre(kind<event::ClockReads>, kind<event::ThreadBegin>, kind<event::ClockReads>));
  ASSERT_EQ(trace.remarks.size(), 1U);
  EXPECT_THAT(trace.remarks.front().text, HasSubstr("were cancelled"));
}

TEST(Threads, TakeAsOneWhatAnotherHasFound) {
  Archive archive;
  archive.begin(1, 1, 1);
  archive.thread(1).write(
      {event::MatchedProbe{.request = 5, .peer = any, .tag = any, .found = {0, 3, 8}}, 2});
  archive.thread(0).write({event::MatchedReceive{.message = 5, .bytes = 8}, 3});
  archive.thread(1).write({event::Access{.request = 6, .peer = 0, .context = 1, .bytes = 8}, 4});
  const Over over{6};
  archive.thread(0).write({event::Flush{}, 5}, {&over, 1});
  const auto trace = archive.read();
  const auto all = crossings(trace.ranks.front());
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].entry, no_entry);
  EXPECT_TRUE(trace.ranks[0].events[all[0].start].is<event::MatchedProbe>());
  EXPECT_TRUE(trace.ranks[0].events[all[1].start].is<event::Access>());
}

TEST(Threads, ThatDontBeginAreRefused) {
  Archive archive;
  archive.begin(1, 1, 1);
  archive.thread(1).write({event::Sleep{.nanoseconds = 1}, 2});
  archive.close();
  archive.replace("traces.def", "commgauge::thread begins", "commgauge::thread begets");
  EXPECT_THAT([&] { static_cast<void>(archive.read_again()); },
              ThrowsMessage<InputError>(
                  AllOf(HasSubstr("rank 0's thread 1's event 2 cannot be used"),
                        HasSubstr("(its thread hasn't begun, or has ended): record"))));
}

TEST(Threads, ThatDontEndBeforeAnotherAreRefused) {
  Archive archive;
  archive.begin(1, 1, 1);
  archive.end(1, 2);
  archive.begin(1, 2, 3);
  archive.close();
  archive.replace("traces.def", "commgauge::thread ends", "commgauge::thread bend");
  EXPECT_THAT([&] { static_cast<void>(archive.read_again()); },
              ThrowsMessage<InputError>(HasSubstr("(the thread before it hasn't ended)")));
}

TEST(Threads, WhoseRequestsNobodyStartedAreRefused) {
  Archive archive;
  archive.begin(1, 1, 1);
  archive.receive(1, 0, 2);
  archive.wait(0, {0}, 3);
  archive.thread(1).write({event::Free{.request = 0}, 4});
  archive.close();
  EXPECT_THAT([&] { static_cast<void>(archive.read_again()); },
              ThrowsMessage<InputError>(HasSubstr("a request is over that wasn't started")));
}

TEST(Threads, AreNotLeftOutByOlderReaders) {
  Archive archive;
  archive.begin(1, 1, 1);
  archive.close();
  using namespace std::string_literals;
  archive.replace("traces.otf2", "COMMGAUGE::TRACE\0002"s, "COMMGAUGE::TRACE\0003"s);
  EXPECT_THAT(
      [&] { static_cast<void>(archive.read_again()); },
      ThrowsMessage<InputError>(HasSubstr("version 3 (this program reads up to version 2")));
}

}  // namespace commgauge::trace::threads_test
