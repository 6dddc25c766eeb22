#include "arguments/collective_calls.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <utility>

namespace commgauge::preload {

using What = schedule::Operation;

namespace {

Place place_at(const void* buffer, MPI_Count index, MPI_Count count, MPI_Datatype type) {
  return {element(const_cast<void*>(buffer), index, type), count, type};
}

void check(bool holds, int code) {
  if (!holds) throw WrongArgument{code};
}

/// @throws WrongArgument
std::uint64_t bytes_in(const Place& place) {
  check(place.count >= 0, MPI_ERR_COUNT);
  check(place.type != MPI_DATATYPE_NULL, MPI_ERR_TYPE);
  return bytes_of(place);
}

/// Data that a rank gives aren't where its results go.
void check_apart(const void* out, const void* in, std::uint64_t size) {
  check(out != in || out == nullptr || size == 0, MPI_ERR_BUFFER);
}

/// Nor of an all-to-all are those of a rank. @param bytes  of all or of each
void check_apart(const PlaceOf& out, const PlaceOf& in, std::span<const std::uint64_t> bytes) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto rank = static_cast<int>(i);
    check_apart(out(rank).buffer, in(rank).buffer, bytes[i]);
  }
}

/// The same place, whatever the number of the block.
PlaceOf only(const Place& place) {
  return [=](int) { return place; };
}

/// A call whose blocks, one or each rank's, have so many bytes.
CollectiveCall moving(What operation, std::vector<std::uint64_t> bytes, int root = 0) {
  CollectiveCall call;
  call.what.operation = operation;
  call.what.counts = std::move(bytes);
  call.what.root = root;
  return call;
}

/// @param make  (const Caller&) → call
template <class Make>
CallOf rooted(What operation, int root, Make make) {
  return [=](const Caller& caller) {
    if (caller.is_beside(root)) return moving(operation, {0}, schedule::root_is_beside);
    check(caller.has(root), MPI_ERR_ROOT);
    CollectiveCall call = make(caller);
    if (root == MPI_ROOT) call.what.root = schedule::root_is_caller;
    return call;
  };
}

std::vector<std::uint64_t> bytes_of_each(const PlaceOf& places, int count) {
  std::vector<std::uint64_t> bytes;
  bytes.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) bytes.push_back(bytes_in(places(i)));
  return bytes;
}

/// Which are there as long as the operation, whatever becomes of the arguments: Fortran's lists of
/// types are made for a call.
PlaceOf kept(const PlaceOf& places, int count) {
  std::vector<Place> all;
  for (int i = 0; i < count; ++i) all.push_back(places(i));
  return [all = std::move(all)](int i) { return all[static_cast<std::size_t>(i)]; };
}

/// Of an allgather(v), whose `counts` are those of what comes in: what the caller gives.
void give_own(CollectiveCall& call, const Caller& caller, const void* out, const Place& mine,
              const PlaceOf& blocks) {
  const Place own = out == MPI_IN_PLACE ? blocks(caller.own) : mine;
  call.gives = only(own);
  call.gets = blocks;
  if (caller.is_inter) {
    call.what.counts_in = std::exchange(call.what.counts, {bytes_in(own)});
  } else if (out != MPI_IN_PLACE) {
    check_apart(own.buffer, blocks(caller.own).buffer, bytes_in(own));
  }
}

bool is_built_in(MPI_Op op) { return operator_name(op) != nullptr; }

/// A call that reduces so many elements, in all or for each rank.
/// @param out  MPI_IN_PLACE: what is in `in`
CollectiveCall reducing(What operation, std::vector<std::uint64_t> counts, const void* out,
                        const Place& in, MPI_Op op, int root = 0) {
  check(in.count >= 0, MPI_ERR_COUNT);
  check(in.type != MPI_DATATYPE_NULL, MPI_ERR_TYPE);
  check(op != MPI_OP_NULL, MPI_ERR_OP);
  CollectiveCall call = moving(operation, std::move(counts), root);
  int is_commutative = 0;
  PMPI_Op_commutative(op, &is_commutative);
  call.what.unit = {size_of(in.type)};
  call.what.is_commutative = is_commutative != 0;
  call.what.is_built_in = is_built_in(op);
  call.gives = only({out == MPI_IN_PLACE ? in.buffer : const_cast<void*>(out), 0, in.type});
  call.gets = only(in);
  call.op = op;
  call.type = in.type;
  return call;
}

}  // namespace

