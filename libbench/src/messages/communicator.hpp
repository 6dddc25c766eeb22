#pragma once

#include <mpi.h>

#include <string_view>

namespace commgauge::bench {

/// @throws MpiError  when `code` is not MPI_SUCCESS, with MPI's own text.
void check(int code, std::string_view what);

/// A duplicate of a communicator, with errors returned instead of fatal. Move-only.
class Communicator {
 public:
  explicit Communicator(MPI_Comm comm);
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  [[nodiscard]] MPI_Comm get() const { return comm_; }
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }

 private:
  MPI_Comm comm_{MPI_COMM_NULL};
  int rank_{};
  int size_{};
};

}  // namespace commgauge::bench
