#pragma once

#include <gtest/gtest.h>
#include <mpi.h>
#include <time.h>

#include <cmath>

/// Virtual time, as a program sees it on the machine that tests/libemulate/CMakeLists.txt gives it:
/// a link from each rank to each other. Nobody but the link spends time on a message.
namespace commgauge::virtual_time {

inline constexpr double us = 1e-6;
/// A look at the clock takes 20 ns.
inline constexpr double eps = 0.2 * us;

/// From the start of its send until it has arrived [s].
constexpr double message(int bytes) { return 10 * us + bytes * 0.01 * us; }

inline int own_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}
inline int count_of_ranks() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

inline void pass(double seconds) {
  const auto pause = std::llround(seconds * 1e9);
  const timespec time{pause / 1'000'000'000, pause % 1'000'000'000};
  nanosleep(&time, nullptr);
}

/// All ranks go on from the same time. Collective.
inline void align() {
  double latest = MPI_Wtime();
  MPI_Allreduce(MPI_IN_PLACE, &latest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  constexpr double later = 1e-3;
  pass(latest + later - MPI_Wtime());
}

/// @return [s]
template <class Work>
double time_of(Work&& work) {
  const double start = MPI_Wtime();
  work();
  return MPI_Wtime() - start;
}

/// While it is there errors on MPI_COMM_WORLD are returned.
class ErrorsReturn {
 public:
  ErrorsReturn() { MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); }
  ErrorsReturn(const ErrorsReturn&) = delete;
  ErrorsReturn& operator=(const ErrorsReturn&) = delete;
  ~ErrorsReturn() { MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL); }
};

inline int class_of(int code) {
  int of_code = MPI_SUCCESS;
  MPI_Error_class(code, &of_code);
  return of_code;
}

/// A test that all ranks begin at the same time, and leave nothing of to the next one.
class Aligned : public testing::Test {
 protected:
  Aligned() { align(); }
  ~Aligned() override { MPI_Barrier(MPI_COMM_WORLD); }

  [[nodiscard]] int next() const { return (rank_ + 1) % ranks_; }
  [[nodiscard]] int before() const { return (rank_ + ranks_ - 1) % ranks_; }

  int rank_{own_rank()};
  int ranks_{count_of_ranks()};
};

}  // namespace commgauge::virtual_time
