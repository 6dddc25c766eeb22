#include "commgauge/trace/events/trace.hpp"

#include <gtest/gtest.h>

namespace commgauge::trace {
namespace {

using Kind = Event::Kind;

/// Of two ranks of which the last one does that.
bool uses_mpi_with(const Event& event) {
  Trace trace;
  trace.names = {"solve", "MPI_Barrier", "pthread_join", "sleep"};
  trace.ranks.resize(2);
  trace.ranks[1].events = {{.kind = Kind::region_begin}, event, {.kind = Kind::region_end}};
  return uses_mpi(trace);
}

TEST(UsesMpi, IsToldByCallsAndByWhatTheyDo) {
  EXPECT_TRUE(uses_mpi_with({.kind = Kind::enter, .name = 1}));
  for (const Kind kind : {Kind::send, Kind::receive, Kind::collective, Kind::meet, Kind::probe,
                          Kind::access, Kind::prepare_send}) {
    EXPECT_TRUE(uses_mpi_with({.kind = kind})) << static_cast<int>(kind);
  }
}

TEST(UsesMpi, IsNotComputingSleepingAndThreads) {
  EXPECT_FALSE(uses_mpi({}));
  for (const std::uint32_t name : {2U, 3U}) {
    EXPECT_FALSE(uses_mpi_with({.kind = Kind::enter, .name = name}));
  }
  for (const Kind kind : {Kind::sleep, Kind::clock_reads, Kind::thread_begin, Kind::acquire}) {
    EXPECT_FALSE(uses_mpi_with({.kind = kind})) << static_cast<int>(kind);
  }
}

}  // namespace
}  // namespace commgauge::trace
