#include "commgauge/bench/collectives/collectives.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "base/requirements.hpp"
#include "collectives/blocks.hpp"
#include "commgauge/base/error.hpp"
#include "messages/communicator.hpp"
#include "messages/tags.hpp"
#include "messages/transport.hpp"
#include "ranks/provenance.hpp"

namespace commgauge::bench {

namespace {

/// What is kept with a communicator of the caller's.
struct Attached {
  explicit Attached(MPI_Comm original)
      : comm{original}, cores_are_shared{find_places(comm).cores_are_shared()} {}
  Communicator comm;
  bool cores_are_shared;
  std::vector<MPI_Request> requests;  ///< their memory, from call to call
};

int free_attached(MPI_Comm, int, void* value, void*) {
  delete static_cast<Attached*>(value);
  return MPI_SUCCESS;
}

int attribute_key() {
  static const int key = [] {
    int created = MPI_KEYVAL_INVALID;
    check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_attached, &created, nullptr),
          "MPI_Comm_create_keyval");
    return created;
  }();
  return key;
}

/// Collective the first time.
Attached& attached_to(MPI_Comm comm) {
  void* value = nullptr;
  int found = 0;
  check(MPI_Comm_get_attr(comm, attribute_key(), &value, &found), "MPI_Comm_get_attr");
  if (found) return *static_cast<Attached*>(value);
  auto fresh = std::make_unique<Attached>(comm);
  check(MPI_Comm_set_attr(comm, attribute_key(), fresh.get()), "MPI_Comm_set_attr");
  return *fresh.release();
}

Transport transport_over(const Attached& attached, Wait wait) {
  return {attached.comm.get(), decide_wait(wait, attached.cores_are_shared)};
}

using Bytebuffer = std::unique_ptr<std::byte[]>;
Bytebuffer memory_for(std::size_t size) {
  return std::make_unique_for_overwrite<std::byte[]>(size);
}

/// One flat scatter or gather under way.
class Performance {
 public:
  Performance(const CollectivePlan& plan, Attached& attached, Wait wait)
      : plan_{plan},
        comm_{attached.comm.get()},
        self_{attached.comm.rank()},
        transport_{transport_over(attached, wait)},
        requests_{attached.requests} {
    requests_.clear();
  }

  /// @param own  where the root's own block goes; nothing: it stays where it is.
  void scatter_as_root(const Blocks& all, const Blocks* own);
  void scatter_as_peer(const Blocks& own);
  void gather_as_root(const Blocks& all, const Blocks* own);
  void gather_as_peer(const Blocks& own);

 private:
  void start_send(const Part& part, int to) {
    check(MPI_Isend(part.at, part.count, part.type, to, data_tag, comm_, &requests_.emplace_back()),
          "MPI_Isend");
  }
  void start_receive(const Part& part, int from) {
    check(
        MPI_Irecv(part.at, part.count, part.type, from, data_tag, comm_, &requests_.emplace_back()),
        "MPI_Irecv");
  }
  void wait_all() {
    transport_.wait_all(requests_);
    requests_.clear();
  }
  void send(const Part& part, int to) {
    start_send(part, to);
    wait_all();
  }
  void receive(const Part& part, int from) {
    start_receive(part, from);
    wait_all();
  }
  /// Returns when the receiver has begun to take it in.
  void send_synchronously(const Part& part, int to) {
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Issend(part.at, part.count, part.type, to, data_tag, comm_, &request), "MPI_Issend");
    transport_.wait(request);
  }

  void gather_pieces(const Blocks& all);
  void send_pieces(const Blocks& own);

  /// Calls use(offset, length) for each.
  template <class Use>
  void for_each_piece(Use&& use) const {
    for (std::uint64_t at = 0; at < plan_.size.value; at += plan_.piece.value) {
      use(at, static_cast<int>(std::min(plan_.piece.value, plan_.size.value - at)));
    }
  }

  [[nodiscard]] std::size_t block_size() const { return plan_.size.value; }
  const CollectivePlan& plan_;
  MPI_Comm comm_;
  int self_;
  Transport transport_;
  std::vector<MPI_Request>& requests_;
};

void Performance::scatter_as_root(const Blocks& all, const Blocks* own) {
  for (const int peer : plan_.order) {
    start_send(all.of(peer), peer);
    if (plan_.algorithm == Algorithm::flat) wait_all();
  }
  if (own) copy_block(all, self_, *own, 0, self_, comm_);
  wait_all();
}

void Performance::scatter_as_peer(const Blocks& own) { receive(own.of(0), plan_.root); }

void Performance::gather_as_root(const Blocks& all, const Blocks* own) {
  if (plan_.pieces() > 1) {
    gather_pieces(all);
  } else if (plan_.algorithm == Algorithm::flat) {
    for (const int peer : plan_.order) receive(all.of(peer), peer);
  } else {
    for (const int peer : plan_.order) start_receive(all.of(peer), peer);
    wait_all();
  }
  if (own) copy_block(*own, 0, all, self_, self_, comm_);
}

void Performance::gather_as_peer(const Blocks& own) {
  if (plan_.pieces() > 1) {
    send_pieces(own);
  } else {
    send(own.of(0), plan_.root);
  }
}

void Performance::gather_pieces(const Blocks& all) {
  // Only the datatype knows where a piece of a block with gaps belongs.
  const Bytebuffer staging =
      all.dense() ? nullptr : memory_for(static_cast<std::size_t>(plan_.ranks) * block_size());
  const auto block = [&](int peer) {
    return staging ? staging.get() + static_cast<std::size_t>(peer) * block_size()
                   : all.of(peer).at;
  };
  for_each_piece([&](std::uint64_t at, int length) {
    for (const int peer : plan_.order) start_receive({block(peer) + at, length, MPI_BYTE}, peer);
    wait_all();
  });
  if (!staging) return;
  for (const int peer : plan_.order) all.unpack({block(peer), block_size()}, peer, comm_);
}

