// MPI's collective operations, blocking and not.

#include <algorithm>
#include <numeric>

#include "collective_algorithms.hpp"
#include "datatypes.hpp"
#include "job.hpp"
#include "mpi_library.hpp"

using namespace commgauge::emulate;

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

void copy(const Place& from, const Place& to) {
  commgauge::emulate::copy(from.buffer, from.count, from.type, to.buffer, to.type);
}

auto barrier_task() {
  return [](const Members& m) { return barrier(m); };
}

auto broadcast_task(void* buffer, int count, MPI_Datatype type, int root) {
  return [=](const Members& m) {
    require_root(*m.comm, root);
    return broadcast(m, {buffer, count, type}, root);
  };
}

auto reduce_task(const void* out, void* in, int count, MPI_Datatype type, MPI_Op op, int root) {
  return [=](const Members& m) {
    require_root(*m.comm, root);
    return reduce(m, out == MPI_IN_PLACE ? in : out, {in, count, type}, op, root);
  };
}

auto all_reduce_task(const void* out, void* in, int count, MPI_Datatype type, MPI_Op op) {
  return [=](const Members& m) {
    return all_reduce(m, out == MPI_IN_PLACE ? in : out, {in, count, type}, op);
  };
}

auto gather_task(const void* out, int out_count, MPI_Datatype out_type, void* in, int in_count,
                 MPI_Datatype in_type, int root) {
  return [=](const Members& m) {
    require_root(*m.comm, root);
    PlaceOf blocks = in_a_row(in, in_count, in_type);
    Place mine{const_cast<void*>(out), out_count, out_type};
    if (m.own == root) {
      if (out != MPI_IN_PLACE) copy(mine, blocks(root));
      mine = blocks(root);
    }
    return gather(m, mine, blocks, root);
  };
}

auto gatherv_task(const void* out, int out_count, MPI_Datatype out_type, void* in,
                  const int* in_counts, const int* displacements, MPI_Datatype in_type, int root) {
  return [=](const Members& m) {
    require_root(*m.comm, root);
    PlaceOf blocks = displaced(in, in_counts, displacements, in_type);
    const Place mine{const_cast<void*>(out), out_count, out_type};
    if (m.own == root && out != MPI_IN_PLACE) copy(mine, blocks(root));
    return gather_in_turn(m, mine, blocks, root);
  };
}

auto scatter_task(const void* out, int out_count, MPI_Datatype out_type, void* in, int in_count,
                  MPI_Datatype in_type, int root) {
  return [=](const Members& m) {
    require_root(*m.comm, root);
    PlaceOf blocks = in_a_row(out, out_count, out_type);
    Place mine{in, in_count, in_type};
    if (m.own == root) {
      if (in != MPI_IN_PLACE) copy(blocks(root), mine);
      mine = blocks(root);
    }
    return scatter(m, mine, blocks, root);
  };
}

auto scatterv_task(const void* out, const int* out_counts, const int* displacements,
                   MPI_Datatype out_type, void* in, int in_count, MPI_Datatype in_type, int root) {
  return [=](const Members& m) {
    require_root(*m.comm, root);
    PlaceOf blocks = displaced(out, out_counts, displacements, out_type);
    const Place mine{in, in_count, in_type};
    if (m.own == root && in != MPI_IN_PLACE) copy(blocks(root), mine);
    return scatter_in_turn(m, mine, blocks, root);
  };
}

auto all_gather_task(const void* out, int out_count, MPI_Datatype out_type, PlaceOf blocks) {
  return [=](const Members& m) {
    if (out != MPI_IN_PLACE) {
      copy({const_cast<void*>(out), out_count, out_type}, blocks(m.own));
    }
    return all_gather(m, blocks);
  };
}

/// Copies of the blocks of an all-to-all with MPI_IN_PLACE, whose receives overwrite what it sends.
struct Kept {
  std::vector<std::vector<std::byte>> blocks;
  explicit Kept(const PlaceOf& in, int count) {
    for (int i = 0; i < count; ++i) {
      const Place place = in(i);
      auto& bytes = blocks.emplace_back(bytes_of(place));
      pack(place.buffer, place.count, place.type, bytes.data());
    }
  }
};