const char* operator_name(MPI_Op op) {
  const std::array<std::pair<MPI_Op, const char*>, 14> all{{{MPI_MAX, "MPI_MAX"},
                                                            {MPI_MIN, "MPI_MIN"},
                                                            {MPI_SUM, "MPI_SUM"},
                                                            {MPI_PROD, "MPI_PROD"},
                                                            {MPI_LAND, "MPI_LAND"},
                                                            {MPI_BAND, "MPI_BAND"},
                                                            {MPI_LOR, "MPI_LOR"},
                                                            {MPI_BOR, "MPI_BOR"},
                                                            {MPI_LXOR, "MPI_LXOR"},
                                                            {MPI_BXOR, "MPI_BXOR"},
                                                            {MPI_MINLOC, "MPI_MINLOC"},
                                                            {MPI_MAXLOC, "MPI_MAXLOC"},
                                                            {MPI_REPLACE, "MPI_REPLACE"},
                                                            {MPI_NO_OP, "MPI_NO_OP"}}};
  const auto found = std::ranges::find(all, op, &std::pair<MPI_Op, const char*>::first);
  return found != all.end() ? found->second : nullptr;
}

std::vector<std::uint64_t> Numbers::first(int count) const {
  std::vector<std::uint64_t> all;
  for (int i = 0; i < count; ++i) all.push_back(static_cast<std::uint64_t>((*this)[i]));
  return all;
}

PlaceOf in_a_row(const void* buffer, MPI_Count count, MPI_Datatype type) {
  return [=](int i) { return place_at(buffer, i * count, count, type); };
}

PlaceOf displaced(const void* buffer, Numbers counts, Numbers displacements, MPI_Datatype type) {
  return [=](int i) { return place_at(buffer, displacements[i], counts[i], type); };
}

PlaceOf typed(const void* buffer, Numbers counts, Numbers displacements,
              const MPI_Datatype* types) {
  return [=](int i) -> Place {
    auto* const start = static_cast<std::byte*>(const_cast<void*>(buffer));
    return {start + displacements[i], counts[i], types[i]};
  };
}

PlaceOf same(const void* buffer, MPI_Count count, MPI_Datatype type) {
  return only({const_cast<void*>(buffer), count, type});
}

CallOf barrier_call() {
  return [](const Caller&) { return moving(What::barrier, {0}); };
}

CallOf broadcast_call(void* buffer, MPI_Count count, MPI_Datatype type, int root) {
  return rooted(What::bcast, root, [=](const Caller&) {
    const Place data{buffer, count, type};
    CollectiveCall call = moving(What::bcast, {bytes_in(data)}, root);
    call.gives = call.gets = only(data);
    return call;
  });
}

CallOf reduction_call(What operation, const void* out, void* in, MPI_Count count, MPI_Datatype type,
                      MPI_Op op, int root) {
  return rooted(operation, root, [=](const Caller& caller) {
    if (operation != What::reduce || caller.is_root(root)) {
      check_apart(out, in, static_cast<std::uint64_t>(caller.is_inter ? 0 : count));
    }
    return reducing(operation, {static_cast<std::uint64_t>(count)}, out, {in, count, type}, op,
                    root);
  });
}

CallOf reduce_scatter_call(const void* out, void* in, Numbers counts, MPI_Count count,
                           MPI_Datatype type, MPI_Op op) {
  return [=](const Caller& caller) {
    const bool is_block = !counts.are_there();
    std::vector<std::uint64_t> each =
        is_block ? std::vector{static_cast<std::uint64_t>(count)} : counts.first(caller.group);
    if (!caller.is_inter) check_apart(out, in, std::reduce(each.begin(), each.end()));
    return reducing(is_block ? What::reduce_scatter_block : What::reduce_scatter, std::move(each),
                    out, {in, is_block ? count : counts[caller.own], type}, op);
  };
}

