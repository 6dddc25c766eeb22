#include "commgauge/bench/collectives/collectives.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <climits>
#include <cstring>
#include <memory>
#include <random>

#include "commgauge/base/error.hpp"
#include "commgauge/bench/base/error.hpp"

namespace commgauge::bench::collectives_test {

int rank_in(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

int size_of(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return size;
}

constexpr double us = 1e-6;

/// Ranks with C [us] each on links with L [us] and more.
Model machine(int ranks, double C, double L) {
  AdditiveParameters p;
  p.C.assign(static_cast<std::size_t>(ranks), C * us);
  p.t.assign(static_cast<std::size_t>(ranks), 0);
  p.L = Matrix(ranks, L * us);
  // Served from the last to the first.
  for (int i = 0; i < ranks; ++i) {
    for (int j = 0; j < i; ++j) p.L.set_both(i, j, L * us * (1 + 0.1 * (i + j)));
  }
  p.inverse_beta = Matrix(ranks, 0.0);
  Model model;
  model.ranks = ranks;
  model.lmo.emplace();
  model.lmo->value = model.lmo->low = model.lmo->high = p;
  return model;
}

/// A flat collective that took a thousand times as long as the model says.
Check never(Operation operation) { return {"lmo", operation, Bytes{1}, 0, -1, 1, 0.001}; }

/// That do the same thing in another way each.
struct Machines {
  explicit Machines(int ranks)
      : flat{machine(ranks, 1, 1000)}, tree{flat}, cutting{flat}, waiting{flat} {
    tree.checks = {never(Operation::scatter), never(Operation::gather)};
    cutting.thresholds.emplace();
    cutting.thresholds->gather_sweep.emplace();
    cutting.thresholds->gather_m1.size = cutting.thresholds->gather_m1.low = Bytes{202};
    // All of a message is what its bytes take: up a tree they pass several ranks.
    waiting.eager_limit = Bytes{0};
    AdditiveParameters& p = waiting.lmo->value;
    p.C.assign(p.C.size(), 0);
    p.t.assign(p.t.size(), us);
    p.L = Matrix(ranks, 0.0);
    waiting.lmo->low = waiting.lmo->high = p;
  }
  Model flat;
  Model tree;     ///< has seen flat ones fail
  Model cutting;  ///< gathers in pieces of 101 bytes at most
  Model waiting;  ///< gathers in turn
};

/// A datatype that is freed with it.
class Type {
 public:
  explicit Type(MPI_Datatype type) : type_{type} {
    int integers = 0;
    int addresses = 0;
    int types = 0;
    int combiner = 0;
    MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
    is_named_ = combiner == MPI_COMBINER_NAMED;
    if (!is_named_) MPI_Type_commit(&type_);
  }
  ~Type() {
    if (!is_named_) MPI_Type_free(&type_);
  }
  Type(const Type&) = delete;
  Type& operator=(const Type&) = delete;
  [[nodiscard]] MPI_Datatype get() const { return type_; }

 private:
  MPI_Datatype type_;
  bool is_named_;
};

/// Twelve ints in as many ways.
constexpr int kinds_of_type = 7;
std::pair<std::unique_ptr<Type>, int> twelve_ints(int kind) {
  MPI_Datatype type = MPI_INT;
  MPI_Datatype inner = MPI_INT;
  const auto made = [&](int count) { return std::pair{std::make_unique<Type>(type), count}; };
  switch (kind) {
    case 0:
      return made(12);
    case 1:  // gaps
      MPI_Type_vector(3, 2, 5, MPI_INT, &type);
      return made(2);
    case 2: {  // out of order, as dense as an array
      const int lengths[] = {1, 2, 1};
      const int places[] = {3, 1, 0};
      MPI_Type_indexed(3, lengths, places, MPI_INT, &type);
      return made(3);
    }
    case 3:  // a negative lower bound and room behind
      MPI_Type_create_resized(MPI_INT, -8, 24, &type);
      return made(12);
    case 4: {  // begins before the address that it is given
      const int lengths[] = {2, 2};
      const int places[] = {-3, 4};
      MPI_Type_indexed(2, lengths, places, MPI_INT, &type);
      return made(3);
    }
    case 5:  // blocks that interleave: the extent is smaller than the span
      MPI_Type_vector(4, 1, 3, MPI_INT, &inner);
      MPI_Type_create_resized(inner, 0, sizeof(int), &type);
      MPI_Type_free(&inner);
      return made(3);
    default:
      MPI_Type_contiguous(6, MPI_INT, &type);
      return made(2);
  }
}

/// Bytes that tell where they are, with room before and behind for what types need.
class Memory {
 public:
  Memory(int seed, std::size_t room) : bytes_(2 * margin + room) {
    std::mt19937 random(static_cast<unsigned>(seed));
    for (std::byte& byte : bytes_) byte = static_cast<std::byte>(random());
  }
  [[nodiscard]] std::byte* at() { return bytes_.data() + margin; }
  friend bool operator==(const Memory&, const Memory&) = default;

 private:
  static constexpr std::size_t margin = 4096;
  std::vector<std::byte> bytes_;
};

/// A scatter's or a gather's arguments.
struct Shape {
  int send_kind;
  int receive_kind;
  int times;  ///< so many times twelve ints
  int root;
  bool in_place;
};

Shape random_shape(std::mt19937& random, int ranks) {
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  return {below(kinds_of_type), below(kinds_of_type), below(5) == 0 ? 0 : 1 + below(40),
          below(ranks), below(3) == 0};
}

constexpr std::size_t block_room = 40 * 12 * 24;

/// Interleaved blocks reach into each other: nobody may receive several of these.
bool overlap(int kind) { return kind == 5; }

TEST(Scatter, SameBytesAsMpi) {
  const MPI_Comm comm = MPI_COMM_WORLD;
  const int ranks = size_of(comm);
  const int rank = rank_in(comm);
  const Machines machines(ranks);
  std::mt19937 random(1);
  for (int trial = 0; trial < 200; ++trial) {
    SCOPED_TRACE(trial);
    Shape shape = random_shape(random, ranks);
    if (overlap(shape.receive_kind)) shape.receive_kind = 0;
    const auto [sent, send_count] = twelve_ints(shape.send_kind);
    const auto [received, receive_count] = twelve_ints(shape.receive_kind);
    Memory source(trial, block_room * static_cast<std::size_t>(ranks));
    Memory expected(1000 + rank, block_room);
    const bool in_place = shape.in_place && rank == shape.root;
    const auto into = [&](Memory& memory) {
      return in_place ? MPI_IN_PLACE : static_cast<void*>(memory.at());
    };
    const int counts[] = {shape.times * send_count, shape.times * receive_count};
    MPI_Scatter(source.at(), counts[0], sent->get(), into(expected), counts[1], received->get(),
                shape.root, comm);
    const Memory untouched = source;
    for (const Model& model : {machines.flat, machines.tree}) {
      Memory fresh(1000 + rank, block_room);
      scatter(model, rank == shape.root ? source.at() : nullptr, counts[0], sent->get(),
              into(fresh), counts[1], received->get(), shape.root, comm);
      EXPECT_TRUE(fresh == expected);
      EXPECT_TRUE(source == untouched);
    }
  }
}

TEST(Gather, SameBytesAsMpi) {
  const MPI_Comm comm = MPI_COMM_WORLD;
  const int ranks = size_of(comm);
  const int rank = rank_in(comm);
  const Machines machines(ranks);
  std::mt19937 random(2);
  for (int trial = 0; trial < 200; ++trial) {
    SCOPED_TRACE(trial);
    Shape shape = random_shape(random, ranks);
    if (overlap(shape.receive_kind)) shape.receive_kind = 0;
#ifdef OPEN_MPI
    // Open MPI 4.1's own gather mixes such blocks up in the ranks of its tree that pass them on.
    if (overlap(shape.send_kind)) shape.send_kind = 0;
#endif
    const auto [sent, send_count] = twelve_ints(shape.send_kind);
    const auto [received, receive_count] = twelve_ints(shape.receive_kind);
    Memory source(1000 + rank, block_room);
    Memory expected(trial, block_room * static_cast<std::size_t>(ranks));
    const Memory before = expected;
    const bool in_place = shape.in_place && rank == shape.root;
    const void* const from = in_place ? MPI_IN_PLACE : static_cast<const void*>(source.at());
    const int counts[] = {shape.times * send_count, shape.times * receive_count};
    MPI_Gather(from, counts[0], sent->get(), expected.at(), counts[1], received->get(), shape.root,
               comm);
    const Memory untouched = source;
    for (const Model& model : {machines.flat, machines.tree, machines.cutting, machines.waiting}) {
      Memory fresh = before;
      gather(model, from, counts[0], sent->get(), rank == shape.root ? fresh.at() : nullptr,
             counts[1], received->get(), shape.root, comm);
      EXPECT_TRUE(fresh == (rank == shape.root ? expected : before));
      EXPECT_TRUE(source == untouched);
    }
  }
}

/// The machines of the tests above do take the ways that they are named after.
TEST(Collectives, MachinesDiffer) {
  const Machines machines(size_of(MPI_COMM_WORLD));
  EXPECT_EQ(plan_gather(machines.flat, 0, Bytes{48}).algorithm, Algorithm::at_once);
  EXPECT_EQ(plan_gather(machines.waiting, 0, Bytes{48}).algorithm, Algorithm::flat);
  EXPECT_EQ(plan_gather(machines.cutting, 0, Bytes{480}).pieces(), 5u);
  EXPECT_EQ(plan_scatter(machines.flat, 0, Bytes{48}).algorithm, Algorithm::at_once);
  EXPECT_EQ(plan_scatter(machines.flat, 0, Bytes{48}).order.front(), machines.flat.ranks - 1);
  // The tree of three is a star.
  const Algorithm tree = machines.tree.ranks < 4 ? Algorithm::at_once : Algorithm::binomial;
  EXPECT_EQ(plan_scatter(machines.tree, 0, Bytes{48}).algorithm, tree);
  EXPECT_EQ(plan_gather(machines.tree, 0, Bytes{48}).algorithm, tree);
}

TEST(Collectives, EitherWayOfWaitingAndLargeMessages) {
  const MPI_Comm comm = MPI_COMM_WORLD;
  const int ranks = size_of(comm);
  const int rank = rank_in(comm);
  constexpr int count = 100000;
  const auto whole = static_cast<std::size_t>(count * ranks);
  const Machines machines(ranks);
  for (const Wait wait : {Wait::automatic, Wait::yield, Wait::blocking}) {
    for (const Model& model : {machines.flat, machines.tree}) {
      std::vector<int> source(whole);
      for (std::size_t i = 0; i < whole; ++i) source[i] = static_cast<int>(i);
      std::vector<int> part(count);
      std::vector<int> back(whole);
      const int root = ranks - 1;
      scatter(model, source.data(), count, MPI_INT, part.data(), count, MPI_INT, root, comm,
              {"lmo", wait});
      EXPECT_EQ(part.front(), rank * count);
      EXPECT_EQ(part.back(), (rank + 1) * count - 1);
      gather(model, part.data(), count, MPI_INT, back.data(), count, MPI_INT, root, comm,
             {"lmo", wait});
      EXPECT_TRUE(rank != root || back == source);
    }
  }
}

TEST(Collectives, APlanIsCarriedOut) {
  const MPI_Comm comm = MPI_COMM_WORLD;
  const int ranks = size_of(comm);
  const Machines machines(ranks);
  const CollectivePlan plan = plan_scatter(machines.tree, 0, Bytes{sizeof(int)});
  std::vector<int> source;
  for (int i = 0; i < ranks; ++i) source.push_back(100 + i);
  int part = 0;
  scatter(plan, source.data(), 1, MPI_INT, &part, 1, MPI_INT, 0, comm);
  EXPECT_EQ(part, 100 + rank_in(comm));

  std::vector<int> back(source.size());
  const CollectivePlan gathering = plan_gather(machines.flat, 0, Bytes{sizeof(int)});
  gather(gathering, &part, 1, MPI_INT, back.data(), 1, MPI_INT, 0, comm);
  EXPECT_TRUE(rank_in(comm) != 0 || back == source);

  EXPECT_THROW(scatter(gathering, source.data(), 1, MPI_INT, &part, 1, MPI_INT, 0, comm),
               InputError);
  EXPECT_THROW(scatter(plan, source.data(), 2, MPI_INT, &part, 2, MPI_INT, 0, comm), InputError);
  EXPECT_THROW(scatter(plan, source.data(), 1, MPI_INT, &part, 1, MPI_INT, 1, comm), InputError);
}

/// The application's own messages, whatever their tags, are not taken for ours.
TEST(Collectives, KeepAwayFromOtherMessages) {
  const MPI_Comm comm = MPI_COMM_WORLD;
  const int ranks = size_of(comm);
  const int rank = rank_in(comm);
  const Machines machines(ranks);
  std::vector<int> sent(static_cast<std::size_t>(ranks), -7);
  std::vector<MPI_Request> requests;
  for (int peer = 0; peer < ranks; ++peer) {
    for (int tag = 0; tag < 4; ++tag) {
      MPI_Isend(&sent[static_cast<std::size_t>(peer)], 1, MPI_INT, peer, tag, comm,
                &requests.emplace_back());
    }
  }
  int part = 0;
  std::vector<int> source;
  for (int i = 0; i < ranks; ++i) source.push_back(i);
  for (const Model& model : {machines.flat, machines.tree}) {
    scatter(model, source.data(), 1, MPI_INT, &part, 1, MPI_INT, 0, comm);
    EXPECT_EQ(part, rank);
  }
  for (int message = 0; message < 4 * ranks; ++message) {
    int got = 0;
    MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
    EXPECT_EQ(got, -7);
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

/// MPI libraries run out of communicators after a few thousand: none may be left over.
TEST(Collectives, LeaveNoCommunicatorBehind) {
  const Model alone = machine(1, 1, 1);
  for (int i = 0; i < 5000; ++i) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    int part = -1;
    scatter(alone, &i, 1, MPI_INT, &part, 1, MPI_INT, 0, comm);
    ASSERT_EQ(part, i);
    MPI_Comm_free(&comm);
  }
}

std::string refusal(const Model& model, int root, MPI_Comm comm, int count = 1) {
  std::vector<int> whole(static_cast<std::size_t>(2 * size_of(MPI_COMM_WORLD)));
  int part = 0;
  std::string first;
  try {
    scatter(model, whole.data(), count, MPI_INT, &part, count, MPI_INT, root, comm);
  } catch (const InputError& error) {
    first = error.what();
  }
  try {
    gather(model, &part, count, MPI_INT, whole.data(), count, MPI_INT, root, comm);
  } catch (const InputError& error) {
    EXPECT_EQ(error.what(), first);
  }
  return first;
}

TEST(Collectives, RefuseOnEveryRankAlike) {
  using ::testing::HasSubstr;
  const int ranks = size_of(MPI_COMM_WORLD);
  const Machines machines(ranks);
  EXPECT_THAT(refusal(machine(ranks + 1, 1, 1), 0, MPI_COMM_WORLD),
              HasSubstr("the communicator has " + std::to_string(ranks) + " ranks and the model " +
                        std::to_string(ranks + 1)));
  EXPECT_THAT(refusal(machines.flat, ranks, MPI_COMM_WORLD), HasSubstr("the root is"));
  EXPECT_THAT(refusal(machines.flat, -1, MPI_COMM_WORLD), HasSubstr("the root is"));
  EXPECT_THAT(refusal(machines.flat, 0, MPI_COMM_NULL), HasSubstr("MPI_COMM_NULL"));
  EXPECT_THAT(refusal(machines.flat, 0, MPI_COMM_WORLD, -1), HasSubstr("a count is negative"));
  Model empty;
  empty.ranks = ranks;
  EXPECT_THAT(refusal(empty, 0, MPI_COMM_WORLD), HasSubstr("there is no model"));

  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm both = MPI_COMM_NULL;
  const int side = rank_in(MPI_COMM_WORLD) % 2;
  MPI_Comm_split(MPI_COMM_WORLD, side, 0, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - side, 0, &both);
  EXPECT_THAT(refusal(machines.flat, 0, both), HasSubstr("intercommunicator"));
  MPI_Comm_free(&both);
  MPI_Comm_free(&half);
}

}  // namespace commgauge::bench::collectives_test