auto all_to_all_task(const void* send_buffer, PlaceOf out, PlaceOf in) {
  return [=](const Members& m) {
    if (send_buffer != MPI_IN_PLACE) return all_to_all(m, out, in);
    const auto kept = std::make_shared<Kept>(in, m.size());
    const PlaceOf copies = [kept](int i) -> Place {
      auto& bytes = kept->blocks[static_cast<std::size_t>(i)];
      return {bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE};
    };
    return all_to_all(m, copies, in);
  };
}

auto scan_task(const void* out, void* in, int count, MPI_Datatype type, MPI_Op op) {
  return [=](const Members& m) {
    const Place result{in, count, type};
    if (out != MPI_IN_PLACE) copy({const_cast<void*>(out), count, type}, result);
    return scan(m, result, op);
  };
}

auto exclusive_scan_task(const void* out, void* in, int count, MPI_Datatype type, MPI_Op op) {
  return [=](const Members& m) {
    return exclusive_scan(m, out == MPI_IN_PLACE ? in : out, {in, count, type}, op);
  };
}

/// @param counts  nullptr: `count` for each
auto reduce_scatter_task(const void* out, void* in, const int* counts, int count, MPI_Datatype type,
                         MPI_Op op) {
  return [=](const Members& m) {
    std::vector<int> parts(static_cast<std::size_t>(m.size()), count);
    if (counts != nullptr) parts.assign(counts, counts + m.size());
    const int whole = std::accumulate(parts.begin(), parts.end(), 0);
    const int own = parts[static_cast<std::size_t>(m.own)];
    return reduce_scatter(m, out == MPI_IN_PLACE ? in : out, {nullptr, whole, type}, op, parts,
                          {in, own, type});
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
           reduce_task(out, in, count, type, op, root))
COLLECTIVE(Allreduce, Iallreduce,
           P(const void* out, void* in, int count, MPI_Datatype type, MPI_Op op),
           all_reduce_task(out, in, count, type, op))
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
           all_gather_task(out, out_count, out_type, in_a_row(in, in_count, in_type)))
COLLECTIVE(Allgatherv, Iallgatherv,
           P(const void* out, int out_count, MPI_Datatype out_type, void* in, const int in_counts[],
             const int displacements[], MPI_Datatype in_type),
           all_gather_task(out, out_count, out_type,
                           displaced(in, in_counts, displacements, in_type)))
COLLECTIVE(Alltoall, Ialltoall,
           P(const void* out, int out_count, MPI_Datatype out_type, void* in, int in_count,
             MPI_Datatype in_type),
           all_to_all_task(out, in_a_row(out, out_count, out_type),
                           in_a_row(in, in_count, in_type)))
COLLECTIVE(Alltoallv, Ialltoallv,
           P(const void* out, const int out_counts[], const int out_displacements[],
             MPI_Datatype out_type, void* in, const int in_counts[], const int in_displacements[],
             MPI_Datatype in_type),
           all_to_all_task(out, displaced(out, out_counts, out_displacements, out_type),
                           displaced(in, in_counts, in_displacements, in_type)))
COLLECTIVE(Alltoallw, Ialltoallw,
           P(const void* out, const int out_counts[], const int out_displacements[],
             const MPI_Datatype out_types[], void* in, const int in_counts[],
             const int in_displacements[], const MPI_Datatype in_types[]),
           all_to_all_task(out, typed(out, out_counts, out_displacements, out_types),
                           typed(in, in_counts, in_displacements, in_types)))
COLLECTIVE(Scan, Iscan, P(const void* out, void* in, int count, MPI_Datatype type, MPI_Op op),
           scan_task(out, in, count, type, op))
COLLECTIVE(Exscan, Iexscan, P(const void* out, void* in, int count, MPI_Datatype type, MPI_Op op),
           exclusive_scan_task(out, in, count, type, op))
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
