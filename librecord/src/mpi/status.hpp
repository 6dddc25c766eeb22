#pragma once

#include <mpi.h>

namespace commgauge::record {

/// A status for the recorder where the program wants none.
class Status {
 public:
  explicit Status(MPI_Status* wanted) : wanted_{wanted} {}
  [[nodiscard]] MPI_Status* get() { return wanted_ == MPI_STATUS_IGNORE ? &own_ : wanted_; }

 private:
  MPI_Status* wanted_;
  MPI_Status own_{};
};

}  // namespace commgauge::record
