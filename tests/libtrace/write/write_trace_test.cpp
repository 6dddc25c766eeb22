#include "commgauge/trace/write/write_trace.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "commgauge/base/error.hpp"
#include "random_trace.hpp"

namespace commgauge::trace::write_trace_test {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(WriteTrace, IsNotWrittenOverAnother) {
  const Folder folder;
  write(random_trace(3), folder / "trace");
  EXPECT_THAT([&] { write(random_trace(3), folder / "trace"); },
              ThrowsMessage<InputError>(HasSubstr("it isn't empty")));
}

TEST(WriteTrace, OfUnknownPeersAndRequestsIsRefused) {
  const Folder folder;
  Trace trace;
  trace.communicators.push_back({"MPI_COMM_WORLD", {0}, {}});
  trace.ranks.emplace_back();
  trace.ranks[0].events.push_back(event::Send{.peer = 1});
  EXPECT_THAT([&] { write(trace, folder / "a"); },
              ThrowsMessage<InputError>(HasSubstr("rank 1 isn't in the communicator")));
  trace.ranks[0].events[0] = event::Wait{.list = 0, .count = 1};
  trace.ranks[0].requests = {5};
  EXPECT_THAT([&] { write(trace, folder / "b"); },
              ThrowsMessage<InputError>(HasSubstr("a request that it waits for isn't there")));
}

TEST(WriteTrace, OfWrongThreadsIsRefused) {
  const Folder folder;
  Trace trace;
  trace.communicators.push_back({"MPI_COMM_WORLD", {0}, {}});
  auto& rank = trace.ranks.emplace_back();
  rank.events = {event::ThreadBegin{.number = 1}, event::Sleep{}};
  rank.further_threads = {1};
  EXPECT_THAT([&] { write(trace, folder / "a"); },
              ThrowsMessage<InputError>(HasSubstr("first thread has no beginning")));
  rank.further_threads = {0, 9};
  EXPECT_THAT([&] { write(trace, folder / "b"); },
              ThrowsMessage<InputError>(HasSubstr("isn't there")));
  // Two threads that wait for what the other starts afterwards.
  rank.events = {event::Wait{.list = 0, .count = 1}, event::Send{.request = 1, .peer = 0},
                 event::ThreadBegin{.number = 1}, event::Wait{.list = 1, .count = 1},
                 event::Send{.request = 0, .peer = 0}};
  rank.requests = {0, 1};
  rank.further_threads = {2};
  EXPECT_THAT([&] { write(trace, folder / "c"); },
              ThrowsMessage<InputError>(HasSubstr("isn't there")));
}

}  // namespace commgauge::trace::write_trace_test
