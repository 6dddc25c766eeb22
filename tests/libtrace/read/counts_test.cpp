#include "read/counts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "commgauge/base/error.hpp"
#include "commgauge/base/files.hpp"
#include "commgauge/trace/write/write_trace.hpp"
#include "random_trace.hpp"

namespace commgauge::trace::counts_test {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::ThrowsMessage;

class Counts : public testing::Test {
 protected:
  Counts() {
    Trace trace;
    trace.communicators.push_back({"MPI_COMM_WORLD", {0, 1}, {}});
    trace.ranks.resize(2);
    trace.program = "ring";
    write(trace, archive);
    for (const auto& entry : fs::directory_iterator{archive}) {
      if (entry.path().extension() == ".otf2") anchor = entry.path();
    }
  }
  /// Writes the text over the file's from that place on.
  static void change(const fs::path& file, std::size_t place, const std::string& text) {
    std::fstream out{file, std::ios::in | std::ios::out | std::ios::binary};
    out.seekp(static_cast<std::streamoff>(place));
    out << text;
  }
  void expect_refused(const fs::path& file, const std::string& why) const {
    EXPECT_THAT(
        [&] { check_counts(anchor); },
        ThrowsMessage<InputError>(AllOf(HasSubstr(file.filename().string()), HasSubstr(why))));
  }
  [[nodiscard]] fs::path definitions() const { return fs::path{anchor}.replace_extension(".def"); }

  Folder folder;
  fs::path archive = folder / "trace";
  fs::path anchor;
};

TEST_F(Counts, OfAWholeArchiveAreSound) {
  ASSERT_TRUE(fs::exists(anchor));
  ASSERT_TRUE(fs::exists(definitions()));
  EXPECT_NO_THROW(check_counts(anchor));
}

TEST_F(Counts, AnAnchorThatIsCutOffIsRefused) {
  fs::resize_file(anchor, 20);
  expect_refused(anchor, "more than it has");
  fs::resize_file(anchor, 0);
  expect_refused(anchor, "more than it has");
}

TEST_F(Counts, AFileThatBeginsOtherwiseIsRefused) {
  change(definitions(), 0, std::string(1, '\x07'));
  expect_refused(definitions(), "more than it has");
}

/// Of the group of all ranks: record 18, then its length, number, name, flags and a count.
TEST_F(Counts, AGroupOfMoreMembersThanBytesIsRefused) {
  const std::string text = read_file(definitions());
  // Ranks 0 and 1 of a group of two: each is one byte behind its length, 0 has none.
  const std::string members{"\x01\x02\x00\x01\x01", 5};
  const std::size_t place = text.find(members);
  ASSERT_NE(place, std::string::npos);
  change(definitions(), place + 1, std::string(1, '\x7f'));
  expect_refused(definitions(), "more than it has");
}

/// OTF2 would wait for whoever writes into it.
TEST_F(Counts, WhatIsNoFileIsRefused) {
  fs::remove(definitions());
  fs::create_directory(definitions());
  expect_refused(definitions(), "it is no file");
}

}  // namespace commgauge::trace::counts_test
