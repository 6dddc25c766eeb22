#include "recorder/recorder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "recorded_rank.hpp"

namespace commgauge::record::recorder_test {

using testing::ElementsAre;

class Recorded : public RecordedRank {
 protected:
  std::vector<std::size_t> kinds() const { return kept.kinds(); }

  Name send{"MPI_Send", archive.name("MPI_Send")};
  Name test{"MPI_Test", archive.name("MPI_Test")};
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

}  // namespace commgauge::record::recorder_test