CallOf gather_call(const void* out, MPI_Count out_count, MPI_Datatype out_type, void* in,
                   MPI_Count in_count, MPI_Datatype in_type, int root) {
  return rooted(What::gather, root, [=](const Caller& caller) {
    const PlaceOf blocks = in_a_row(in, in_count, in_type);
    const Place mine =
        out == MPI_IN_PLACE ? blocks(root) : Place{const_cast<void*>(out), out_count, out_type};
    const Place block = caller.is_root(root) ? blocks(0) : mine;
    CollectiveCall call = moving(What::gather, {bytes_in(block)}, root);
    if (caller.is_root(root) && !caller.is_inter && out != MPI_IN_PLACE) {
      check_apart(mine.buffer, blocks(root).buffer, bytes_in(mine));
    }
    call.gives = only(mine);
    call.gets = blocks;
    return call;
  });
}

CallOf gatherv_call(const void* out, MPI_Count out_count, MPI_Datatype out_type, void* in,
                    Numbers in_counts, Numbers displacements, MPI_Datatype in_type, int root) {
  return rooted(What::gatherv, root, [=](const Caller& caller) {
    const PlaceOf blocks = displaced(in, in_counts, displacements, in_type);
    const Place mine =
        out == MPI_IN_PLACE ? blocks(root) : Place{const_cast<void*>(out), out_count, out_type};
    CollectiveCall call = moving(What::gatherv, {}, root);
    call.what.counts =
        caller.is_root(root) ? bytes_of_each(blocks, caller.size) : std::vector{bytes_in(mine)};
    if (caller.is_root(root) && !caller.is_inter && out != MPI_IN_PLACE) {
      check_apart(mine.buffer, blocks(root).buffer, bytes_in(mine));
    }
    call.gives = only(mine);
    call.gets = blocks;
    return call;
  });
}

CallOf scatter_call(const void* out, MPI_Count out_count, MPI_Datatype out_type, void* in,
                    MPI_Count in_count, MPI_Datatype in_type, int root) {
  return rooted(What::scatter, root, [=](const Caller& caller) {
    const PlaceOf blocks = in_a_row(out, out_count, out_type);
    const Place mine = in == MPI_IN_PLACE ? blocks(root) : Place{in, in_count, in_type};
    const Place block = caller.is_root(root) ? blocks(0) : mine;
    CollectiveCall call = moving(What::scatter, {bytes_in(block)}, root);
    if (caller.is_root(root) && !caller.is_inter && in != MPI_IN_PLACE) {
      check_apart(blocks(root).buffer, mine.buffer, bytes_in(mine));
    }
    call.gives = blocks;
    call.gets = only(mine);
    return call;
  });
}

CallOf scatterv_call(const void* out, Numbers out_counts, Numbers displacements,
                     MPI_Datatype out_type, void* in, MPI_Count in_count, MPI_Datatype in_type,
                     int root) {
  return rooted(What::scatterv, root, [=](const Caller& caller) {
    const PlaceOf blocks = displaced(out, out_counts, displacements, out_type);
    const Place mine = in == MPI_IN_PLACE ? blocks(root) : Place{in, in_count, in_type};
    CollectiveCall call = moving(What::scatterv, {}, root);
    call.what.counts =
        caller.is_root(root) ? bytes_of_each(blocks, caller.size) : std::vector{bytes_in(mine)};
    if (caller.is_root(root) && !caller.is_inter && in != MPI_IN_PLACE) {
      check_apart(blocks(root).buffer, mine.buffer, bytes_in(mine));
    }
    call.gives = blocks;
    call.gets = only(mine);
    return call;
  });
}

CallOf all_gather_call(const void* out, MPI_Count out_count, MPI_Datatype out_type, void* in,
                       MPI_Count in_count, MPI_Datatype in_type) {
  return [=](const Caller& caller) {
    const PlaceOf blocks = in_a_row(in, in_count, in_type);
    CollectiveCall call = moving(What::allgather, {bytes_in(blocks(0))});
    give_own(call, caller, out, {const_cast<void*>(out), out_count, out_type}, blocks);
    return call;
  };
}

