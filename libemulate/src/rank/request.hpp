#pragma once

#include <mpi.h>

#include <memory>
#include <optional>

#include "arguments/places.hpp"
#include "commgauge/simulate/process/request.hpp"
#include "rank/communicator.hpp"
#include "shared/live_world.hpp"

namespace commgauge::emulate {

using preload::bytes_of;
using preload::Place;
using simulate::Mode;

/// What a program has given for a generalised request. `poll` and `wait` may be nullptr.
struct OwnFunctions {
  int (*query)(void*, MPI_Status*){};
  int (*free)(void*){};
  int (*cancel)(void*, int){};
  int (*poll)(void*, MPI_Status*){};
  int (*wait)(int, void**, double, MPI_Status*){};
  void* state{};
  bool are_fortran{};  ///< subroutines, which take all by reference and tell their error so
};

class Emulator;

/// What an MPI_Request stands for, and blocking operations while they last. `peer` may also be
/// MPI_PROC_NULL.
struct Request : simulate::Request {
  CommunicatorPtr comm;
  Place place;
  bool owns_type{};
  bool persistent{};
  bool is_sendrecv{};               ///< of a collective operation: a send with a receive
  std::optional<OwnFunctions> own;  ///< of a generalised request
  bool is_freed{};                  ///< likewise: the program has, before it was over
  bool is_of_other_type{};          ///< the message ends within an element of the receive's
  Offset stored{};                  ///< of an access: what it does, in shared memory

  Request() = default;
  ~Request() override;
  /// Of one that is done: as MPI has it.
  [[nodiscard]] int error() const {
    if (is_truncated) return MPI_ERR_TRUNCATE;
    return is_of_other_type ? MPI_ERR_TYPE : MPI_SUCCESS;
  }
  /// Of an access that is over.
  virtual void reached(Emulator&) {}
};

/// A send or receive that has not started.
[[nodiscard]] std::unique_ptr<Request> make_request(Request::Kind kind, const CommunicatorPtr& comm,
                                                    const Place& place, int peer, int tag,
                                                    int context, Mode mode);

}  // namespace commgauge::emulate
