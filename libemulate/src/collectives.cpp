// MPI's collective operations, blocking and not.

#include <algorithm>
#include <array>
#include <vector>

#include "collective_algorithms.hpp"
#include "datatypes.hpp"
#include "job.hpp"
#include "mpi_library.hpp"

using namespace commgauge::emulate;
using What = commgauge::schedule::Operation;

namespace {

/// @param make  (const Members&) → Task
template <class Make>
int blocking(const char* name, MPI_Comm handle, Make&& make) {
  return call(name, [&](Emulator& e) {
    const Members members = members_of(group_communicator(handle));
    e.run(members.comm, make(members));
  });
}

template <class Make>
int starting(const char* name, MPI_Comm handle, MPI_Request* request, Make&& make) {
  return call(name, [&](Emulator& e) {
    const Members members = members_of(group_communicator(handle));
    *request = to_handle(e.start_collective(members.comm, make(members)));
  });
}

/// A persistent operation, for MPI_Start.
template <class Make>
int preparing(const char* name, MPI_Comm handle, MPI_Request* result, Make make) {
  return call(name, [&](Emulator&) {
    const Members members = persistent_members_of(group_communicator(handle));
    auto request = std::make_unique<Request>();
    request->kind = Request::Kind::collective;
    request->comm = members.comm;
    request->persistent = true;
    request->active = false;
    request->make_task = [=] { return make(members); };
    *result = to_handle(std::move(request));
  });
}

void require_root(const Communicator& comm, int root) {
  require(root >= 0 && root < comm.size(), comm.handle, MPI_ERR_ROOT);
}

Place place_at(const void* buffer, long index, int count, MPI_Datatype type) {
  return {element(const_cast<void*>(buffer), index, type), count, type};
}

/// Blocks one after the other.
PlaceOf in_a_row(const void* buffer, int count, MPI_Datatype type) {
  return [=](int i) { return place_at(buffer, static_cast<long>(i) * count, count, type); };
}
PlaceOf displaced(const void* buffer, const int* counts, const int* displacements,
                  MPI_Datatype type) {
  return [=](int i) { return place_at(buffer, displacements[i], counts[i], type); };
}
/// Displacements in bytes.
template <class Displacement>
PlaceOf typed(const void* buffer, const int* counts, const Displacement* displacements,
              const MPI_Datatype* types) {
  return [=](int i) -> Place {
    auto* const start = static_cast<std::byte*>(const_cast<void*>(buffer));
    return {start + displacements[i], counts[i], types[i]};
  };
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

std::vector<std::uint64_t> bytes_of_each(const PlaceOf& places, int count) {
  std::vector<std::uint64_t> bytes;
  for (int i = 0; i < count; ++i) bytes.push_back(bytes_of(places(i)));
  return bytes;
}

bool is_built_in(MPI_Op op) {
  const std::array all{MPI_MAX, MPI_MIN,  MPI_SUM,  MPI_PROD,   MPI_LAND,   MPI_BAND,    MPI_LOR,
                       MPI_BOR, MPI_LXOR, MPI_BXOR, MPI_MINLOC, MPI_MAXLOC, MPI_REPLACE, MPI_NO_OP};
  return std::ranges::find(all, op) != all.end();
}

/// A call that reduces so many elements, in all or for each rank.
/// @param out  MPI_IN_PLACE: what is in `in`
CollectiveCall reducing(What operation, std::vector<std::uint64_t> counts, const void* out,
                        const Place& in, MPI_Op op, int root = 0) {
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

auto barrier_task() {
  return [](const Members& m) { return carry_out(m, moving(What::barrier, {0})); };
}

auto broadcast_task(void* buffer, int count, MPI_Datatype type, int root) {
  return [=](const Members& m) {
    require_root(*m.comm, root);
    const Place data{buffer, count, type};
    CollectiveCall call = moving(What::bcast, {bytes_of(data)}, root);
    call.gives = call.gets = only(data);
    return carry_out(m, call);
  };
}

/// @param operation  of one vector
auto reduction_task(What operation, const void* out, void* in, int count, MPI_Datatype type,
                    MPI_Op op, int root = 0) {
  return [=](const Members& m) {
    require_root(*m.comm, root);
    return carry_out(m, reducing(operation, {static_cast<std::uint64_t>(count)}, out,
                                 {in, count, type}, op, root));
  };
}

/// @param counts  nullptr: `count` for each
auto reduce_scatter_task(const void* out, void* in, const int* counts, int count, MPI_Datatype type,
                         MPI_Op op) {
  return [=](const Members& m) {
    if (counts == nullptr) {
      return carry_out(m, reducing(What::reduce_scatter_block, {static_cast<std::uint64_t>(count)},
                                   out, {in, count, type}, op));
    }
    return carry_out(m, reducing(What::reduce_scatter, {counts, counts + m.size()}, out,
                                 {in, counts[m.own], type}, op));
  };
}

auto gather_task(const void* out, int out_count, MPI_Datatype out_type, void* in, int in_count,
                 MPI_Datatype in_type, int root) {
  return [=](const Members& m) {
    require_root(*m.comm, root);
    const PlaceOf blocks = in_a_row(in, in_count, in_type);
    const Place mine =
        out == MPI_IN_PLACE ? blocks(root) : Place{const_cast<void*>(out), out_count, out_type};
    CollectiveCall call = moving(What::gather, {bytes_of(mine)}, root);
    call.gives = only(mine);
    call.gets = blocks;
    return carry_out(m, call);
  };
}

auto gatherv_task(const void* out, int out_count, MPI_Datatype out_type, void* in,
                  const int* in_counts, const int* displacements, MPI_Datatype in_type, int root) {
  return [=](const Members& m) {
    require_root(*m.comm, root);
    const PlaceOf blocks = displaced(in, in_counts, displacements, in_type);
    const Place mine =
        out == MPI_IN_PLACE ? blocks(root) : Place{const_cast<void*>(out), out_count, out_type};
    CollectiveCall call = moving(What::gatherv, {bytes_of(mine)}, root);
    if (m.own == root) call.what.counts = bytes_of_each(blocks, m.size());
    call.gives = only(mine);
    call.gets = blocks;
    return carry_out(m, call);
  };
}

auto scatter_task(const void* out, int out_count, MPI_Datatype out_type, void* in, int in_count,
                  MPI_Datatype in_type, int root) {
  return [=](const Members& m) {
    require_root(*m.comm, root);
    const PlaceOf blocks = in_a_row(out, out_count, out_type);
    const Place mine = in == MPI_IN_PLACE ? blocks(root) : Place{in, in_count, in_type};
    CollectiveCall call = moving(What::scatter, {bytes_of(m.own == root ? blocks(0) : mine)}, root);
    call.gives = blocks;
    call.gets = only(mine);
    return carry_out(m, call);
  };
}

auto scatterv_task(const void* out, const int* out_counts, const int* displacements,
                   MPI_Datatype out_type, void* in, int in_count, MPI_Datatype in_type, int root) {
  return [=](const Members& m) {
    require_root(*m.comm, root);
    const PlaceOf blocks = displaced(out, out_counts, displacements, out_type);
    const Place mine = in == MPI_IN_PLACE ? blocks(root) : Place{in, in_count, in_type};
    CollectiveCall call = moving(What::scatterv, {bytes_of(mine)}, root);
    if (m.own == root) call.what.counts = bytes_of_each(blocks, m.size());
    call.gives = blocks;
    call.gets = only(mine);
    return carry_out(m, call);
  };
}

auto all_gather_task(const void* out, int out_count, MPI_Datatype out_type, void* in, int in_count,
                     MPI_Datatype in_type) {
  return [=](const Members& m) {
    const PlaceOf blocks = in_a_row(in, in_count, in_type);
    CollectiveCall call = moving(What::allgather, {bytes_of(blocks(0))});
    call.gives = only(out == MPI_IN_PLACE ? blocks(m.own)
                                          : Place{const_cast<void*>(out), out_count, out_type});
    call.gets = blocks;
    return carry_out(m, call);
  };
}

auto all_gatherv_task(const void* out, int out_count, MPI_Datatype out_type, void* in,
                      const int* in_counts, const int* displacements, MPI_Datatype in_type) {
  return [=](const Members& m) {
    const PlaceOf blocks = displaced(in, in_counts, displacements, in_type);
    CollectiveCall call = moving(What::allgatherv, bytes_of_each(blocks, m.size()));
    MPI_Aint lower = 0;
    MPI_Aint extent = 0;
    PMPI_Type_get_extent(in_type, &lower, &extent);
    call.what.extent = {static_cast<std::uint64_t>(std::max<MPI_Aint>(extent, 0))};
    call.what.element = {size_of(in_type)};
    call.gives = only(out == MPI_IN_PLACE ? blocks(m.own)
                                          : Place{const_cast<void*>(out), out_count, out_type});
    call.gets = blocks;
    return carry_out(m, call);
  };
}

/// @param send_buffer  MPI_IN_PLACE: what is in `in` goes out
auto all_to_all_task(What operation, const void* send_buffer, PlaceOf out, PlaceOf in) {
  return [=](const Members& m) {
    CollectiveCall call;
    call.what.operation = operation;
    call.what.is_in_place = send_buffer == MPI_IN_PLACE;
    call.gives = call.what.is_in_place ? in : out;
    call.gets = in;
    if (operation == What::alltoall) {
      call.what.counts = {bytes_of(call.gives(0))};
    } else {
      call.what.counts = bytes_of_each(call.gives, m.size());
      call.what.counts_in = bytes_of_each(in, m.size());
    }
    return carry_out(m, call);
  };
}

auto exchange_task(PlaceOf out, PlaceOf in) {
  return [=](const Members& m) { return exchange(m, neighbours_of(*m.comm), out, in); };
}

/// The same block to everyone.
PlaceOf same(const void* buffer, int count, MPI_Datatype type) {
  return [=](int) { return place_at(buffer, 0, count, type); };
}

/// MPI lets a program free a type or operator that a pending operation still uses, but the
/// emulation uses the program's own handles. So they are freed when no collective operation is
/// left.
template <const auto& free, class Handle>
int freeing(Handle* handle, Handle none) {
  static std::vector<Handle> later;
  if (is_active() && has_collectives() && *handle != none) {
    later.push_back(*handle);
    *handle = none;
    return MPI_SUCCESS;
  }
  for (Handle& one : later) free(&one);
  later.clear();
  return free(handle);
}

}  // namespace

// NAME, parameters, arguments → task. Defines MPI_NAME, MPI_IName, and MPI_NAME_init.
#define COLLECTIVE(NAME, INAME, PARAMETERS, TASK)                                         \
  int MPI_##NAME(PARAMETERS MPI_Comm comm) { return blocking("MPI_" #NAME, comm, TASK); } \
  int MPI_##INAME(PARAMETERS MPI_Comm comm, MPI_Request* request) {                       \
    return starting("MPI_" #INAME, comm, request, TASK);                                  \
  }                                                                                       \
  int MPI_##NAME##_init(PARAMETERS MPI_Comm comm, MPI_Info, MPI_Request* request) {       \
    return preparing("MPI_" #NAME "_init", comm, request, TASK);                          \
  }
#define P(...) __VA_ARGS__,

extern "C" {

COLLECTIVE(Barrier, Ibarrier, , barrier_task())
COLLECTIVE(Bcast, Ibcast, P(void* buffer, int count, MPI_Datatype type, int root),
           broadcast_task(buffer, count, type, root))
COLLECTIVE(Reduce, Ireduce,
           P(const void* out, void* in, int count, MPI_Datatype type, MPI_Op op, int root),
           reduction_task(What::reduce, out, in, count, type, op, root))
COLLECTIVE(Allreduce, Iallreduce,
           P(const void* out, void* in, int count, MPI_Datatype type, MPI_Op op),
           reduction_task(What::allreduce, out, in, count, type, op))
COLLECTIVE(Gather, Igather,
           P(const void* out, int out_count, MPI_Datatype out_type, void* in, int in_count,
             MPI_Datatype in_type, int root),
           gather_task(out, out_count, out_type, in, in_count, in_type, root))
COLLECTIVE(Gatherv, Igatherv,
           P(const void* out, int out_count, MPI_Datatype out_type, void* in, const int in_counts[],
             const int displacements[], MPI_Datatype in_type, int root),
           gatherv_task(out, out_count, out_type, in, in_counts, displacements, in_type, root))
COLLECTIVE(Scatter, Iscatter,
           P(const void* out, int out_count, MPI_Datatype out_type, void* in, int in_count,
             MPI_Datatype in_type, int root),
           scatter_task(out, out_count, out_type, in, in_count, in_type, root))
COLLECTIVE(Scatterv, Iscatterv,
           P(const void* out, const int out_counts[], const int displacements[],
             MPI_Datatype out_type, void* in, int in_count, MPI_Datatype in_type, int root),
           scatterv_task(out, out_counts, displacements, out_type, in, in_count, in_type, root))
COLLECTIVE(Allgather, Iallgather,
           P(const void* out, int out_count, MPI_Datatype out_type, void* in, int in_count,
             MPI_Datatype in_type),
           all_gather_task(out, out_count, out_type, in, in_count, in_type))
COLLECTIVE(Allgatherv, Iallgatherv,
           P(const void* out, int out_count, MPI_Datatype out_type, void* in, const int in_counts[],
             const int displacements[], MPI_Datatype in_type),
           all_gatherv_task(out, out_count, out_type, in, in_counts, displacements, in_type))
COLLECTIVE(Alltoall, Ialltoall,
           P(const void* out, int out_count, MPI_Datatype out_type, void* in, int in_count,
             MPI_Datatype in_type),
           all_to_all_task(What::alltoall, out, in_a_row(out, out_count, out_type),
                           in_a_row(in, in_count, in_type)))
COLLECTIVE(Alltoallv, Ialltoallv,
           P(const void* out, const int out_counts[], const int out_displacements[],
             MPI_Datatype out_type, void* in, const int in_counts[], const int in_displacements[],
             MPI_Datatype in_type),
           all_to_all_task(What::alltoallv, out,
                           displaced(out, out_counts, out_displacements, out_type),
                           displaced(in, in_counts, in_displacements, in_type)))
COLLECTIVE(Alltoallw, Ialltoallw,
           P(const void* out, const int out_counts[], const int out_displacements[],
             const MPI_Datatype out_types[], void* in, const int in_counts[],
             const int in_displacements[], const MPI_Datatype in_types[]),
           all_to_all_task(What::alltoallv, out,
                           typed(out, out_counts, out_displacements, out_types),
                           typed(in, in_counts, in_displacements, in_types)))
COLLECTIVE(Scan, Iscan, P(const void* out, void* in, int count, MPI_Datatype type, MPI_Op op),
           reduction_task(What::scan, out, in, count, type, op))
COLLECTIVE(Exscan, Iexscan, P(const void* out, void* in, int count, MPI_Datatype type, MPI_Op op),
           reduction_task(What::exscan, out, in, count, type, op))
COLLECTIVE(Reduce_scatter, Ireduce_scatter,
           P(const void* out, void* in, const int counts[], MPI_Datatype type, MPI_Op op),
           reduce_scatter_task(out, in, counts, 0, type, op))
COLLECTIVE(Reduce_scatter_block, Ireduce_scatter_block,
           P(const void* out, void* in, int count, MPI_Datatype type, MPI_Op op),
           reduce_scatter_task(out, in, nullptr, count, type, op))
COLLECTIVE(Neighbor_allgather, Ineighbor_allgather,
           P(const void* out, int out_count, MPI_Datatype out_type, void* in, int in_count,
             MPI_Datatype in_type),
           exchange_task(same(out, out_count, out_type), in_a_row(in, in_count, in_type)))
COLLECTIVE(Neighbor_allgatherv, Ineighbor_allgatherv,
           P(const void* out, int out_count, MPI_Datatype out_type, void* in, const int in_counts[],
             const int displacements[], MPI_Datatype in_type),
           exchange_task(same(out, out_count, out_type),
                         displaced(in, in_counts, displacements, in_type)))
COLLECTIVE(Neighbor_alltoall, Ineighbor_alltoall,
           P(const void* out, int out_count, MPI_Datatype out_type, void* in, int in_count,
             MPI_Datatype in_type),
           exchange_task(in_a_row(out, out_count, out_type), in_a_row(in, in_count, in_type)))
COLLECTIVE(Neighbor_alltoallv, Ineighbor_alltoallv,
           P(const void* out, const int out_counts[], const int out_displacements[],
             MPI_Datatype out_type, void* in, const int in_counts[], const int in_displacements[],
             MPI_Datatype in_type),
           exchange_task(displaced(out, out_counts, out_displacements, out_type),
                         displaced(in, in_counts, in_displacements, in_type)))
COLLECTIVE(Neighbor_alltoallw, Ineighbor_alltoallw,
           P(const void* out, const int out_counts[], const MPI_Aint out_displacements[],
             const MPI_Datatype out_types[], void* in, const int in_counts[],
             const MPI_Aint in_displacements[], const MPI_Datatype in_types[]),
           exchange_task(typed(out, out_counts, out_displacements, out_types),
                         typed(in, in_counts, in_displacements, in_types)))

int MPI_Type_free(MPI_Datatype* type) { return freeing<real::Type_free>(type, MPI_DATATYPE_NULL); }
int MPI_Op_free(MPI_Op* op) { return freeing<real::Op_free>(op, MPI_OP_NULL); }

}  // extern "C"
