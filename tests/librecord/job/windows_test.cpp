#include "job/windows.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "in_job.hpp"

namespace commgauge::record::windows_test {

using testing::ElementsAre;
using testing::IsEmpty;

/// A window of all ranks, from the last to the first.
class Windows : public InJob {
 protected:
  Windows() {
    MPI_Comm turned = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, 0, session.size - session.rank, &turned);
    MPI_Win_create(&memory_, sizeof memory_, 1, MPI_INFO_NULL, turned, &win);
    MPI_Comm_free(&turned);
  }
  ~Windows() override { MPI_Win_free(&win); }

  [[nodiscard]] Window* found() { return window(recorder(), win, {"MPI_Put", 0}); }

  MPI_Win win{MPI_WIN_NULL};

 private:
  int memory_{};
};

TEST_F(Windows, HaveAContextAndPeersOfTheirOwn) {
  adopt_window(win, 0);
  Window* const known = found();
  ASSERT_NE(known, nullptr);
  EXPECT_EQ(known->context, 1U);
  EXPECT_EQ(known->size(), session.size);
  EXPECT_EQ(known->peer(0), session.size - 1);
  EXPECT_THAT(known->open, IsEmpty());
  EXPECT_NE(forget_window(win), nullptr);
}

TEST_F(Windows, OfOneThatNobodyKnowsItIsSaid) {
  EXPECT_EQ(found(), nullptr);
  EXPECT_THAT(recorder().left_out(), ElementsAre("MPI_Put of ranks that can't be known"));
  EXPECT_EQ(forget_window(win), nullptr);
}

TEST_F(Windows, ThatAreForgottenAreNotFound) {
  adopt_window(win, 0);
  const auto freed = forget_window(win);
  ASSERT_NE(freed, nullptr);
  EXPECT_EQ(freed->size(), session.size);
  EXPECT_EQ(found(), nullptr);
}

TEST_F(Windows, AnAccessIsOfTheJobsRank) {
  adopt_window(win, 0);
  Window* const known = found();
  ASSERT_NE(known, nullptr);
  const std::uint32_t number = start_access(recorder(), *known, 0, trace::Effect::access, 8, 16);
  ASSERT_THAT(kept.kinds(), ElementsAre(kind<event::Access>));
  const auto& access = std::get<event::Access>(kept.events[0].what);
  EXPECT_EQ(access.request, number);
  EXPECT_EQ(access.peer, session.size - 1);
  EXPECT_EQ(access.context, 1U);
  EXPECT_EQ(access.effect, trace::Effect::access);
  EXPECT_EQ(access.bytes, 8U);
  EXPECT_EQ(access.back, 16U);
  EXPECT_TRUE(request_at(number).is_event());
  EXPECT_NE(forget_window(win), nullptr);
}

}  // namespace commgauge::record::windows_test
