#include "collective_algorithms.hpp"

#include <algorithm>
#include <memory>

#include "commgauge/predict/tree.hpp"
#include "datatypes.hpp"
#include "job.hpp"

namespace commgauge::emulate {

namespace {

using Requests = std::vector<std::unique_ptr<Request>>;

/// `co_await` it to go on when all of the requests are over.
struct Over {
  Requests requests;
  bool await_ready() const { return std::ranges::all_of(requests, &Request::done); }
  void await_suspend(std::coroutine_handle<> self) {
    simulate::current_activity->resume = self;
    for (const auto& request : requests) {
      if (!request->done) simulate::current_activity->awaited.push_back(request.get());
    }
  }
  void await_resume() const {
    for (const auto& request : requests) {
      if (request->error() != MPI_SUCCESS)
        throw MpiFailure{request->comm->handle, request->error()};
    }
  }
};

std::unique_ptr<Request> start_send_to(const Members& m, int rank, const Place& place,
                                       int tag = 0) {
  return emulator().start_send(m.comm, place, rank, m.tag + tag, m.context, Mode::standard);
}
std::unique_ptr<Request> start_receive_from(const Members& m, int rank, const Place& place,
                                            int tag = 0) {
  return emulator().start_receive(m.comm, place, rank, m.tag + tag, m.context);
}

int member(const Members& m, int index) { return m.ranks[static_cast<std::size_t>(index)]; }

Over all(Requests requests) { return {std::move(requests)}; }

Over sent(const Members& m, int to, const Place& place) {
  Requests requests;
  requests.push_back(start_send_to(m, member(m, to), place));
  return all(std::move(requests));
}
Over received(const Members& m, int from, const Place& place) {
  Requests requests;
  requests.push_back(start_receive_from(m, member(m, from), place));
  return all(std::move(requests));
}
Over exchanged(const Members& m, int to, const Place& out, int from, const Place& in) {
  Requests requests;
  requests.push_back(start_receive_from(m, member(m, from), in));
  requests.push_back(start_send_to(m, member(m, to), out));
  return all(std::move(requests));
}

/// left (op) right, into `right`. Takes the time that the operator computes.
/// @param elements  how many, of which type
void combine(void* left, void* right, const Place& elements, MPI_Op op) {
  emulator().compute([&] { PMPI_Reduce_local(left, right, elements.count, elements.type, op); });
}

/// This rank's part in a binomial tree.
struct Part {
  int parent{-1};
  int ranks{};  ///< in this rank's subtree
  std::vector<Branch> children;
};
Part part_of(const Members& m, int root) {
  Part part;
  part.ranks = m.size();
  for (const Branch& branch : binomial_tree(m.size(), root)) {
    if (branch.parent == m.own) part.children.push_back(branch);
    if (branch.child == m.own) {
      part.parent = branch.parent;
      part.ranks = branch.ranks;
    }
  }
  return part;
}

int from_root(const Members& m, int rank, int root) { return (rank - root + m.size()) % m.size(); }
int to_rank(const Members& m, int distance, int root) { return (distance + root) % m.size(); }

/// Blocks of a subtree, the nearest to the root first.
struct Blocks {
  Blocks(int count, std::uint64_t block_bytes)
      : block{block_bytes}, bytes(static_cast<std::size_t>(count) * block_bytes) {}
  [[nodiscard]] std::byte* at(int i) { return bytes.data() + static_cast<std::size_t>(i) * block; }
  [[nodiscard]] Place place(int first, int count) {
    const auto size = static_cast<std::uint64_t>(count) * block;
    if (size > static_cast<std::uint64_t>(std::numeric_limits<int>::max())) {
      throw InputError(
          "a gather or scatter with messages above 2 GiB is not emulated: use smaller "
          "blocks");
    }
    return {at(first), static_cast<int>(size), MPI_BYTE};
  }
  std::uint64_t block;
  std::vector<std::byte> bytes;
};

}  // namespace

constexpr int tags = 1 << 10;  ///< of one collective operation
/// Of operations, before tags are used again: older operations are over then.
constexpr int numbers = tags_of_collectives / tags;

Members members_of(const CommunicatorPtr& comm) {
  const int number = comm->collectives++ % numbers;
  return {comm, comm->peers, comm->rank, comm->collective_context(), number * tags};
}

Members persistent_members_of(const CommunicatorPtr& comm) {
  // Negative tags: a persistent operation keeps its own for as long as it may be started, while
  // those of the others come again.
  const int number = 1 + comm->persistent_collectives++ % numbers;
  return {comm, comm->peers, comm->rank, comm->collective_context(), -number * tags};
}

Task barrier(Members m) {
  for (int distance = 1; distance < m.size(); distance *= 2) {
    const int to = (m.own + distance) % m.size();
    const int from = (m.own - distance + m.size()) % m.size();
    co_await exchanged(m, to, {}, from, {});
  }
}

Task broadcast(Members m, Place data, int root) {
  const Part part = part_of(m, root);
  if (part.parent >= 0) co_await received(m, part.parent, data);
  for (const Branch& branch : part.children) co_await sent(m, branch.child, data);
}

Task reduce(Members m, const void* mine, Place result, MPI_Op op, int root) {
  int is_commutative = 0;
  PMPI_Op_commutative(op, &is_commutative);
  const int top = is_commutative != 0 ? root : 0;
  const auto [ignored, count, type] = result;
  auto sum = std::make_unique<Elements>(count, type);
  auto part = std::make_unique<Elements>(count, type);
  copy(mine, count, type, sum->data(), type);
  const int distance = from_root(m, m.own, top);
  int parent = -1;
  for (int step = 1; step < m.size() && parent < 0; step *= 2) {
    if (distance % (2 * step) != 0) {
      parent = to_rank(m, distance - step, top);
    } else if (distance + step < m.size()) {
      co_await received(m, to_rank(m, distance + step, top), {part->data(), count, type});
      combine(sum->data(), part->data(), {nullptr, count, type}, op);
      std::swap(sum, part);
    }
  }
  if (parent >= 0) co_await sent(m, parent, {sum->data(), count, type});
  if (top != root && m.own == top) co_await sent(m, root, {sum->data(), count, type});
  if (m.own != root) co_return;
  if (top != root) {
    co_await received(m, top, result);
  } else {
    copy(sum->data(), count, type, result.buffer, type);
  }
}

Task all_reduce(Members m, const void* mine, Place result, MPI_Op op) {
  co_await reduce(m, mine, result, op, 0);
  co_await broadcast(m, result, 0);
}

Task gather(Members m, Place mine, PlaceOf at_root, int root) {
  const Part part = part_of(m, root);
  Blocks blocks(part.ranks, bytes_of(mine));
  pack(mine.buffer, mine.count, mine.type, blocks.at(0));
  const int own = from_root(m, m.own, root);
  for (auto branch = part.children.rbegin(); branch != part.children.rend(); ++branch) {
    const int first = from_root(m, branch->child, root) - own;
    co_await received(m, branch->child, blocks.place(first, branch->ranks));
  }
  if (part.parent >= 0) co_await sent(m, part.parent, blocks.place(0, part.ranks));
  if (m.own != root) co_return;
  for (int distance = 1; distance < m.size(); ++distance) {
    const Place place = at_root(to_rank(m, distance, root));
    unpack(blocks.at(distance), blocks.block, place.buffer, place.type);
  }
}

Task scatter(Members m, Place mine, PlaceOf at_root, int root) {
  const Part part = part_of(m, root);
  Blocks blocks(part.ranks, bytes_of(mine));
  if (m.own == root) {
    for (int distance = 1; distance < m.size(); ++distance) {
      const Place place = at_root(to_rank(m, distance, root));
      pack(place.buffer, place.count, place.type, blocks.at(distance));
    }
  }
  if (part.parent >= 0) co_await received(m, part.parent, blocks.place(0, part.ranks));
  const int own = from_root(m, m.own, root);
  for (const Branch& branch : part.children) {
    const int first = from_root(m, branch.child, root) - own;
    co_await sent(m, branch.child, blocks.place(first, branch.ranks));
  }
  if (m.own != root) unpack(blocks.at(0), blocks.block, mine.buffer, mine.type);
}

Task gather_in_turn(Members m, Place mine, PlaceOf at_root, int root) {
  if (m.own != root) {
    co_await sent(m, root, mine);
    co_return;
  }
  for (int rank = 0; rank < m.size(); ++rank) {
    if (rank != root) co_await received(m, rank, at_root(rank));
  }
}

Task scatter_in_turn(Members m, Place mine, PlaceOf at_root, int root) {
  if (m.own != root) {
    co_await received(m, root, mine);
    co_return;
  }
  for (int rank = 0; rank < m.size(); ++rank) {
    if (rank != root) co_await sent(m, rank, at_root(rank));
  }
}

Task all_gather(Members m, PlaceOf blocks) {
  const int right = (m.own + 1) % m.size();
  const int left = (m.own - 1 + m.size()) % m.size();
  for (int step = 0; step < m.size() - 1; ++step) {
    const int out = (m.own - step + m.size()) % m.size();
    const int in = (left - step + m.size()) % m.size();
    co_await exchanged(m, right, blocks(out), left, blocks(in));
  }
}

Task all_to_all(Members m, PlaceOf out, PlaceOf in) {
  const Place own_out = out(m.own);
  const Place own_in = in(m.own);
  copy(own_out.buffer, own_out.count, own_out.type, own_in.buffer, own_in.type);
  for (int step = 1; step < m.size(); ++step) {
    const int to = (m.own + step) % m.size();
    const int from = (m.own - step + m.size()) % m.size();
    co_await exchanged(m, to, out(to), from, in(from));
  }
}

Task scan(Members m, Place result, MPI_Op op) {
  if (m.own > 0) {
    Elements before(result.count, result.type);
    co_await received(m, m.own - 1, {before.data(), result.count, result.type});
    combine(before.data(), result.buffer, result, op);
  }
  if (m.own + 1 < m.size()) co_await sent(m, m.own + 1, result);
}

Task exclusive_scan(Members m, const void* mine, Place result, MPI_Op op) {
  Elements sum(result.count, result.type);
  copy(mine, result.count, result.type, sum.data(), result.type);
  if (m.own > 0) {
    co_await received(m, m.own - 1, result);
    combine(result.buffer, sum.data(), result, op);
  }
  if (m.own + 1 < m.size()) co_await sent(m, m.own + 1, {sum.data(), result.count, result.type});
}

Task reduce_scatter(Members m, const void* mine, Place whole, MPI_Op op, std::vector<int> counts,
                    Place result) {
  Elements sum(whole.count, whole.type);
  whole.buffer = sum.data();
  co_await reduce(m, mine, whole, op, 0);
  std::vector<long> first(counts.size());
  for (std::size_t i = 1; i < counts.size(); ++i) first[i] = first[i - 1] + counts[i - 1];
  const PlaceOf part = [&](int rank) -> Place {
    const auto i = static_cast<std::size_t>(rank);
    return {element(whole.buffer, first[i], whole.type), counts[i], whole.type};
  };
  co_await scatter_in_turn(m, result, part, 0);
  if (m.own == 0) copy(whole.buffer, result.count, whole.type, result.buffer, result.type);
}

Neighbours neighbours_of(const Communicator& comm) {
  Neighbours result;
  int kind = MPI_UNDEFINED;
  PMPI_Topo_test(comm.handle, &kind);
  std::vector<int> sources;
  std::vector<int> destinations;
  if (kind == MPI_CART) {
    int dimensions = 0;
    PMPI_Cartdim_get(comm.handle, &dimensions);
    for (int d = 0; d < dimensions; ++d) {
      int before = MPI_PROC_NULL;
      int after = MPI_PROC_NULL;
      PMPI_Cart_shift(comm.handle, d, 1, &before, &after);
      sources.insert(sources.end(), {before, after});
    }
    destinations = sources;
    result.is_grid = true;
  } else if (kind == MPI_GRAPH) {
    int count = 0;
    PMPI_Graph_neighbors_count(comm.handle, comm.rank, &count);
    sources.resize(static_cast<std::size_t>(count));
    PMPI_Graph_neighbors(comm.handle, comm.rank, count, sources.data());
    destinations = sources;
  } else if (kind == MPI_DIST_GRAPH) {
    int in = 0;
    int out = 0;
    int weighted = 0;
    PMPI_Dist_graph_neighbors_count(comm.handle, &in, &out, &weighted);
    sources.resize(static_cast<std::size_t>(in));
    destinations.resize(static_cast<std::size_t>(out));
    std::vector<int> weights(static_cast<std::size_t>(std::max({in, out, 1})));
    std::vector<int> other_weights(weights.size());
    PMPI_Dist_graph_neighbors(comm.handle, in, sources.data(), weights.data(), out,
                              destinations.data(), other_weights.data());
  } else {
    throw MpiFailure{comm.handle, MPI_ERR_TOPOLOGY};
  }
  const auto of_job = [&](int rank) {
    return rank == MPI_PROC_NULL ? rank : comm.peers[static_cast<std::size_t>(rank)];
  };
  std::ranges::transform(sources, std::back_inserter(result.sources), of_job);
  std::ranges::transform(destinations, std::back_inserter(result.destinations), of_job);
  return result;
}

Task exchange(Members m, Neighbours neighbours, PlaceOf out, PlaceOf in) {
  Requests requests;
  // Of a grid a tag tells directions apart, for both neighbours in a dimension may be the same
  // rank: what leaves a rank in one direction enters its neighbour from the opposite one, i ^ 1.
  for (int i = 0; i < static_cast<int>(neighbours.sources.size()); ++i) {
    const int rank = neighbours.sources[static_cast<std::size_t>(i)];
    requests.push_back(start_receive_from(m, rank, in(i), neighbours.is_grid ? i : 0));
  }
  for (int i = 0; i < static_cast<int>(neighbours.destinations.size()); ++i) {
    const int rank = neighbours.destinations[static_cast<std::size_t>(i)];
    requests.push_back(start_send_to(m, rank, out(i), neighbours.is_grid ? i ^ 1 : 0));
  }
  co_await all(std::move(requests));
}

}  // namespace commgauge::emulate
