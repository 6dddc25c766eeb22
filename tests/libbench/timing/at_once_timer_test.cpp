#include "timing/at_once_timer.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "made_harness.hpp"
#include "ranks_of.hpp"

namespace commgauge::bench::at_once_timer_test {

struct Timed {
  double time_s{};
  int rank{};
  int ranks{};
};

/// Each rank sends to the next one, or some of them do. @param sends  how many of the first ranks
Timed time_ring(int sends, Wait wait, Bytes size, Bytes piece) {
  Options options = quick_options();
  options.wait = wait;
  Harness harness(MPI_COMM_WORLD, options);
  harness.buffers.reserve(size.value);
  AtOnceTimer timer(harness.transport, harness.buffers, harness.clock);
  const int rank = harness.comm.rank();
  const int ranks = harness.comm.size();
  RoleAtOnce role;
  if (rank < sends) role.to = (rank + 1) % ranks;
  const int before = (rank + ranks - 1) % ranks;
  if (before < sends) role.from = before;
  return {timer.time(role, size, piece), rank, ranks};
}

TEST(AtOnceTimer, EachReceiverHasATime) {
  for (const Wait wait : {Wait::blocking, Wait::yield}) {
    for (const Bytes size : {Bytes{0}, Bytes{1 << 20}}) {
      for (const Bytes piece : {size, Bytes{4096}, Bytes{300'000}}) {
        const Timed all = time_ring(ranks_of(MPI_COMM_WORLD), wait, size, piece);
        EXPECT_TRUE(std::isfinite(all.time_s));
        EXPECT_GT(all.time_s, -1e-6);
      }
    }
  }
}

TEST(AtOnceTimer, WhoReceivesNothingHasNone) {
  const Timed one = time_ring(1, Wait::automatic, Bytes{4096}, Bytes{1000});
  EXPECT_EQ(std::isnan(one.time_s), one.rank != 1);
}

}  // namespace commgauge::bench::at_once_timer_test
