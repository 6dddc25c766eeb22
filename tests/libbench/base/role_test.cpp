#include "base/role.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <climits>
#include <cstring>

#include "commgauge/base/error.hpp"
#include "commgauge/bench/calibrate/calibrate.hpp"
#include "messages/communicator.hpp"
#include "timing/collective_timer.hpp"

namespace commgauge::bench::role_test {

constexpr Bytes block{4096};

int rank_in_world() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int ranks() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

std::vector<Experiment> collectives(int n, int root) {
  return {binomial_scatter(n, root, block), binomial_gather(n, root, block),
          binomial_bcast(n, root, block), flat_bcast(n, root, block)};
}

TEST(Role, OfSixRanksByHand) {
  // From root 1 on: its children are 5, which has 0, then 3, which has 4, then 2.
  const Experiment scatter = binomial_scatter(6, 1, Bytes{10});
  const Role root = role_of(scatter, 1);
  EXPECT_EQ(root.data, Bytes{60});
  ASSERT_EQ(root.steps.size(), 3u);
  const auto expect = [](const Step& step, bool is_sent, int peer, std::size_t offset, Bytes size) {
    EXPECT_EQ(step.is_sent, is_sent);
    EXPECT_EQ(step.peer, peer);
    EXPECT_EQ(step.offset, offset);
    EXPECT_EQ(step.size, size);
  };
  expect(root.steps[0], true, 5, 40, Bytes{20});
  expect(root.steps[1], true, 3, 20, Bytes{20});
  expect(root.steps[2], true, 2, 10, Bytes{10});
  const Role inner = role_of(binomial_gather(6, 1, Bytes{10}), 5);
  EXPECT_EQ(inner.data, Bytes{20});
  ASSERT_EQ(inner.steps.size(), 2u);
  expect(inner.steps[0], false, 0, 10, Bytes{10});
  expect(inner.steps[1], true, 1, 0, Bytes{20});
  const Role flat = role_of(flat_bcast(6, 1, Bytes{10}), 1);
  EXPECT_EQ(flat.data, Bytes{10});
  ASSERT_EQ(flat.steps.size(), 5u);
  for (int k = 0; k < 5; ++k) {
    expect(flat.steps[static_cast<std::size_t>(k)], true, k < 1 ? 0 : k + 1, 0, Bytes{10});
  }
}

TEST(Role, InARingEachSendsAndReceivesAtOnce) {
  const Experiment experiment = ring(1, ring_order(5, 1, 4), Bytes{10});
  const Role role = role_of(experiment, 2);
  EXPECT_TRUE(role.is_at_once);
  EXPECT_EQ(role.data, Bytes{10});
  ASSERT_EQ(role.steps.size(), 2U);
  EXPECT_FALSE(role.steps[0].is_sent);
  EXPECT_EQ(role.steps[0].peer, 4);
  EXPECT_TRUE(role.steps[1].is_sent);
  EXPECT_EQ(role.steps[1].peer, 0);
  EXPECT_EQ(role.steps[1].size, Bytes{10});
}

/// What one rank sends another receives, and a rank has what it passes on.
TEST(Role, StepsOfAllRanksFitTogether) {
  for (int n = 2; n <= 20; ++n) {
    for (const Experiment& experiment : collectives(n, n / 2)) {
      int messages = 0;
      for (int rank = 0; rank < n; ++rank) {
        const Role role = role_of(experiment, rank);
        for (const Step& step : role.steps) {
          EXPECT_LE(step.offset + step.size.value, role.data.value);
          const Role other = role_of(experiment, step.peer);
          const auto match = std::ranges::find(other.steps, rank, &Step::peer);
          ASSERT_NE(match, other.steps.end());
          EXPECT_NE(match->is_sent, step.is_sent);
          EXPECT_EQ(match->size, step.size);
          messages += step.is_sent ? 1 : 0;
        }
      }
      EXPECT_EQ(messages, n - 1);
    }
  }
}

/// Byte that rank `rank` is to have, or sends.
std::byte mark(int rank) { return static_cast<std::byte>(17 + rank); }

/// Of `data`, which holds blocks of the ranks from the own one on, counted from the root.
void mark_blocks(std::byte* data, Bytes whole, const Experiment& experiment, int rank, int n) {
  for (std::size_t k = 0; k * block.value < whole.value; ++k) {
    const bool copies = experiment.kind == Kind::bcast || experiment.kind == Kind::bcast_binomial;
    const int owner = copies ? experiment.root : (rank + static_cast<int>(k)) % n;
    std::memset(data + k * block.value, static_cast<int>(mark(owner)), block.value);
  }
}

TEST(Role, EveryBlockArrivesWhereItBelongs) {
  const Communicator comm{MPI_COMM_WORLD};
  const Transport transport{comm.get(), ranks() > 2 ? WaitMode::yield : WaitMode::blocking};
  const std::size_t room = block.value * static_cast<std::size_t>(ranks());
  MessageBuffers buffers{Buffers::same, room, 0};
  CoreWatch watch;
  CollectiveTimer timer{transport, buffers, watch, ranks()};
  const int me = comm.rank();
  for (const Experiment& experiment : collectives(ranks(), ranks() - 1)) {
    SCOPED_TRACE(to_text(experiment.kind));
    const Role role = role_of(experiment, me);
    const bool gathers = ends_at_root(experiment.kind);
    buffers.begin_repetition();
    std::byte* const sent = buffers.next_send(1);
    std::byte* const received = buffers.next_receive(1);
    std::memset(sent, 0, room);
    std::memset(received, 0, room);
    const bool is_root = me == experiment.root;
    const Bytes own = gathers ? block : role.data;
    if (gathers || is_root) {
      mark_blocks(role.steps.front().is_sent ? sent : received, own, experiment, me, ranks());
    }
    const Collective collective{.kind = experiment.kind,
                                .root = experiment.root,
                                .peers = experiment.peers,
                                .size = block,
                                .role = &role};
    if (is_root) {
      timer.synchronise_as_root(experiment.peers);
      EXPECT_GT(timer.time_as_root(collective, true), 0);
    } else {
      timer.synchronise_as_peer(experiment.root);
      timer.join_as_peer(collective);
    }
    std::vector<std::byte> expected(room);
    if (gathers ? is_root : !is_root) {
      mark_blocks(expected.data(), role.data, experiment, me, ranks());
      EXPECT_TRUE(std::equal(received, received + role.data.value, expected.data()));
    }
  }
}

TEST(MeasuredTrees, AreMeasuredAsOthers) {
  Options options;
  options.passes = 2;
  options.min_reps = options.max_reps = 3;
  const std::vector<Experiment> wanted = collectives(ranks(), 1);
  const Measurements measured = measure_experiments(MPI_COMM_WORLD, wanted, options);
  if (rank_in_world() != 0) return;
  ASSERT_EQ(measured.observations.size(), 2 * wanted.size());
  for (const Observation& observation : measured.observations) {
    EXPECT_NE(std::ranges::find(wanted, observation.experiment), wanted.end());
    EXPECT_GT(observation.time_s, 0);
  }
}

/// A block that may be sent, of which two may not.
TEST(MeasuredTrees, WhatDoesNotFitIntoOneMessageIsRefused) {
  const auto refused = [](int n) {
    Options options;
    options.passes = 1;
    EXPECT_THROW((void)measure_experiments(
                     MPI_COMM_WORLD,
                     {binomial_scatter(n, 0, Bytes{std::uint64_t{INT_MAX} / 2 + 1})}, options),
                 InputError);
  };
  if (ranks() >= 4) refused(ranks());
}

}  // namespace commgauge::bench::role_test
