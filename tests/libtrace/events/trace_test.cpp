#include "commgauge/trace/events/trace.hpp"

#include <gtest/gtest.h>

namespace commgauge::trace::trace_test {

/// Of two ranks of which the last one does that.
bool uses_mpi_with(const Event& one) {
  Trace trace;
  trace.names = {"solve", "MPI_Barrier", "pthread_join", "sleep"};
  trace.ranks.resize(2);
  trace.ranks[1].events = {event::RegionBegin{}, one, event::RegionEnd{}};
  return uses_mpi(trace);
}

TEST(UsesMpi, IsToldByCallsAndByWhatTheyDo) {
  EXPECT_TRUE(uses_mpi_with(event::Enter{.name = 1}));
  const std::vector<Event> all{event::Send{},  event::Receive{}, event::Collective{}, event::Meet{},
                               event::Probe{}, event::Access{},  event::PrepareSend{}};
  for (const Event& one : all) EXPECT_TRUE(uses_mpi_with(one)) << one.what.index();
}

TEST(UsesMpi, IsNotComputingSleepingAndThreads) {
  EXPECT_FALSE(uses_mpi({}));
  for (const std::uint32_t name : {2U, 3U}) {
    EXPECT_FALSE(uses_mpi_with(event::Enter{.name = name}));
  }
  const std::vector<Event> all{event::Sleep{}, event::ClockReads{}, event::ThreadBegin{},
                               event::Acquire{}};
  for (const Event& one : all) EXPECT_FALSE(uses_mpi_with(one)) << one.what.index();
}

}  // namespace commgauge::trace::trace_test
