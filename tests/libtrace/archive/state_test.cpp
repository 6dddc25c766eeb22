#include "archive/state.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "commgauge/base/error.hpp"
#include "random_trace.hpp"

namespace commgauge::trace::state_test {

using testing::HasSubstr;
using testing::ThrowsMessage;

void put(const std::filesystem::path& file, const std::string& text) {
  std::ofstream{file, std::ios::binary} << text;
}

TEST(State, AnArchiveIsUnfinishedUntilItIsFinished) {
  const Folder folder;
  const auto archive = folder / "trace";
  begin_archive(archive);
  EXPECT_THAT([&] { static_cast<void>(check_archive(archive)); },
              ThrowsMessage<InputError>(HasSubstr("unfinished")));
  put(archive / "0.evt", "events");
  finish_archive(archive, checksums_of(archive, {"0.evt"}));
  EXPECT_TRUE(check_archive(archive));
}

TEST(State, AnyChangeIsSeen) {
  const Folder folder;
  const auto archive = folder / "trace";
  begin_archive(archive);
  put(archive / "0.evt", std::string(100, 'a'));
  finish_archive(archive, checksums_of(archive, {"0.evt"}));
  for (const std::size_t place : {0U, 50U, 99U}) {
    std::string damaged(100, 'a');
    damaged[place] = 'b';
    put(archive / "0.evt", damaged);
    EXPECT_THAT([&] { static_cast<void>(check_archive(archive)); },
                ThrowsMessage<InputError>(HasSubstr("0.evt")))
        << place;
  }
  put(archive / "0.evt", std::string(99, 'a'));
  EXPECT_THROW(static_cast<void>(check_archive(archive)), InputError);
}

TEST(State, TheReasonIsThatOfTheSmallestRank) {
  const Folder folder;
  const auto archive = folder / "trace";
  begin_archive(archive);
  note_problem(archive, 3, "the disk is full");
  EXPECT_THAT([&] { static_cast<void>(check_archive(archive)); },
              ThrowsMessage<InputError>(HasSubstr("rank 3: the disk is full")));
}

TEST(State, ADirectoryThatIsntEmptyIsRefused) {
  const Folder folder;
  begin_archive(folder / "trace");
  EXPECT_THROW(begin_archive(folder / "trace"), InputError);
}

TEST(State, OthersHaveNoChecksums) {
  const Folder folder;
  std::filesystem::create_directory(folder / "trace");
  EXPECT_FALSE(check_archive(folder / "trace"));
}

TEST(State, LocationsHaveARankAndAThread) {
  for (const int rank : {0, 7, 1 << 20}) {
    for (const int thread : {0, 1, 300}) {
      EXPECT_EQ(rank_of(location_of(rank, thread)), rank);
      EXPECT_EQ(thread_of(location_of(rank, thread)), thread);
    }
  }
  EXPECT_EQ(name_of_thread(2, 0), "rank 2");
  EXPECT_EQ(name_of_thread(2, 1), "rank 2's thread 1");
}

}  // namespace commgauge::trace::state_test
