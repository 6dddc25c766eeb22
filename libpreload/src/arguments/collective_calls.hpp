#pragma once

#include <mpi.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "arguments/places.hpp"
#include "commgauge/schedule/between_groups.hpp"
#include "commgauge/schedule/schedule.hpp"

/// Collective operations as MPI's calls describe them.
namespace commgauge::preload {

/// Where a block of a buffer lies: of which rank of the communicator, or which neighbour.
using PlaceOf = std::function<Place(int)>;

/// What MPI has against an argument of a call: an error's class.
struct WrongArgument {
  int code;
};

/// A collective operation as this rank calls it. MPI_IN_PLACE is dealt with.
struct CollectiveCall {
  /// Of neighbours (MPI_Neighbor_...) nothing is told here.
  schedule::Collective what;
  bool is_of_neighbours{};
  /// Where the data are that the rank gives to others, or has reduced: one place whatever the
  /// number, or that of the block for a rank.
  PlaceOf gives;
  PlaceOf gets;  ///< where the results go, likewise
  MPI_Op op{MPI_OP_NULL};
  MPI_Datatype type{MPI_BYTE};  ///< of the elements that `op` takes
};

/// Who calls, in the communicator's terms.
struct Caller {
  int own{};
  int size{};   ///< of the remote group, where there is one
  int group{};  ///< of the caller's own; the same within one group
  bool is_inter{};
  [[nodiscard]] bool is_root(int root) const { return root == (is_inter ? MPI_ROOT : own); }
  [[nodiscard]] bool has(int root) const {
    return (root >= 0 && root < size) || (is_inter && root == MPI_ROOT);
  }
  /// It is another rank of the caller's group, not of the one that has a part.
  [[nodiscard]] bool is_beside(int root) const { return is_inter && root == MPI_PROC_NULL; }
};

/// What the arguments of a call say, once it is known who calls: between two groups as
/// schedule::between_groups() has it. @throws WrongArgument
using CallOf = std::function<CollectiveCall(const Caller&)>;

/// Counts or displacements as a call has them, of each rank or neighbour: ints, or large ones.
class Numbers {
 public:
  Numbers() = default;
  template <class Integer>
  Numbers(const Integer* first) : first_{first}, is_large_{sizeof(Integer) > sizeof(int)} {
    static_assert(sizeof(Integer) == sizeof(int) || sizeof(Integer) == sizeof(MPI_Count));
  }

  [[nodiscard]] bool are_there() const { return first_ != nullptr; }
  [[nodiscard]] MPI_Count operator[](int i) const {
    if (is_large_) return at<MPI_Count>(i);
    return at<int>(i);
  }
  [[nodiscard]] std::vector<std::uint64_t> first(int count) const;

 private:
  template <class Integer>
  [[nodiscard]] Integer at(int i) const {
    Integer number;
    std::memcpy(&number, static_cast<const Integer*>(first_) + i, sizeof number);
    return number;
  }

  const void* first_{};
  bool is_large_{};
};

/// "MPI_SUM" of MPI's own; nullptr: it is none of these.
[[nodiscard]] const char* operator_name(MPI_Op op);

// Blocks of a buffer.

/// One after the other.
[[nodiscard]] PlaceOf in_a_row(const void* buffer, MPI_Count count, MPI_Datatype type);
[[nodiscard]] PlaceOf displaced(const void* buffer, Numbers counts, Numbers displacements,
                                MPI_Datatype type);
/// Displacements in bytes.
[[nodiscard]] PlaceOf typed(const void* buffer, Numbers counts, Numbers displacements,
                            const MPI_Datatype* types);
/// The same for all.
[[nodiscard]] PlaceOf same(const void* buffer, MPI_Count count, MPI_Datatype type);

// MPI's operations, by their arguments.

[[nodiscard]] CallOf barrier_call();
[[nodiscard]] CallOf broadcast_call(void* buffer, MPI_Count count, MPI_Datatype type, int root);
/// @param operation  of one vector
[[nodiscard]] CallOf reduction_call(schedule::Operation operation, const void* out, void* in,
                                    MPI_Count count, MPI_Datatype type, MPI_Op op, int root = 0);
/// @param counts  none: `count` for each
[[nodiscard]] CallOf reduce_scatter_call(const void* out, void* in, Numbers counts, MPI_Count count,
                                         MPI_Datatype type, MPI_Op op);
[[nodiscard]] CallOf gather_call(const void* out, MPI_Count out_count, MPI_Datatype out_type,
                                 void* in, MPI_Count in_count, MPI_Datatype in_type, int root);
[[nodiscard]] CallOf gatherv_call(const void* out, MPI_Count out_count, MPI_Datatype out_type,
                                  void* in, Numbers in_counts, Numbers displacements,
                                  MPI_Datatype in_type, int root);
[[nodiscard]] CallOf scatter_call(const void* out, MPI_Count out_count, MPI_Datatype out_type,
                                  void* in, MPI_Count in_count, MPI_Datatype in_type, int root);
[[nodiscard]] CallOf scatterv_call(const void* out, Numbers out_counts, Numbers displacements,
                                   MPI_Datatype out_type, void* in, MPI_Count in_count,
                                   MPI_Datatype in_type, int root);
[[nodiscard]] CallOf all_gather_call(const void* out, MPI_Count out_count, MPI_Datatype out_type,
                                     void* in, MPI_Count in_count, MPI_Datatype in_type);
[[nodiscard]] CallOf all_gatherv_call(const void* out, MPI_Count out_count, MPI_Datatype out_type,
                                      void* in, Numbers in_counts, Numbers displacements,
                                      MPI_Datatype in_type);
/// @param send_buffer  MPI_IN_PLACE: what is in `in` goes out
[[nodiscard]] CallOf all_to_all_call(schedule::Operation operation, const void* send_buffer,
                                     const PlaceOf& out, const PlaceOf& in);
/// Sends to all neighbours and receives from them.
[[nodiscard]] CallOf exchange_call(const PlaceOf& out, const PlaceOf& in);

/// A rank's neighbours in its communicator's topology; MPI_PROC_NULL beyond a grid's border.
struct Neighbours {
  std::vector<int> sources;       ///< ranks of the job
  std::vector<int> destinations;  ///< ranks of the job
  bool is_grid{};  ///< neighbours 2d and 2d + 1 are those before and after in dimension d

  /// Of a grid a tag tells directions apart, for both neighbours in a dimension may be the same
  /// rank: what leaves a rank in one direction enters its neighbour from the opposite one, i ^ 1.
  [[nodiscard]] int tag_from(int i) const { return is_grid ? i : 0; }
  [[nodiscard]] int tag_to(int i) const { return is_grid ? i ^ 1 : 0; }
};
/// @param peers  rank of the job by rank of the communicator
/// @return nothing where the communicator has no topology
[[nodiscard]] std::optional<Neighbours> neighbours_of(MPI_Comm comm, std::span<const int> peers);
/// Of an operation of neighbours: its places don't need the call's arguments any more, as those of
/// other operations never do.
void keep_blocks(CollectiveCall& call, const Neighbours& neighbours);

}  // namespace commgauge::preload