void Performance::send_pieces(const Blocks& own) {
  const Bytebuffer staging = own.dense() ? nullptr : memory_for(block_size());
  if (staging) own.pack({staging.get(), block_size()}, comm_);
  std::byte* const block = staging ? staging.get() : own.of(0).at;
  for_each_piece([&](std::uint64_t at, int length) {
    send_synchronously({block + at, length, MPI_BYTE}, plan_.root);
  });
}

/// @return this rank.
int check_communicator(MPI_Comm comm, int ranks, int root) {
  require(comm != MPI_COMM_NULL,
          "the communicator is MPI_COMM_NULL (nobody is in it): give one with this rank in it");
  int is_inter = 0;
  check(MPI_Comm_test_inter(comm, &is_inter), "MPI_Comm_test_inter");
  require(!is_inter,
          "the communicator is an intercommunicator (a model has one group of ranks): give an "
          "intracommunicator, or call MPI's own function");
  int size = 0;
  check(MPI_Comm_size(comm, &size), "MPI_Comm_size");
  require(size == ranks, "the communicator has " + std::to_string(size) + " ranks and the model " +
                             std::to_string(ranks) +
                             " (rank i must be the model's rank i): calibrate this communicator");
  require(root >= 0 && root < ranks, "the root is " + std::to_string(root) +
                                         " (the ranks are 0 to " + std::to_string(ranks - 1) +
                                         "): give one of them");
  int rank = 0;
  check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  return rank;
}

void check_plan(const CollectivePlan& plan, Operation operation, int root, Bytes size) {
  require(plan.operation == operation && plan.root == root && plan.size == size,
          "the plan is for a " + std::string{to_text(plan.operation)} + " of " +
              to_text(plan.size) + " from root " + std::to_string(plan.root) + ", not for a " +
              std::string{to_text(operation)} + " of " + to_text(size) + " from root " +
              std::to_string(root) + " (it says who sends to whom): make a plan for each");
}

template <class Choose>
void scatter_by(Choose&& choose, int ranks, const void* sendbuf, int sendcount,
                MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
                int root, MPI_Comm comm, Wait wait) {
  const bool is_root = check_communicator(comm, ranks, root) == root;
  const Blocks blocks =
      is_root ? Blocks(sendbuf, sendcount, sendtype) : Blocks(recvbuf, recvcount, recvtype);
  const CollectivePlan& plan = choose(blocks.size());
  if (blocks.size().value == 0) return;
  Attached& attached = attached_to(comm);
  if (plan.algorithm == Algorithm::binomial) {
    transport_over(attached, wait)
        .scatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root);
    return;
  }
  Performance performance(plan, attached, wait);
  if (!is_root) {
    performance.scatter_as_peer(blocks);
  } else if (recvbuf == MPI_IN_PLACE) {
    performance.scatter_as_root(blocks, nullptr);
  } else {
    const Blocks own(recvbuf, recvcount, recvtype);
    performance.scatter_as_root(blocks, &own);
  }
}

template <class Choose>
void gather_by(Choose&& choose, int ranks, const void* sendbuf, int sendcount,
               MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype, int root,
               MPI_Comm comm, Wait wait) {
  const bool is_root = check_communicator(comm, ranks, root) == root;
  const Blocks blocks =
      is_root ? Blocks(recvbuf, recvcount, recvtype) : Blocks(sendbuf, sendcount, sendtype);
  const CollectivePlan& plan = choose(blocks.size());
  if (blocks.size().value == 0) return;
  Attached& attached = attached_to(comm);
  if (plan.algorithm == Algorithm::binomial) {
    transport_over(attached, wait)
        .gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root);
    return;
  }
  Performance performance(plan, attached, wait);
  if (!is_root) {
    performance.gather_as_peer(blocks);
  } else if (sendbuf == MPI_IN_PLACE) {
    performance.gather_as_root(blocks, nullptr);
  } else {
    const Blocks own(sendbuf, sendcount, sendtype);
    performance.gather_as_root(blocks, &own);
  }
}

auto take(const CollectivePlan& plan, Operation operation, int root) {
  return [&plan, operation, root](Bytes size) -> const CollectivePlan& {
    check_plan(plan, operation, root, size);
    return plan;
  };
}

}  // namespace

void scatter(const Model& model, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
             void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
             const CollectiveOptions& options) {
  const auto choose = [&](Bytes size) { return plan_scatter(model, root, size, options.model); };
  scatter_by(choose, model.ranks, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root,
             comm, options.wait);
}

void scatter(const CollectivePlan& plan, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
             void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
             Wait wait) {
  scatter_by(take(plan, Operation::scatter, root), plan.ranks, sendbuf, sendcount, sendtype,
             recvbuf, recvcount, recvtype, root, comm, wait);
}

void gather(const Model& model, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
            void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
            const CollectiveOptions& options) {
  const auto choose = [&](Bytes size) { return plan_gather(model, root, size, options.model); };
  gather_by(choose, model.ranks, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root,
            comm, options.wait);
}

void gather(const CollectivePlan& plan, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
            void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
            Wait wait) {
  gather_by(take(plan, Operation::gather, root), plan.ranks, sendbuf, sendcount, sendtype, recvbuf,
            recvcount, recvtype, root, comm, wait);
}

}  // namespace commgauge::bench
