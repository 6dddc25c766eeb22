#include "politely.hpp"

#include <algorithm>

#include "job.hpp"
#include "real_calls.hpp"
#include "real_time.hpp"

namespace commgauge::emulate::politely {

namespace {

void wait(MPI_Request request) {
  if (world() != MPI_COMM_WORLD) {
    // Of a job that sessions have started MPICH 4.0.2 crashes in MPI_Test.
    real::Wait(&request, MPI_STATUS_IGNORE);
    return;
  }
  constexpr double first = 20e-6;   // [s]
  constexpr double longest = 5e-3;  // [s]
  int is_done = 0;
  for (double pause = first;; pause = std::min(2 * pause, longest)) {
    real::Test(&request, &is_done, MPI_STATUS_IGNORE);
    if (is_done != 0) return;
    sleep_until(real_time() + pause);
  }
}

}  // namespace

void broadcast(void* data, std::size_t bytes, int root) {
  MPI_Request request = MPI_REQUEST_NULL;
  real::Ibcast(data, static_cast<int>(bytes), MPI_BYTE, root, world(), &request);
  wait(request);
}

int least(int value) {
  MPI_Request request = MPI_REQUEST_NULL;
  real::Iallreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_MIN, world(), &request);
  wait(request);
  return value;
}

void gather(const void* own, std::size_t bytes, void* all) {
  MPI_Request request = MPI_REQUEST_NULL;
  const int size = static_cast<int>(bytes);
  real::Igather(own, size, MPI_BYTE, all, size, MPI_BYTE, 0, world(), &request);
  wait(request);
}

}  // namespace commgauge::emulate::politely
