#include "recorder/recorder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "commgauge/trace/write/writer.hpp"

namespace commgauge::record {
namespace {

using testing::ElementsAre;

/// Keeps what is written.
class Kept final : public trace::RankWriter {
 public:
  void write(const Event& one) override { events.push_back(one); }
  void write(const Event& one, std::span<const trace::Over> over) override {
    events.push_back(one);
    lists.emplace_back(over.begin(), over.end());
  }
  void write(const Event& one, const trace::Collective&) override { events.push_back(one); }
  void set_threads(int) override {}
  void set_complete(bool) override {}

  std::vector<Event> events;
  std::vector<std::vector<trace::Over>> lists;
};

template <class Kind>
const std::size_t kind = event::Any{Kind{}}.index();

class Recorded : public testing::Test {
 protected:
  std::vector<std::size_t> kinds() const {
    std::vector<std::size_t> all;
    for (const Event& one : kept.events) all.push_back(one.what.index());
    return all;
  }

  std::filesystem::path folder = testing::TempDir() + "recorder-" + std::to_string(getpid());
  trace::Alone alone;
  trace::Writer archive{folder, {}, {{0, "node"}}, alone};
  Kept kept;
  Recorder recorder{archive, kept, Clocks(false), 0};
  Name send{"MPI_Send", archive.name("MPI_Send")};
  Name test{"MPI_Test", archive.name("MPI_Test")};

  void TearDown() override { std::filesystem::remove_all(folder); }
};

TEST_F(Recorded, ACallIsEnclosed) {
  recorder.enter({});
  recorder.begin(send);
  recorder.write(event::Send{.peer = 0});
  recorder.leave(send);
  recorder.finish();
  EXPECT_THAT(kinds(), ElementsAre(kind<event::Enter>, kind<event::Send>, kind<event::Leave>));
  EXPECT_EQ(std::get<event::Enter>(kept.events[0].what).name, send.number);
  EXPECT_LE(kept.events[0].time, kept.events[2].time);
}

TEST_F(Recorded, TestsInVainAreOneCallWithTheOneThatIsNot) {
  for (int i = 0; i < 3; ++i) {
    recorder.enter({});
    recorder.leave_unsuccessful(test);
  }
  EXPECT_TRUE(kept.events.empty());
  recorder.enter({});
  EXPECT_EQ(recorder.begin_poll(test), 3U);
  const trace::Over over{5};
  recorder.write(event::Poll{.attempts = 3}, {&over, 1});
  recorder.leave(test);
  recorder.finish();
  EXPECT_THAT(kinds(), ElementsAre(kind<event::Enter>, kind<event::Poll>, kind<event::Leave>));
}

TEST_F(Recorded, TestsInVainAreACallIfSomethingElseComes) {
  recorder.enter({});
  recorder.leave_unsuccessful(test);
  recorder.enter({});
  recorder.begin(send);
  recorder.leave(send);
  recorder.finish();
  EXPECT_THAT(kinds(), ElementsAre(kind<event::Enter>, kind<event::UnsuccessfulPolls>,
                                   kind<event::Leave>, kind<event::Enter>, kind<event::Leave>));
  EXPECT_EQ(std::get<event::UnsuccessfulPolls>(kept.events[1].what).attempts, 1U);
  EXPECT_EQ(std::get<event::Enter>(kept.events[0].what).name, test.number);
}

TEST_F(Recorded, ReadingsOfTheClockStandBehindTheCallBefore) {
  recorder.enter({});
  recorder.begin(send);
  recorder.leave(send);
  recorder.read_clock();
  recorder.read_clock();
  recorder.enter({});
  recorder.begin(send);
  recorder.leave(send);
  recorder.finish();
  ASSERT_EQ(kept.events.size(), 5U);
  const auto* const reads = kept.events[2].as<event::ClockReads>();
  ASSERT_NE(reads, nullptr);
  EXPECT_EQ(reads->count, 2U);
}

TEST_F(Recorded, RegionsAreNoCalls) {
  const std::uint32_t name = archive.name("solve");
  recorder.enter({});
  recorder.begin_region(name);
  recorder.enter({});
  recorder.end_region(name);
  recorder.finish();
  EXPECT_THAT(kinds(), ElementsAre(kind<event::RegionBegin>, kind<event::RegionEnd>));
  EXPECT_EQ(std::get<event::RegionEnd>(kept.events[1].what).name, name);
}

TEST_F(Recorded, WaitsOfThreadsAreOneCall) {
  using What = preload::ThreadEvent::What;
  preload::ThreadEvent told{};
  told.call = "pthread_mutex_lock";
  told.number = 4;
  told.count = 2;
  told.what = What::acquire;
  recorder.follow(told, nullptr);
  recorder.follow(told, nullptr);  // asked again
  told.what = What::leave;
  recorder.follow(told, nullptr);
  recorder.finish();
  EXPECT_THAT(kinds(), ElementsAre(kind<event::Enter>, kind<event::Acquire>, kind<event::Leave>));
  EXPECT_EQ(std::get<event::Acquire>(kept.events[1].what).object, 4U);
}

TEST_F(Recorded, NothingIsWrittenAfterItHasStopped) {
  recorder.stop();
  recorder.write(event::Sleep{5});
  EXPECT_TRUE(kept.events.empty());
}

}  // namespace
}  // namespace commgauge::record
