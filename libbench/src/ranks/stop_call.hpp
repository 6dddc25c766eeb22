#pragma once

#include <mpi.h>

#include <functional>

#include "messages/communicator.hpp"

namespace commgauge::bench {

/// Lets ranks that sleep end what others of their communicator do, rank 0 among them. Under SMPI
/// none is heard: there a rank sleeps without a look at anything.
class StopCall {
 public:
  /// @param is_cancelled  of this rank; may be empty
  StopCall(const Communicator& all, std::function<bool()> is_cancelled);
  StopCall(const StopCall&) = delete;
  StopCall& operator=(const StopCall&) = delete;

  /// Of a rank that sleeps, now and then: calls rank 0, once, where this one is cancelled.
  void call_if_cancelled();
  /// Of a rank that doesn't: whether it is cancelled, or, on rank 0, was called.
  [[nodiscard]] bool is_heard();
  /// Collective: afterwards no call is under way.
  void end();

 private:
  void take_call();

  const Communicator& all_;
  std::function<bool()> is_cancelled_;
  MPI_Request call_{MPI_REQUEST_NULL};
  int called_{};  ///< 1: this rank did
  int taken_{};   ///< calls, by rank 0
};

}  // namespace commgauge::bench
