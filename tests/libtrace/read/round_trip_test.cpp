#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "commgauge/trace/read/reader.hpp"
#include "commgauge/trace/write/write_trace.hpp"
#include "random_trace.hpp"

namespace commgauge::trace::round_trip_test {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

class RoundTrip : public testing::TestWithParam<std::uint32_t> {};

TEST_P(RoundTrip, ReadsWhatWasWritten) {
  const Folder folder;
  const auto trace = random_trace(GetParam());
  write(trace, folder / "trace");
  EXPECT_EQ(difference(read(folder / "trace"), trace), "");
}

INSTANTIATE_TEST_SUITE_P(Random, RoundTrip, testing::Range(0U, 60U));

TEST_P(RoundTrip, KeepsThreadsApart) {
  const Folder folder;
  const auto trace = random_trace(GetParam(), 200, 5);
  write(trace, folder / "trace");
  EXPECT_EQ(difference(read(folder / "trace"), trace), "");
}

TEST(Archive, IsReadByItsAnchorToo) {
  const Folder folder;
  const auto trace = random_trace(1);
  write(trace, folder / "trace");
  EXPECT_EQ(difference(read(folder / "trace/traces.otf2"), trace), "");
}

TEST(Archive, OfManyEventsGoesThroughFullBuffers) {
  const Folder folder;
  const auto trace = random_trace(2, 30'000);
  write(trace, folder / "trace");
  EXPECT_EQ(difference(read(folder / "trace"), trace), "");
}

TEST(Archive, OfManyEventsOfThreadsGoesThroughFullBuffers) {
  const Folder folder;
  const auto trace = random_trace(5, 60'000, 3);
  ASSERT_TRUE(std::ranges::any_of(
      trace.ranks, [](const Rank& rank) { return rank.further_threads.size() == 2; }));
  write(trace, folder / "trace");
  EXPECT_EQ(difference(read(folder / "trace"), trace), "");
}

TEST(Archive, OfManyRanksIsWritten) {
  const Folder folder;
  Trace trace;
  trace.communicators.push_back({"MPI_COMM_WORLD", {}, {}});
  for (int rank = 0; rank < 1100; ++rank) {  // more than files are usually open
    trace.communicators.front().members.push_back(rank);
    trace.ranks.emplace_back().host = "node";
    trace.ranks.back().events.push_back({event::Sleep{.nanoseconds = 5}, 7});
  }
  write(trace, folder / "trace");
  EXPECT_EQ(difference(read(folder / "trace"), trace), "");
}

TEST(Archive, SaysWhichMessagesArriveTooEarly) {
  const Folder folder;
  Trace trace;
  trace.communicators.push_back({"MPI_COMM_WORLD", {0, 1}, {}});
  trace.ranks.resize(2);
  trace.ranks[0].events.push_back({event::Send{.peer = 1, .tag = 3, .bytes = 8}, 100});
  trace.ranks[1].events.push_back(
      {event::Receive{
           .peer = any, .tag = 3, .bytes = 8, .found = {.peer = 0, .tag = 3, .bytes = 8}},
       99});
  write(trace, folder / "trace");
  const auto remarks = read(folder / "trace").remarks;
  ASSERT_EQ(remarks.size(), 1U);
  EXPECT_THAT(remarks.front().text, HasSubstr("before they were sent"));
  EXPECT_EQ(remarks.front().count, 1U);
}

/// As if the disk was full: no file may get larger.
class FullDisk {
 public:
  explicit FullDisk(rlim_t most) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{most, before_.rlim_max};
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int){};
};

void expect_unfinished(const Trace& trace) {
  for (const rlim_t most : {200, 10'000, 300'000, 1'500'000, 2'500'000}) {
    const Folder folder;
    const FullDisk disk(most);
    EXPECT_THAT([&] { write(trace, folder / "trace"); },
                ThrowsMessage<InputError>(AllOf(HasSubstr("cannot write"), HasSubstr("too large"))))
        << most;
    EXPECT_THAT([&] { static_cast<void>(read(folder / "trace")); },
                ThrowsMessage<InputError>(HasSubstr("is unfinished")))
        << most;
  }
}

TEST(FullDisk, NeverLeavesAShortTraceOfThreads) { expect_unfinished(random_trace(4, 200'000, 3)); }

TEST(FullDisk, NeverLeavesAShortTrace) { expect_unfinished(random_trace(4, 100'000)); }

class Otf2Print : public testing::TestWithParam<int> {};

TEST_P(Otf2Print, ReadsOurArchives) {
  if (std::system("command -v otf2-print >/dev/null") != 0) GTEST_SKIP() << "no otf2-print";
  const Folder folder;
  const auto trace = random_trace(5, 60, GetParam());
  write(trace, folder / "trace");
  const auto output = folder / "output";
  const auto command = "otf2-print -G '" + (folder / "trace/traces.otf2").string() + "' > '" +
                       output.string() + "' 2>&1 && otf2-print '" +
                       (folder / "trace/traces.otf2").string() + "' >> '" + output.string() +
                       "' 2>&1";
  EXPECT_EQ(std::system(command.c_str()), 0);
  std::ifstream in{output};
  const std::string text{std::istreambuf_iterator<char>{in}, {}};
  EXPECT_THAT(text, HasSubstr("MPI_COMM_WORLD"));
  EXPECT_THAT(text, testing::Not(HasSubstr("warning")));
  EXPECT_THAT(text, testing::Not(HasSubstr("INVALID")));
  EXPECT_EQ(text.find("\"Thread 1\"") < text.size(), GetParam() > 1);
}

INSTANTIATE_TEST_SUITE_P(Threads, Otf2Print, testing::Values(1, 4));

}  // namespace commgauge::trace::round_trip_test
