#include "timing/collective_timer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "commgauge/bench/clock/clock.hpp"
#include "messages/communicator.hpp"

namespace commgauge::bench::collective_timer_test {

constexpr Bytes block{1000};

class Timed : public ::testing::Test {
 protected:
  Timed() {
    for (int rank = 0; rank < comm.size(); ++rank) {
      if (rank != root) peers.push_back(rank);
    }
  }
  [[nodiscard]] bool is_root() const { return comm.rank() == root; }
  [[nodiscard]] Collective collective(Kind kind, Timing timing, Algorithms algorithms) const {
    return {.kind = kind,
            .root = root,
            .peers = peers,
            .size = block,
            .timing = timing,
            .algorithms = algorithms};
  }
  void synchronise() {
    if (is_root()) {
      timer.synchronise_as_root(peers);
    } else {
      timer.synchronise_as_peer(root);
    }
  }
  /// @return on the root, its time; a peer comes so much later
  double repeat(const Collective& what, bool accept_late, double later = 0) {
    if (is_root()) return timer.time_as_root(what, accept_late);
    wait_until(Clock::now() + later, true);
    timer.join_as_peer(what);
    return 0;
  }

  Communicator comm{MPI_COMM_WORLD};
  int root{comm.size() - 1};
  std::vector<int> peers;
  Transport transport{comm.get(), WaitMode::yield};
  MessageBuffers buffers{Buffers::same, 16 * block.value, 0};
  CoreWatch watch;
  CollectiveTimer timer{transport, buffers, watch, comm.size()};
};

TEST_F(Timed, EachWayHasATime) {
  synchronise();
  double sum = 0;
  for (const Kind kind : {Kind::scatter, Kind::gather}) {
    for (const Timing timing : {Timing::global, Timing::root, Timing::longest}) {
      for (const Algorithms algorithms : {Algorithms::flat, Algorithms::library}) {
        const double time = repeat(collective(kind, timing, algorithms), true);
        if (is_root()) {
          EXPECT_GT(time, 0) << to_text(kind);
          sum += time;
        }
      }
    }
  }
  EXPECT_NEAR(timer.timed().value, sum, 1e-9) << "of the root";
}

TEST_F(Timed, ARingEndsWithItsLastRank) {
  const int next = (root + 1) % comm.size();
  const Experiment experiment = ring(root, ring_order(comm.size(), root, next), block);
  const Role role = role_of(experiment, comm.rank());
  synchronise();
  const Collective what{
      .kind = Kind::ring, .root = root, .peers = experiment.peers, .size = block, .role = &role};
  const double time = repeat(what, true);
  if (is_root()) {
    EXPECT_GT(time, 0);
  }
}

TEST_F(Timed, ARepetitionForWhichARankIsLateDoesNotCount) {
  synchronise();
  const Collective what = collective(Kind::scatter, Timing::global, Algorithms::flat);
  const double time = repeat(what, false, 0.05);
  if (is_root()) {
    EXPECT_TRUE(std::isnan(time));
  }
  EXPECT_EQ(timer.timed().value, 0);
  const double accepted = repeat(what, true, 0.05);
  if (is_root()) {
    EXPECT_GT(accepted, 0.02) << "to the last rank's end";
  }
}

TEST_F(Timed, TheLongestTimeIsThatOfAnyRank) {
  const Collective what = collective(Kind::gather, Timing::longest, Algorithms::flat);
  const double time = repeat(what, true);
  const double own = repeat(collective(Kind::gather, Timing::root, Algorithms::flat), true);
  if (is_root()) {
    EXPECT_GT(time, 0);
    EXPECT_GT(own, 0);
    EXPECT_NEAR(timer.timed().value, time + own, 1e-12);
  }
}

/// Each block has its rank's mark when the root has gathered them.
TEST_F(Timed, MessagesArriveInTheOrderOfThePeers) {
  synchronise();
  buffers.begin_repetition();
  const int mark = 30 + comm.rank();
  std::memset(buffers.next_send(block.value), mark, block.value);
  (void)repeat(collective(Kind::gather, Timing::global, Algorithms::flat), true);
  if (!is_root()) return;
  buffers.begin_repetition();
  for (const int peer : peers) {
    const std::byte* const received = buffers.next_receive(block.value);
    EXPECT_EQ(received[0], static_cast<std::byte>(30 + peer));
    EXPECT_EQ(received[block.value - 1], static_cast<std::byte>(30 + peer));
  }
}

TEST_F(Timed, NothingIsLostWhereNobodyWatches) {
  synchronise();
  (void)repeat(collective(Kind::scatter, Timing::global, Algorithms::flat), true);
  EXPECT_EQ(timer.lost(), 0);
}

}  // namespace commgauge::bench::collective_timer_test
