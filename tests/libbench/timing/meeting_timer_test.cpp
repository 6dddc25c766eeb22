#include "timing/meeting_timer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "made_harness.hpp"

namespace commgauge::bench::meeting_timer_test {

class MeetingTimers : public ::testing::TestWithParam<WaitMode> {
 protected:
  MeetingTimers() : buffers_{Buffers::rotating, std::size_t{16} << 20, 0} {}

  /// Until the clock is read, and until the repetition is over; on others than the root 0.
  struct Times {
    double told{};
    double whole{};
  };

  Times repeat(const Experiment& experiment) {
    const Transport transport(MPI_COMM_WORLD, GetParam());
    MeetingTimer timer(transport, buffers_, clock_);
    int me = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    const double start = Clock::now();
    if (me == experiment.root) {
      const double told = timer.time_as_root(experiment);
      return {told, Clock::now() - start};
    }
    if (std::ranges::find(experiment.peers, me) != experiment.peers.end()) {
      timer.join_as_peer(experiment);
    }
    return {};
  }

  Clock clock_;
  MessageBuffers buffers_;
};

INSTANTIATE_TEST_SUITE_P(, MeetingTimers, ::testing::Values(WaitMode::blocking, WaitMode::yield));

TEST_P(MeetingTimers, ReadTheClockWithinARepetition) {
  for (const Bytes size : {Bytes{100}, Bytes{2'000'000}}) {
    int ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    std::vector<int> others(static_cast<std::size_t>(ranks - 1));
    std::iota(others.begin(), others.end(), 1);
    const std::vector<Experiment> all{
        first_of_messages(0, 1, 3, size), messages_at_once(1, 0, 3, size),
        meeting_of_senders(Kind::first_of_messages, others, 0, size),
        meeting_of_receivers(Kind::messages_at_once, 0, others, size)};
    for (const Experiment& experiment : all) {
      const Times times = repeat(experiment);
      EXPECT_LE(times.told, times.whole) << to_text(experiment.kind);
      int me = 0;
      MPI_Comm_rank(MPI_COMM_WORLD, &me);
      EXPECT_EQ(times.told > 0, me == experiment.root) << to_text(experiment.kind);
    }
  }
}

}  // namespace commgauge::bench::meeting_timer_test
