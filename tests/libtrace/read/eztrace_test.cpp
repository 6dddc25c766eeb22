#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "commgauge/trace/read/reader.hpp"
#include "random_trace.hpp"

namespace commgauge::trace::eztrace_test {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

/// What EZTrace writes of a small program of three ranks.
class EzTrace : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("eztrace_avail 2>/dev/null | grep -q mpich") != 0) {
      GTEST_SKIP() << "eztrace isn't installed";
    }
  }

  [[nodiscard]] std::filesystem::path record(const std::string& argument) const {
    const auto command = "cd '" + (folder_ / "").string() +
                         "' && " COMMGAUGE_MPIEXEC
                         " -n 3 eztrace -t mpich " COMMGAUGE_TRACED_PROGRAM " " +
                         argument + " >/dev/null 2>&1";
    EXPECT_EQ(std::system(command.c_str()), 0);
    return folder_ / "traced-program_trace";
  }

  Folder folder_;
};

TEST_F(EzTrace, ArchiveIsReadWithWhatItLeavesOut) {
  const auto trace = read(record(""));
  ASSERT_EQ(trace.ranks.size(), 3U);
  std::vector<std::string> texts;
  for (const auto& one : trace.remarks) texts.push_back(one.text);
  EXPECT_THAT(texts, Contains(HasSubstr("numbers of events in the definitions are wrong")));
  EXPECT_THAT(texts, Contains(HasSubstr("completions of requests are missing")));
  for (const auto& rank : trace.ranks) {
    std::vector<std::uint64_t> bytes;
    for (const auto& event : rank.events) {
      if (const auto* const got = event.as<event::Receive>()) bytes.push_back(got->found.bytes);
    }
    EXPECT_THAT(bytes, Contains(50U));
    ASSERT_EQ(rank.collectives.size(), 3U);
    EXPECT_THAT(rank.collectives[0].what.counts, ElementsAre(4U));
    EXPECT_THAT(rank.collectives[1].what.counts, ElementsAre(20U));
  }
}

TEST_F(EzTrace, NonBlockingCollectivesWithoutRecordsAreRefused) {
  const auto archive = record("nonblocking");
  EXPECT_THAT([&] { static_cast<void>(read(archive)); },
              ThrowsMessage<InputError>(HasSubstr("MPI_Iallreduce has no record")));
}

}  // namespace commgauge::trace::eztrace_test