CallOf all_gatherv_call(const void* out, MPI_Count out_count, MPI_Datatype out_type, void* in,
                        Numbers in_counts, Numbers displacements, MPI_Datatype in_type) {
  return [=](const Caller& caller) {
    const PlaceOf blocks = displaced(in, in_counts, displacements, in_type);
    CollectiveCall call = moving(What::allgatherv, bytes_of_each(blocks, caller.size));
    MPI_Aint lower = 0;
    MPI_Aint extent = 0;
    PMPI_Type_get_extent(in_type, &lower, &extent);
    call.what.extent = {static_cast<std::uint64_t>(std::max<MPI_Aint>(extent, 0))};
    call.what.element = {size_of(in_type)};
    give_own(call, caller, out, {const_cast<void*>(out), out_count, out_type}, blocks);
    return call;
  };
}

CallOf all_to_all_call(What operation, const void* send_buffer, const PlaceOf& out,
                       const PlaceOf& in) {
  return [=](const Caller& caller) {
    CollectiveCall call;
    call.what.operation = operation;
    call.what.is_in_place = send_buffer == MPI_IN_PLACE;
    check(!call.what.is_in_place || !caller.is_inter, MPI_ERR_BUFFER);
    call.gives = call.what.is_in_place ? in : out;
    call.gets = in;
    if (operation == What::alltoall) {
      call.what.counts = {bytes_in(call.gives(0))};
      if (caller.is_inter) call.what.counts_in = {bytes_in(in(0))};
    } else {
      call.what.counts = bytes_of_each(call.gives, caller.size);
      call.what.counts_in = bytes_of_each(in, caller.size);
      call.gives = kept(call.gives, caller.size);
      call.gets = kept(in, caller.size);
    }
    if (!call.what.is_in_place && !caller.is_inter) {
      check_apart(call.gives, call.gets, call.what.counts);
    }
    return call;
  };
}

CallOf exchange_call(const PlaceOf& out, const PlaceOf& in) {
  return [=](const Caller&) {
    CollectiveCall call;
    call.is_of_neighbours = true;
    call.gives = out;
    call.gets = in;
    return call;
  };
}

void keep_blocks(CollectiveCall& call, const Neighbours& neighbours) {
  call.gives = kept(call.gives, static_cast<int>(neighbours.destinations.size()));
  call.gets = kept(call.gets, static_cast<int>(neighbours.sources.size()));
}

std::optional<Neighbours> neighbours_of(MPI_Comm comm, std::span<const int> peers) {
  Neighbours result;
  int kind = MPI_UNDEFINED;
  PMPI_Topo_test(comm, &kind);
  std::vector<int> sources;
  std::vector<int> destinations;
  if (kind == MPI_CART) {
    int dimensions = 0;
    PMPI_Cartdim_get(comm, &dimensions);
    for (int d = 0; d < dimensions; ++d) {
      int before = MPI_PROC_NULL;
      int after = MPI_PROC_NULL;
      PMPI_Cart_shift(comm, d, 1, &before, &after);
      sources.insert(sources.end(), {before, after});
    }
    destinations = sources;
    result.is_grid = true;
  } else if (kind == MPI_GRAPH) {
    int own = 0;
    PMPI_Comm_rank(comm, &own);
    int count = 0;
    PMPI_Graph_neighbors_count(comm, own, &count);
    sources.resize(static_cast<std::size_t>(count));
    PMPI_Graph_neighbors(comm, own, count, sources.data());
    destinations = sources;
  } else if (kind == MPI_DIST_GRAPH) {
    int in = 0;
    int out = 0;
    int weighted = 0;
    PMPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
    sources.resize(static_cast<std::size_t>(in));
    destinations.resize(static_cast<std::size_t>(out));
    std::vector<int> weights(static_cast<std::size_t>(std::max({in, out, 1})));
    std::vector<int> other_weights(weights.size());
    PMPI_Dist_graph_neighbors(comm, in, sources.data(), weights.data(), out, destinations.data(),
                              other_weights.data());
  } else {
    return std::nullopt;
  }
  const auto of_job = [&](int rank) {
    return rank == MPI_PROC_NULL ? rank : peers[static_cast<std::size_t>(rank)];
  };
  std::ranges::transform(sources, std::back_inserter(result.sources), of_job);
  std::ranges::transform(destinations, std::back_inserter(result.destinations), of_job);
  return result;
}

}  // namespace commgauge::preload
