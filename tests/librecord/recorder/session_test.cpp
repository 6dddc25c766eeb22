#include "recorder/session.hpp"

#include <gtest/gtest.h>

#include "recorded_rank.hpp"

namespace commgauge::record::session_test {

TEST(Sessions, WithoutOneANameHasNoNumber) {
  ASSERT_EQ(session(), nullptr);
  const Name name = name_of("MPI_Send");
  EXPECT_STREQ(name.text, "MPI_Send");
  EXPECT_EQ(name.number, 0U);
}

TEST(Sessions, TheSameNameHasTheSameNumber) {
  const std::filesystem::path folder = testing::TempDir() + "session-" + std::to_string(getpid());
  Session here;
  here.together = std::make_unique<trace::Alone>();
  here.writer = std::make_unique<trace::Writer>(
      folder, trace::About{}, std::vector{trace::Place{0, "node"}}, *here.together);
  current_session = &here;
  const Name send = name_of("MPI_Send");
  const Name receive = name_of("MPI_Recv");
  EXPECT_NE(send.number, receive.number);
  EXPECT_EQ(name_of("MPI_Send").number, send.number);
  EXPECT_EQ(here.writer->name("MPI_Recv"), receive.number);
  current_session = nullptr;
  here.writer.reset();
  std::filesystem::remove_all(folder);
}

}  // namespace commgauge::record::session_test
